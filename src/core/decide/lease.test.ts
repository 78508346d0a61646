// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, ENGINE, PERSON } from "../../../test/story.ts";
import type { As } from "../../../test/story.ts";
import { inReview, planned, started, toyStory, toyTable } from "../../../test/toy.ts";
import { checkedProtocol } from "../table/define.ts";

const other: As = { ...AGENT, session: "s-2" };
const take = { type: "lease.take", previous: "none", why: "mine" } as const;

describe("leases", () => {
  test("[C61] another session's lease refuses what moves, naming the holder", () => {
    const told = planned().when(take, AGENT);
    for (const command of [
      { type: "unit.move", unit: ".", move: "replan" },
      { type: "dispatch.send", spec: "write", unit: "." },
      { type: "vars.set", name: "colour", value: "blue" },
      { type: "lease.release" },
    ] as const) {
      told.when(command, other).expectRefused("lease-held");
      expect(told.refusals[0]?.message).toMatch(/^Toy is held by session s-1 \(agent:claude\)/);
    }
  });

  test("[C61] answers, waivers, outcomes and notes need no lease", () => {
    const told = inReview().when(take, AGENT);
    const person = { ...PERSON, session: "s-9" };
    told.reply("approve", "yes", person).expectAccepted();
    told.when({ type: "gate.waive", unit: ".", gate: "g", reason: "r" }, person).expectAccepted();
    told.when({ type: "note.add", list: "l", tag: "", text: "t" }, other).expectAccepted();
    const finding = { unit: ".", kind: "k", by: "ci", value: 1, bound: {} };
    told.when({ type: "finding.record", ...finding }, { ...ENGINE, session: "s-9" });
    told.expectAccepted();
    told.when({ type: "edit.refuse", view: "v", blob: "b", reasons: [] }, other).expectAccepted();
  });

  test("[C62] a number from before a takeover is stale", () => {
    const told = planned().when(take);
    const fence = told.state.lease?.fence ?? 0;
    expect(fence).toBe(told.state.seq);
    told.move("replan", { fence }).expectAccepted();
    told.move("replan", { fence: fence - 1 }).expectRefused("fence-stale");
    told.when(take);
    told.move("replan", { fence }).expectRefused("fence-stale");
  });

  test("[C63] handing out takes the lease, and it ends when nothing is out", () => {
    const told = planned().send("build", "a").send("build", "b");
    expect(told.state.lease).toMatchObject({ session: "s-1", holder: "person:ada" });
    const report = (dispatch: string): void => {
      const claim = { agent: "builder", outcome: "success" };
      told.when({ type: "dispatch.report", dispatch, claim }, AGENT);
    };
    report("W-1");
    expect(told.state.lease).not.toBeNull();
    report("W-2");
    expect(told.state.lease).toBeNull();
  });

  test("[C63] where it lasts for one dispatch, an answer that hands nothing out ends it", () => {
    const told = planned().when({ type: "lease.take", previous: "none", why: "to look" });
    expect(told.state.lease).not.toBeNull();
    told.move("hurry").reply("go-on", "pause").expectAccepted();
    expect(told.state.lease).toBeNull();
  });

  test("[C63] a lease for the whole workflow is kept until it is given back", () => {
    const whole = checkedProtocol({ ...toyTable, lease: "workflow" });
    const told = planned({}, whole).send("write").report({ pages: 1 });
    expect(told.state.lease).not.toBeNull();
    const paused = told.fork().move("hurry").reply("go-on", "pause").expectAccepted();
    expect(paused.state.lease).not.toBeNull();
    told.when({ type: "lease.release" }).expectAccepted();
    expect(told.state.lease).toBeNull();
    told.when({ type: "lease.release" }).expectAccepted();
    expect(told.events).toEqual([]);
  });

  test("[C63] pausing gives the lease back where it lasts for one dispatch", () => {
    const told = planned().move("hurry").when(take).reply("go-on", "pause").expectAccepted();
    expect(told.state.lease).toBeNull();
  });

  test("[C61] another session may return the work that was handed out", () => {
    const told = planned().send("write");
    const claim = { agent: "writer", outcome: "success", pages: 1 };
    told.when({ type: "dispatch.report", dispatch: "W-1", claim }, other).expectAccepted();
  });

  test("[C64] taken over only from the dead, whose work is cancelled", () => {
    const told = planned().send("write");
    told.when(take, other).expectRefused("lease-held");
    told.when({ ...take, previous: "dead", why: "gone" }, other).expectAccepted();
    expect(told.state.lease).toMatchObject({ session: "s-2" });
    expect(told.state.dispatches["W-1"]).toMatchObject({
      outcome: "cancelled",
      claim: { why: "gone" },
    });
    const claim = { agent: "writer", outcome: "success", pages: 1 };
    told.when({ type: "dispatch.report", dispatch: "W-1", claim }, other);
    told.expectRefused("report-stale");
    told.when({ type: "dispatch.report", dispatch: "W-1", claim }, AGENT);
    told.expectRefused("report-stale");
  });

  test("[C64] silence is no death: an agent waits, a person may take over", () => {
    const quiet = { ...take, previous: "quiet", why: "no sign of life for 40 minutes" } as const;
    const told = planned().send("write");
    told.when(quiet, other).expectRefused("lease-held");
    expect(told.refusals[0]?.message).toContain("session s-1");
    expect(told.refusals[0]?.message).toContain("40 minutes");
    told.when(quiet, { ...PERSON, session: "s-9" }).expectAccepted();
    expect(told.state.lease).toMatchObject({ session: "s-9", holder: "person:ada" });
  });

  test("[C64] a session that takes its own lease again keeps its work", () => {
    const told = planned()
      .send("write")
      .when({ ...take, previous: "dead" })
      .expectAccepted();
    expect(told.state.dispatches["W-1"]?.status).toBe("open");
    told.report({ pages: 1 }).expectAccepted();
  });

  test("[C65] a person breaks a lease, with a reason", () => {
    const told = planned().send("write");
    const by = { ...PERSON, session: "s-9" };
    told.when({ type: "lease.break", reason: "r" }, other).expectRefused("person-required");
    told.when({ type: "lease.break", reason: " " }, by).expectRefused("reason-missing");
    told.when({ type: "lease.break", reason: "hung" }, by).expectAccepted();
    expect(told.state.lease).toBeNull();
    expect(told.state.dispatches["W-1"]).toMatchObject({
      outcome: "cancelled",
      claim: { why: "hung" },
    });
    told.when({ type: "lease.break", reason: "again" }, by).expectAccepted();
    expect(told.events).toEqual([]);
  });
});

describe("leases across clones", () => {
  const here: As = { ...AGENT, place: "here" };
  const there: As = { ...AGENT, place: "there" };

  test("[C61] a session holds for the clone it has taken it in, and is somebody else elsewhere", () => {
    const told = planned().when(take, here);
    expect(told.state.lease).toMatchObject({ session: "s-1", place: "here" });
    told.move("replan", there).expectRefused("lease-held");
    expect(told.refusals[0]?.message).toContain("s-1 (agent:claude) in here since");
    told.when(take, there).expectRefused("lease-held");
    told.move("replan", here).expectAccepted();
  });

  test("[C62] whose lease somebody else has ended is refused by its number until it is taken anew", () => {
    const told = planned().send("write", ".", here);
    const number = told.state.lease?.fence ?? 0;
    const eve = { ...PERSON, session: "s-9", place: "there" };
    told.when({ ...take, previous: "quiet" }, eve).expectAccepted();
    told.when({ type: "lease.release" }, eve).expectAccepted();
    told.move("replan", here).expectRefused("fence-stale");
    expect(told.refusals[0]?.message).toContain(`lease ${number} on Toy`);
    told.move("replan", there).expectAccepted();
    told.move("replan", here).expectRefused("fence-stale");
    told.when(take, here).move("replan", here).expectAccepted();
    told.when({ type: "lease.release" }, here).move("replan", here).expectAccepted();
  });

  test("[C64] giving one's own lease back ousts nobody", () => {
    const told = planned()
      .when(take, here)
      .when({ type: "lease.break", reason: "r" }, { ...PERSON, place: "here", session: "s-1" });
    expect(told.state.lease).toBeNull();
    told.move("replan", here).expectAccepted();
  });

  test("[C61] work is reported in the clone whose tree was read when it was handed out", () => {
    const told = planned().send("write", ".", here);
    told.report({ pages: 1 }, there).expectRefused("work-elsewhere");
    told.report({ pages: 1 }, here).expectAccepted();
  });
});

describe("exclusive protocols", () => {
  const own = checkedProtocol({ ...toyTable, lease: "owner" });

  test("[C66] the start takes the lease, and only its session or a person moves", () => {
    const told = toyStory({}, own).when(
      { type: "workflow.start", workflow: "Toy", vars: {} },
      AGENT,
    );
    expect(told.state.lease).toMatchObject({ session: "s-1", holder: "agent:claude" });
    told.move("plan", other).expectRefused("lease-held");
    told.move("plan", AGENT).expectAccepted();
    told.when({ ...take, previous: "dead" }, other).expectRefused("lease-held");
    told.when({ type: "lease.release" }, AGENT).expectAccepted();
    told.move("replan", AGENT).expectRefused("lease-missing");
    told.move("replan", PERSON).expectAccepted();
    told.when(take, other).move("replan", other).expectAccepted();
  });

  test("[C66] it ends with the workflow, after the last effect", () => {
    const told = started({}, own).move("plan");
    for (const part of ["a", "b"]) told.send("build", part).report();
    told
      .reply("approve", "yes")
      .when({ type: "gate.waive", unit: ".", gate: "tests", reason: "r" });
    told.move("ship").settle().reply("shipped", "fine").move("close");
    expect(told.state.lease).not.toBeNull();
    told.settle().expectAccepted();
    expect(told.state.lease).toBeNull();
  });
});

describe("who is refused, and whose work ends", () => {
  const whole = checkedProtocol({ ...toyTable, lease: "workflow" });
  const EVE = { ...PERSON, session: "s-9" };

  test("[C61] where a session holds the whole workflow, no other returns its work", () => {
    const told = planned({}, whole).when(take, AGENT).send("write", ".", AGENT);
    const claim = { agent: "writer", outcome: "success", pages: 1 };
    const report = { type: "dispatch.report", dispatch: "W-1", claim } as const;
    told.when(report, other).expectRefused("lease-held");
    told.when(report, AGENT).expectAccepted();
  });

  test("[C64] a person takes what is quiet, and nothing that is not", () => {
    const told = planned().when(take, AGENT);
    told.when(take, EVE).expectRefused("lease-held");
    expect(told.refusals[0]?.message).not.toContain("(mine)");
    told.when({ ...take, previous: "quiet" }, other).expectRefused("lease-held");
    expect(told.refusals[0]?.message).toContain("(mine)");
    told.when({ ...take, previous: "quiet" }, EVE).expectAccepted();
    expect(told.events).toMatchObject([
      { type: "lease.ended", session: "s-1", why: "mine" },
      { type: "lease.taken", session: "s-9", holder: "person:ada" },
    ]);
  });

  test("[C64] a takeover ends the work of the dead that is still out, and nobody else's", () => {
    const told = planned({}, whole).when(take, AGENT).send("write", ".", AGENT);
    told.report({ pages: 1 }, AGENT).send("audit", ".", AGENT).send("build", "a", EVE);
    told.when({ ...take, previous: "dead" }, other).expectAccepted();
    const { "W-1": write, "W-2": audit, "W-3": build } = told.state.dispatches;
    expect(write?.outcome).toBe("success");
    expect(audit?.outcome).toBe("cancelled");
    expect(build?.status).toBe("open");
  });

  test("[C66] what can be done about it depends on whose the workflow is", () => {
    const own = checkedProtocol({ ...toyTable, lease: "owner" });
    const fixes = [own, whole].map((protocol) => {
      const told = started({}, protocol).when(take, AGENT);
      told.move("plan", other).expectRefused("lease-held");
      return JSON.stringify(told.refusals[0]?.fix);
    });
    expect(fixes[0]).not.toBe(fixes[1]);
  });
});
