import { describe, expect, test } from "vitest";
import * as team from "../../../../test/fixtures/team-contract/session.ts";
import { PERSON } from "../../../../test/story.ts";
import { historyLines, ownedStatus } from "../world/render.ts";

const { at, begin, work, path } = team;
const DESIGN = "UD-APPROVE-DESIGN";
const STRATEGY = "UD-REVIEW-STRATEGY";

const entries = (told: ReturnType<typeof begin>) => ownedStatus(told.state).user_decisions;

describe("APPROVE_DESIGN", () => {
  test("[TC-087] [TC-064] [TC-065] [TC-068] [TC-083] entering it asks under its own id, and the entry is pending", () => {
    const told = team.toGate(begin());
    told.expectHeld("approve-design");
    expect(entries(told)).toEqual([
      {
        decision_id: DESIGN,
        question: expect.stringContaining("The design."),
        status: "pending",
        answer: null,
        asked_at: expect.stringMatching(/^2026-/),
        resolved_at: null,
        state_context: "APPROVE_DESIGN",
        resolution_reason: null,
      },
    ]);
    expect(ownedStatus(told.state).current_state).toBe("APPROVE_DESIGN");
  });

  test("[TC-088] the question shows what is to be approved", () => {
    const told = team.toGate(begin());
    expect(told.open[0]?.prompt).toContain("The design.");
    expect(Object.keys(told.open[0]?.bound ?? {})).toEqual([
      `digest:${path("spec.md")}`,
      `digest:${path("acceptance.json")}`,
      `digest:${path("architecture.md")}`,
      `designs:${team.ID}`,
    ]);
  });

  test.each(["approved", "approved: ship it", "Approved, with joy", "1"])(
    '[TC-089] [TC-070] "%s" opens PLAN, and the entry is answered in place',
    (text) => {
      const told = team.toGate(begin()).reply("approve-design", text);
      expect(at(told)).toBe("PLAN");
      const [entry, ...more] = entries(told);
      expect(more).toEqual([]);
      expect(entry?.["status"]).toBe("answered");
      expect(entry?.["answer"]).toMatch(/^approved/);
      expect(entry?.["resolved_at"]).not.toBeNull();
    },
  );

  test.each([
    "Looks good",
    "yes",
    "not approved",
    "approved? not yet",
    "continue",
    "changes-requested",
  ])(
    '[TC-089] [TC-091] [TC-099] "%s" is no answer: asked again, same id, nothing stored',
    (text) => {
      const told = team.toGate(begin()).reply("approve-design", text);
      expect(at(told)).toBe("APPROVE_DESIGN");
      expect(told.open.map((one) => one.id)).toEqual([DESIGN]);
      expect(entries(told)[0]).toMatchObject({ status: "pending", answer: null });
    },
  );

  test("[TC-091] whoever gave no answer is told so, and how often it may still be tried", () => {
    const { answer } = team.toGate(begin()).reply("approve-design", "maybe");
    expect(answer).toMatchObject({
      notes: [
        {
          code: "not-an-option",
          message:
            '"maybe" is none of the answers; the question is asked again, 2 more times at most',
        },
      ],
    });
  });

  test("[TC-090] [TC-092] asking for changes needs to say which; a number may say it too", () => {
    const told = team.toGate(begin());
    for (const bare of ["2", "changes-requested:"]) {
      told.reply("approve-design", bare).expectRefused("answer-needs-words");
      expect(told.refusals[0]?.fix).toMatchObject({
        input: { choice: "changes-requested: <what>" },
      });
    }
    told.reply("approve-design", "2: say more");
    expect(historyLines(told.state)).toMatchObject([{ answer: "changes-requested: say more" }]);
    expect(entries(told)[0]).toMatchObject({ answer: "changes-requested: say more" });
  });

  test("[TC-100] [TC-102] after one ask and three re-asks it is cancelled, and the session blocked", () => {
    const told = team.toGate(begin());
    for (const text of ["", "maybe", "hm"]) told.reply("approve-design", text);
    const last = told.fork().reply("approve-design", "approved");
    expect(at(last)).toBe("PLAN");
    told.reply("approve-design", "what?");
    expect(at(told)).toBe("BLOCKED");
    expect(entries(told)[0]).toMatchObject({
      decision_id: DESIGN,
      status: "cancelled",
      resolution_reason: "no valid answer",
    });
    expect(ownedStatus(told.state)).toMatchObject({
      blocker: "mandatory_user_decision_missing",
      blocked_from: "APPROVE_DESIGN",
    });
  });

  test("[TC-101] the count of re-asks belongs to the session that holds the lease", () => {
    const told = team.toGate(begin());
    for (const text of ["", "maybe"]) told.reply("approve-design", text);
    told.when(
      { type: "lease.take", previous: "dead", why: "crashed" },
      { ...team.ORCHESTRATOR, session: "s-2" },
    );
    for (const text of ["a", "b", "c"]) told.reply("approve-design", text);
    expect(at(told)).toBe("APPROVE_DESIGN");
    expect(JSON.stringify(ownedStatus(told.state))).not.toContain("reask");
  });

  test("[TC-102] [TC-103] [TC-071] a deferral blocks at once; going on asks the same entry again", () => {
    const told = team.toGate(begin());
    told.reply("approve-design", "defer").expectRefused("reason-missing");
    told.reply("approve-design", "defer", { reason: "the boss is away" });
    expect(at(told)).toBe("BLOCKED");
    expect(entries(told)[0]).toMatchObject({
      status: "cancelled",
      resolution_reason: "the boss is away",
    });
    told.move("unblock", { ...team.ORCHESTRATOR, reason: "x" }).expectRefused("person-required");
    told.move("unblock", { ...PERSON, reason: "she is back" });
    expect(at(told)).toBe("APPROVE_DESIGN");
    expect(entries(told)).toHaveLength(1);
    told.reply("approve-design", "approved");
    expect(at(told)).toBe("PLAN");
    expect(
      told.history.some((one) => one.type === "decision.settled" && one.status === "cancelled"),
    ).toBe(true);
  });

  test("[TC-098] [TC-042] a changed design or a changed answer on disk leads back to the gate before planning", () => {
    const changed = team.toPlan(begin()).given({ [`digest:${path("spec.md")}`]: "sha256:2" });
    changed.send("plan", ".", team.ORCHESTRATOR).expectHeld("approve-design");
    expect(at(changed)).toBe("APPROVE_DESIGN");
    expect(Object.keys(changed.state.dispatches)).toHaveLength(2);
    const edited = team.toPlan(begin()).given({
      [`decision:${DESIGN}`]: { status: "answered", answer: "changes-requested: x" },
    });
    edited.send("plan", ".", team.ORCHESTRATOR).expectHeld("approve-design");
    expect(at(edited)).toBe("APPROVE_DESIGN");
  });

  test("[TC-042] later a changed design is approved again through a question", () => {
    const told = team.toLoop(begin()).given({ [`digest:${path("spec.md")}`]: "sha256:2" });
    told.send("code", "T-001", team.ORCHESTRATOR).expectHeld("design-changed");
    expect(at(told)).toBe("ASK_USER");
    told.reply("design-changed", "approve");
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    told.send("code", "T-001", team.ORCHESTRATOR).expectAccepted();
  });

  test("[TC-016] [TC-044] what an agent recommends does not move the session, and no agent is sent for a gate", () => {
    const told = team.toDesign(begin());
    work(told, "architect", ".", { next: { agent: "Planner" } });
    expect(at(told)).toBe("APPROVE_DESIGN");
    for (const spec of ["plan", "code", "architect"])
      told.fork().send(spec, ".", team.ORCHESTRATOR).expectRefused("dispatch-illegal");
  });
});

describe("changes requested", () => {
  const asked = () =>
    team.toGate(begin()).reply("approve-design", "changes-requested: bigger\nbuttons");
  const tracking = (told: ReturnType<typeof begin>) =>
    ownedStatus(told.state).gate_tracking?.["APPROVE_DESIGN"];

  test("[TC-090] [TC-092] [TC-094] the answer is valid, kept in the history, and opens the correction", () => {
    const told = asked();
    expect(at(told)).toBe("APPROVE_DESIGN");
    expect(told.open).toEqual([]);
    expect(entries(told)[0]).toMatchObject({
      status: "answered",
      answer: "changes-requested: bigger\nbuttons",
    });
    expect(historyLines(told.state)).toEqual([
      { at: expect.any(String), answer: "changes-requested: bigger\nbuttons", eventId: "CR-1" },
    ]);
    told.send("plan", ".", team.ORCHESTRATOR).expectRefused("dispatch-illegal");
  });

  test("[TC-027] without a request for changes there is no history", () => {
    expect(historyLines(team.toPlan(begin()).state)).toEqual([]);
  });

  test("[TC-095] [TC-056] [TC-117] queued, dispatched with agent and time, completed, asked again", () => {
    const told = asked();
    expect(tracking(told)).toMatchObject({ correction_status: "queued" });
    told.send("correct-architecture", ".", team.ORCHESTRATOR);
    expect(tracking(told)).toEqual({
      correction_status: "dispatched",
      last_correction_dispatch: { agent: "Architect", task_id: "meta", at: expect.any(String) },
    });
    told.given({ [`digest:${path("architecture.md")}`]: "sha256:2" });
    team.report(told).expectHeld("approve-design");
    expect(tracking(told)).toMatchObject({ correction_status: "completed" });
    expect(entries(told)).toHaveLength(1);
    expect(entries(told)[0]).toMatchObject({ status: "pending", answer: null });
  });

  test("[TC-115] [TC-116] a correction is sent once, and counts only when something changed", () => {
    const told = asked().send("correct-spec", ".", team.ORCHESTRATOR);
    told.send("correct-spec", ".", team.ORCHESTRATOR).expectRefused("dispatch-open");
    team.report(told).expectRefused("correction-empty");
    expect(at(told)).toBe("APPROVE_DESIGN");
    expect(told.open).toEqual([]);
  });

  test("[TC-096] only SpecAgent, Architect and Designer correct", () => {
    const told = asked();
    told.send("code", ".", team.ORCHESTRATOR).expectRefused("dispatch-illegal");
    told.send("plan", ".", team.ORCHESTRATOR).expectRefused("dispatch-illegal");
  });

  test("[TC-097] [TC-069] ten rounds leave ten lines, one entry, and an open way to PLAN", () => {
    const told = team.toGate(begin());
    for (let round = 1; round <= 10; round += 1) {
      told.reply("approve-design", `changes-requested: ${round}`);
      told.send("correct-spec", ".", team.ORCHESTRATOR);
      told.given({ [`digest:${path("spec.md")}`]: `sha256:r${round}` });
      team.report(told);
    }
    told.reply("approve-design", "approved");
    expect(at(told)).toBe("PLAN");
    expect(historyLines(told.state).map((one) => one.eventId)).toEqual(
      Array.from({ length: 10 }, (_, index) => `CR-${index + 1}`),
    );
    expect(entries(told)).toHaveLength(1);
  });
});

describe("REVIEW_STRATEGY", () => {
  test("[TC-104] [TC-105] it follows PLAN by itself and shows tasks and a recommendation", () => {
    const told = team.toStrategy(begin());
    expect(at(told)).toBe("REVIEW_STRATEGY");
    expect(told.open[0]).toMatchObject({ id: STRATEGY });
    expect(told.open[0]?.prompt).toMatch(/1 tasks.*Recommended: per-batch/);
    expect(told.open[0]?.options.map((one) => one.id)).toEqual([
      "per-batch",
      "single-final",
      "defer",
    ]);
  });

  test.each([
    ["per-batch", "per-batch"],
    ["Batch", "per-batch"],
    ["per task", "per-batch"],
    ["1", "per-batch"],
    ["single", "single-final"],
    ["FINAL", "single-final"],
    ["2", "single-final"],
  ])("[TC-107] [TC-109] %s is stored as %s", (said, stored) => {
    const told = team.toStrategy(begin()).reply("review-strategy", said);
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    expect(entries(told).at(-1)).toMatchObject({ decision_id: STRATEGY, answer: stored });
  });

  test("[TC-108] [TC-118] anything else is asked again, and after four tries blocks", () => {
    const told = team.toStrategy(begin());
    for (const text of ["both", "whatever", ""]) {
      told.reply("review-strategy", text);
      expect(at(told)).toBe("REVIEW_STRATEGY");
    }
    told.reply("review-strategy", "both");
    expect(ownedStatus(told.state).blocker).toBe("mandatory_user_decision_missing");
  });

  test("[TC-043] [TC-109] a strategy that is corrupt on disk leads back to the gate before a check", () => {
    const told = work(team.toLoop(begin()), "code", "T-001").given({
      [`decision:${STRATEGY}`]: { status: "answered", answer: "final" },
    });
    told.send("review", "T-001", team.ORCHESTRATOR).expectHeld("review-strategy");
    expect(at(told)).toBe("REVIEW_STRATEGY");
  });
});
