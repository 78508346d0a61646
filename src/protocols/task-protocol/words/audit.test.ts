import { describe, expect, test } from "vitest";
import {
  AGENT,
  ENGINE,
  JUSTIFICATION,
  PERSON,
  TASK,
  atComplete,
  atImplementation,
  atRequirements,
  atReview,
  atSynthesis,
  reportOf,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Story } from "../../../../test/story.ts";
import { auditTask } from "./audit.ts";
import { texts } from "../../../core/values/json-read.ts";
import type { AuditInput, AuditRecord } from "./verdict.ts";

describe("the compliance report", () => {
  function input(one: Story): AuditInput {
    const records: AuditRecord[] = one.history.map((event, index) => ({
      seq: index + 1,
      at: one.state.startedAt,
      actor: "agent:claude",
      session: "s-1",
      events: [event],
    }));
    return { state: one.state, records };
  }

  const commits = (one: Story): Story => {
    const effects = Object.fromEntries(
      Object.entries(one.state.effects).map(([id, effect]) => [
        id,
        effect.kind === "merge-ff" ? { ...effect, detail: { oid: "abc" } } : effect,
      ]),
    );
    return { ...one, state: { ...one.state, effects }, history: one.history };
  };

  test("[TP-212] a clean run passes, in Markdown and JSON", () => {
    const report = auditTask(input(commits(atComplete())));
    expect(report.gaps).toEqual([]);
    expect(report.verdict).toBe("PASSED");
    expect(report.markdown).toContain(`# Compliance of \`${TASK}\`: PASSED`);
    expect(report.json).toMatchObject({ verdict: "PASSED", gaps: [] });
  });

  test("[TP-112] auditing changes nothing", () => {
    const one = atReview();
    const before = JSON.stringify(one.state);
    auditTask(input(one));
    expect(JSON.stringify(one.state)).toBe(before);
  });

  const gaps = (given: AuditInput): readonly string[] =>
    auditTask(given).gaps.map((one) => one.check);

  test("[TP-212] [TP-173] an illegal move is a gap, with its record", () => {
    const one = atReview();
    const clean = input(one);
    const event = {
      type: "unit.moved",
      unit: ".",
      move: "x",
      from: "REVIEW",
      to: "COMPLETE",
      back: [],
      reason: "",
    } as const;
    const record: AuditRecord = {
      seq: clean.records.length + 1,
      at: one.state.updatedAt,
      actor: "agent:claude",
      session: "s-1",
      events: [event],
    };
    const report = auditTask({ ...clean, records: [...clean.records, record] });
    expect(report.verdict).toBe("FAILED");
    expect(report.gaps[0]).toMatchObject({ check: "1.1", severity: "critical", rule: "TP-070" });
    expect(report.markdown).toContain("REVIEW to COMPLETE");
  });

  test("[TP-065] [TP-061] a missing record, time that runs backwards, and a broken chain are gaps", () => {
    const clean = input(atReview());
    expect(gaps({ ...clean, records: clean.records.toSpliced(3, 1) })).toContain("1.5");
    expect(gaps({ ...clean, chainWhole: false })).toContain("1.5");
    const records = clean.records.map((one, index) => ({
      ...one,
      at: index === 2 ? "2000" : one.at,
    }));
    expect(gaps({ ...clean, records })).toContain("1.4");
  });

  test("[TP-132] [TP-179] a release that no person gave is a gap", () => {
    const clean = input(commits(atComplete()));
    const records = clean.records.map((one) => ({
      ...one,
      events: one.events.map((event) =>
        event.type === "decision.settled" ? { ...event, by: "agent:claude" } : event,
      ),
    }));
    expect(gaps({ ...clean, records })).toEqual(["2.1", "2.3"]);
  });

  test("[TP-090] agents started one after the other are a gap", () => {
    const one = atRequirements().send("requirements", "architect", AGENT);
    reportOf(one, "architect", "COMPLETE").send("requirements", "quality", AGENT);
    expect(gaps(input(reportOf(one, "quality", "COMPLETE")))).toEqual(["2.2"]);
    expect(gaps(input(atSynthesis()))).toEqual([]);
  });

  test("[TP-143] [TP-162] source written by the coordinator is a gap; its own files are not", () => {
    const one = atImplementation();
    const edit = { type: "note.add", list: "tools", tag: "Edit main" } as const;
    one.when({ ...edit, text: "todo.md" }, ENGINE);
    expect(gaps(input(one))).toEqual([]);
    one.when({ ...edit, text: "code/src/A.java" }, ENGINE);
    expect(gaps(input(one))).toEqual(["3.3"]);
  });

  test("[TP-211] agents that joined wrongly are gaps: no reason, in REVIEW, against a rejection, off the books", () => {
    const one = atReview().send("review", "quality", AGENT);
    reportOf(one, "quality", "REJECTED", { feedback: "no" });
    const clean = input(one);
    const opened = (unit: string, data: object): AuditRecord => ({
      seq: clean.records.length + 1,
      at: one.state.updatedAt,
      actor: "agent:claude",
      session: "s-1",
      events: [
        { type: "unit.opened", unit, kind: "agent", at: "ready", data: { added_at: "x", ...data } },
      ],
    });
    const joined = (unit: string, data: object): string =>
      auditTask({ ...clean, records: [...clean.records, opened(unit, data)] }).gaps[0]?.actual ??
      "";
    expect(joined("security", {})).toContain("without a justification");
    expect(joined("security", { justification: JUSTIFICATION })).toContain("joined in REVIEW");
    expect(joined("quality-2", { justification: JUSTIFICATION })).toContain("open rejection");
    expect(joined("security", { justification: JUSTIFICATION })).toContain(
      "not among the required",
    );
  });

  test("[TP-203] what was before an adoption is a gap, and is named", () => {
    const one = atRequirements();
    const clean = input(one);
    const event = { type: "workflow.adopted", from: {}, why: "" } as const;
    const adopted = { at: "", actor: "person:ada", session: "s-1", events: [event] };
    const records = [
      ...clean.records,
      { ...adopted, at: one.state.updatedAt, seq: clean.records.length + 1 },
    ];
    expect(gaps({ ...clean, records })).toEqual(["1.6"]);
  });

  test("[TP-036] [TP-212] people who stepped in and what failed are remarked on, and no gap", () => {
    const one = atImplementation().when({ type: "lease.break", reason: "it hangs" }, PERSON);
    one.when({ type: "lease.take", previous: "none", why: "" }, AGENT);
    const report = auditTask({ ...input(one), refused: [refusedMove] });
    expect(report.verdict).toBe("PASSED");
    const [broken, refused] = texts(report.json["remarks"]);
    expect(broken).toContain("ended the lease of s-1 (it hangs)");
    expect(refused).toContain("refused commands, all in the trail: 1");
    expect(report.markdown).toContain("it hangs");
  });

  test("[TP-062] [TP-067] a move back without a reason and a refused edit are gaps", () => {
    const one = atImplementation().move("replan", { ...AGENT, reason: "x" });
    const clean = input(one);
    const records = clean.records.map((record) => ({
      ...record,
      events: record.events.map((event) =>
        event.type === "unit.moved" && event.move === "replan" ? { ...event, reason: "" } : event,
      ),
    }));
    expect(gaps({ ...clean, records })).toEqual(["1.3"]);
    one.when({ type: "edit.refuse", view: "task.json", blob: "b", reasons: [] }, ENGINE);
    expect(gaps(input(one))).toEqual(["4.4"]);
  });
});

const refusedMove = {
  at: "2026-03-01T12:00:00.000Z",
  command: "unit.move",
  step: "validate",
  by: "agent:bo",
  codes: ["agents-incomplete"],
};
