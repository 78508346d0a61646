import { describe, expect, test } from "vitest";
import * as team from "../../../../test/fixtures/team-contract/session.ts";
import { PERSON } from "../../../../test/story.ts";
import { ownedStatus, statusLists } from "../world/render.ts";

const { at, begin, work, ORCHESTRATOR } = team;
type Told = ReturnType<typeof begin>;

const entries = (told: Told) => ownedStatus(told.state).user_decisions;
const ask = (told: Told, question: string, origin = "requirements"): Told =>
  told.when(
    { type: "decision.ask", question: "ad-hoc", unit: ".", about: { question, origin } },
    ORCHESTRATOR,
  );
const answer = (told: Told, decision: string, text: string, reason?: string): Told =>
  told.when(
    { type: "decision.answer", decision, text, ...(reason === undefined ? {} : { reason }) },
    PERSON,
  );

describe("ASK_USER", () => {
  const places: readonly (readonly [string, () => Told])[] = [
    ["INTAKE", () => begin()],
    ["DESIGN", () => team.toDesign(begin())],
    ["PLAN", () => team.toPlan(begin())],
    ["IMPLEMENT_LOOP", () => team.toLoop(begin())],
    ["INTEGRATE", () => team.toIntegrate(begin())],
  ];

  test.each(places)(
    "[TC-082] [TC-083] [TC-085] [TC-112] a question in %s is asked in ASK_USER and leads back",
    (state, told) => {
      const asked = ask(told(), "Which colours?");
      asked.expectHeld("ad-hoc");
      expect(at(asked)).toBe("ASK_USER");
      expect(entries(asked).at(-1)).toMatchObject({
        decision_id: "UD-1",
        question: "Which colours?",
        status: "pending",
        state_context: state,
        origin: "requirements",
      });
      answer(asked, "UD-1", "dark ones");
      expect(at(asked)).toBe(state);
      expect(entries(asked).at(-1)).toMatchObject({ status: "answered", answer: "dark ones" });
    },
  );

  test("[TC-066] [TC-067] ids count up without gap, beside the gates' own", () => {
    const told = team.toLoop(begin());
    for (let number = 1; number <= 11; number += 1) {
      ask(told, `Question ${number}?`);
      answer(told, `UD-${number}`, "yes");
    }
    expect(entries(told).map((one) => one["decision_id"])).toEqual([
      "UD-APPROVE-DESIGN",
      "UD-REVIEW-STRATEGY",
      ...Array.from({ length: 11 }, (_, index) => `UD-${index + 1}`),
    ]);
  });

  test("[TC-081] [TC-111] the session does not return before every question is settled", () => {
    const told = ask(ask(begin(), "One?"), "Two?");
    expect(told.open.map((one) => one.id)).toEqual(["UD-1", "UD-2"]);
    answer(told, "UD-1", "yes");
    expect(at(told)).toBe("ASK_USER");
    told.move("return", ORCHESTRATOR).expectRefused("held", "decision-pending");
    told.send("specify", ".", ORCHESTRATOR);
    expect(told.refusals.length).toBeGreaterThan(0);
    expect(told.open.map((one) => one.id)).toEqual(["UD-2"]);
    answer(told, "UD-2", "no");
    expect(at(told)).toBe("INTAKE");
  });

  test("[TC-072] what was not answered is cancelled, with exactly that reason", () => {
    const told = ask(ask(begin(), "One?"), "Two?");
    answer(told, "UD-1", "yes");
    answer(told, "UD-2", "no-response");
    expect(entries(told)[1]).toMatchObject({
      status: "cancelled",
      answer: null,
      resolution_reason: "no response provided",
    });
    expect(entries(told)[1]?.["resolved_at"]).not.toBeNull();
  });

  test("[TC-071] cancelled and skipped need a reason", () => {
    const told = ask(ask(begin(), "One?"), "Two?");
    answer(told, "UD-1", "defer").expectRefused("reason-missing");
    answer(told, "UD-2", "skip").expectRefused("reason-missing");
    answer(told, "UD-1", "defer", "ask me in May");
    answer(told, "UD-2", "skip", "we dropped it");
    expect(entries(told)).toMatchObject([
      { status: "cancelled", resolution_reason: "ask me in May" },
      { status: "skipped", resolution_reason: "we dropped it" },
    ]);
  });

  test("[TC-070] blanks are not an answer, and an agent cannot give one", () => {
    const told = ask(begin(), "One?");
    answer(told, "UD-1", "  ").expectRefused("answer-empty");
    told
      .when({ type: "decision.answer", decision: "UD-1", text: "yes" }, ORCHESTRATOR)
      .expectRefused("person-required");
    expect(entries(told)[0]).toMatchObject({ status: "pending" });
  });

  test("[TC-085] [TC-084] a question is a record with text and origin; gates cannot be asked by hand", () => {
    ask(begin(), " ").expectRefused("question-incomplete");
    ask(begin(), "Shall I?", "security").expectRefused("question-incomplete");
    begin()
      .when(
        { type: "decision.ask", question: "approve-design", unit: ".", about: {} },
        ORCHESTRATOR,
      )
      .expectRefused("ask-illegal");
  });

  test("[TC-060] an answer is stored as it was given", () => {
    const text = 'say "no"\\ </script>\n\u2028 😀 "}],"x":[';
    expect(entries(answer(ask(begin(), "One?"), "UD-1", text))[0]?.["answer"]).toBe(text);
  });
});

describe("Security decides nothing", () => {
  const finding = (number: number) => ({
    number,
    severity: "medium",
    category: "XSS",
    file: `src/${number}.ts`,
    description: `hole ${number}`,
    recommended_fix: "escape",
  });
  const asked = (count: number) => {
    const tasks = [team.seed("T-001", { risks: ["security"] })];
    const told = team.task(team.toLoop(begin({}, { tasks })));
    const questions = Array.from({ length: count }, (_, index) => finding(index + 1));
    return work(told, "secure", "T-001", { outcome: "NEEDS_DECISION", questions });
  };

  test("[TC-020] [TC-075] [TC-076] every finding becomes a question at once, known as one of security", () => {
    const told = asked(3);
    expect(at(told)).toBe("ASK_USER");
    expect(entries(told).slice(2)).toMatchObject(
      [1, 2, 3].map((number) => ({
        decision_id: `UD-${number}`,
        question: expect.stringContaining(`hole ${number}`),
        status: "pending",
        state_context: "IMPLEMENT_LOOP",
        origin: "security",
      })),
    );
    expect(told.open[0]?.options.map((one) => one.id)).toEqual([
      "fix-now",
      "fix-later",
      "accept-risk",
      "defer",
    ]);
    told.send("review", "T-001", ORCHESTRATOR);
    expect(told.refusals.map((one) => one.code)).toContain("dispatch-illegal");
  });

  test("[TC-073] [TC-074] silence cancels nothing here; a deferral with a reason does", () => {
    const told = asked(2);
    answer(told, "UD-1", "accept-risk");
    answer(told, "UD-2", "no-response").expectRefused("not-an-option");
    expect(told.open.map((one) => one.id)).toEqual(["UD-2"]);
    answer(told, "UD-2", "defer", "after the audit in May");
    expect(entries(told).at(-1)).toMatchObject({
      status: "cancelled",
      resolution_reason: "after the audit in May",
    });
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    expect(at(told, "T-001")).toBe("completed");
    expect(statusLists(told.state).known_issues).toEqual([
      "Accepted risk: hole 1 (src/1.ts)",
      "Deferred by the user: hole 2 (src/2.ts)",
    ]);
  });

  test("[TC-075] fix-now leads to FIX_SECURITY once all are settled, and the check is made again", () => {
    const told = asked(2);
    answer(told, "UD-1", "fix-now");
    expect(at(told)).toBe("ASK_USER");
    answer(told, "UD-2", "fix-later");
    expect(at(told)).toBe("FIX_SECURITY");
    expect(at(told, "T-001")).toBe("implemented");
    work(told, "fix-security", "T-001");
    told.given({ "changes:T-001": { "src/a.ts": "fixed" } });
    expect(at(told, "T-001")).toBe("implemented");
    // Back to the one who asked for the repair, though the others have to look again too.
    told.send("review", "T-001", ORCHESTRATOR).expectRefused("not-its-turn");
    told.send("secure", "T-001", ORCHESTRATOR).expectAccepted();
  });
});

describe("notes, blocks and failures", () => {
  test("[TC-085] [TC-125] a pass with notes asks which to fix; leaving them lets the task go on", () => {
    const told = work(team.toLoop(begin()), "code", "T-001");
    const remarks = "minor, Quality, a.ts:3: name it; call it x";
    const feedback = [remarks];
    const summary = "naming";
    work(told, "review", "T-001", { outcome: "OK_WITH_NOTES", summary, remarks, feedback });
    told.expectHeld("review-notes");
    expect(told.open[0]?.prompt).toContain(`"naming" ${remarks}`);
    expect(told.state.vars).toMatchObject({ failure: summary, feedback });
    const fixed = told.fork().reply("review-notes", "fix");
    expect(at(fixed)).toBe("FIX_REVIEW");
    told.reply("review-notes", "accept");
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    told.send("test", "T-001", ORCHESTRATOR).expectAccepted();
  });

  test("[TC-019] NEEDS_INFO of the Researcher asks a person", () => {
    const told = team.toDesign(begin({ research: true }));
    work(told, "research", ".", { outcome: "NEEDS_INFO", summary: "which browsers?" });
    told.expectHeld("research-info");
    expect(told.open[0]?.prompt).toContain("which browsers?");
  });

  test("[TC-018] FAIL ends in BLOCKED, naming agent and reason, and nobody takes over", () => {
    const told = team.toLoop(begin());
    work(told, "code", "T-001", { outcome: "FAIL", summary: "disk is gone" });
    expect(ownedStatus(told.state)).toMatchObject({
      current_state: "BLOCKED",
      blocker: "agent_failed",
      blocker_detail: "disk is gone",
      blocked_from: "IMPLEMENT_LOOP",
    });
    told.send("review", "T-001", ORCHESTRATOR).expectRefused("dispatch-illegal");
  });

  test("[TC-046] [TC-047] no usable reply: two more tries, then BLOCKED with subagent_failure", () => {
    const told = team.toLoop(begin());
    for (let launch = 1; launch <= 2; launch += 1) {
      work(told, "code", "T-001", { outcome: "UNREADABLE", summary: "timeout" });
      expect(at(told)).toBe("IMPLEMENT_LOOP");
    }
    const lucky = work(told.fork(), "code", "T-001");
    expect(at(lucky, "T-001")).toBe("implemented");
    work(told, "code", "T-001", { outcome: "UNREADABLE", summary: "timeout" });
    expect(ownedStatus(told.state)).toMatchObject({
      current_state: "BLOCKED",
      blocker: "subagent_failure",
      blocker_detail: "timeout",
    });
    const launches = Object.values(told.state.dispatches).filter((one) => one.role === "Coder");
    expect(launches).toHaveLength(3);
  });

  test("[TC-017] [TC-085] a worker that cannot go on asks a person, who may stop the session", () => {
    const told = team.toLoop(begin());
    work(told, "code", "T-001", { outcome: "BLOCKED", summary: "the key is missing" });
    told.expectHeld("agent-blocked");
    const stopped = told.fork().reply("agent-blocked", "stop");
    expect(ownedStatus(stopped.state).blocker).toBe("agent_blocked");
    told.reply("agent-blocked", "use the test key");
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    told.send("code", "T-001", ORCHESTRATOR).expectAccepted();
  });

  test("[TC-180] blocking needs a reason and is left by a person, back to where it was", () => {
    const told = team.toLoop(begin());
    told.move("block", ORCHESTRATOR).expectRefused("reason-missing");
    told.move("block", { ...ORCHESTRATOR, reason: "no network" });
    expect(ownedStatus(told.state)).toMatchObject({
      blocker: "no_progress",
      blocker_detail: "no network",
      blocked_from: "IMPLEMENT_LOOP",
    });
    told.send("code", "T-001", ORCHESTRATOR).expectRefused("dispatch-illegal");
    told.move("unblock", { ...PERSON, reason: "it is back" });
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    expect(ownedStatus(told.state).blocker).toBeUndefined();
  });

  test("[TC-045] one assignment at a time", () => {
    const tasks = [team.seed("T-001"), team.seed("T-002")];
    const told = team
      .toLoop(begin({}, { tasks }), "single-final")
      .send("code", "T-001", ORCHESTRATOR);
    told.send("code", "T-002", ORCHESTRATOR).expectRefused("dispatch-open");
  });

  test("[TC-101] two orchestrators: the second is told who holds the session", () => {
    const told = begin().send("specify", ".", ORCHESTRATOR);
    team.report(told);
    told.send("architect", ".", { ...ORCHESTRATOR, session: "s-2" }).expectRefused("lease-held");
  });
});
