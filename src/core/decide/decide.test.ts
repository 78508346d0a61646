// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, ENGINE } from "../../../test/story.ts";
import {
  FACTS,
  at,
  inReview,
  must,
  planned,
  shipping,
  started,
  toy,
  toyStory,
  toyTable,
} from "../../../test/toy.ts";
import type { Command, Envelope } from "../state/commands.ts";
import { decide } from "./decide.ts";
import { emptyWorkflow, evolve } from "../state/evolve.ts";

const envelope: Envelope = {
  id: "c1",
  at: "2026-03-01T10:00:00.000Z",
  actor: { kind: "person", name: "ada" },
  session: "s-1",
};

/** Names that every object has, whether anybody put them there or not. */
const INHERITED = ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"];

describe("deciding", () => {
  test("[C1] the same input gives the same answer and stays as it was", () => {
    const { state } = started();
    const input = {
      protocol: toy,
      state: deepFreeze(structuredClone(state)),
      envelope: deepFreeze({ ...envelope }),
      command: deepFreeze<Command>({ type: "unit.move", unit: ".", move: "plan" }),
      evidence: deepFreeze({ ...FACTS }),
    };
    const first = decide(input);
    expect(first.kind).toBe("accepted");
    expect(decide(input)).toEqual(first);
  });

  test("[C2] every reason once, with code, sentence, fix and rule", () => {
    const told = started({ tidy: false, ready: false, "digest:plan.md": null });
    told.move("plan").expectRefused("plan-missing", "untidy", "not-ready");
    expect(told.refusals[1]).toEqual({
      code: "untidy",
      message: "the desk of Toy is untidy",
      fix: "Mend untidy of Toy.",
      rule: "T-untidy",
    });
  });

  test("[C3] names that do not exist are refused", () => {
    const told = inReview();
    const { state } = told;
    const claim = { agent: "writer", outcome: "success" };
    const unknown: readonly (readonly [(name: string) => Command, string])[] = [
      [(unit) => ({ type: "unit.move", unit, move: "plan" }), "unit-unknown"],
      [(move) => ({ type: "unit.move", unit: ".", move }), "transition-illegal"],
      [(kind) => ({ type: "unit.open", kind, unit: "x", data: {} }), "open-illegal"],
      [(spec) => ({ type: "dispatch.send", spec, unit: "." }), "dispatch-illegal"],
      [(unit) => ({ type: "dispatch.send", spec: "build", unit }), "dispatch-illegal"],
      [(dispatch) => ({ type: "dispatch.report", dispatch, claim }), "dispatch-unknown"],
      [(dispatch) => ({ type: "dispatch.cancel", dispatch, reason: "" }), "dispatch-unknown"],
      [
        (dispatch) => ({ type: "dispatch.park", dispatch, claim, asks: "shipped", about: {} }),
        "dispatch-unknown",
      ],
      [(decision) => ({ type: "decision.answer", decision, text: "1" }), "decision-unknown"],
      [(question) => ({ type: "decision.ask", question, unit: ".", about: {} }), "ask-illegal"],
      [(unit) => ({ type: "gate.waive", unit, gate: "g", reason: "r" }), "unit-unknown"],
      [(name) => ({ type: "vars.set", name, value: 1 }), "var-closed"],
      [(name) => ({ type: "artifact.reseal", artifacts: [name], reason: "r" }), "artifact-unknown"],
    ];
    for (const name of ["nonesuch", "", "💥", "x".repeat(10_000), ...INHERITED]) {
      for (const [command, code] of unknown) told.when(command(name)).expectRefused(code);
      told
        .when({ type: "effect.settle", effect: name, status: "done", detail: {} }, ENGINE)
        .expectRefused("effect-settled");
      told
        .when(
          { type: "finding.record", unit: name, kind: "k", by: "b", value: 1, bound: {} },
          ENGINE,
        )
        .expectRefused("unit-unknown");
      told
        .when({ type: "decision.ask", question: "free-ask", unit: name, about: {} }, AGENT)
        .expectRefused("unit-unknown");
    }
    expect(told.state).toEqual(state);
  });

  test("[C3] an outcome that every object inherits is not one the spec knows", () => {
    for (const outcome of INHERITED)
      planned().send("write").report({ outcome }).expectRefused("outcome-unknown");
  });

  test("[C4] folding needs no protocol, and what JSON keeps is all there is", () => {
    const told = inReview().reply("approve", "ok");
    const read: typeof told.history = JSON.parse(JSON.stringify(told.history));
    let state = emptyWorkflow("Toy");
    for (const event of read) state = evolve(state, event, { seq: 1, at: envelope.at });
    expect(Object.keys(state.units)).toEqual([".", "a", "b"]);
    expect(at(state)).toBe("review");
  });

  test("[C4] an event about something that never was stops the program", () => {
    const stamp = { seq: 1, at: envelope.at };
    const empty = emptyWorkflow("Toy");
    const settled = { option: "", text: "", by: "", status: "void" } as const;
    const ended = { outcome: "x", claim: {}, notes: [] };
    const moved = { move: "m", from: "a", to: "b", back: [], reason: "" };
    expect(() =>
      evolve(empty, { type: "decision.settled", decision: "D-1", ...settled }, stamp),
    ).toThrow('Cannot settle "D-1": never asked');
    expect(() =>
      evolve(empty, { type: "dispatch.ended", dispatch: "W-1", ...ended }, stamp),
    ).toThrow('Cannot end "W-1": never sent');
    expect(() =>
      evolve(empty, { type: "effect.settled", effect: "E-1", status: "done", detail: {} }, stamp),
    ).toThrow('Cannot settle "E-1": never wanted');
    expect(() => evolve(empty, { type: "unit.moved", unit: ".", ...moved }, stamp)).toThrow(
      'Cannot find unit "." in "Toy"',
    );
  });

  test("[C5] a report whose consequence is refused is refused whole", () => {
    const told = planned().send("write");
    const { state } = told;
    told.report({ outcome: "wrong" }).expectRefused("transition-illegal");
    expect(told.state).toEqual(state);
  });

  test("[C5] an answer whose consequence is refused leaves the question open", () => {
    const told = planned({ tidy: true }).move("hurry").expectHeld("go-on");
    told.send("build", "a").expectRefused("held");
    told.move("replan").expectRefused("held");
    const none = planned({ parts: [] }).move("hurry").given({ tidy: false });
    none.reply("go-on", "1").expectRefused("untidy");
    expect(none.open.map((one) => one.question)).toEqual(["go-on"]);
  });

  test("[C6] a workflow starts once, and nothing comes before it", () => {
    const told = toyStory();
    told.move("plan").expectRefused("workflow-unknown");
    told.when({ type: "lease.release" }).expectRefused("workflow-unknown");
    told.when({ type: "workflow.start", workflow: "Toy", vars: { mode: "half" } }).expectAccepted();
    expect(told.state.vars).toEqual({ ...toyTable.vars, mode: "half" });
    expect(told.state.protocol).toEqual({ name: "toy", version: 1 });
    expect(told.state.notes.map((note) => note.text)).toEqual(["Toy begins"]);
    told
      .when({ type: "workflow.start", workflow: "Toy", vars: {} })
      .expectRefused("workflow-exists");
  });

  test("[C86] what is over may be started anew where the protocol says so, and only then", () => {
    const job = must(toyTable.kinds, "job");
    const starts = [{ id: "start", from: ["closed"], rule: "T" }];
    const again = { ...toy, kinds: { ...toy.kinds, job: { ...job, starts } } };
    const start = { type: "workflow.start", workflow: "Toy", vars: { mode: "half" } } as const;
    const one = shipping(again);
    one.when(start).expectRefused("workflow-exists");
    one.settle().reply("shipped", "1").move("close").settle();
    const { seq } = one.state;
    one.when(start).expectAccepted();
    expect(at(one.state)).toBe("idle");
    expect(one.state.seq).toBe(seq + 1);
    expect([one.state.decisions, one.state.dispatches]).toEqual([{}, {}]);
    shipping()
      .settle()
      .reply("shipped", "1")
      .move("close")
      .settle()
      .when(start)
      .expectRefused("workflow-exists");
  });

  test("[C7] adopting takes what files say, and automatic moves follow", () => {
    const told = toyStory().when(
      adoption({
        at: "doing",
        units: [{ id: "a", kind: "part", at: "built", data: {} }],
        seals: { "plan.md": "p0" },
      }),
    );
    told.expectHeld("approve");
    expect(at(told.state)).toBe("review");
    expect(told.state.vars["adopted"]).toEqual({ file: "toy.md" });
    expect(told.state.seals["plan.md"]?.digest).toBe("p0");
    expect(told.state.notes).toEqual([
      { list: "timeline", tag: "x", text: "old", at: "2025-01-01" },
    ]);
  });

  test("[C7] adopting keeps what was decided and spent, and leaves open what was open", () => {
    const about = { from: "doing" };
    const told = toyStory().when(
      adoption({
        at: "idle",
        decisions: [
          { id: "D-1", question: "go-on", prompt: "Old?", about, settled: null },
          {
            id: "D-2",
            question: "go-on",
            prompt: "Older?",
            about,
            settled: { status: "cancelled", option: "", text: "never mind" },
          },
        ],
        spent: { fix: 2 },
      }),
    );
    expect(told.state.spent).toEqual({ fix: 2 });
    expect(told.state.decisions["D-1"]).toMatchObject({ status: "open", prompt: "Old?", about });
    expect(told.state.decisions["D-2"]).toMatchObject({
      status: "cancelled",
      settled: { text: "never mind", by: "adopted" },
    });
  });

  test("[C7] adopting in a detour keeps the way back", () => {
    const told = toyStory()
      .when(adoption({ at: "stuck", back: ["review"] }))
      .expectAccepted();
    told.move("return").expectHeld("approve");
    expect(at(told.state)).toBe("review");
    expect(told.state.units["."]?.back).toEqual([]);
  });
});

describe("facts", () => {
  test("[C8] all missing facts of a round are named, and nothing else comes", () => {
    const { state } = started();
    const command = { type: "unit.move", unit: ".", move: "plan" } as const;
    const answer = decide({ protocol: toy, state, envelope, command, evidence: {} });
    expect(answer).toEqual({
      kind: "needs",
      facts: [
        "digest:plan.md",
        "digest:Toy.md",
        "tidy",
        "ready",
        "tree",
        "digest:notes.md",
        "parts",
      ],
    });
  });

  test("[C9] what was read is said, and no more", () => {
    const { answer } = planned().send("write");
    expect(answer).toMatchObject({ kind: "accepted", used: { tidy: true, "digest:Toy.md": "t1" } });
    if (answer.kind !== "accepted") throw new Error("not accepted");
    expect(Object.keys(answer.used).sort()).toEqual(["digest:Toy.md", "files:.", "tidy", "tip"]);
  });

  test("[C10] null is a fact", () => {
    const told = started({ tree: null, "digest:notes.md": null }).move("plan").expectAccepted();
    expect(told.state.vars["size"]).toBeNull();
    expect(told.state.seals["notes.md"]?.digest).toBeNull();
  });
});

function adoption(from: Partial<Extract<Command, { type: "workflow.adopt" }>["import"]>): Command {
  return {
    type: "workflow.adopt",
    workflow: "Toy",
    import: {
      at: "idle",
      vars: {},
      units: [],
      notes: [{ list: "timeline", tag: "x", text: "old", at: "2025-01-01" }],
      seals: {},
      why: "found",
      from: { file: "toy.md" },
      ...from,
    },
  };
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const one of Object.values(value)) deepFreeze(one);
    Object.freeze(value);
  }
  return value;
}
