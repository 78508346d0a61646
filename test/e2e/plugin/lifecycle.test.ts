/** A finished plugin: installed, improved, taken back; and one that is reset or removed. */
import { expect, test } from "vitest";
import type { Scratch } from "../cli.ts";
import {
  NAME,
  answer,
  codesOf,
  doWork,
  finish,
  giveReport,
  handoffOf,
  ideas,
  pluginAt,
  questionOf,
  reportText,
  subjects,
  writeBackup,
} from "../plugin.ts";

function backUp(scratch: Scratch, version = "1.0.0"): void {
  writeBackup(scratch, version);
}

function allowed(scratch: Scratch, step: string): boolean | undefined {
  return scratch.hold(`next ${NAME}`).json.candidates?.find((one) => one.do === step)?.allowed;
}

test("[PW-278][PW-279][PW-307] an improvement needs a backup, a version, a changelog, and goes back where it came from", () => {
  const scratch = pluginAt("installed");
  const early = scratch.hold(`advance ${NAME} improve`);
  expect(early.json.refusals?.[0]).toMatchObject({ code: "backup-missing", rule: "PW-307" });
  scratch.write(`backups/${NAME}/v1.0.0/CMakeLists.txt`, "");
  const empty = scratch.hold(`advance ${NAME} improve`);
  expect(codesOf(empty)).toEqual(["backup-missing"]);
  expect(empty.json.refusals?.[0]?.message).toContain("CMakeLists.txt");
  backUp(scratch);
  const asked = scratch.hold(`advance ${NAME} improve`);
  expect(asked.json.state).toBe("🚧 Improving");
  expect(questionOf(asked)).toBe("improve-headless");
  expect(scratch.read("PLUGINS.md")).toContain("**GUI Type:** headless");
  expect(scratch.read("PLUGINS.md")).toContain(`| ${NAME} | 🚧 Improving | 1.0.0 | `);
  answer(scratch, "keep");
  const idle = ["advance", NAME, "improved", "--input", '{"version":"1.0.1"}'];
  expect(codesOf(scratch.hold(idle))).toContain("work-not-measured");
  scratch.write(`plugins/${NAME}/Source/PluginProcessor.cpp`, "less noise\n");
  const input = (version: string): readonly string[] => [
    "advance",
    NAME,
    "improved",
    "--input",
    JSON.stringify({ version, description: "less noise" }),
  ];
  expect(codesOf(scratch.hold(`advance ${NAME} improved`))).toContain("version-illegal");
  expect(codesOf(scratch.hold(input("1.3.0")))).toContain("version-illegal");
  expect(codesOf(scratch.hold(input("1.0.1")))).toEqual(["changelog-missing"]);
  scratch.edit(`plugins/${NAME}/CHANGELOG.md`, (text) => `${text}\n## 1.0.1\n\n- Less noise\n`);
  const done = scratch.hold(input("1.0.1"));
  expect(done.json.state).toBe("📦 Installed");
  expect(scratch.read("PLUGINS.md")).toContain(`| ${NAME} | 📦 Installed | 1.0.1 | `);
  expect(scratch.read("PLUGINS.md")).toContain("(v1.0.1):** less noise");
  expect(subjects(scratch).at(-1)).toBe(`improve: ${NAME} v1.0.1 - less noise`);
  expect(scratch.git("show", "--name-only", "--format=", "HEAD")).toContain("CHANGELOG.md");
  expect(scratch.has(handoffOf())).toBe(false);
});

test("[PW-021][PW-170][PW-223][PW-274] before it is installed an improvement comes back to the last menu", () => {
  const scratch = pluginAt("working");
  backUp(scratch);
  scratch.hold(`advance ${NAME} improve`);
  answer(scratch, "create-ui");
  scratch.write(`plugins/${NAME}/CHANGELOG.md`, "## 1.1.0\n");
  scratch.write(`plugins/${NAME}/ui/index.html`, "<main></main>\n");
  const done = scratch.hold([
    "advance",
    NAME,
    "improved",
    "--input",
    '{"version":"1.1.0","description":"an interface"}',
  ]);
  expect(done.json.state).toBe("✅ Working");
  // The key that is there is replaced; what nobody gave stays as it was.
  expect(scratch.read(handoffOf())).toMatch(
    /complexity_score: 1\.2\nphased_implementation: false\norchestration_mode: true\ngui_type: webview\n/,
  );
  expect(scratch.read(handoffOf()).match(/gui_type/g)).toHaveLength(1);
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);
  expect(allowed(scratch, "install")).toBeDefined();
});

test("[PW-170] uninstalling takes it back to working", () => {
  const scratch = pluginAt("installed");
  expect(scratch.hold(`advance ${NAME} uninstall`).json.state).toBe("✅ Working");
  expect(scratch.read("PLUGINS.md")).toContain(`| ${NAME} | ✅ Working | 1.0.0 | `);
  expect(scratch.hold("verify --all").exit).toBe(0);
  expect(scratch.git("status", "--short")).toBe("");
});

test("[PW-171][PW-174][PW-176][PW-177][PW-305][PW-306][PW-308] what does not follow is refused, and says what does", () => {
  const idea = pluginAt("new");
  const planless = idea.hold(`advance ${NAME} implement`);
  expect(planless.exit).toBe(10);
  expect(JSON.stringify(planless.json.refusals)).toMatch(/plan|research/);
  const built = pluginAt("s3");
  answer(built, "pause");
  expect(built.hold(`advance ${NAME} plan`).exit).toBe(10);
  expect(built.hold(`advance ${NAME} improve`).exit).toBe(10);
  expect(built.hold(`advance ${NAME} install`).exit).toBe(10);
  expect(built.hold(`advance ${NAME} validate`).exit).toBe(10);
  const finished = pluginAt("installed");
  const back = finished.hold(`advance ${NAME}`);
  expect(back.exit).toBe(10);
  expect(JSON.stringify(back.json.refusals)).toContain("improve");
  const stage = finished.hold(`advance ${NAME} implement`);
  expect(stage.exit).toBe(10);
  expect(JSON.stringify(stage.json.refusals)).toContain("improve");
  expect(finished.hold(`advance ${NAME} nonsense`).exit).toBe(10);
});

test("[PW-175] a hand edit that skips ahead is kept on disk, reported, and not believed", () => {
  const scratch = pluginAt("s2");
  scratch.edit(handoffOf(), (text) => text.replace("stage: 2", "stage: 5"));
  const edited = scratch.read(handoffOf());
  const checked = scratch.hold(`verify ${NAME}`);
  expect(checked.exit).toBe(2);
  const next = scratch.hold(`answer ${NAME} 1`);
  expect(next.json.refusals?.[0]).toMatchObject({ code: "state-mismatch", rule: "PW-182" });
  expect(scratch.read(handoffOf())).toBe(edited);
  expect(scratch.hold(`status ${NAME}`).json).toMatchObject({ state: "🚧 Stage 2" });
});

test("[PW-310] a reset keeps the ideas, backs up the rest, and starts over", () => {
  const scratch = pluginAt("s3");
  scratch.write(ideas("mockups/v1-ui.html"), "<main/>\n");
  expect(codesOf(scratch.hold(`advance ${NAME} reset`))).toContain("reason-missing");
  expect(scratch.has(`plugins/${NAME}/Source/PluginProcessor.cpp`)).toBe(true);
  const agent = { env: { CLAUDECODE: "1" } };
  expect(scratch.hold(["advance", NAME, "reset", "--reason", "no"], agent).exit).toBe(10);
  const code = scratch.read(`plugins/${NAME}/Source/PluginProcessor.cpp`);
  const reset = scratch.hold(["advance", NAME, "reset", "--reason", "wrong direction"]);
  expect(reset.json).toMatchObject({ ok: true, state: "💡 Ideated" });
  const stays = ["creative-brief.md", "parameter-spec.md", "mockups/v1-ui.html"].map((one) =>
    ideas(one),
  );
  expect(stays.filter((file) => !scratch.has(file))).toEqual([]);
  const goes = [ideas("plan.md"), ideas("architecture.md"), handoffOf()];
  expect(goes.filter((file) => scratch.has(file))).toEqual([]);
  expect(scratch.has(`plugins/${NAME}/Source`)).toBe(false);
  const kept = reset.json.warnings?.map((one) => /kept in (\S+)/.exec(one)?.[1]).find(Boolean);
  expect(scratch.read(`${kept ?? ""}/Source/PluginProcessor.cpp`)).toBe(code);
  expect(scratch.read("PLUGINS.md")).toContain("Reset to ideation: wrong direction");
  expect(scratch.git("status", "--short", "plugins", "PLUGINS.md")).toBe("");
  const planned = scratch.hold(`advance ${NAME}`);
  expect(planned.json.order).toMatchObject({ role: "research-planning-agent" });
  finish(scratch, "0");
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);
});

test("[PW-170] destroying removes the plugin and keeps a backup", () => {
  const scratch = pluginAt("s2");
  const gone = scratch.hold(["advance", NAME, "destroy", "--reason", "nobody wants it"]);
  expect(gone.json.ok).toBe(true);
  expect(scratch.read("PLUGINS.md")).not.toContain(NAME);
  expect(scratch.has(`plugins/${NAME}/CMakeLists.txt`)).toBe(false);
  const kept = gone.json.warnings?.map((one) => /kept in (\S+)/.exec(one)?.[1]).find(Boolean);
  expect(scratch.has(`${kept ?? ""}/CMakeLists.txt`)).toBe(true);
  expect(scratch.git("status", "--short", "plugins", "PLUGINS.md")).toBe("");
  expect(scratch.hold("verify --all").exit).toBe(0);
  doWork(scratch, "3");
  expect(giveReport(scratch, reportText("3")).exit).toBe(10);
});

test("[PW-290][PW-292] plan and implement reach the right stage, and implement does not plan by itself", () => {
  const scratch = pluginAt("new");
  expect(scratch.hold(`advance ${NAME} implement`).exit).toBe(10);
  expect(scratch.hold(`advance ${NAME} plan`).json.order?.role).toBe("research-planning-agent");
  finish(scratch, "0");
  answer(scratch, "pause");
  const resumed = scratch.hold(`advance ${NAME} implement`);
  const order = questionOf(resumed) === "resume" ? answer(scratch, "1") : resumed;
  expect(order.json.order?.role).toBe("foundation-shell-agent");
});
