import { describe, expect, test } from "vitest";
import * as team from "../../../../test/fixtures/team-contract/session.ts";
import { ENGINE, PERSON } from "../../../../test/story.ts";
import { ciResult, ownedStatus, statusLists } from "../world/render.ts";

const { at, begin, work, CODER, ORCHESTRATOR } = team;
const two = { tasks: [team.seed("T-001"), team.seed("T-002", { after: ["T-001"] })] };
const trail = (told: ReturnType<typeof begin>): readonly string[] =>
  Object.values(told.state.dispatches).map((one) => `${one.role} ${one.unit}`);
const block = (told: ReturnType<typeof begin>, spec: string, unit = "T-001") =>
  work(told, spec, unit, { outcome: "BLOCKED", summary: "it breaks" });

describe("tasks", () => {
  test("[TC-123] [TC-120] the Coder starts and implements, in that order, and nobody else does", () => {
    const told = team.toLoop(begin());
    told.move("start", { ...team.REVIEWER, unit: "T-001" }).expectRefused("actor-not-allowed");
    told.move("implement", { ...CODER, unit: "T-001" }).expectRefused("transition-illegal");
    told.move("start", { ...CODER, unit: "T-001" }).expectAccepted();
    told.move("implement", { ...team.REVIEWER, unit: "T-001" }).expectRefused("actor-not-allowed");
    // Calling oneself the Coder implements nothing: there was no order, and nobody looked at what was done.
    told.move("implement", { ...CODER, unit: "T-001" }).expectRefused("actor-not-allowed");
    work(told, "code", "T-001");
    expect(at(told, "T-001")).toBe("implemented");
  });

  test("[TC-123] [TC-131] handing a task to the Coder shows it as in progress, its report as implemented", () => {
    const told = team.toLoop(begin()).send("code", "T-001", ORCHESTRATOR);
    expect(at(told, "T-001")).toBe("in-progress");
    team.report(told);
    expect(at(told, "T-001")).toBe("implemented");
  });

  test("[TC-124] [TC-125] only the engine or the Orchestrator completes, and only with every check", () => {
    const told = work(team.toLoop(begin()), "code", "T-001", { needs_tests: true });
    told
      .move("promote", { ...CODER, unit: "T-001" })
      .expectRefused("actor-not-allowed", "check-missing");
    told.move("promote", { ...ORCHESTRATOR, unit: "T-001" }).expectRefused("check-missing");
    expect(told.refusals[0]?.message).toBe(
      "T-001: Reviewer has not looked at it; QA has not looked at it",
    );
    work(told, "review", "T-001");
    told.move("promote", { ...ORCHESTRATOR, unit: "T-001" }).expectRefused("check-missing");
    expect(told.refusals[0]?.message).toBe("T-001: QA has not looked at it");
    work(told, "test", "T-001");
    expect(at(told, "T-001")).toBe("completed");
  });

  test("[TC-125] [TC-143] Security is needed when the task or its Coder says so, in lean mode too", () => {
    const flagged = { tasks: [team.seed("T-001", { risks: ["security"] })] };
    const full = team.task(team.toLoop(begin({}, flagged)));
    expect(at(full, "T-001")).toBe("implemented");
    expect(at(work(full, "secure", "T-001"), "T-001")).toBe("completed");
    const lean = work(team.leanLoop(), "code", "T-001", { concerns: ["reads input"] });
    work(work(lean, "review", "T-001"), "test", "T-001");
    expect(at(lean, "T-001")).toBe("implemented");
    expect(at(work(lean, "secure", "T-001"), "T-001")).toBe("completed");
    const skipped = work(team.leanLoop(), "code", "T-001");
    skipped.move("promote", { ...ORCHESTRATOR, unit: "T-001" }).expectRefused("check-missing");
  });

  test("[TC-126] [TC-127] anybody may block a task; leaving that is not the Coder's", () => {
    const told = team.toLoop(begin()).send("code", "T-001", ORCHESTRATOR);
    told.move("block", { ...CODER, unit: "T-001" }).expectRefused("reason-missing");
    told.move("block", { ...CODER, unit: "T-001", reason: "no key" });
    expect(at(told, "T-001")).toBe("blocked");
    told.when({ type: "dispatch.cancel", dispatch: "W-4", reason: "blocked" }, ORCHESTRATOR);
    told.move("unblock", { ...CODER, unit: "T-001" }).expectRefused("person-required");
    told.move("unblock", { ...ORCHESTRATOR, unit: "T-001" });
    expect(at(told, "T-001")).toBe("in-progress");
  });

  test("[TC-129] [TC-145] tasks follow their dependencies, each checked before the next", () => {
    const told = team.toLoop(begin({}, two));
    told.send("code", "T-002", ORCHESTRATOR).expectRefused("dependency-open");
    work(told, "code", "T-001");
    told.send("code", "T-002", ORCHESTRATOR).expectRefused("dependency-open", "batch-open");
    told.send("test", "T-001", ORCHESTRATOR).expectRefused("not-its-turn");
    work(work(told, "review", "T-001"), "test", "T-001");
    team.task(told, "T-002");
    expect(trail(told).slice(3)).toEqual([
      "Coder T-001",
      "Reviewer T-001",
      "QA T-001",
      "Coder T-002",
      "Reviewer T-002",
      "QA T-002",
    ]);
  });

  test("[TC-119] a check that has passed is not made again, one that is stale is", () => {
    const told = work(work(team.toLoop(begin()), "code", "T-001"), "review", "T-001");
    told.fork().send("review", "T-001", ORCHESTRATOR).expectRefused("not-its-turn");
    told.given({ "changes:T-001": { "src/a.ts": "d2" } });
    told.send("test", "T-001", ORCHESTRATOR).expectRefused("not-its-turn");
    told.send("review", "T-001", ORCHESTRATOR).expectAccepted();
  });

  test("[TC-124] a promotion that is taken back needs its checks anew", () => {
    const told = team.task(team.toLoop(begin()));
    told.move("reopen", { ...ORCHESTRATOR, unit: "T-001", reason: "a hole" });
    expect(at(told, "T-001")).toBe("implemented");
    told.send("review", "T-001", ORCHESTRATOR).expectAccepted();
  });

  test("[TC-124] past the loop no promotion is taken back: nobody could check the task", () => {
    const told = team.toIntegrate(begin());
    const again = { ...ORCHESTRATOR, unit: "T-001", reason: "a hole" };
    told.move("reopen", again).expectRefused("loop-left");
    expect(at(told, "T-001")).toBe("completed");
  });

  test("[TC-021] OK without the definition of done does not count", () => {
    const told = team.toLoop(begin());
    work(told, "code", "T-001", { done: false }).expectRefused("not-done");
    expect(at(told, "T-001")).toBe("in-progress");
  });
});

describe("single-final", () => {
  test("[TC-146] nothing is checked before all is implemented, then one pass promotes all together", () => {
    const told = team.toLoop(begin({}, two), "single-final");
    work(told, "code", "T-001");
    told.send("review", "T-001", ORCHESTRATOR).expectRefused("not-its-turn");
    told.send("review-all", ".", ORCHESTRATOR).expectRefused("not-its-turn");
    work(told, "code", "T-002");
    work(work(told, "review-all"), "test-all");
    expect([at(told, "T-001"), at(told, "T-002")]).toEqual(["implemented", "implemented"]);
    work(told, "secure-all");
    expect([at(told, "T-001"), at(told, "T-002")]).toEqual(["completed", "completed"]);
    expect(at(told)).toBe("INTEGRATE");
    expect(trail(told).slice(3)).toEqual([
      "Coder T-001",
      "Coder T-002",
      "Reviewer .",
      "QA .",
      "Security .",
    ]);
  });
});

describe("the final review", () => {
  test("[TC-147] per-batch does not integrate without it, and a block goes to FIX_REVIEW", () => {
    const told = team.task(team.toLoop(begin()));
    told.move("to-integrate", ORCHESTRATOR).expectRefused("final-review-missing", "agent-missing");
    block(told, "review-all", ".");
    expect(at(told)).toBe("FIX_REVIEW");
    expect(ownedStatus(told.state).retry_counts).toEqual({ meta: { FIX_REVIEW: 1 } });
    work(told, "fix-review-all");
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    work(work(told, "review-all"), "secure-all");
    expect(at(told)).toBe("INTEGRATE");
  });
});

describe("repairs", () => {
  const checks = [
    ["review", "fix-review", "FIX_REVIEW"],
    ["test", "fix-tests", "FIX_TESTS"],
    ["secure", "fix-security", "FIX_SECURITY"],
  ] as const;
  const risky = { tasks: [team.seed("T-001", { risks: ["security"] })] };
  const upTo = (spec: string) => {
    const told = work(team.toLoop(begin({}, risky)), "code", "T-001");
    for (const [check] of checks) {
      if (check === spec) return told;
      work(told, check, "T-001");
    }
    return told;
  };

  test.each(checks)(
    "[TC-153] [TC-119] a block of %s goes to %s in %s and back to the blocker",
    (check, fix, loop) => {
      const told = block(upTo(check), check);
      expect(at(told)).toBe(loop);
      told.send(check, "T-001", ORCHESTRATOR).expectRefused("dispatch-illegal");
      work(told, fix, "T-001");
      expect(at(told)).toBe("IMPLEMENT_LOOP");
      told.given({ "changes:T-001": { "src/a.ts": "fixed" } });
      for (const [other] of checks)
        if (other !== check)
          told.fork().send(other, "T-001", ORCHESTRATOR).expectRefused("not-its-turn");
      told.send(check, "T-001", ORCHESTRATOR).expectAccepted();
    },
  );

  test("[TC-153] QA may mend tests itself, and a red release goes to FIX_BUILD", () => {
    const told = work(block(upTo("test"), "test"), "fix-tests-qa", "T-001");
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    const released = work(team.toRelease(begin()), "document");
    block(released, "release", ".");
    expect(at(released)).toBe("FIX_BUILD");
    work(released, "fix-build-coder");
    expect(at(released)).toBe("INTEGRATE");
  });

  test.each(checks.slice(0, 2))(
    "[TC-154] [TC-155] [TC-156] the fourth block of %s asks a person instead of %s",
    (check, fix, loop) => {
      const told = upTo(check);
      for (let round = 1; round <= 3; round += 1) {
        work(block(told, check), fix, "T-001", { summary: `try ${round}` });
        expect(ownedStatus(told.state).retry_counts).toEqual({ "T-001": { [loop]: round } });
      }
      block(told, check).expectHeld("retry-exhausted");
      expect(at(told)).toBe("ASK_USER");
      expect(told.open[0]?.prompt).toContain("try 3");
      expect(told.open[0]?.prompt).toContain("it breaks");
      expect(told.open[0]?.prompt).toContain(`${loop} of T-001`);
      expect(told.open[0]?.options.map((one) => one.id)).toEqual([
        "different-approach",
        "known-issues",
        "simplify-scope",
        "stop",
        "guidance",
      ]);
      const [asked] = told.open;
      told.fork().reply("retry-exhausted", "5").expectRefused("answer-needs-words");
      const numbered = told.fork().reply("retry-exhausted", "1");
      expect(numbered.state.decisions[asked?.id ?? ""]?.settled?.text).toBe("different-approach");
      const other = told.fork().reply("retry-exhausted", "different-approach");
      expect(at(other)).toBe(loop);
      expect(ownedStatus(other.state).retry_counts).toEqual({ "T-001": { [loop]: 1 } });
      const stopped = told.fork().reply("retry-exhausted", "stop");
      expect(ownedStatus(stopped.state)).toMatchObject({
        current_state: "BLOCKED",
        blocker: "repair_exhausted",
      });
    },
  );

  test("[C92] work that never passes is handed out forty times, then a person is asked", () => {
    const told = begin();
    for (let order = 1; order <= 40; order += 1) {
      work(told, "specify", ".", { outcome: "UNREADABLE" });
      if (at(told) === "BLOCKED") told.move("unblock", { ...PERSON, reason: "look again" });
    }
    told.send("specify", ".", ORCHESTRATOR).expectHeld("orders-exhausted");
    expect(told.open[0]?.prompt).toContain("40 times");
    told.reply("orders-exhausted", "again").expectAccepted();
    told.send("specify", ".", ORCHESTRATOR).expectAccepted();
  });

  test("[TC-157] accepted with known issues: a decision, an entry in known_issues, and the work goes on", () => {
    const told = upTo("review");
    for (let round = 1; round <= 3; round += 1) work(block(told, "review"), "fix-review", "T-001");
    block(told, "review").reply("retry-exhausted", "known-issues");
    expect(at(told)).toBe("IMPLEMENT_LOOP");
    expect(statusLists(told.state).known_issues).toEqual(["Accepted as it is: it breaks"]);
    expect(Object.values(told.state.decisions).at(-1)).toMatchObject({
      status: "answered",
      settled: { option: "known-issues", by: "person:ada" },
    });
    told.send("test", "T-001", ORCHESTRATOR).expectAccepted();
  });

  test("[TC-157] a security hole cannot be accepted that way", () => {
    const told = upTo("secure");
    for (let round = 1; round <= 3; round += 1)
      work(block(told, "secure"), "fix-security", "T-001");
    block(told, "secure").expectHeld("retry-exhausted-security");
    expect(told.open[0]?.options.map((one) => one.id)).not.toContain("known-issues");
  });

  test("[TC-057] the CI result follows the latest run of the checks", () => {
    const told = work(team.toIntegrate(begin()), "integrate");
    expect(ciResult(told.state)).toBe("unknown");
    expect(ciResult(team.ran(told, "cmd: npm test", "failed").state)).toBe("red");
    told.move("red", ENGINE);
    work(told, "fix-build");
    expect(ciResult(told.state)).toBe("unknown");
    expect(ciResult(team.ran(told).state)).toBe("green");
  });

  test("[TC-153] red is not a word: without a failed run there is no FIX_BUILD", () => {
    team.toIntegrate(begin()).move("red", ENGINE).expectRefused("nothing-red");
  });

  test("[TC-154] [TC-156] the fourth red build asks a person, and says which command fails", () => {
    const told = work(team.toIntegrate(begin()), "integrate");
    for (let round = 1; round <= 3; round += 1) {
      team.ran(told, "cmd: npm test", "failed").move("red", ENGINE);
      expect(at(told)).toBe("FIX_BUILD");
      work(told, "fix-build-coder", ".", { summary: `try ${round}` });
    }
    team
      .ran(told, "cmd: npm test", "failed")
      .given({ [`failed:${team.ID}`]: "npm test: exit 127" });
    told.move("red", ENGINE).expectHeld("retry-exhausted");
    expect(told.open[0]?.prompt).toContain('It fails because: "npm test: exit 127"');
    // One more try begins at once; living with it goes on.
    expect(at(told.fork().reply("retry-exhausted", "different-approach"))).toBe("FIX_BUILD");
    expect(at(told.reply("retry-exhausted", "known-issues"))).toBe("INTEGRATE");
  });
});

describe("lean", () => {
  test("[TC-142] too complex: the session starts again at INTAKE in full mode, its task is gone", () => {
    const told = team.leanLoop();
    work(told, "code", "T-001", { outcome: "TOO_COMPLEX" });
    expect(at(told)).toBe("INTAKE");
    expect(told.state.vars["mode"]).toBe("full");
    expect(at(told, "T-001")).toBe("gone");
    told.settle();
    work(work(told, "specify"), "architect").expectHeld("approve-design");
  });

  test("[TC-173] without SpecAgent the Orchestrator may set up a lean session, never a full one", () => {
    const lean = begin({ mode: "lean", lean: team.LEAN });
    lean.move("begin-alone", { ...CODER, reason: "x" }).expectRefused("actor-not-allowed");
    lean.move("begin-alone", { ...ORCHESTRATOR, reason: "SpecAgent is not available" });
    expect(at(lean)).toBe("IMPLEMENT_LOOP");
    begin()
      .move("begin-alone", { ...ORCHESTRATOR, reason: "x" })
      .expectRefused("transition-illegal");
  });

  test("[TC-143] lean does not promote without the Reviewer", () => {
    const told = work(team.leanLoop(), "code", "T-001");
    told
      .move("promote", { ...PERSON, unit: "T-001" })
      .expectRefused("actor-not-allowed", "check-missing");
    told.move("promote", { ...ENGINE, unit: "T-001" }).expectRefused("check-missing");
  });
});
