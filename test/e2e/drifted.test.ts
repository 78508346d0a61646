/** Trees as people have them, drifted for months: adopting adds a journal, and harms nothing. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { pluginWorkflow } from "../../src/protocols/plugin-workflow/table/protocol.ts";
import { repository, scratchAt, scratchDirectory } from "./cli.ts";
import type { Finding, Reply, Scratch } from "./cli.ts";
import { NAME, handoffOf, ideas, pluginAt } from "./plugin.ts";
import { sessionAt } from "./team.ts";

const ROWS: Readonly<Record<string, string>> = {
  Prose: "🚧 Stage 2",
  Dotted: "🚧 Stage 4",
  OldNumbers: "🚧 Stage 4",
  Finished: "✅ Working",
  Torn: "✅ Working",
  Shipped: "📦 Installed",
  Dream: "💡 Ideated",
};

function table(): string {
  const rows = Object.entries(ROWS).map(
    ([name, status]) => `| ${name} | ${status} | - | Synth | 2025-11-0${name.length % 9} |`,
  );
  const head = "| Plugin Name | Status | Version | Type | Last Updated |\n|---|---|---|---|---|";
  return `# Registry\n\nWritten by hand, and by agents.\n\n${head}\n${rows.join("\n")}\n\n## Legend\n\nAsk Ada.\n`;
}

/** The same with an entry for each, in words of people. */
function entries(): string {
  const parts = Object.entries(ROWS).map(
    ([name, status]) =>
      `### ${name}\n\n**Status:** ${status}\n**Type:** Synth\n\nSomebody's dear words about ${name}.\n\n**Lifecycle Timeline:**\n\n- **2025-10-01:** begun in a hurry\n\n---\n`,
  );
  return `${table()}\n## Full entries\n\n${parts.join("\n")}`;
}

const HANDOFFS: Readonly<Record<string, string>> = {
  Prose:
    "# Where we are\n\nThe foundation stands. *Next:* the filter.\n\n---\n\nplugin: no field\n",
  Dotted:
    "---\nplugin: Dotted\nstage: 4.3\nstatus: complete\nlast_updated: 2025-11-02\n---\n\n# Resume\n\nPhase 4.3 is done, says the agent.\n",
  OldNumbers:
    "---\nplugin: OldNumbers\nstage: 4\nphase: null\nstatus: complete\nlast_updated: 2025-11-03 10:11:12\nnext_action: invoke_validator\n---\n\n# Resume\n\n## Completed So Far\n\n- the engine\n",
  Torn: "---\nplugin: Torn\nstage: 3\nphase: null\nstatus: in_progress\nlast_updated: 2025-11-04\ncomplexity_score: 2.0\n---\n\n# Stage 3\n\nStill at it.\n",
};

const OLD_SESSION = "2025-11-05_old-clock";
const OLD_STATUS =
  '{\n  "current_state": "IMPLEMENT_LOOP",\n  "completed_tasks": ["T-001"],\n  "blocked_tasks": [],\n  "assumptions": ["a line of prose"],\n  "known_issues": [],\n  "last_update": "2025-11-05T01:15:39+01:00"\n}\n';
const OLD_TASKS =
  "# the plan\nproject: clock\ntasks:\n  - id: T-001 # first\n    title: 'Clock'\n    deps: []\n  - id: T-002\n    title: Alarm\n    deps: [T-001]\n";

function drifted(registry: string): Scratch {
  const scratch = repository();
  scratch.write("PLUGINS.md", registry);
  for (const name of Object.keys(ROWS)) {
    for (const file of ["creative-brief", "parameter-spec", "architecture"])
      scratch.write(ideas(`${file}.md`, name), `${file} of ${name}\n`);
    scratch.write(ideas("plan.md", name), "# Plan\n\n**Complexity Score:** 2.0\n");
    scratch.write(`plugins/${name}/Source/Plugin.cpp`, "// code\n");
    const handoff = HANDOFFS[name];
    if (handoff !== undefined) scratch.write(handoffOf(name), handoff);
  }
  scratch.write(`.agents-work/${OLD_SESSION}/status.json`, OLD_STATUS);
  scratch.write(`.agents-work/${OLD_SESSION}/tasks.yaml`, OLD_TASKS);
  scratch.write(`.agents-work/${OLD_SESSION}/spec.md`, "# Goals\n\nProse.\n");
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "as it is");
  return scratch;
}

function findingsOf({ json }: Reply): readonly string[] {
  return (json.workflows ?? []).flatMap(({ id, findings }) =>
    findings.map(({ code, file }: Finding) => `${id} ${code} ${file}`),
  );
}

interface Asked {
  readonly id: string;
  readonly result?: string;
  readonly evidence?: readonly string[];
  readonly choices?: readonly string[];
}

const rowsOf = ({ json }: Reply): readonly Asked[] => json.workflows ?? [];

/** What a person who knows says: where the one that contradicts itself really stands. */
const TRUTH = "s2";

describe.each([
  ["a registry that is only a table", table()],
  ["a registry with entries", entries()],
])("%s", (_, registry) => {
  test("is adopted without harm, in one commit", () => {
    const scratch = drifted(registry);
    const before = findingsOf(scratch.hold("verify --all"));
    const head = scratch.git("rev-parse", "HEAD");
    const dry = rowsOf(scratch.hold("adopt --all --dry-run --yes"));
    expect(scratch.git("status", "--porcelain")).toBe("");

    const first = scratch.hold("adopt --all --yes");
    const torn = rowsOf(first).find(({ id }) => id === "Torn");
    expect(torn?.result).toBe("refused");
    expect(torn?.evidence?.join("\n")).toMatch(/Working[^]*stage 3, in_progress[^]*as it is/);
    // Every state of the protocol is among the answers, so the true one is.
    const states = pluginWorkflow.kinds[pluginWorkflow.root]?.states ?? [];
    for (const state of states)
      expect(
        torn?.choices?.some((one) => one.includes(`--at ${state}`)),
        state,
      ).toBe(true);
    expect(scratch.hold(`adopt Torn --at ${TRUTH}`).exit).toBe(0);
    expect(rowsOf(first).filter(({ result }) => result === "adopted").length).toBe(7);

    // One commit for each call, with nothing left over, and what the dry run said.
    expect(scratch.git("rev-list", "--count", `${head}..HEAD`)).toMatch(/^[12]$/);
    expect(scratch.git("status", "--porcelain")).toBe("");
    const changed = scratch.git("diff", "--name-only", head, "HEAD", "--", ":!plugins/Torn");
    const said = dry.flatMap((one) => changesOf(one)).filter((file) => !file.includes("Torn"));
    for (const file of changed.split("\n")) expect(said).toContain(file);

    expect(proseGone(scratch, head)).toEqual([]);
    const after = findingsOf(scratch.hold("verify --all"));
    expect(after.filter((one) => !before.includes(one))).toEqual([]);
    expect(scratch.hold("status Finished").json.state).toBe("✅ Working");
    expect(scratch.hold("status Shipped").json.state).toBe("📦 Installed");
  }, 240_000);

  test("is left uncommitted where somebody says so, and old texts can be read", () => {
    const scratch = drifted(registry);
    const head = scratch.git("rev-parse", "HEAD");
    const done = scratch.hold("adopt Dotted --yes --no-commit");
    expect(done.exit, done.stdout).toBe(0);
    expect(scratch.git("rev-parse", "HEAD")).toBe(head);
    const summary = done.json.workflows?.[0]?.summary?.join("\n") ?? "";
    const blob = new RegExp(`${handoffOf("Dotted")} as it was is kept as blob (\\w{64})`);
    const [, id = ""] = blob.exec(summary) ?? [];
    expect(scratch.say(["show", id]).stdout.trimEnd()).toBe(HANDOFFS["Dotted"]?.trimEnd());
  });
});

function changesOf(one: Asked): readonly string[] {
  const changes: unknown = Reflect.get(one, "changes");
  return Array.isArray(changes) ? changes.map(({ file }: { readonly file: string }) => file) : [];
}

/** Plugins whose place was told anew, by a person or by what the old numbers mean. */
const TOLD = ["OldNumbers", "Torn"];

/** Removed or changed lines that are no field of the protocols' own. */
function proseGone(scratch: Scratch, head: string): readonly string[] {
  const names =
    "stage|phase|status|last_updated|next_action|completed_tasks|blocked_tasks|current_state|last_update";
  const fields = new RegExp(`^-\\s*"?(?:${names})"?\\s*:`);
  const isTold = (line: string): boolean => TOLD.some((name) => line.startsWith(`-| ${name} |`));
  return scratch
    .git("diff", "--unified=0", head, "HEAD")
    .split("\n")
    .filter((line) => line.startsWith("-") && !line.startsWith("---"))
    .filter((line) => !fields.test(line) && !isTold(line))
    .filter((line) => !/^-(?:\*\*Status:\*\* |# Stage \d)/.test(line));
}

describe("what no file says is asked, and nothing is made up", () => {
  /** A plugin by itself, with these files. */
  function alone(row: string, files: Readonly<Record<string, string>> = {}): Scratch {
    const scratch = repository();
    const head = "| Plugin Name | Status | Version | Last Updated |\n|---|---|---|---|";
    scratch.write("PLUGINS.md", `# Mine\n\n${head}\n| Solo | ${row} |\n`);
    scratch.write(ideas("creative-brief.md", "Solo"), "a brief\n");
    for (const [name, text] of Object.entries(files)) scratch.write(`plugins/Solo/${name}`, text);
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "as it is");
    return scratch;
  }

  const PHASED =
    "**Complexity Score:** 3.5\n\n### Phase 3.1: a\n### Phase 3.2: b\n### Phase 4.1: c\n";

  test.each<[string, string, Readonly<Record<string, string>>, RegExp]>([
    [
      "a finished row beside older notes",
      "📦 Installed | 1.0.0 | 2025-11-02",
      { "NOTES.md": "# Solo\n\n**Status:** 💡 Ideated\n" },
      /--at installed/,
    ],
    ["a status that is no state", "🗑️ Archived | - | -", {}, /--at working/],
    ["words of somebody's own", "🐛 Has Issues | 1.0 | soon", {}, /--at working/],
    [
      "the last phase of a stage",
      "🚧 Stage 3.2 | - | 2025-11-02",
      { ".ideas/plan.md": PHASED },
      /--at s3\n/,
    ],
    [
      "a stage with a dot, far from its row",
      "💡 Ideated | - | -",
      { ".continue-here.md": "---\nplugin: Solo\nstage: 4.3\nstatus: complete\n---\n" },
      /--at ideated\n/,
    ],
  ])("%s", (_, row, files, choice) => {
    const scratch = alone(row, files);
    const [asked] = rowsOf(scratch.hold("adopt --all --yes"));
    expect(asked?.result).toBe("refused");
    expect(`${asked?.choices?.join("\n") ?? ""}\n`).toMatch(choice);
    expect(scratch.git("status", "--porcelain")).toBe("");
    const [, at = ""] = /--at (\w+)/.exec(choice.source) ?? [];
    expect(scratch.hold(`adopt Solo --at ${at}`).exit).toBe(0);
    expect(findingsOf(scratch.hold("verify Solo")).join()).not.toMatch(/state-mismatch|drift/);
  });

  test("an entry that is added says nothing that nobody knows, and what lay there stays", () => {
    const old = "---\nplugin: Solo\nstage: ideation\n---\n\n# Resume\n\nDear words.\n";
    const scratch = alone("📦 Installed | 1.0.0 | 2025-11-02", { ".continue-here.md": old });
    scratch.edit("PLUGINS.md", (text) => `${text}\n### Other\n\n**Status:** 💡 **Ideated**\n`);
    scratch.git("commit", "--quiet", "-a", "-m", "an entry");
    expect(scratch.hold("adopt --all --yes").exit).toBe(0);
    const diff = scratch.git("diff", "--unified=0", "HEAD~1", "HEAD");
    expect(diff).toContain("+### Solo");
    expect(diff).not.toMatch(/Created|Creative brief|Type|^-[^-]/m);
    expect(scratch.read(handoffOf("Solo"))).toBe(old);
  });

  test("what a handoff says in words of its own stays beside the same place", () => {
    const prose =
      "# Resume\n\n## Current State: Mockup v1\n\nIt is lovely.\n\n## Next Steps\n\n1. Iterate\n";
    const front =
      "---\nplugin: Solo\nstage: 0\nphase: null\nstatus: in_progress\nlast_updated: 2025-11-02\n---\n";
    const scratch = alone("💡 Ideated | - | 2025-11-02", {
      ".continue-here.md": `${front}\n${prose}`,
    });
    expect(scratch.hold("adopt Solo --yes").exit).toBe(0);
    const kept = scratch.read(handoffOf("Solo"));
    for (const line of prose.split("\n")) expect(kept).toContain(line);
  });
});

test("what somebody has changed in a state file is not taken along into the commit", () => {
  const scratch = drifted(entries());
  scratch.edit("PLUGINS.md", (text) => `${text}\nMy own note.\n`);
  scratch.edit(handoffOf("OldNumbers"), (text) => `${text}\nAnd another.\n`);
  const done = scratch.say("adopt OldNumbers --yes");
  expect(done.exit, done.stdout).toBe(0);
  expect(done.stdout).toContain("not committed, because it had changes before");
  expect(scratch.git("log", "-1", "--format=%s")).toBe("as it is");
});

describe("a checkpoint that nobody has answered", () => {
  function cloned({ top }: Scratch): Scratch {
    const to = join(scratchDirectory(), "clone");
    execFileSync("git", ["clone", "--quiet", top, to]);
    const clone = scratchAt(to);
    clone.git("config", "user.name", "Bob");
    clone.git("config", "user.email", "bob@example.org");
    return clone;
  }

  test.each(["s0", "s2", "s3", "s4"] as const)(
    "is open again in a clone of a plugin at %s",
    (stand) => {
      const clone = cloned(pluginAt(stand));
      expect(clone.hold(`adopt ${NAME} --yes`).exit).toBe(0);
      const { held } = clone.hold(`status ${NAME}`).json;
      expect(held?.[0]?.question).toBe(`stage-${stand.slice(1)}-complete`);
      const agent = clone.hold(`advance ${NAME}`, { env: { HOLDPOINT_ACTOR: "agent:bot" } });
      expect(agent.exit).toBe(11);
      expect(agent.json.order).toBeUndefined();
    },
  );

  test("and of a session that waits for its design", () => {
    const session = sessionAt("gate");
    session.repo.git("add", "--force", ".agents-work");
    session.repo.git("commit", "--quiet", "-m", "a session");
    const clone = cloned(session.repo);
    expect(clone.hold(["adopt", session.id, "--yes"]).exit).toBe(0);
    const { held } = clone.hold(["status", session.id]).json;
    expect(held?.[0]?.question).toBe("approve-design");
  });
});
