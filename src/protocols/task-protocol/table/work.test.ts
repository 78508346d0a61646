import { describe, expect, test } from "vitest";
import { rootOf } from "../../../core/state/evolve.ts";
import type { Json } from "../../../core/values/json.ts";
import {
  AGENT,
  JUSTIFICATION,
  PERSON,
  TASK,
  agentsOf,
  atClassified,
  atComplete,
  atImplementation,
  atRequirements,
  atReview,
  atScope,
  atSynthesis,
  atValidation,
  begun,
  build,
  codes,
  everyAgent,
  implemented,
  reportOf,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Story } from "../../../../test/story.ts";

const at = (one: Story): string => rootOf(one.state).at;
const because = { ...AGENT, reason: "it must be so" };

describe("IMPLEMENTATION", () => {
  const broken: readonly (readonly [string, Readonly<Record<string, Json>>])[] = [
    ["agent-work-unmerged", { "merged:quality": false }],
    ["config-uncommitted", { config: ["holdpoint.config.json"] }],
    ["coordinator-implemented", { [`own-source:${TASK}`]: ["src/Mine.java"] }],
    ["plan-deviation", { [`deviations:${TASK}`]: ["src/Extra.java"] }],
    ["tree-dirty", { [`clean:${TASK}`]: ["a.txt"] }],
  ];

  test.each(broken)("[TP-141] [TP-161] [TP-162] T6 is refused with %s", (code, given) => {
    const one = implemented(atImplementation()).given(given).move("validate", AGENT);
    expect(codes(one)).toEqual([code]);
    expect(one.refusals[0]?.message).toContain(
      Object.values(given)
        .flat()
        .find((one) => typeof one === "string") ?? "quality",
    );
  });

  test("[TP-161] agents that are not done, not heard, and a missing build are all named", () => {
    const one = atImplementation().move("validate", AGENT);
    expect(codes(one)).toEqual(["agents-incomplete", "round-unapproved", "build-missing"]);
  });

  test("[TP-161] COMPLETE with work remaining is refused", () => {
    const one = atImplementation().send("implementation", "architect", AGENT);
    expect(codes(reportOf(one, "architect", "COMPLETE", { work_remaining: "tests" }))).toEqual([
      "work-remaining",
    ]);
  });

  test("[TP-156] [TP-158] an agent's work goes to the task branch; what changed is looked at again by all", () => {
    const one = implemented(atImplementation());
    expect(Object.values(one.state.effects).at(-1)).toMatchObject({
      kind: "merge-ff",
      args: { from: `${TASK}-quality`, to: TASK },
    });
    one.given({ [`tree:${TASK}`]: "tree-2", [`work:${TASK}`]: "work-2" }).move("validate", AGENT);
    expect(codes(one)).toEqual(["round-unapproved", "build-missing"]);
    expect(one.refusals[0]?.message).toContain("architect, quality");
  });

  test("[TP-155] without a passing validation of its own tree nothing is merged", () => {
    const one = atImplementation().given({ "check:validate": true, "tree:{unit}": "t" });
    one.send("implementation", "architect", AGENT);
    expect(codes(reportOf(one, "architect", "COMPLETE", { work_remaining: "none" }))).toEqual([
      "validation-missing",
    ]);
  });

  test("[TP-159] a blocked agent says by what; it is no failure and no retry", () => {
    const one = atImplementation().send("implementation", "architect", AGENT);
    expect(codes(reportOf(one, "architect", "BLOCKED"))).toEqual(["blocked-by-missing"]);
    reportOf(one, "architect", "BLOCKED", {
      blocked_by: "design_decision_required",
      details: "which encoding",
    });
    expect(one.state.spent["retries/architect"]).toBeUndefined();
    expect(one.state.notes.at(-1)?.text).toBe("design_decision_required: which encoding");
    expect(codes(one.send("clarification", "architect", AGENT))).toEqual(["accepted"]);
  });

  test("[TP-160] partial work is kept and is never complete", () => {
    const one = atImplementation().send("implementation", "architect", AGENT);
    expect(codes(reportOf(one, "architect", "PARTIAL"))).toEqual(["accepted"]);
    expect(codes(one.move("validate", AGENT))).toContain("agents-incomplete");
  });

  test("[TP-162] going back to SYNTHESIS needs a reason and a new release", () => {
    const one = atImplementation();
    expect(codes(one.move("replan", AGENT))).toEqual(["reason-missing"]);
    one.move("replan", because);
    expect(at(one)).toBe("SYNTHESIS");
    one.when(
      { type: "unit.move", unit: ".", move: "implement", input: { acknowledged: true } },
      AGENT,
    );
    expect(codes(one)).toEqual(["entry-5-approval"]);
  });

  test("[TP-191] a merge that conflicts asks nobody: the agent is handed out again", () => {
    const one = atImplementation().send("implementation", "architect", AGENT);
    reportOf(one, "architect", "COMPLETE", { work_remaining: "none" }).settle("failed");
    expect(one.open).toEqual([]);
    expect(at(one)).toBe("IMPLEMENTATION");
    expect(codes(one.send("implementation", "architect", AGENT))).toEqual(["accepted"]);
  });
});

describe("VALIDATION", () => {
  test("[TP-163] the build must have passed for this very tree", () => {
    const one = atValidation().given({ [`tree:${TASK}`]: "tree-9" });
    expect(codes(one.move("review", AGENT))).toEqual(["build-missing"]);
    expect(codes(build(one, "passed", "tree-9").move("review", AGENT))).toEqual(["accepted"]);
  });

  test("[TP-164] a result from a cache is not a pass", () => {
    const one = build(atValidation().given({ [`tree:${TASK}`]: "t" }), "cached", "t");
    expect(codes(one.move("review", AGENT))).toEqual(["build-missing"]);
  });

  test("[TP-163] tests and quality count where they are configured", () => {
    const one = atValidation().given({ "check:tests": true, "check:quality": true });
    expect(codes(one.move("review", AGENT))).toEqual(["tests-missing", "quality-missing"]);
  });

  test("[TP-165] uncommitted files are named", () => {
    const one = atValidation()
      .given({ [`clean:${TASK}`]: ["x.txt"] })
      .move("review", AGENT);
    expect(codes(one)).toEqual(["tree-dirty"]);
    expect(one.refusals[0]?.message).toContain("x.txt");
  });

  test("[TP-166] without a change of source three pieces of evidence stand for the build", () => {
    const docs = (value: Json, bound: Record<string, Json> = { [`tree:${TASK}`]: "t" }): Story =>
      atValidation()
        .given({ [`tree:${TASK}`]: "t", [`source-changed:${TASK}`]: false })
        .when(
          { type: "finding.record", unit: ".", kind: "docs-only", by: "agent", value, bound },
          AGENT,
        );
    const evidence = { no_source: true, no_behaviour: true, links_checked: true };
    expect(codes(docs(evidence).move("review", AGENT))).toEqual(["accepted"]);
    expect(codes(docs({ no_source: true }).move("review", AGENT))).toEqual(["build-missing"]);
    for (const bound of [{}, { [`tree:${TASK}`]: "another" }])
      expect(codes(docs(evidence, bound).move("review", AGENT))).toEqual(["build-missing"]);
    const source = docs(evidence).given({ [`source-changed:${TASK}`]: true });
    expect(codes(source.move("review", AGENT))).toEqual(["build-missing"]);
  });

  test("[TP-163] [TP-209] only the engine says that a build passed", () => {
    const finding = { type: "finding.record", unit: ".", kind: "build", by: "engine" } as const;
    const one = atValidation().when({ ...finding, value: "passed", bound: {} }, AGENT);
    expect(codes(one)).toEqual(["actor-not-allowed"]);
  });

  test("[TP-167] more fixes than the limit has room for go back to the agents", () => {
    const one = build(atValidation(), "passed").given({ [`fixes:${TASK}`]: ["Sort members"] });
    expect(codes(one.move("review", AGENT))).toContain("fixes-exceeded");
    expect(one.refusals.map((refusal) => refusal.message).join()).toContain("Sort members");
    expect(at(one.fork().move("rework", because))).toBe("IMPLEMENTATION");
    expect(codes(one.given({ [`fixes:${TASK}`]: [] }).move("review", AGENT))).toEqual(["accepted"]);
  });

  test("[TP-167] [TP-168] only a failed build leads back, to the agents or to the plan", () => {
    const one = atValidation();
    expect(codes(one.move("rework", because))).toEqual(["build-not-failed"]);
    build(one, "failed");
    expect(at(one.fork().move("rework", because))).toBe("IMPLEMENTATION");
    expect(at(one.fork().move("replan", because))).toBe("SYNTHESIS");
  });
});

describe("REVIEW", () => {
  const reject = (one: Story, agents: readonly string[], effort = 1): Story => {
    for (const agent of agents) one.send("review", agent, AGENT);
    for (const agent of agents) reportOf(one, agent, "REJECTED", { feedback: "wrong", effort });
    return one;
  };

  test("[TP-169] an approval of another change does not count; one of the same on another main does, once it is checked", () => {
    const one = everyAgent(atReview(), "review", "APPROVED").given({ [`tree:${TASK}`]: "tree-2" });
    expect(codes(one.fork().move("present", AGENT))).toEqual(["build-missing"]);
    expect(codes(build(one.fork(), "passed", "tree-2").move("present", AGENT))).toEqual([
      "accepted",
    ]);
    one.given({ [`work:${TASK}`]: "work-2" });
    build(one, "passed", "tree-2").move("present", AGENT);
    expect(codes(one)).toEqual(["review-not-unanimous"]);
    expect(codes(everyAgent(one, "review", "APPROVED").move("present", AGENT))).toEqual([
      "accepted",
    ]);
  });

  test("[TP-169] a verdict is for what was handed out; a judge that changes something is named", () => {
    const one = atReview()
      .send("review", "architect", AGENT)
      .given({ [`work:${TASK}`]: "mine" });
    expect(codes(reportOf(one.fork(), "architect", "APPROVED"))).toEqual(["judged-other"]);
    one.given({
      [`work:${TASK}`]: "work-1",
      [`clean:${TASK}`]: ["src/New.java"],
      [`change:${Object.keys(one.state.dispatches).at(-1) ?? ""}`]: {
        files: { "src/Old.java": ["f 1", "f 2"] },
        moved: {},
        commits: [],
      },
    });
    expect(codes(reportOf(one, "architect", "APPROVED"))).toEqual(["accepted"]);
    const { notes } = Object.values(one.state.dispatches).at(-1) ?? { notes: [] };
    expect(notes.map(({ code }) => code)).toEqual(["judge-changed", "judge-changed"]);
    expect(notes.map(({ message }) => message).join()).toMatch(/New\.java.*Old\.java/);
  });

  test("[TP-171] one rejection is enough, and cannot be outvoted or overridden", () => {
    const one = reject(atReview(), ["architect"]);
    one.send("review", "quality", AGENT);
    reportOf(one, "quality", "APPROVED").move("present", AGENT);
    expect(codes(one)).toEqual(["review-not-unanimous"]);
    expect(one.refusals[0]?.message).toContain("architect");
    one.when({ type: "gate.waive", unit: ".", gate: "review", reason: "hurry" }, PERSON);
    expect(codes(one.move("present", AGENT))).toEqual(["review-not-unanimous"]);
    expect(at(one.fork().move("rework", because))).toBe("IMPLEMENTATION");
    expect(at(one.fork().move("replan", because))).toBe("SYNTHESIS");
  });

  test("[TP-171] without a rejection there is no way back", () => {
    expect(codes(atReview().move("rework", because))).toEqual(["no-rejection"]);
  });

  test("[TP-170] a rejection says why; a malformed answer is asked for again and approves nothing", () => {
    const one = atReview().send("review", "architect", AGENT);
    expect(codes(reportOf(one, "architect", "REJECTED"))).toEqual(["feedback-missing"]);
    reportOf(one, "architect", "MALFORMED");
    expect(one.state.spent["retries/architect"]).toBe(1);
    expect(codes(one.move("present", AGENT))).toContain("review-not-unanimous");
  });

  test("[TP-172] [TP-217] the set stays as it is in REVIEW, and everywhere else but three states", () => {
    const add = (one: Story): boolean =>
      codes(
        one.when(
          {
            type: "unit.open",
            kind: "agent",
            unit: "security",
            data: { justification: JUSTIFICATION },
          },
          AGENT,
        ),
      )[0] === "accepted";
    expect(add(begun().settle())).toBe(false);
    expect(add(atClassified())).toBe(false);
    expect(add(atRequirements())).toBe(true);
    expect(add(atSynthesis())).toBe(true);
    expect(add(atImplementation())).toBe(true);
    expect(add(atValidation())).toBe(false);
    expect(add(atReview())).toBe(false);
    expect(add(atScope())).toBe(false);
    expect(add(atComplete())).toBe(false);
  });

  test("[TP-220] while a rejection stands, nobody of its kind joins", () => {
    const one = reject(atReview(), ["quality"]).move("rework", because);
    const open = (unit: string): readonly string[] =>
      codes(
        one
          .fork()
          .when(
            { type: "unit.open", kind: "agent", unit, data: { justification: JUSTIFICATION } },
            AGENT,
          ),
      );
    expect(open("quality-2")).toEqual(["outvotes-rejection"]);
    expect(open("security")).toEqual(["accepted"]);
  });

  test("[TP-172] [TP-184] after rework the same agents judge again", () => {
    const one = reject(atReview(), ["architect"]).move("rework", because);
    const again = implemented(one).move("validate", AGENT).move("review", AGENT);
    expect(codes(again.move("present", AGENT))).toEqual(["review-not-unanimous"]);
    expect(again.refusals[0]?.message).toContain("architect, quality");
  });

  test("[TP-174] negotiating needs several who see more than twice the work", () => {
    expect(
      codes(reject(atReview(), ["architect", "quality"], 1.9).move("negotiate", because)),
    ).toEqual(["scope-not-exceeded"]);
    expect(codes(reject(atReview(), ["architect"], 3).move("negotiate", because))).toEqual([
      "scope-not-exceeded",
    ]);
    const one = reject(atReview(), ["architect", "quality"], 2.1);
    expect(codes(one.fork().move("rework", because))).toEqual(["scope-exceeded"]);
    expect(at(one.move("negotiate", because))).toBe("SCOPE_NEGOTIATION");
  });

  test("[TP-224] missing expertise leads back to REQUIREMENTS, and everything is done again", () => {
    const one = atReview().move("regather", because);
    expect(at(one)).toBe("REQUIREMENTS");
    expect(codes(one.move("synthesize", AGENT))).toEqual(["exit-6-incomplete"]);
  });

  test("[TP-062] going back too often asks a person", () => {
    const one = begun({ rounds_max: 2 }).settle().move("begin", AGENT);
    for (const _ of [1, 2])
      one.move("select", AGENT).settle().move("gather", AGENT).move("reclassify", because);
    expect(at(one)).toBe("CLASSIFIED");
    one.move("select", AGENT);
    expect(one.open[0]?.question).toBe("rounds-exhausted");
    one.reply("rounds-exhausted", "again").move("select", AGENT);
    expect(codes(one)).toEqual(["accepted"]);
  });
});

describe("SCOPE_NEGOTIATION", () => {
  const say = (one: Story, said: Readonly<Record<string, string>>): Story => {
    for (const agent of agentsOf(one)) one.send("scope", agent, AGENT);
    for (const agent of agentsOf(one))
      reportOf(one, agent, said[agent] ?? "DEFER", { justification: "it can wait" });
    return one;
  };

  test("[TP-175] one RESOLVE_NOW leads back to the plan", () => {
    const one = say(atScope(), { quality: "RESOLVE_NOW" });
    expect(codes(one.fork().move("defer", because))).toContain("not-all-deferred");
    expect(at(one.move("reduce", because))).toBe("SYNTHESIS");
  });

  test("[TP-175] all DEFER goes on, once each item is in the list", () => {
    const one = say(atScope(), {}).given({ [`deferred:${TASK}`]: ["limit nesting"] });
    expect(codes(one.fork().move("reduce", because))).toEqual(["nothing-to-resolve"]);
    expect(codes(one.move("defer", because))).toEqual(["deferral-unlisted"]);
    one
      .given({ [`deferred:${TASK}`]: [] })
      .move("defer", because)
      .settle();
    expect(at(one)).toBe("AWAITING_USER_APPROVAL");
    expect(one.open[0]?.question).toBe("change");
  });

  test("[TP-175] a deferral says why, and nobody defers another's domain", () => {
    const one = atScope().send("scope", "quality", AGENT);
    expect(codes(reportOf(one, "quality", "DEFER"))).toEqual(["deferral-unjustified"]);
    const claim = { justification: "later", domain: "security" };
    expect(codes(reportOf(one, "quality", "DEFER", claim))).toEqual(["deferral-authority"]);
    expect(codes(reportOf(one, "quality", "RESOLVE_NOW", claim))).toEqual(["accepted"]);
  });
});
