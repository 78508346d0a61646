import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { ContractKey } from "../handoff/handoff.ts";
import { createHandoff, editHandoff, type HandoffFields } from "../handoff/edit.ts";
import { addPlugin, editRegistry } from "../plugins-md/edit.ts";
import type { VerifiedWorkflow } from "../../../../core/guards/verified.ts";
import { type PluginTree, verifyPluginTree } from "./plugin-tree.ts";

function fixture(name: string): string {
  return readFileSync(
    new URL(`../../../../../test/fixtures/plugin-workflow/${name}`, import.meta.url),
    "utf8",
  );
}

const HANDOFF = "plugins/EchoBox/.continue-here.md";
const SUMS = {
  creative_brief: `sha256:${"1".repeat(64)}`,
  parameter_spec: `sha256:${"2".repeat(64)}`,
  architecture: `sha256:${"3".repeat(64)}`,
  plan: `sha256:${"4".repeat(64)}`,
};

const FIELDS: HandoffFields = {
  plugin: "EchoBox",
  stage: 3,
  phase: null,
  status: "complete",
  lastUpdated: "2026-02-03",
  complexityScore: 4.5,
  phasedImplementation: true,
  nextAction: "invoke_gui_agent",
  nextPhase: "4.1",
  checksums: SUMS,
};

function registry(status: string): string {
  const { text } = addPlugin(undefined, {
    name: "EchoBox",
    type: "Synth",
    date: "2026-02-03",
    description: "x",
  });
  return editRegistry(text, "EchoBox", { status }).text;
}

interface Setup {
  readonly fields?: HandoffFields;
  readonly handoff?: string | undefined;
  readonly status?: string;
  readonly registry?: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly contracts?: { readonly [K in ContractKey]?: string };
}

function tree(setup: Setup): PluginTree {
  const handoff =
    "handoff" in setup
      ? setup.handoff
      : createHandoff(undefined, { fields: { ...FIELDS, ...setup.fields } }).text;
  const texts = new Map(Object.entries(setup.more ?? {}));
  if (handoff !== undefined) texts.set(HANDOFF, handoff);
  texts.set("PLUGINS.md", setup.registry ?? registry(setup.status ?? "🚧 Stage 3"));
  return {
    texts,
    contracts: new Map([["EchoBox", setup.contracts ?? SUMS]]),
    directories: new Set(["EchoBox"]),
  };
}

function verify(setup: Setup): VerifiedWorkflow {
  const [result] = verifyPluginTree(tree(setup));
  if (result === undefined) throw new Error("no workflow");
  return result;
}

function outcome({ exit, findings }: VerifiedWorkflow): [number, string[]] {
  return [exit, findings.map(({ code }) => code)];
}

test("[PW-180] exit 0 when everything agrees", () => {
  expect(verify({})).toEqual({ id: "EchoBox", protocol: "plugin-workflow", exit: 0, findings: [] });
});

test("[PW-181] exit 1 when a plugin in development has no handoff", () => {
  expect(verify({ handoff: undefined })).toMatchObject({
    exit: 1,
    findings: [{ file: HANDOFF, rule: "PW-181" }],
  });
});

test.each(["💡 Ideated", "💡 Ideated (Draft Params)", "✅ Working", "🚧 Improving", "🗑️ Archived"])(
  "[PW-181] %s needs no handoff",
  (status) => {
    expect(outcome(verify({ handoff: undefined, status }))).toEqual([0, []]);
  },
);

test("[PW-181] without a handoff an installed plugin is sent on, and at no fault", () => {
  const found = verify({ handoff: undefined, status: "📦 Installed" });
  expect(outcome(found)).toEqual([1, ["handoff-missing"]]);
  expect(found.ended).toBe(true);
});

test.each([
  ["🚧 Stage 2", { stage: 3 }],
  ["🚧 Stage 4", { stage: 3 }],
  ["🚧 Stage 3.2", { phase: "3.1" }],
  ["🚧 Stage 3", { phase: "3.3" }],
  ["🚧 Stage 3.1", {}],
  ["✅ Working", {}],
  ["💡 Ideated", {}],
  ["💡 Ideated", { stage: 0 }],
  ["🚧 Stage 5", { stage: 5, status: "workflow_complete" as const }],
  ["🚧 Stage 3", { phase: "3.2", status: "in_progress" as const }],
  ["🚧 Stage 2", { stage: 4, status: "in_progress" as const }],
  ["🚧 Stage 4", { stage: 3, status: "in_progress" as const }],
])("[PW-182] [PW-188] [PW-120] registry %s against %j: exit 2", (status, fields) => {
  const result = verify({ status, fields });
  expect(outcome(result)).toEqual([2, ["stage-mismatch"]]);
  expect(result.findings[0]?.message).toContain(status);
});

test.each([
  ["🚧 Stage 3.2", { phase: "3.2" }],
  ["🚧 Stage 2", { status: "in_progress" as const }],
  ["🚧 Stage 2", { phase: "3.1", status: "in_progress" as const }],
  ["🚧 Stage 3.9", { phase: "3.10", status: "in_progress" as const }],
  ["🚧 Stage 3.2", { status: "in_progress" as const }],
  ["🚧 Stage 0", { stage: 2, status: "in_progress" as const }],
  ["💡 Ideated (Draft Params)", { stage: 0, status: "in_progress" as const }],
  ["✅ Working", { stage: 5, status: "complete" as const }],
  ["✅ Working (Headless)", { stage: 5, status: "workflow_complete" as const }],
])("registry %s agrees with %j", (status, fields) => {
  expect(outcome(verify({ status, fields }))).toEqual([0, []]);
});

test("[PW-183] exit 3 names each contract that changed", () => {
  const contracts = {
    ...SUMS,
    plan: `sha256:${"f".repeat(64)}`,
    architecture: `sha256:${"e".repeat(64)}`,
  };
  const result = verify({ contracts });
  expect(outcome(result)).toEqual([3, ["contract-changed", "contract-changed"]]);
  expect(result.findings.map(({ file }) => file)).toEqual([
    "plugins/EchoBox/.ideas/architecture.md",
    "plugins/EchoBox/.ideas/plan.md",
  ]);
});

test("[PW-055] a contract that is gone is missing, not changed", () => {
  const { plan: _, ...contracts } = SUMS;
  expect(outcome(verify({ contracts }))).toEqual([3, ["contract-missing"]]);
});

test.each(["📦 Installed", "🚧 Improving"])(
  "[PW-184] [PW-186] a finished handoff with %s: exit 4, not 2",
  (status) => {
    const fields: HandoffFields = { stage: 5, status: "workflow_complete" };
    expect(outcome(verify({ status, fields }))).toEqual([4, ["handoff-stale"]]);
  },
);

test("[PW-184] a handoff in any form is stale once the plugin is installed", () => {
  expect(outcome(verify({ status: "📦 Installed", handoff: fixture("handoff-prose.md") }))).toEqual(
    [4, ["handoff-unparseable", "handoff-stale"]],
  );
});

test("[PW-185] finished and not yet installed is the normal state", () => {
  const fields: HandoffFields = {
    stage: 5,
    status: "workflow_complete",
    nextAction: null,
    nextPhase: null,
  };
  expect(outcome(verify({ status: "✅ Working", fields }))).toEqual([0, []]);
});

test("[PW-187] a null checksum is not tampering, but from Stage 2 on the file wants a seal", () => {
  const fields: HandoffFields = { checksums: { ...SUMS, plan: null } };
  const { plan: _, ...withoutPlan } = SUMS;
  expect(outcome(verify({ fields, contracts: withoutPlan }))).toEqual([0, []]);
  expect(verify({ fields })).toMatchObject({
    exit: 2,
    findings: [{ code: "handoff-field", rule: "PW-187" }],
  });
});

test("[PW-189] a body line about the plan is not a checksum", () => {
  const { text } = editHandoff(createHandoff(undefined, { fields: FIELDS }).text, {
    context: ["see plan: x.md"],
  });
  expect(outcome(verify({ handoff: text }))).toEqual([0, []]);
});

test("[PW-192] mismatch and tampering: exit 2, both listed", () => {
  const contracts = { ...SUMS, plan: `sha256:${"f".repeat(64)}` };
  expect(outcome(verify({ status: "🚧 Stage 4", contracts }))).toEqual([
    2,
    ["stage-mismatch", "contract-changed"],
  ]);
});

test("[PW-191] the check changes nothing", () => {
  const subject = tree({ status: "📦 Installed" });
  const before = JSON.stringify([...subject.texts]);
  verifyPluginTree(subject);
  expect(JSON.stringify([...subject.texts])).toBe(before);
});

test("[PW-027] [PW-127] [PW-160] drift of the status shows both values", () => {
  const drifted = registry("🚧 Stage 3").replace("| 🚧 Stage 3 |", "| 🚧 Stage 2 |");
  const result = verify({ registry: drifted });
  expect(outcome(result)).toEqual([2, ["registry-drift"]]);
  expect(result.findings[0]?.message).toBe(
    "EchoBox is `🚧 Stage 2` in the table and `🚧 Stage 3` in its entry",
  );
});

test("[PW-037] the entry counts, not the row", () => {
  const drifted = registry("🚧 Stage 3").replace("| 🚧 Stage 3 |", "| 📦 Installed |");
  expect(outcome(verify({ registry: drifted }))).toEqual([2, ["registry-drift"]]);
});

test.each([
  ["PW-029", "| 2026-02-03 |", "| 2026-02-02 |"],
  ["PW-167", "| - |", "| 1.0.0 |"],
  ["PW-040", "**Status:** 🚧 Stage 3\n", ""],
  ["PW-026", "\n### EchoBox", "| EchoBox | 🚧 Stage 3 | - | 2026-02-03 |\n\n### EchoBox"],
])("[%s] [PW-167] drift in the registry: %s", (rule, from, to) => {
  const result = verify({ registry: registry("🚧 Stage 3").replace(from, to) });
  expect(result.findings.map((finding) => [finding.code, finding.rule])).toEqual([
    ["registry-drift", rule],
  ]);
});

test("[PW-044] row without entry, entry without row, and neither are three findings", () => {
  const whole = registry("🚧 Stage 3");
  const other = "\n### OtherBox\n**Status:** 💡 Ideated\n";
  const messages = [
    whole.replace(/### EchoBox[^]*/, other),
    whole.replace(/\| EchoBox.*\n/, ""),
    other,
  ].map(
    (text) =>
      verifyPluginTree(tree({ registry: text })).find(({ id }) => id === "EchoBox")?.findings[0],
  );
  expect(messages.map((finding) => [finding?.code, finding?.message])).toEqual([
    ["registry-missing", "EchoBox has a table row but no full entry"],
    ["registry-missing", "EchoBox has a full entry but no table row"],
    ["registry-missing", "EchoBox has a handoff but neither a row nor an entry in PLUGINS.md"],
  ]);
});

test("[PW-033] a status that is none is found", () => {
  const text = registry("🚧 Stage 3").replaceAll("🚧 Stage 3", "🚧 Stage 9");
  expect(verify({ registry: text })).toMatchObject({
    exit: 2,
    findings: [{ code: "registry-drift", rule: "PW-033" }],
  });
});

test("[PW-118] an unreadable handoff is exit 2", () => {
  expect(outcome(verify({ handoff: "---\nplugin: [\n---\n" }))[0]).toBe(2);
  expect(outcome(verify({ handoff: fixture("handoff-prose.md") }))).toEqual([
    2,
    ["handoff-unparseable"],
  ]);
});

test("[PW-015] a missing heading counts in a current file and not in an old one", () => {
  const current = createHandoff(undefined, { fields: FIELDS }).text.replace(
    "## Testing Checklist",
    "Testing",
  );
  expect(verify({ handoff: current })).toMatchObject({
    exit: 2,
    findings: [{ code: "handoff-field", rule: "PW-015" }],
  });
  const old = current.replace(/contract_checksums:[^]*?---/, "---");
  expect(verify({ handoff: old }).findings.map(({ rule }) => rule)).toEqual(["PW-123"]);
});

test("[PW-001] a handoff at its place of old is found", () => {
  const more = { "plugins/EchoBox/.ideas/.continue-here.md": "x" };
  expect(verify({ more })).toMatchObject({
    exit: 2,
    findings: [{ code: "handoff-field", rule: "PW-001" }],
  });
  const alone = verify({ more, handoff: undefined });
  expect([alone.exit, alone.findings[0]?.fix]).toEqual([
    1,
    `Move plugins/EchoBox/.ideas/.continue-here.md to ${HANDOFF}`,
  ]);
  expect(outcome(verify({ more, handoff: undefined, status: "📦 Installed" }))).toEqual([
    4,
    ["handoff-stale"],
  ]);
});

test("[PW-001] the handoff of the mock-ups is another matter", () => {
  const more = { "plugins/EchoBox/.ideas/mockups/.continue-here.md": "x" };
  expect(outcome(verify({ more }))).toEqual([0, []]);
});

test("[PW-266] numbers that disagree are not guessed at", () => {
  expect(outcome(verify({ status: "🚧 Stage 5", fields: { stage: 4, phase: "4.2" } }))).toEqual([
    2,
    ["stage-mismatch"],
  ]);
});

test("a table-only registry takes its entries from NOTES.md", () => {
  const texts = new Map([
    ["PLUGINS.md", fixture("registry-table-only.md")],
    ["plugins/PadBox/NOTES.md", fixture("notes.md").replace("🚧 Stage 2", "💡 Ideated")],
  ]);
  const results = verifyPluginTree({ texts, contracts: new Map(), directories: new Set() });
  expect(
    results.map(({ id, exit, findings }) => [id, exit, findings.map(({ rule }) => rule)]),
  ).toEqual([
    ["PadBox", 1, ["PW-181", "PW-027"]],
    ["SoloBox", 2, ["PW-044"]],
  ]);
});

test("a date in the future is found when today is known", () => {
  expect(verifyPluginTree(tree({}), "2026-02-02")[0]?.findings.map(({ rule }) => rule)).toEqual([
    "PW-008",
  ]);
  expect(verifyPluginTree(tree({}), "2026-02-03")[0]?.findings).toEqual([]);
});

test("[PW-030] the fixture registry: every finding, and no other", () => {
  const texts = new Map([
    ["PLUGINS.md", fixture("registry.md")],
    [HANDOFF, fixture("handoff-current.md")],
    ["plugins/KnobOne/.continue-here.md", fixture("handoff-ideation.md")],
  ]);
  const results = verifyPluginTree({
    texts,
    contracts: new Map([["EchoBox", SUMS]]),
    directories: new Set(),
  });
  expect(
    results.map(({ id, exit, findings }) => [
      id,
      exit,
      findings.map(({ code, rule }) => `${code} ${rule}`),
    ]),
  ).toEqual([
    ["ClapBox", 2, ["registry-missing PW-044"]],
    ["EchoBox", 0, []],
    ["KnobOne", 4, ["handoff-field PW-004", "handoff-stale PW-184"]],
    ["TapeBox", 2, ["registry-drift PW-167", "registry-drift PW-030"]],
  ]);
});
