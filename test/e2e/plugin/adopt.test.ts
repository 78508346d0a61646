/** Files from before there was a journal, in all the forms they come in. */
import { expect, test } from "vitest";
import { bareDirectory, repository } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import {
  NAME,
  answer,
  codesOf,
  finish,
  handoffOf,
  ideas,
  pluginAt,
  questionOf,
  sha256,
  today,
} from "../plugin.ts";

const CHECKSUMS = /contract_checksums:[^]*?\n(?=---)/;

/** The files of a plugin at that stand, as if Holdpoint had never been there. */
function forgotten(stand: "s0" | "s2" | "s3" | "working"): Scratch {
  const scratch = pluginAt(stand);
  scratch.remove(".git/holdpoint");
  return scratch;
}

test("[PW-256][PW-257][PW-258][PW-260][PW-262][PW-263] an old handoff gets what it lacks, and nothing else changes", () => {
  const scratch = forgotten("s2");
  const old = scratch
    .read(handoffOf())
    .replace(CHECKSUMS, "")
    .replace(/(orchestration_mode|next_action|next_phase): .*\n/g, "")
    .replace("None yet.\n", "Half a thought.\n\n---\n\nBelow the rule.\n");
  scratch.write(handoffOf(), old);
  const before = scratch.read("PLUGINS.md");
  const preview = scratch.hold("adopt --all --dry-run");
  expect(preview.json.workflows?.[0]).toMatchObject({ id: NAME, result: "preview" });
  expect(preview.json.workflows?.[0]?.summary?.join("\n")).toContain("nobody has reviewed");
  expect(scratch.read(handoffOf())).toBe(old);
  const done = scratch.hold("adopt --all");
  expect(done.json.workflows?.[0]).toMatchObject({ id: NAME, result: "adopted" });
  const now = scratch.read(handoffOf());
  expect(now.match(/contract_checksums:/g)).toHaveLength(1);
  expect(now).toContain(`\n  plan: ${sha256(scratch.read(ideas("plan.md")))}\n`);
  expect(now).toContain("orchestration_mode: true\n");
  expect(now).toContain("next_action: invoke_dsp_agent\nnext_phase: null\n");
  for (const line of old.split("\n")) expect(now).toContain(line);
  expect(scratch.read("PLUGINS.md")).toBe(before);
  expect(scratch.hold("verify --all").exit).toBe(0);
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("baseline: migrated");
});

test("[PW-248][PW-261] adopting can be repeated, and work goes on from there", () => {
  const scratch = forgotten("s2");
  const files = [scratch.read(handoffOf()), scratch.read("PLUGINS.md")];
  expect(scratch.hold(`adopt ${NAME}`).json.workflows?.[0]?.result).toBe("adopted");
  expect([scratch.read(handoffOf()), scratch.read("PLUGINS.md")]).toEqual(files);
  expect(scratch.hold(`adopt ${NAME}`).json.workflows?.[0]?.result).toBe("already");
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("baseline: as recorded");
  // That somebody has answered, no file shows.
  expect(scratch.hold(`advance ${NAME}`).exit).toBe(11);
  expect(answer(scratch, "1").json.order).toMatchObject({ role: "dsp-agent" });
  expect(finish(scratch, "3").json.state).toBe("🚧 Stage 3");
});

test("[PW-260] without plan.md its checksum is null", () => {
  const scratch = forgotten("s0");
  scratch.remove(ideas("plan.md"));
  scratch.edit(handoffOf(), (text) => text.replace(CHECKSUMS, ""));
  expect(scratch.hold(`adopt ${NAME}`).json.workflows?.[0]?.result).toBe("adopted");
  expect(scratch.read(handoffOf())).toMatch(/\n {2}plan: null\n/);
});

test("[PW-182][PW-266][PW-297] where handoff and registry contradict, a person says which is right", () => {
  const scratch = forgotten("s2");
  scratch.edit(handoffOf(), (text) => text.replace("stage: 2", "stage: 3"));
  const refused = scratch.hold(`adopt ${NAME}`);
  expect(refused.exit).toBe(10);
  expect(refused.json.refusals?.[0]).toMatchObject({ code: "stage-mismatch", rule: "PW-266" });
  expect(refused.json.refusals?.[0]?.message).toBe(
    "The handoff says stage 3, the registry says 🚧 Stage 2",
  );
  const other = forgotten("s2");
  other.edit(handoffOf(), (text) => text.replace("stage: 2", "stage: 3"));
  scratch.hold(`adopt ${NAME} --side registry`);
  other.hold(`adopt ${NAME} --side handoff`);
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 2");
  expect(other.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 3");
  expect(scratch.hold("verify --all").exit).toBe(0);
  expect(other.hold("verify --all").exit).toBe(0);
});

test("[PW-266] files in the old numbering are read as what they mean", () => {
  const scratch = forgotten("s2");
  scratch.edit(handoffOf(), (text) =>
    text
      .replace("stage: 2", "stage: 4")
      .replace("next_action: invoke_dsp_agent", "next_action: invoke_validator")
      .replace(CHECKSUMS, ""),
  );
  scratch.edit("PLUGINS.md", (text) =>
    text.replaceAll("🚧 Stage 2", "🚧 Stage 4").replaceAll(/^.*\(Stage \d\).*\n/gm, ""),
  );
  // Its commits and its timeline have the new numbers, and would contradict it.
  scratch.git("checkout", "--quiet", "--orphan", "old");
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "as it is");
  scratch.hold(`adopt ${NAME}`);
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 3");
});

test("[PW-252][PW-267][PW-271] a time becomes a date, and what has lain for weeks is shown before going on", () => {
  const scratch = forgotten("s2");
  scratch.edit(handoffOf(), (text) =>
    text.replace(/last_updated: .*/, "last_updated: 2026-01-12T13:10:00").replace(CHECKSUMS, ""),
  );
  scratch.edit("PLUGINS.md", (text) => text.replaceAll(today(), "2026-01-12"));
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "something since");
  scratch.hold(`adopt ${NAME}`);
  expect(scratch.read(handoffOf())).toContain("last_updated: 2026-01-12\n");
  const asked = scratch.hold(`advance ${NAME}`);
  expect(questionOf(asked)).toBe("resume");
  const told = String(asked.json.held?.[0]?.about["message"]);
  expect(told).toMatch(/Its last step was on 2026-01-12, \d+ days ago/);
  expect(told).toContain("something since");
  expect(answer(scratch, "1").json.order).toMatchObject({ role: "dsp-agent" });
});

test("[PW-264] an older file without its sections gets them with the next step", () => {
  const scratch = forgotten("s2");
  scratch.edit(handoffOf(), (text) =>
    text.replace(CHECKSUMS, "").replace(/## Next Steps[^]*$/, "My own words.\n"),
  );
  scratch.hold(`adopt ${NAME}`);
  answer(scratch, "1");
  finish(scratch, "3");
  const text = scratch.read(handoffOf());
  expect(text).toContain("My own words.");
  for (const section of ["Next Steps", "Build Artifacts", "Testing Checklist"])
    expect(text).toContain(`## ${section}\n`);
  expect(scratch.hold("verify --all").exit).toBe(0);
});

test("[PW-258][PW-259] line endings and a byte order mark survive", () => {
  const scratch = forgotten("s2");
  const crlf = `\uFEFF${scratch.read(handoffOf()).replace(CHECKSUMS, "")}`.replaceAll("\n", "\r\n");
  scratch.write(handoffOf(), crlf);
  expect(scratch.hold(`adopt ${NAME}`).json.workflows?.[0]?.result).toBe("adopted");
  answer(scratch, "1");
  expect(finish(scratch, "3").json.state).toBe("🚧 Stage 3");
  const text = scratch.read(handoffOf());
  expect(text.startsWith("\uFEFF---\r\n")).toBe(true);
  expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  expect(scratch.hold("verify --all").exit).toBe(0);
});

test("[PW-265] a file without front matter is taken over beside its words, never damaged", () => {
  const scratch = forgotten("s2");
  const prose = "# Where we are\n\n**Status:** all is well\n\n---\n\nplugin: not a field\n";
  scratch.write(handoffOf(), prose);
  const taken = scratch.hold(`adopt ${NAME}`);
  if (taken.exit === 11) scratch.hold(`adopt ${NAME} --yes`);
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 2");
  expect(scratch.read(handoffOf())).toContain(prose);
});

test("[PW-265] ideation files with words for a stage are ideas", () => {
  const scratch = repository();
  scratch.write(
    "PLUGINS.md",
    "| Plugin Name | Status | Version | Last Updated |\n|---|---|---|---|\n| Knob | 💡 Ideated | - | 2026-01-10 |\n\n### Knob\n\n**Status:** 💡 Ideated\n",
  );
  const old =
    "---\nplugin: Knob\nstage: ideation\nstatus: creative_brief_complete\nlast_updated: 2026-01-10 15:30:00\n---\n\n# Resume Point\n";
  scratch.write(handoffOf("Knob"), old);
  expect(scratch.hold("adopt Knob").json.workflows?.[0]).toMatchObject({ result: "adopted" });
  expect(scratch.read(handoffOf("Knob"))).toBe(old);
  expect(scratch.hold("status Knob").json.state).toBe("💡 Ideated");
});

test("[PW-150][PW-151][PW-152] a handoff nobody can read comes back from the newest commit that can be, after a yes", () => {
  const scratch = forgotten("s3");
  const good = scratch.read(handoffOf());
  scratch.write(handoffOf(), "---\nplugin: [broken\n");
  const unsure = scratch.hold(`adopt ${NAME}`);
  expect(unsure.exit).toBe(11);
  expect(unsure.json.workflows?.[0]).toMatchObject({ result: "unsure" });
  const head = scratch.git("rev-parse", "--short=7", "HEAD");
  expect(unsure.json.workflows?.[0]?.summary?.join("\n")).toContain(`commit ${head}`);
  expect(codesOf(scratch.hold(`advance ${NAME}`))).toEqual(["workflow-unknown"]);
  expect(scratch.read(handoffOf())).toContain("[broken");
  scratch.hold(`adopt ${NAME} --yes`);
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 3");
  expect(scratch.read(handoffOf())).toContain("\nstage: 3\n");
  expect(scratch.read(handoffOf())).toContain(/ {2}plan: .*/.exec(good)?.[0] ?? "?");
  expect(scratch.hold("verify --all").exit).toBe(0);
});

test("[PW-150][PW-251] without any handoff the registry, contracts and plan say where it stands", () => {
  const scratch = forgotten("s3");
  scratch.remove(handoffOf());
  const taken = scratch.hold(`adopt ${NAME}`);
  if (taken.exit === 11) scratch.hold(`adopt ${NAME} --yes`);
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 3");
  expect(scratch.read(handoffOf())).toContain("\nstage: 3\n");
  expect(scratch.hold("verify --all").exit).toBe(0);
  expect(codesOf(scratch.hold("adopt Nobody"))).toEqual(["workflow-unknown"]);
});

test("[PW-045][PW-261] a registry that is only a table keeps its columns, and NOTES.md its words", () => {
  const scratch = repository();
  const table =
    "# PLUGIN REGISTRY\n\n| Plugin Name | Status | Version | Type | Last Updated |\n|---|---|---|---|---|\n| PadBox | 🚧 Stage 0 | - | Synth | 2026-02-01 |\n| SoloBox | 💡 Ideated | - | - | 2026-02-02 |\n";
  const notes =
    "# PadBox Notes\n\n## Status\n- **Current Status:** 🚧 Stage 0\n- **Version:** N/A\n- **Type:** Synth\n\n## Lifecycle Timeline\n\n- **2026-01-30:** Creative brief completed\n\n## Known Issues\n\nNone\n";
  scratch.write("PLUGINS.md", table);
  scratch.write("plugins/PadBox/NOTES.md", notes);
  for (const file of ["creative-brief", "parameter-spec", "architecture"])
    scratch.write(ideas(`${file}.md`, "PadBox"), `${file}\n`);
  scratch.write(ideas("plan.md", "PadBox"), "**Complexity Score:** 2.0\n");
  const all = scratch.hold("adopt --all --yes");
  expect(all.json.workflows?.map((one) => [one.id, one.result])).toEqual([
    ["PadBox", "adopted"],
    ["SoloBox", "adopted"],
  ]);
  expect(answer(scratch, "1", "PadBox").json.order).toMatchObject({
    role: "foundation-shell-agent",
  });
  expect(finish(scratch, "2", { name: "PadBox" }).json.state).toBe("🚧 Stage 2");
  const registry = scratch.read("PLUGINS.md");
  expect(registry).toContain(`| PadBox | 🚧 Stage 2 | - | Synth | ${today()} |\n`);
  expect(registry).toContain("| SoloBox | 💡 Ideated | - | - | 2026-02-02 |\n");
  expect(registry).not.toContain("### PadBox");
  const now = scratch.read("plugins/PadBox/NOTES.md");
  expect(now).toContain("- **Current Status:** 🚧 Stage 2\n");
  expect(now).toContain(`- **${today()} (Stage 2):** Foundation complete`);
  expect(now).toContain("## Known Issues\n\nNone\n");
});

test("[PW-040][PW-041][PW-043][PW-044][PW-167] a registry with rows, entries and fences apart is told apart", () => {
  const scratch = bareDirectory();
  scratch.write(
    "PLUGINS.md",
    [
      "| Plugin Name | Status | Version | Last Updated |",
      "|---|---|---|---|",
      "| Tape  | 📦 Installed | 1.0.3 | 2026-01-12 |",
      "| Clap | 💡 Ideated | - | 2026-01-10 |",
      "",
      "### Tape",
      "",
      "**Status:** 📦 **Installed**",
      "**Version:** 1.1.0",
      "**Last Updated:** 2026-01-12",
      "",
      "### Lonely",
      "",
      "**Type:** Synth",
      "**Status:** 💡 Ideated",
      "",
      "```markdown",
      "### [PluginName]",
      "**Status:** [Emoji]",
      "```",
      "",
    ].join("\n"),
  );
  const { workflows = [] } = scratch.hold("verify --all").json;
  expect(workflows.map((one) => one.id)).toEqual(["Clap", "Lonely", "Tape"]);
  const messages = Object.fromEntries(
    workflows.map((one) => [one.id, one.findings.map((finding) => finding.message).join("; ")]),
  );
  expect(messages["Tape"]).toMatch(/1\.0\.3.*1\.1\.0|1\.1\.0.*1\.0\.3/);
  expect(messages["Clap"]).not.toBe("");
  expect(messages["Lonely"]).not.toBe("");
  expect(messages["Clap"]).not.toBe(messages["Lonely"]?.replaceAll("Lonely", "Clap"));
});

test("the dry run lists every line that would change, and adopting changes no other", () => {
  const scratch = forgotten("s2");
  scratch.edit(handoffOf(), (text) => text.replace(CHECKSUMS, "").replace(/next_action: .*\n/, ""));
  const before = scratch.read(handoffOf());
  const shown = scratch.hold(`adopt ${NAME} --dry-run`).json.workflows?.[0]?.changes ?? [];
  expect(shown.map(({ file }) => file)).toEqual([handoffOf()]);
  const added = (shown[0]?.diff ?? "").split("\n").filter((line) => line.startsWith("+"));
  expect(shown[0]?.diff).not.toMatch(/^-/m);
  expect(scratch.read(handoffOf())).toBe(before);
  scratch.hold(`adopt ${NAME}`);
  const lines = scratch.read(handoffOf()).split("\n");
  for (const line of added) expect(lines).toContain(line.slice(1));
  expect(lines).toHaveLength(before.split("\n").length + added.length);
});

test("where every file is wrong, a person says where it stands", () => {
  const scratch = forgotten("s2");
  const wrong = scratch.hold(`adopt ${NAME} --at nowhere`);
  expect(codesOf(wrong)).toEqual(["state-unknown"]);
  expect(scratch.hold(`adopt ${NAME} --at s3`).json.workflows?.[0]?.result).toBe("adopted");
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 3");
});
