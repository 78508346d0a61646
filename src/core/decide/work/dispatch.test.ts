// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, ENGINE } from "../../../../test/story.ts";
import { at, inReview, planned, started, toyTable, withMoves } from "../../../../test/toy.ts";
import { checkedProtocol } from "../../table/define.ts";
import type { Work, Move } from "../../table/protocol.ts";

const claim = { agent: "writer", outcome: "success", pages: 1, text: "a page" };

describe("handing out", () => {
  test("[C46] only where the spec fits; the refusal names what can be done", () => {
    const told = started().send("write").expectRefused("dispatch-illegal");
    expect(told.refusals[0]).toMatchObject({
      message: '"write" cannot be handed out while Toy is at idle',
      fix: "Here these exist: plan.",
      rule: "T-30",
    });
    const doing = planned();
    doing.send("build").expectRefused("dispatch-illegal");
    doing.send("write", "a").expectRefused("dispatch-illegal");
    expect(doing.refusals[0]?.fix).toContain("write, build, audit, replan");
    doing.given({ tidy: false }).send("write").expectRefused("untidy");
    doing.move("block").send("build", "a").expectRefused("dispatch-illegal");
  });

  test("[C47] the facts to compare with later are recorded", () => {
    const told = planned().send("write").expectAccepted();
    expect(told.state.dispatches["W-1"]).toMatchObject({
      role: "writer",
      unit: ".",
      session: "s-1",
      status: "open",
      baseline: { "digest:Toy.md": "t1" },
    });
  });

  test("[C48] one piece of work at a time", () => {
    planned().send("write").send("write").expectRefused("dispatch-open");
  });

  test("[C48] parallel work may be out together, once per unit, and not past a question", () => {
    const told = planned().send("build", "a").send("build", "b").expectAccepted();
    told.send("build", "a").expectRefused("dispatch-open");
    expect(Object.keys(told.state.dispatches)).toEqual(["W-1", "W-2"]);
    planned().move("hurry").send("build", "a").expectRefused("held");
  });
});

describe("reports", () => {
  test("[C49] only from the agent it was given to, with a known outcome", () => {
    const told = planned().send("write");
    told.report({ agent: "builder", pages: 1 }).expectRefused("agent-mismatch");
    told.report({ outcome: "magic" }).expectRefused("outcome-unknown");
    expect(told.refusals[0]?.fix).toBe("Use one of success, stuck, wrong, failure.");
    told.report({ agent: "", outcome: "" }).expectRefused("agent-mismatch", "outcome-unknown");
    told.report({ pages: 9 }).expectRefused("pages");
    told.report({ pages: 2, text: "two" }).expectAccepted();
    expect(told.state.notes.at(-1)).toMatchObject({ tag: "write", text: "two" });
    expect(told.state.dispatches["W-1"]).toMatchObject({
      status: "ended",
      outcome: "success",
      claim: { pages: 2 },
    });
  });

  test("[C49] an outcome leads to what the table says", () => {
    const told = planned().send("write").report({ outcome: "stuck" }).expectAccepted();
    expect(told.state.units["."]).toMatchObject({ at: "stuck", back: ["doing"] });
  });

  test("[C50] late, cancelled and unknown work changes nothing", () => {
    const told = planned().send("write").report({ pages: 1 });
    const late = { type: "dispatch.report", dispatch: "W-1", claim } as const;
    told.when(late, AGENT).expectRefused("report-stale");
    expect(told.refusals[0]?.message).toMatch(/^W-1 ended at 2026.* \(success\); a late report/);
    const other = { ...late, claim: { ...claim, outcome: "failure" } };
    told.when(other, AGENT).expectRefused("report-contradicts");
    expect(told.refusals[0]?.message).toContain("was reported as success");
    expect(told.refusals[0]?.message).toContain("this report says failure");
    told.send("write").when({ type: "dispatch.cancel", dispatch: "W-2", reason: "slow" });
    told.when({ ...late, dispatch: "W-2" }, AGENT).expectRefused("report-stale");
    told.when({ ...other, dispatch: "W-2" }, AGENT).expectRefused("report-stale");
    told.when({ ...late, dispatch: "W-9" }, AGENT).expectRefused("dispatch-unknown");
  });

  test("[C54] open work can be cancelled, once", () => {
    const told = planned().send("write");
    const cancel = { type: "dispatch.cancel", dispatch: "W-1", reason: "slow" } as const;
    told.when(cancel).expectAccepted();
    expect(told.state.dispatches["W-1"]).toMatchObject({
      status: "ended",
      outcome: "cancelled",
      claim: { why: "slow", by: "person:ada" },
    });
    told.when(cancel).expectRefused("dispatch-unknown");
  });

  test("[C55] what came back last can be handed out again", () => {
    const told = planned({ parts: [{ id: "a" }] })
      .send("write")
      .report({ outcome: "failure" });
    told.expectHeld("write-failed").reply("write-failed", "again").expectAccepted();
    expect(told.state.dispatches["W-2"]).toMatchObject({
      spec: "write",
      unit: ".",
      status: "open",
    });
  });
});

describe("parked reports", () => {
  const parked = () =>
    planned()
      .send("write")
      .given({ "digest:plan.md": "p2" })
      .report(claim)
      .expectHeld("plan-changed");

  test("[C51] the claim is kept, the question asked, and nobody gets past it", () => {
    const told = parked();
    expect(told.state.dispatches["W-1"]).toMatchObject({ status: "parked", claim });
    told.given({ "digest:plan.md": "p1" }).report(claim).expectRefused("held");
    told.send("write").expectRefused("held");
    told.move("replan").expectRefused("held");
  });

  test("[C51] nothing is parked while another row refuses", () => {
    const told = planned().send("write").given({ "digest:plan.md": "p2" });
    told.report({ pages: 9 }).expectRefused("pages");
    expect(told.state.dispatches["W-1"]?.status).toBe("open");
  });

  test("[C52] an answer takes the report in again, as it was", () => {
    const told = parked().reply("plan-changed", "accept", { reason: "better so" });
    told.expectAccepted();
    expect(told.state.dispatches["W-1"]).toMatchObject({
      status: "ended",
      outcome: "success",
      claim,
    });
    expect(told.state.seals["plan.md"]).toMatchObject({ digest: "p2", why: "better so" });
    expect(told.state.notes.at(-1)).toMatchObject({ text: "a page" });
  });

  test("[C52] still wrong: parked as before, and asked anew", () => {
    const told = parked().reply("plan-changed", "retry").expectHeld("plan-changed");
    expect(told.state.decisions["D-1"]?.status).toBe("answered");
    expect(told.open.map((one) => one.id)).toEqual(["D-2"]);
    expect(told.state.dispatches["W-1"]?.status).toBe("parked");
    told.given({ "digest:plan.md": "p1" }).reply("plan-changed", "retry").expectAccepted();
    expect(told.state.dispatches["W-1"]?.outcome).toBe("success");
  });

  test("[C54] parked work can be cancelled; the question then takes nothing in", () => {
    const told = parked().when({ type: "dispatch.cancel", dispatch: "W-1", reason: "r" });
    told.expectHeld("plan-changed").reply("plan-changed", "retry").expectAccepted();
    expect(told.state.dispatches["W-1"]?.outcome).toBe("cancelled");
  });

  test("[C52] an answer hands the work back", () => {
    const told = parked().reply("plan-changed", "back").expectAccepted();
    expect(told.state.dispatches["W-1"]).toMatchObject({
      status: "ended",
      outcome: "plan-changed",
    });
    expect(told.state.lease).toBeNull();
    expect(told.state.notes.some((note) => note.tag === "write")).toBe(false);
  });

  test("[C53] a report that could not be made ready is parked by command", () => {
    const told = planned().send("write");
    const park = { type: "dispatch.park", dispatch: "W-1", claim, asks: "plan-changed" } as const;
    told.when({ ...park, asks: "toString", about: {} }, ENGINE).expectRefused("question-unknown");
    told.when({ ...park, about: { code: "hook", tries: 2 } }, ENGINE).expectHeld("plan-changed");
    expect(told.open[0]?.about).toEqual({ code: "hook", tries: "2" });
    expect(told.state.dispatches["W-1"]).toMatchObject({ status: "parked", claim });
    told.reply("plan-changed", "retry").expectAccepted();
    told.when({ ...park, about: {} }, ENGINE).expectRefused("report-stale");
    expect(told.state.dispatches["W-1"]?.status).toBe("ended");
  });

  test("[C52] a report whose outcome does away with its own unit ends once, as it says", () => {
    const { build } = toyTable.work;
    const sweep: Move = { id: "sweep", from: ["doing"], to: "doing", closes: "part", rule: "T-19" };
    const outcomes = { gone: [{ move: "sweep" }] } as const;
    const work = { ...toyTable.work, build: { ...build, outcomes } as Work };
    const told = planned({}, checkedProtocol({ ...withMoves(sweep), work }));
    told.send("build", "a").send("build", "b");
    const [first] = Object.keys(told.state.dispatches);
    const gone = { agent: "builder", outcome: "gone" };
    told.when({ type: "dispatch.report", dispatch: first ?? "", claim: gone }).expectAccepted();
    const ends = told.events.filter((one) => one.type === "dispatch.ended");
    expect(ends.map((one) => [one.dispatch, one.outcome])).toEqual([
      ["W-2", "void"],
      ["W-1", "gone"],
    ]);
    expect(told.events.filter((one) => one.type === "lease.ended")).toHaveLength(1);
  });

  test("[C5] a report for a unit that waits for another is refused whole", () => {
    const told = planned().send("build", "b").report().expectRefused("order");
    expect(told.state.dispatches["W-1"]?.status).toBe("open");
    expect(at(inReview().state)).toBe("review");
  });
});

describe("what was measured", () => {
  const READ = { "files:.": "r1", tip: "c1" };
  const change = { files: { "a.ts": [null, "f 1"] }, moved: {}, commits: [] };

  test("[C111] stands beside the claim, as it was looked up at the report", () => {
    const told = planned({ ...READ, "change:W-1": change }).send("write");
    expect(told.state.dispatches["W-1"]?.baseline).toMatchObject(READ);
    told.report({ pages: 1 }).expectAccepted();
    expect(told.state.dispatches["W-1"]?.measured).toEqual(change);
  });

  test("[C111] is unknown where nobody could tell", () => {
    const told = planned({ ...READ, "change:W-1": { unknown: "x is odd" } }).send("write");
    told.report({ pages: 1 }).expectAccepted();
    expect(told.state.dispatches["W-1"]?.measured).toEqual({ unknown: "x is odd" });
  });
});
