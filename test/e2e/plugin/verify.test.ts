/** `verify` and `reconcile`: what the files claim, what is true, and who decides between them. */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bareDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import {
  NAME,
  answer,
  doWork,
  codesOf,
  handoffOf,
  ideas,
  pluginAt,
  writeHandoff,
  writeRegistry,
} from "../plugin.ts";

/** One hash over everything in a tree, its git directory included. */
function hashOf(scratch: Scratch): string {
  const hash = createHash("sha256");
  for (const entry of readdirSync(scratch.top, { recursive: true, withFileTypes: true }).sort(
    (a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1),
  )) {
    const path = join(entry.parentPath, entry.name);
    hash.update(path).update(entry.isFile() ? readFileSync(path) : "");
  }
  return hash.digest("hex");
}

/** The files of a plugin without any journal, and without git. */
function filesOf(scratch: Scratch): Scratch {
  const bare = bareDirectory();
  for (const file of [
    "PLUGINS.md",
    handoffOf(),
    ...["creative-brief", "parameter-spec", "architecture", "plan"].map((one) =>
      ideas(`${one}.md`),
    ),
  ])
    if (scratch.has(file)) bare.write(file, scratch.read(file));
  return bare;
}

const CASES: readonly (readonly [number, string, string, (scratch: Scratch) => void])[] = [
  [1, "handoff-missing", "NO HANDOFF", (scratch) => scratch.remove(handoffOf())],
  [
    2,
    "stage-mismatch",
    "STATE MISMATCH",
    (scratch) => scratch.edit(handoffOf(), (text) => text.replace("stage: 2", "stage: 3")),
  ],
  [
    2,
    "registry-drift",
    "STATE MISMATCH",
    (scratch) =>
      scratch.edit("PLUGINS.md", (text) => text.replace("| 🚧 Stage 2 |", "| 🚧 Stage 3 |")),
  ],
  [
    2,
    "handoff-field",
    "STATE MISMATCH",
    (scratch) => scratch.edit(handoffOf(), (text) => text.replace("stage: 2", "stage: foo")),
  ],
  [
    2,
    "handoff-unparseable",
    "STATE MISMATCH",
    (scratch) => scratch.edit(handoffOf(), (text) => text.replace("stage: 2", "stage: [2")),
  ],
  [
    3,
    "contract-changed",
    "CONTRACT DRIFT DETECTED",
    (scratch) => scratch.write(ideas("plan.md"), "less\n"),
  ],
  [
    3,
    "contract-missing",
    "CONTRACT DRIFT DETECTED",
    (scratch) => scratch.remove(ideas("architecture.md")),
  ],
  [
    4,
    "handoff-stale",
    "STALE HANDOFF DETECTED",
    (scratch) =>
      scratch.edit("PLUGINS.md", (text) => text.replaceAll("🚧 Stage 2", "📦 Installed")),
  ],
];

test("[PW-180][PW-191] a sound tree is exit 0, and looking at it changes nothing, with or without git", () => {
  const scratch = pluginAt("s2");
  const before = hashOf(scratch);
  expect(scratch.hold("verify --all")).toMatchObject({
    exit: 0,
    json: {
      ok: true,
      workflows: [{ id: NAME, protocol: "plugin-workflow", exit: 0, findings: [] }],
    },
  });
  expect(hashOf(scratch)).toBe(before);
  const bare = filesOf(scratch);
  const files = hashOf(bare);
  expect(bare.hold("verify --all").exit).toBe(0);
  expect(hashOf(bare)).toBe(files);
  expect(bareDirectory().hold("verify --all")).toMatchObject({
    exit: 0,
    json: { ok: true, workflows: [] },
  });
});

test("[PW-002][PW-004][PW-027][PW-055][PW-145][PW-147][PW-160][PW-181][PW-182][PW-183][PW-184][PW-186] each kind of damage has its exit code and its finding", () => {
  const clean = filesOf(pluginAt("s2"));
  const told = new Map<string, Scratch>();
  for (const [exit, code, heading, damage] of CASES) {
    const bare = filesOf(clean);
    damage(bare);
    const before = hashOf(bare);
    const found = bare.hold("verify --all");
    expect([code, found.exit]).toEqual([code, exit]);
    const findings = found.json.workflows?.[0]?.findings ?? [];
    expect(findings.map((one) => one.code)).toContain(code);
    for (const finding of findings) {
      expect(finding.message).not.toBe("");
      expect(finding.fix).not.toBe("");
      expect(finding.rule).toMatch(/^PW-\d{3}$/);
    }
    told.set(heading, bare);
    expect(hashOf(bare)).toBe(before);
  }
  for (const [heading, bare] of told) expect(bare.say("verify --all").stdout).toContain(heading);
});

test("[PW-190][PW-192] all findings are listed, whatever the code; nothing is handed out meanwhile", () => {
  const scratch = pluginAt("s2");
  scratch.write(ideas("plan.md"), "less\n");
  scratch.edit(handoffOf(), (text) => text.replace("stage: 2", "stage: 3"));
  const found = scratch.hold(`verify ${NAME}`);
  expect(found.exit).toBe(2);
  const codes = found.json.workflows?.[0]?.findings.map((one) => one.code);
  expect(codes).toEqual(expect.arrayContaining(["stage-mismatch", "contract-changed"]));
  const blocked = scratch.hold(`answer ${NAME} 1`);
  expect(blocked.json.order).toBeUndefined();
  expect(scratch.hold(`status ${NAME}`).json.dispatches).toEqual([]);
});

test("[PW-181] without a handoff a finished plugin points to improve, one at work to planning", () => {
  const done = pluginAt("installed").hold(`verify ${NAME}`);
  expect(done.exit).toBe(1);
  expect(done.json.workflows?.[0]?.findings[0]?.fix).toContain("improve");
  const scratch = pluginAt("s3");
  scratch.remove(handoffOf());
  const lost = scratch.hold(`verify ${NAME}`);
  expect(lost.exit).toBe(1);
  expect(lost.json.workflows?.[0]?.findings[0]?.fix).toMatch(/plan .* again/);
});

test("[PW-121][PW-184][PW-185][PW-191] a handoff that outlived its plugin is named, and goes only when that is asked for", () => {
  expect(pluginAt("working").hold(`verify ${NAME}`).exit).toBe(0);
  const scratch = pluginAt("installed");
  const stale = scratch.git("show", `HEAD~1:${handoffOf()}`);
  scratch.write(handoffOf(), stale);
  const before = hashOf(scratch);
  expect(scratch.hold("verify --all").exit).toBe(4);
  const found = scratch.hold(`verify ${NAME}`);
  expect(found.exit).toBe(4);
  const finding = found.json.workflows?.[0]?.findings.find((one) => one.code === "handoff-stale");
  expect(finding?.fix).toContain(`holdpoint reconcile ${NAME} --restore`);
  expect(scratch.say(`verify ${NAME}`).stdout).toContain("STALE HANDOFF DETECTED");
  expect(hashOf(scratch)).toBe(before);
  const cleared = scratch.hold(`reconcile ${NAME} --restore`);
  const blob = /kept as blob ([0-9a-f]{64})/.exec(cleared.json.warnings?.join() ?? "")?.[1] ?? "";
  expect(blob).toBe(
    createHash("sha256")
      .update(scratch.git("show", `HEAD~1:${handoffOf()}`))
      .digest("hex"),
  );
  expect(scratch.has(handoffOf())).toBe(false);
  expect(scratch.say(`audit ${NAME}`).stdout).toContain(blob.slice(0, 12));
  expect(scratch.hold(`verify ${NAME}`).json.workflows?.[0]).toMatchObject({
    exit: 1,
    ended: true,
  });
});

test("[PW-181][PW-190] by name, among all and in a clone the same is said of an installed plugin", () => {
  const scratch = pluginAt("installed");
  const clone = bareDirectory();
  scratch.git("clone", "-q", scratch.top, join(clone.top, "copy"));
  const one = scratch.hold(`verify ${NAME}`);
  const all = scratch.hold("verify --all");
  const copies = ["--all", NAME].map((which) => clone.hold(`verify ${which} --cwd copy`));
  expect(all.json.workflows).toEqual(one.json.workflows);
  for (const { json } of copies) {
    const [told] = json.workflows?.[0]?.findings ?? [];
    expect(told).toMatchObject({ code: "handoff-missing", rule: "PW-181" });
    // No journal there could take the step that changes it.
    expect(told?.fix).toContain(`holdpoint adopt ${NAME} --dry-run`);
  }
  // In order among all of them; whoever asks by name is sent on.
  expect([one, all, ...copies].map(({ exit }) => exit)).toEqual([1, 0, 0, 1]);
  scratch.edit("PLUGINS.md", (text) => text.replace("| 📦 Installed |", "| 🚧 Improving |"));
  const drifted = scratch.hold("verify --all");
  expect(drifted.exit).toBe(2);
  expect(scratch.hold(`verify ${NAME}`).json.workflows).toEqual(drifted.json.workflows);
});

test("[PW-037][PW-153][PW-159][PW-161][PW-162][PW-293][PW-294] drift is shown with both values, and the entry counts", () => {
  const scratch = pluginAt("s2");
  scratch.edit("PLUGINS.md", (text) => text.replace("| 🚧 Stage 2 |", "| 🚧 Stage 3 |"));
  const drifted = scratch.read("PLUGINS.md");
  expect(scratch.hold(`status ${NAME}`).json).toMatchObject({
    state: "🚧 Stage 2",
    drift: ["PLUGINS.md: the row says 🚧 Stage 3, the journal says 🚧 Stage 2"],
  });
  const gaps = scratch.hold(`reconcile ${NAME}`);
  expect(gaps.exit).toBe(11);
  expect(gaps.json.gaps?.state).toEqual([
    "PLUGINS.md: the row says 🚧 Stage 3, the journal says 🚧 Stage 2",
  ]);
  expect(gaps.json.choices).toEqual([`holdpoint reconcile ${NAME} --restore`]);
  expect(scratch.read("PLUGINS.md")).toBe(drifted);
  const entry = /### TapeDelay[^]*/.exec(drifted)?.[0] ?? "";
  const fixed = scratch.hold(`reconcile ${NAME} --restore`);
  expect(fixed.json.ok).toBe(true);
  expect(scratch.read("PLUGINS.md")).toContain("| TapeDelay | 🚧 Stage 2 | ");
  expect(scratch.read("PLUGINS.md")).toContain(entry);
  expect(scratch.hold(`reconcile ${NAME}`).json).toMatchObject({ ok: true, choices: [] });
});

test("[PW-293][PW-294][PW-295] missing files, state values and git are three kinds of gaps", () => {
  const scratch = pluginAt("s2");
  scratch.remove(handoffOf());
  scratch.edit("PLUGINS.md", (text) =>
    text.replace("**Status:** 🚧 Stage 2", "**Status:** 🚧 Stage 4"),
  );
  const { gaps } = scratch.hold(`reconcile ${NAME}`).json;
  expect(gaps?.files).toEqual([`${handoffOf()} is missing`]);
  expect(gaps?.state).toEqual([
    "PLUGINS.md: the entry says 🚧 Stage 4, the journal says 🚧 Stage 2",
  ]);
  expect(gaps?.git).toEqual(
    expect.arrayContaining([
      `${handoffOf()} is deleted since the last commit`,
      "PLUGINS.md is modified since the last commit",
    ]),
  );
  scratch.hold(`reconcile ${NAME} --restore`);
  expect(scratch.git("status", "--short")).toBe("");
});

test("[PW-175][PW-297] for files against the journal a person decides, in either direction, and it is on record", () => {
  const written = {
    stage: 3,
    nextAction: "invoke_gui_agent",
    registry: "🚧 Stage 3",
    tags: ["Stage 3"],
  };
  const files = pluginAt("p3");
  doWork(files, "3");
  writeHandoff(files, written);
  writeRegistry(files, written);
  expect(codesOf(files.hold(`reconcile ${NAME} --files`))).toEqual(["reason-missing"]);
  const agent = { env: { CLAUDECODE: "1" } };
  const vouched = ["reconcile", NAME, "--files", "--reason", "the agent lost its connection"];
  expect(codesOf(files.hold(vouched, agent))).toEqual(["person-required"]);
  const taken = files.hold(vouched);
  expect(taken.json.state).toBe("🚧 Stage 3");
  expect(taken.json.commits).toHaveLength(1);
  const journal = pluginAt("s2");
  writeHandoff(journal, written);
  const restored = journal.hold(`reconcile ${NAME} --restore`);
  expect(restored.json.warnings?.join()).toMatch(/kept as blob [0-9a-f]{64}/);
  expect(journal.read(handoffOf())).toContain("stage: 2\n");
  expect(journal.say(`audit ${NAME}`).stdout).toMatch(
    /edit of plugins\/TapeDelay\/\.continue-here\.md refused; the text is kept as/,
  );
  expect(codesOf(journal.hold(vouched))).toEqual(["dispatch-unknown"]);
});

test("[PW-298] without anything to go by, reconcile says what it looked for", () => {
  const reply = bareDirectory().hold("reconcile Nothing");
  expect(reply.exit).toBe(10);
  expect(reply.json.refusals?.[0]).toMatchObject({ code: "workflow-unknown" });
});

test("[PW-017][PW-046] what others wrote into the files survives a stage", () => {
  const scratch = pluginAt("p3");
  const other = ["", "### Neighbour", "", "**Status:** 🚧 **Stage 2**", "**Mood:** fine", ""].join(
    "\n",
  );
  scratch.edit("PLUGINS.md", (text) =>
    text
      .replace(/(\| TapeDelay .*\n)/, "$1|  Neighbour  |🚧 Stage 2| - | 2026-01-01 |\n")
      .concat(other),
  );
  scratch.edit(handoffOf(), (text) =>
    text
      .replace(
        "orchestration_mode: true\n",
        "orchestration_mode: true # always\nmockup_version: 2\n",
      )
      .concat("\n## Notes for Next Session\n\n- see plan: x.md\n"),
  );
  doWork(scratch, "3");
  const reply = scratch.hold(["report", NAME, "-"], {
    stdin: JSON.stringify({
      agent: "dsp-agent",
      status: "success",
      outputs: { stage_completed: 3, files_modified: [] },
      issues: [],
      ready_for_next_stage: true,
    }),
  });
  expect(reply.json.state).toBe("🚧 Stage 3");
  expect(scratch.read("PLUGINS.md")).toContain("|  Neighbour  |🚧 Stage 2| - | 2026-01-01 |\n");
  expect(scratch.read("PLUGINS.md")).toContain(other);
  const handoff = scratch.read(handoffOf());
  expect(handoff).toContain("orchestration_mode: true # always\n");
  expect(handoff).toContain("mockup_version: 2\n");
  expect(handoff).toContain("## Notes for Next Session\n\n- see plan: x.md\n");
  // The neighbour's half-done row is nobody's to commit but the neighbour's.
  expect(scratch.git("show", "HEAD:PLUGINS.md")).not.toContain("Neighbour");
  expect(answer(scratch, "pause").exit).toBe(0);
});

test("[PW-003][PW-005][PW-007][PW-008][PW-009][PW-010][PW-013][PW-015] every field that is wrong is named, with its line", () => {
  const bare = filesOf(pluginAt("s2"));
  bare.edit(handoffOf(), (text) =>
    text
      .replace("plugin: TapeDelay", "plugin: Other")
      .replace("phase: null", 'phase: "3.1"')
      .replace("status: complete", "status: done")
      .replace(/last_updated: .*/, "last_updated: 2025-13-40")
      .replace("complexity_score: 1.2", "complexity_score: 5.5")
      .replace("phased_implementation: false", 'phased_implementation: "yes"')
      .replace(/plan: sha256:.*/, "plan: sha256:xyz")
      .replace(/## Testing Checklist[^]*?## /, "## "),
  );
  const { findings = [] } = bare.hold("verify --all").json.workflows?.[0] ?? {};
  const told = findings.map((one) => one.message).join("\n");
  for (const field of [
    "plugin",
    "phase",
    "status",
    "last_updated",
    "complexity_score",
    "phased_implementation",
    "plan",
    "Testing Checklist",
  ])
    expect(told).toContain(field);
  const status = findings.find((one) => one.message.includes("`status`"));
  expect(bare.read(handoffOf()).split("\n")[(status?.line ?? 0) - 1]).toBe("status: done");
});
