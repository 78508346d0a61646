import { describe, expect, test } from "vitest";
import { rootOf } from "../../../core/state/evolve.ts";
import {
  AGENT,
  TASK,
  agentsOf,
  atApproval,
  atClassified,
  atComplete,
  atImplementation,
  atRequirements,
  atReview,
  atScope,
  atSynthesis,
  atValidation,
  begun,
  codes,
  planReleased,
  risky,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Story } from "../../../../test/story.ts";
import { taskProtocol } from "./protocol.ts";
import { STATES, TRANSITIONS, targetOf } from "./states.ts";

const at = (one: Story): string => rootOf(one.state).at;

describe("the whole way", () => {
  test("[TP-014] [TP-026] a free task starts in INIT, owned by its session", () => {
    const one = begun().expectAccepted();
    expect(at(one)).toBe("INIT");
    expect(one.state.lease).toMatchObject({ session: "s-1", fence: 1 });
  });

  test("[TP-008] [TP-194] a HIGH task walks T1 to T10 and asks exactly two questions", () => {
    const one = atComplete().given({ [`on-main:${TASK}`]: true });
    one.when({ type: "note.add", list: "x", tag: "", text: "anything" }, AGENT).settle();
    expect(at(one)).toBe("CLEANUP");
    const asked = one.history.filter((event) => event.type === "decision.asked");
    expect(asked.map((event) => event.question)).toEqual(["plan", "change"]);
    expect(one.state.lease).toBeNull();
    expect(one.state.vars["ended"]).toBe("merged");
  });

  test("[TP-058] [TP-059] every move leaves one entry, and each begins where the last ended", () => {
    const one = atComplete();
    const log = one.history
      .filter((event) => event.type === "unit.moved")
      .filter((event) => event.unit === "." && event.from !== event.to);
    expect(log.map((event) => event.to)).toEqual([
      "CLASSIFIED",
      "REQUIREMENTS",
      "SYNTHESIS",
      "IMPLEMENTATION",
      "VALIDATION",
      "REVIEW",
      "AWAITING_USER_APPROVAL",
      "COMPLETE",
    ]);
    log.forEach((event, index) => expect(event.from).toBe(log[index - 1]?.to ?? "INIT"));
  });

  test("[TP-056] the table has the eleven states and no other", () => {
    expect(taskProtocol.kinds["task"]?.states).toEqual(STATES);
    expect(STATES).toHaveLength(11);
  });

  test("[TP-070] [TP-173] the legal pairs are exactly the table, and REVIEW leads neither to COMPLETE nor to CLEANUP", () => {
    const rows = taskProtocol.kinds["task"]?.moves ?? [];
    const outs = new Set(["abandon", "roll-back", "leave"]);
    const pairs = rows
      .filter((row) => !outs.has(row.id))
      .flatMap((row) => row.from.map((from) => `${from} ${row.to}`))
      .filter((pair) => pair.split(" ")[0] !== pair.split(" ")[1]);
    const expected = TRANSITIONS.map((one) => `${one.from} ${one.to}`);
    expect([...new Set(pairs)].toSorted()).toEqual([...new Set(expected)].toSorted());
    expect(expected).not.toContain("REVIEW COMPLETE");
    expect(expected).not.toContain("REVIEW CLEANUP");
  });

  test("[TP-070] the table is data: it survives JSON, and only the guards are code", () => {
    const { guards, ...table } = taskProtocol;
    expect(JSON.parse(JSON.stringify(table))).toEqual(table);
    expect(
      Object.values(guards).every(
        (guard) => typeof (typeof guard === "object" ? guard.check : guard) === "function",
      ),
    ).toBe(true);
  });

  test("[TP-070] every fact a row reads is one the family can look up", () => {
    const text = JSON.stringify(taskProtocol);
    const named = [...text.matchAll(/"(?:fact)":"([a-z-]+)/g)].map((match) => match[1] ?? "");
    expect(named.filter((word) => !taskProtocol.looks.includes(word))).toEqual([]);
  });

  const reach: Readonly<Record<string, () => Story>> = {
    INIT: () => begun().settle(),
    CLASSIFIED: atClassified,
    REQUIREMENTS: () => atRequirements(),
    SYNTHESIS: () => atSynthesis(),
    IMPLEMENTATION: () => atImplementation(),
    VALIDATION: () => atValidation(),
    REVIEW: () => atReview(),
    AWAITING_USER_APPROVAL: () => atApproval(),
    SCOPE_NEGOTIATION: atScope,
    COMPLETE: atComplete,
  };

  test.each(Object.entries(reach))("[TP-060] from %s only its own moves exist", (state, get) => {
    const one = get();
    expect(at(one)).toBe(state);
    const known = taskProtocol.kinds["task"]?.moves ?? [];
    for (const id of new Set(known.map((row) => row.id))) {
      const fork = one.fork().move(id, { ...AGENT, reason: "because" });
      const legal = known.some(
        (row) => row.id === id && row.auto !== true && row.from.includes(state),
      );
      const illegal = fork.refusals.some((refusal) => refusal.code === "transition-illegal");
      expect({ id, illegal }).toEqual({ id, illegal: !legal || isShort(id) });
    }
  });

  /** The short way is no move of a HIGH task. */
  const isShort = (id: string): boolean => id === "skip";

  test("[TP-071] a target that is the present state is no move at all, and says so", () => {
    const moves = taskProtocol.kinds["task"]?.moves ?? [];
    expect(targetOf("SYNTHESIS", "synthesis", moves).kind).toBe("here");
    expect(targetOf("SYNTHESIS", "IMPLEMENTATION", moves)).toEqual({
      kind: "move",
      id: "implement",
    });
    expect(targetOf("REVIEW", "COMPLETE", moves).kind).toBe("none");
  });

  test("[TP-057] no agent implements before the state is recorded", () => {
    const one = planReleased();
    expect(codes(one.send("implementation", "architect", AGENT))).toEqual(["dispatch-illegal"]);
  });
});

describe("the short way", () => {
  test.each([
    { level: "LOW", change: "code", agents: [], short: true },
    { level: "MEDIUM", change: "documentation_only", agents: ["architect"], short: true },
    { level: "MEDIUM", change: "config_only", agents: ["architect"], short: true },
    { level: "MEDIUM", change: "code", agents: ["architect"], short: false },
    { level: "HIGH", change: "documentation_only", agents: ["architect"], short: false },
  ] as const)("[TP-081] $level $change: short is $short", ({ short, ...risk }) => {
    const one = planReleased(risk);
    one.when(buildFound(), { actor: { kind: "engine", name: "e" } });
    one.move("skip", AGENT);
    if (!short) return void one.expectRefused("transition-illegal");
    expect(at(one)).toBe("AWAITING_USER_APPROVAL");
    one.settle();
    expect(one.open.map((decision) => decision.question)).toEqual(["change"]);
  });

  test("[TP-082] a safety gate that does not hold refuses the short way", () => {
    const one = planReleased({ level: "LOW" }).given({
      [`safety:${TASK}`]: ["referenced from src/Main.java"],
    });
    one.when(buildFound(), { actor: { kind: "engine", name: "e" } });
    one.move("skip", AGENT).expectRefused("safety-gate");
    expect(one.refusals[0]?.message).toContain("src/Main.java");
  });

  test("[TP-119] a LOW task without agents passes the checks that count agents", () => {
    const one = atRequirements({ level: "LOW" });
    expect(agentsOf(one)).toEqual([]);
    one.move("synthesize", AGENT).expectAccepted();
  });

  test("[TP-073] HIGH without agents does not leave CLASSIFIED", () => {
    const one = atClassified().given(risky({ level: "HIGH" }));
    one.move("select", AGENT).move("gather", AGENT);
    expect(codes(one)).toEqual(["agents-missing"]);
  });

  test("[TP-072] a level without a reason is refused", () => {
    const one = atClassified().given({
      [`classification:${TASK}`]: { level: "HIGH", reason: "", change_type: "code" },
    });
    expect(codes(one.move("select", AGENT))).toEqual(["risk-unknown"]);
    expect(codes(one.move("gather", AGENT))).toEqual([
      "risk-missing",
      "agents-missing",
      "risk-higher",
    ]);
  });

  function buildFound() {
    return {
      type: "finding.record",
      unit: ".",
      kind: "build",
      by: "engine",
      value: "passed",
      bound: {
        [`tree:${TASK}`]: "tree-1",
        [`clean:${TASK}`]: [],
        "command:build": "as configured",
      },
    } as const;
  }
});
