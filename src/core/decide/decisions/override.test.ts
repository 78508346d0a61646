// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, ENGINE, PERSON } from "../../../../test/story.ts";
import {
  at,
  inReview,
  planned,
  shipping,
  started,
  toyStory,
  toyTable,
  withMoves,
} from "../../../../test/toy.ts";
import { checkedProtocol } from "../../table/define.ts";

describe("budgets", () => {
  test("[C67] used up: the question is asked instead of moving", () => {
    const told = inReview();
    for (let time = 0; time < 2; time += 1) {
      told.move("rework", { reason: "thin" }).expectAccepted();
      told
        .given({ parts: [{ id: "z" }] })
        .move("replan")
        .send("build", "z")
        .report();
    }
    expect(told.state.spent).toEqual({ "rework/Toy": 2 });
    told.move("rework", { reason: "thin" }).expectHeld("rework-exhausted");
    expect(at(told.state)).toBe("review");
    expect(told.open.find((one) => one.question === "rework-exhausted")?.about).toEqual({
      budget: "rework/Toy",
      max: 2,
      tried: "rework for Toy",
    });
    told.reply("rework-exhausted", "more");
    expect(told.state.spent).toEqual({});
    told.move("rework", { reason: "thin" });
    expect(at(told.state)).toBe("doing");
  });

  test("[C67] used up: the question is asked instead of handing out", () => {
    const told = planned();
    for (let time = 0; time < 2; time += 1)
      told.send("write").report({ pages: 1 }).expectAccepted();
    told.send("write").expectHeld("write-exhausted");
    expect(Object.keys(told.state.dispatches)).toEqual(["W-1", "W-2"]);
  });

  test("[C67] an automatic row whose budget is used up asks once and rests", () => {
    const restless = withMoves({
      id: "again",
      from: ["stuck"],
      to: "doing",
      auto: true,
      within: { budget: "auto", times: 1, else: "write-exhausted" },
      rule: "T",
    });
    const told = planned({}, restless).move("block").expectAccepted();
    expect(at(told.state)).toBe("doing");
    told.move("block").expectHeld("write-exhausted");
    expect(at(told.state)).toBe("stuck");
  });

  test("[C68] a budget with a blank in its name is counted apart", () => {
    const told = inReview().move("rework", { reason: "thin" });
    expect(Object.keys(told.state.spent)).toEqual(["rework/Toy"]);
  });
});

describe("seals", () => {
  test("[C69] changed, gone and never there are told apart", () => {
    const told = planned({ "digest:notes.md": "n1" });
    told.given({ "digest:plan.md": "p2", "digest:notes.md": null }).move("strict");
    expect(told.open[0]?.about["message"]).toBe(
      "plan.md changed since it was sealed; notes.md is gone since it was sealed",
    );
    const absent = planned({ "digest:notes.md": null });
    absent.fork().move("strict").expectAccepted();
    absent.given({ "digest:notes.md": "n1" }).move("strict");
    expect(absent.open[0]?.about["message"]).toBe(
      "notes.md was sealed as absent, and is there now",
    );
  });

  test("[C99] a row that unseals and seals an artifact seals it as it is now, if it changed", () => {
    const accept = { from: ["doing"], to: "doing", inside: true, rule: "T" } as const;
    const both = { unseals: ["plan.md"], seals: ["plan.md"] };
    const told = planned({}, withMoves({ ...accept, ...both, id: "accept" }));
    told.move("accept", { reason: "same" }).expectAccepted();
    expect(told.events).toEqual([]);
    told.given({ "digest:plan.md": "p2" }).move("accept", { reason: "a typo" }).expectAccepted();
    expect(told.state.seals["plan.md"]).toMatchObject({ digest: "p2", why: "a typo" });
  });

  test("[C70] a seal is set once, and ends when the row says so", () => {
    const told = shipping();
    expect(told.state.seals["plan.md"]).toMatchObject({
      digest: "p1",
      by: "person:ada",
      why: "plan",
    });
    told.settle().reply("shipped", "fine").move("close");
    expect(Object.keys(told.state.seals)).toEqual(["notes.md"]);
    const again = { id: "seal", from: ["doing"], to: "doing", seals: ["plan.md"], rule: "T" };
    const twice = withMoves(again);
    const kept = planned({}, twice).given({ "digest:plan.md": "p2" }).move("seal").expectAccepted();
    expect(kept.state.seals["plan.md"]?.digest).toBe("p1");
  });

  test("[C71] a person accepts a change, with a reason, of what is sealed", () => {
    const told = planned().given({ "digest:plan.md": "p2" });
    const reseal = { type: "artifact.reseal", artifacts: ["plan.md", "notes.md"] } as const;
    told.when({ ...reseal, reason: "r" }, AGENT).expectRefused("person-required");
    told.when({ ...reseal, reason: "" }).expectRefused("reason-missing");
    told.when({ ...reseal, artifacts: ["x.md"], reason: "r" }).expectRefused("artifact-unknown");
    told.when({ ...reseal, reason: "typo" }).expectAccepted();
    expect(told.events).toEqual([
      { type: "artifact.sealed", artifact: "plan.md", digest: "p2", by: "person:ada", why: "typo" },
    ]);
    told.move("strict").expectAccepted();
  });
});

describe("overrides", () => {
  test("[C72] a variable is opened, has values, and has people who may set it", () => {
    const told = planned();
    told.when({ type: "vars.set", name: "mode", value: "x" }).expectRefused("var-closed");
    told.when({ type: "vars.set", name: "colour", value: "pink" }).expectRefused("value-illegal");
    told
      .when({ type: "vars.set", name: "fast", value: true }, AGENT)
      .expectRefused("person-required");
    told.when({ type: "vars.set", name: "colour", value: "blue" }, AGENT).expectAccepted();
    told.when({ type: "vars.set", name: "fast", value: true }).expectAccepted();
    expect(told.state.vars).toMatchObject({ colour: "blue", fast: true });
  });

  test("[C72] a start cannot give what its giver may not set", () => {
    const start = { type: "workflow.start", workflow: "Toy" } as const;
    toyStory()
      .when({ ...start, vars: { fast: true } }, AGENT)
      .expectRefused("person-required");
    toyStory()
      .when({ ...start, vars: { colour: "pink" } }, PERSON)
      .expectRefused("value-illegal");
    toyStory()
      .when({ ...start, vars: { fast: false, colour: "blue" } }, AGENT)
      .expectAccepted();
    toyStory()
      .when({ ...start, vars: { fast: true } }, PERSON)
      .expectAccepted();
  });

  test("[C73] a gate is waived by a person, with a reason", () => {
    const told = inReview().reply("approve", "yes");
    const waive = { type: "gate.waive", unit: ".", gate: "tests" } as const;
    told.when({ ...waive, reason: "r" }, AGENT).expectRefused("person-required");
    told.when({ ...waive, reason: "r" }, ENGINE).expectRefused("person-required");
    told.when({ ...waive, reason: "" }).expectRefused("reason-missing");
    told
      .when({ ...waive, gate: "approve", reason: "r" })
      .move("ship")
      .expectRefused("untested");
    told.when({ ...waive, reason: "no machine" }).expectAccepted();
    expect(told.state.notes.at(-1)).toMatchObject({
      list: "waivers",
      tag: "tests",
      text: "no machine",
    });
    told.move("ship").expectAccepted();
  });

  test("[C74] findings are the engine's, unless the protocol says who signs", () => {
    const finding = {
      type: "finding.record",
      unit: ".",
      by: "me",
      value: "passed",
      bound: {},
    } as const;
    const told = started();
    for (const kind of ["tests", "waiver:tests"])
      for (const as of [AGENT, PERSON])
        told.when({ ...finding, kind }, as).expectRefused("actor-not-allowed");
    told.when({ ...finding, kind: "tests" }, ENGINE).expectAccepted();
    const signed = checkedProtocol({ ...toyTable, signs: { review: ["agent"] } });
    const other = started({}, signed);
    other.when({ ...finding, kind: "review" }, AGENT).expectAccepted();
    other.when({ ...finding, kind: "review:security" }, AGENT).expectAccepted();
    other.when({ ...finding, kind: "tests" }, AGENT).expectRefused("actor-not-allowed");
  });
});
