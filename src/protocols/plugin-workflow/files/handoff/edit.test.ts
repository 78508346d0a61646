import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changedLines } from "../../../../../test/lines.ts";
import { createHandoff, editHandoff, type HandoffChanges, type HandoffFields } from "./edit.ts";
import { parseHandoff } from "./handoff.ts";

function fixture(name: string): string {
  return readFileSync(
    new URL(`../../../../../test/fixtures/plugin-workflow/${name}`, import.meta.url),
    "utf8",
  );
}

const CURRENT = fixture("handoff-current.md");
const SUM = `sha256:${"a".repeat(64)}`;

function edit(text: string, changes: HandoffChanges): string {
  const { text: after, problems } = editHandoff(text, changes);
  expect(problems).toEqual([]);
  return after;
}

test("[PW-006] phase 3.10 survives a write and a read", () => {
  const after = edit(CURRENT, { fields: { phase: "3.11", nextPhase: "3.12" } });
  const { value } = parseHandoff(after, { plugin: "EchoBox" });
  expect([value?.phase, value?.nextPhase]).toEqual(["3.11", "3.12"]);
  expect(after).toContain('phase: "3.11" # unquoted on purpose');
});

test("[PW-012] [PW-016] values are written in their documented form", () => {
  const fields: HandoffFields = {
    stage: 4,
    phase: null,
    complexityScore: 5,
    lastUpdated: "2026-02-04",
    nextAction: null,
  };
  expect(changedLines(CURRENT, edit(CURRENT, { fields }))).toEqual([
    "-stage: 3",
    "-phase: 3.10 # unquoted on purpose",
    "-last_updated: 2026-02-03",
    "-complexity_score: 4.5",
    "-next_action: continue_dsp_phase_3.11",
    "+stage: 4",
    "+phase: null # unquoted on purpose",
    "+last_updated: 2026-02-04",
    "+complexity_score: 5.0",
    "+next_action: null",
  ]);
});

test("[PW-016] gui_type goes directly behind orchestration_mode", () => {
  const after = edit(CURRENT, { fields: { guiType: "headless" } });
  expect(after).toContain("orchestration_mode: true\ngui_type: headless\nmockup_version: 2\n");
});

test("[PW-016] [PW-020] a new handoff, byte by byte", () => {
  const { text } = createHandoff(undefined, {
    fields: { plugin: "EchoBox", lastUpdated: "2026-01-20" },
    title: "Stage 0 - Research",
    currentState: { summary: "Research running" },
  });
  expect(text).toBe(fixture("handoff-new.md"));
});

test("[PW-017] [PW-258] unknown keys, sections, comments and rules survive", () => {
  const after = edit(CURRENT, {
    fields: { stage: 4, phase: null, checksums: { plan: SUM } },
    completed: [{ tag: "Stage 3", text: "Audio engine complete" }],
  });
  expect(changedLines(CURRENT, after)).toEqual([
    "-stage: 3",
    "-phase: 3.10 # unquoted on purpose",
    `-  plan: sha256:${"4".repeat(64)}`,
    "+stage: 4",
    "+phase: null # unquoted on purpose",
    `+  plan: ${SUM}`,
    "+- **Stage 3:** Audio engine complete",
  ]);
});

test("[PW-018] title and current state are replaced", () => {
  const after = edit(CURRENT, {
    title: "Stage 3 Complete",
    currentState: { summary: "Engine\ncomplete", body: "It runs.\n## no heading" },
  });
  const { value } = parseHandoff(after, { plugin: "EchoBox" });
  expect([value?.title, value?.currentState]).toEqual(["Stage 3 Complete", "Engine complete"]);
  expect(value?.sections).toEqual(parseHandoff(CURRENT, { plugin: "EchoBox" }).value?.sections);
  expect(after).toContain("It runs.\n\\## no heading\n\n## Completed So Far");
});

test("[PW-019] a marker in the template is in the new file", () => {
  const template = "---\nplugin: PluginName\nstage: N\nextra: kept\n---\n\n# Resume\n\nMARKER 17\n";
  const { text } = createHandoff(template, {
    fields: { plugin: "EchoBox", lastUpdated: "2026-01-20" },
  });
  expect(text).toContain("MARKER 17");
  expect(text).toContain("extra: kept");
  expect(parseHandoff(text, { plugin: "EchoBox" }).problems).toEqual([]);
});

test("[PW-019] a template without front matter gets one", () => {
  const { text } = createHandoff("# Mine\n", {
    fields: { plugin: "EchoBox", lastUpdated: "2026-01-20" },
  });
  expect(parseHandoff(text, { plugin: "EchoBox" })).toMatchObject({
    kind: "current",
    problems: [],
  });
});

test("[PW-022] [PW-129] the bullet lands at the end of its list, behind the last item's further lines", () => {
  const text = CURRENT.replace("- **Stage 3.10:** Feedback path\n", "");
  const after = edit(text, { completed: [{ tag: "Stage 3.1", text: "Delay line" }] });
  expect(after).toContain("  with a second line\n- **Stage 3.1:** Delay line\n\n## Next Steps");
});

test("[PW-023] the same update again changes nothing", () => {
  const changes: HandoffChanges = {
    completed: [{ tag: "Stage 3", text: "one" }],
    nextSteps: ["a", "b"],
    buildArtifacts: [{ format: "AU", path: "x.component" }],
    checklist: [
      { text: "Loads in a host", done: true },
      { text: "New", done: false },
    ],
    context: ["kept"],
  };
  const once = edit(CURRENT, changes);
  expect(edit(once, { ...changes, completed: [{ tag: "Stage 3", text: "other words" }] })).toBe(
    once,
  );
});

test("next steps are replaced, what else is said there stays", () => {
  const after = edit(CURRENT, { nextSteps: ["Do this", "Then\nthat"] });
  expect(after).toContain(
    "## Next Steps\n\n1. Do this\n2. Then that\n\nAsk Ana about the filter.\n",
  );
});

test("checklist items are ticked in place", () => {
  const after = edit(CURRENT, { checklist: [{ text: "Loads in a host", done: true }] });
  expect(changedLines(CURRENT, after)).toEqual([
    "-- [ ] Loads in a host",
    "+- [x] Loads in a host",
  ]);
});

test("[PW-015] [PW-264] missing headings are added in order, once", () => {
  const after = edit(fixture("handoff-old.md"), {});
  expect(parseHandoff(after, { plugin: "HatBox" }).value?.sections).toEqual([
    "Current State",
    "Completed So Far",
    "Next Steps",
    "Build Artifacts",
    "Testing Checklist",
    "Context to Preserve",
  ]);
  expect(after.startsWith(fixture("handoff-old.md").trimEnd())).toBe(true);
  expect(edit(after, {})).toBe(after);
});

test("[PW-257] [PW-259] [PW-260] migration adds keys inside the front matter, once", () => {
  const sums = { creative_brief: SUM, parameter_spec: SUM, architecture: SUM, plan: null };
  const fields: HandoffFields = { phase: null, nextAction: null, nextPhase: null, checksums: sums };
  const after = edit(fixture("handoff-old.md"), { fields });
  const added =
    "orchestration_mode: true\nnext_action: null\nnext_phase: null\ncontract_checksums:\n" +
    `  creative_brief: ${SUM}\n  parameter_spec: ${SUM}\n  architecture: ${SUM}\n  plan: null\n---\n`;
  expect(after).toContain(added);
  expect(after.match(/contract_checksums/g)).toHaveLength(1);
  expect(parseHandoff(after, { plugin: "HatBox" }).kind).toBe("current");
});

test("[PW-267] a timestamp is written back as a date", () => {
  const after = edit(fixture("handoff-old.md"), { fields: { lastUpdated: "2026-01-12" } });
  expect(after).toContain("last_updated: 2026-01-12\n");
});

test.each([["handoff-prose.md"], ["registry.md"]])("[PW-265] %s is left alone", (name) => {
  const { text, problems } = editHandoff(fixture(name), { fields: { stage: 2 }, title: "x" });
  expect([text, problems.map(({ code }) => code)]).toEqual([
    fixture(name),
    ["handoff-unparseable"],
  ]);
});

test.each([
  ["PW-004", { stage: 7 }],
  ["PW-005", { phase: "3" }],
  ["PW-008", { lastUpdated: "2026-2-3" }],
  ["PW-009", { complexityScore: Number.NaN }],
  ["PW-013", { checksums: { plan: "sha256:" } }],
  ["PW-168", { plugin: "a: b" }],
])("[%s] an illegal value is not written", (rule, fields) => {
  const { text, problems } = editHandoff(CURRENT, { fields });
  expect([text, problems.map((problem) => problem.rule)]).toEqual([CURRENT, [rule]]);
});

test("[PW-017] a value that another field refers to is not replaced", () => {
  const text = CURRENT.replace("status: complete", "status: &s complete\nmine: *s");
  const { text: after, problems } = editHandoff(text, { fields: { status: "in_progress" } });
  expect([after, problems.map(({ rule }) => rule)]).toEqual([text, ["PW-017"]]);
});

test.each([
  ["empty", "phase:", 'phase: "3.2"'],
  ["empty with a comment", "phase:   # none", 'phase: "3.2"   # none'],
  ["block text", "phase: |\n  3.1", 'phase: "3.2"'],
  ["next line", "phase:\n  3.1", 'phase:\n  "3.2"'],
  ["map", "phase:\n  a: b", 'phase:\n  "3.2"'],
  ["tagged", "phase: !!str 3.1", 'phase: "3.2"'],
  ["quoted", "phase: '3.1'   ", 'phase: "3.2"   '],
])("a value is replaced where it stands: %s", (_, line, expected) => {
  const text = CURRENT.replace("phase: 3.10 # unquoted on purpose", line);
  const after = edit(text, { fields: { phase: "3.2" } });
  expect(after).toBe(text.replace(line, expected));
});

test("front matter in braces keeps its form", () => {
  const text = "---\n{plugin: EchoBox, stage: 2}\n---\n# t\n";
  const after = edit(text, { fields: { stage: 3, phase: "3.1", checksums: { plan: null } } });
  expect(after).toContain(
    '{plugin: EchoBox, stage: 3, phase: "3.1", contract_checksums: {plan: null}}',
  );
});

test("[PW-015] an open code fence at the end is refused, not written into", () => {
  const text = "---\nplugin: X\n---\n# t\n```\n";
  expect(editHandoff(text, { title: "n" })).toMatchObject({ text, problems: [{ rule: "PW-015" }] });
});

describe("properties", () => {
  const line = fc.constantFrom(
    "text",
    "- item",
    "## Notes",
    "## Next Steps",
    "### Sub",
    "",
    "---",
    "1. one",
    "> q",
    "| a | b |",
    "trail  ",
  );
  const key = fc.constantFrom(
    "custom: 1",
    "custom_list: [a, b]",
    "# comment",
    "note: 'x: y'",
    "nested:\n  plan: z",
  );
  const handoff = fc
    .record({
      keys: fc.uniqueArray(key),
      body: fc.array(line, { maxLength: 15 }),
      eol: fc.constantFrom("\n", "\r\n"),
      bom: fc.boolean(),
      final: fc.boolean(),
    })
    .map(({ keys, body, eol, bom, final }) => {
      const text = ["---", "plugin: EchoBox", ...keys, "stage: 2", "---", ...body].join("\n");
      return `${bom ? "\uFEFF" : ""}${text}${final ? "\n" : ""}`.replaceAll("\n", eol);
    });
  const words = fc.string({ unit: "grapheme", maxLength: 30 });
  const changes = fc.record(
    {
      title: words,
      currentState: fc.record({ summary: words, body: words }),
      completed: fc.array(
        fc.record({ tag: fc.constantFrom("Stage 0", "Stage 3.1"), text: words }),
        { maxLength: 3 },
      ),
      nextSteps: fc.array(words, { maxLength: 3 }),
      context: fc.array(words, { maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  const fields = fc.record(
    {
      stage: fc.integer({ min: 0, max: 6 }),
      phase: fc.option(fc.constantFrom("3.1", "3.10", "4.12")),
      status: fc.constantFrom("in_progress" as const, "complete", "workflow_complete"),
      complexityScore: fc.option(fc.constantFrom(1, 2.5, 5)),
      nextAction: fc.option(words),
      checksums: fc.record(
        { plan: fc.option(fc.constant(SUM)), architecture: fc.constant(SUM) },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );

  test("[PW-012] what is written is read back", () => {
    fc.assert(
      fc.property(handoff, fields, (text, wanted) => {
        const { value } = parseHandoff(edit(text, { fields: wanted }), { plugin: "EchoBox" });
        const { checksums, ...scalars } = wanted;
        expect(value).toMatchObject(scalars);
        expect(value?.checksums).toEqual(checksums);
      }),
    );
  });

  test("[PW-017] every line of the author is still there, in order, unless it is owned", () => {
    fc.assert(
      fc.property(handoff, changes, (text, wanted) => {
        const { title: _, nextSteps: __, currentState: ___, ...additive } = wanted;
        const after = edit(text, additive).split(/\r?\n/);
        let at = 0;
        for (const one of text.split(/\r?\n/)) {
          const found = after.indexOf(one, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + 1;
        }
      }),
    );
  });

  test("[PW-015] after any write the seven headings are there, and a second write changes nothing", () => {
    fc.assert(
      fc.property(handoff, changes, (text, wanted) => {
        const after = edit(text, wanted);
        const { problems } = parseHandoff(after, { plugin: "EchoBox" });
        expect(problems.filter(({ rule }) => rule === "PW-015")).toEqual([]);
        expect(edit(after, wanted)).toBe(after);
        expect(after.includes("\r\n")).toBe(text.includes("\r\n"));
      }),
    );
  });
});
