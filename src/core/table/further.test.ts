// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { variable } from "../guards/guards.ts";
import { describe, expect, test } from "vitest";
import { AGENT } from "../../../test/story.ts";
import type { Story } from "../../../test/story.ts";
import { at, must, planned, toyStory, toyTable, withMoves } from "../../../test/toy.ts";
import { checkedProtocol } from "./define.ts";
import type { Consequence, Work, Move, Option, Protocol, Question } from "./protocol.ts";

/** What only some protocols use: starts with conditions, questions with a state, budgets in consequences. */

describe("starting", () => {
  const START = { type: "workflow.start", workflow: "Toy", vars: {} } as const;

  test("[C77] guards, effects and places of a start", () => {
    const needs = [
      {
        guard: "fact",
        args: { fact: "net", in: ["up"] },
        code: "offline",
        fix: "Connect.",
        rule: "T",
      },
    ];
    const effects = [{ kind: "mkdir", args: { path: "{id}" } }];
    const row = { id: "start", needs, effects, rule: "T" };
    const starts = [{ ...row, to: "doing", when: [variable("mode", ["half"])] }, row];
    const job = { ...must(toyTable.kinds, "job"), starts };
    const protocol = checkedProtocol({ ...toyTable, kinds: { ...toyTable.kinds, job } });
    toyStory({ net: "down" }, protocol).when(START).expectRefused("offline");
    const told = toyStory({}, protocol).when(START).expectAccepted();
    expect(at(told.state)).toBe("idle");
    expect(told.state.effects["E-1"]).toMatchObject({ kind: "mkdir", args: { path: "Toy" } });
    const half = toyStory({}, protocol)
      .when({ ...START, vars: { mode: "half" } })
      .expectAccepted();
    expect(half.state.units["."]).toMatchObject({ at: "doing", entered: { doing: 1 } });
    expect(half.state.units["."]?.entered).toEqual({ doing: 1 });
  });
});

describe("units", () => {
  test("[C78] stamped when opened, closed by a step", () => {
    const part = must(toyTable.kinds, "part");
    const inside = { inside: true, by: [], rule: "T" };
    const drop: Move = { ...inside, id: "drop", from: ["open"], to: "open", closes: "@unit" };
    const moves = [...part.moves, drop];
    const stamped = { ...part, moves, starts: [{ id: "add", from: ["doing"], rule: "T" }] };
    const build = must(toyTable.work, "build");
    const protocol = checkedProtocol({
      ...toyTable,
      kinds: { ...toyTable.kinds, part: stamped },
      work: {
        ...toyTable.work,
        build: { ...build, outcomes: { gone: [{ move: "drop", on: "unit" }] } },
      },
    });
    const told = planned({}, protocol);
    told.when({ type: "unit.open", kind: "part", unit: "c", data: { size: 1 } }).expectAccepted();
    expect(told.state.units["c"]?.data).toEqual({
      size: 1,
      added_at_state: "doing",
      added_at: told.state.updatedAt,
    });
    told.send("build", "c").report({ outcome: "gone" }).expectAccepted();
    expect(told.state.units).not.toHaveProperty("c");
  });
});

describe("questions", () => {
  test("[C79] a question with a state of its own", () => {
    const asked = withQuestion({ via: "block", by: ["agent"] });
    const told = planned({}, asked);
    told.when({ type: "decision.ask", question: "q", unit: ".", about: { why: "eh" } }, AGENT);
    told.expectHeld("q");
    expect(told.state.units["."]).toMatchObject({ at: "stuck", back: ["doing"] });
    expect(told.open[0]?.about).toEqual({ from: "doing", why: "eh" });
    told.reply("q", "yes").move("return").expectAccepted();
    expect(at(told.state)).toBe("doing");
  });

  test("[C80] one for each entry of a list, each answered on its own", () => {
    const asked = outcome([{ ask: "q", each: "doubts" }]);
    const told = planned({}, asked).send("write");
    told.report({
      outcome: "ask",
      doubts: [{ about: "size" }, { about: "shape" }, { about: "size" }],
    });
    told.expectHeld("q");
    expect(told.open.map((one) => one.about)).toEqual([{ about: "size" }, { about: "shape" }]);
    told.reply("q", "yes").expectHeld("q");
    told.reply("q", "yes").expectAccepted();
  });

  test("[C81] withdrawing is not answering", () => {
    const never: Option = { id: "never", label: "Never mind", leaves: "cancelled", does: [] };
    const asked = withQuestion({ by: ["agent"], options: [yes, never] });
    const told = ask(planned({}, asked)).reply("q", "never").expectAccepted();
    expect(told.state.decisions["D-1"]?.status).toBe("cancelled");
  });

  test("[C81] a question may insist on its own words", () => {
    const asked = withQuestion({ by: ["agent"], explicit: true });
    const told = ask(planned({}, asked));
    told.reply("q", "continue").expectRefused("not-an-option");
    told.reply("q", "yes").expectAccepted();
  });
});

describe("dispatches and budgets", () => {
  test("[C82] handing out has its own consequences", () => {
    const sent: readonly Consequence[] = [{ set: { busy: { value: true } } }];
    const told = planned({}, withWrite({ sent })).send("write").expectAccepted();
    expect(told.state.vars["busy"]).toBe(true);
    const refused = planned({}, withWrite({ sent })).given({ tidy: false }).send("write");
    refused.expectRefused("untidy");
    expect(refused.state.vars["busy"]).toBeNull();
  });

  test("[C83] a report leaves a finding, bound to what is there", () => {
    const verdict: Consequence = { finding: "verdict", value: { claim: "says" }, binds: ["tree"] };
    const told = planned({}, outcome([verdict]))
      .send("write")
      .report({ outcome: "ask", says: "ok" });
    expect(Object.values(told.expectAccepted().state.findings)).toMatchObject([
      { kind: "verdict", value: "ok", unit: ".", bound: { tree: { size: 3 } } },
    ]);
  });

  test("[C84] spending in a consequence, and what follows when nothing is left", () => {
    const within: Consequence = { within: { budget: "loop", times: 1, else: [{ ask: "q" }] } };
    const told = planned({}, outcome([within]))
      .send("write")
      .report({ outcome: "ask" });
    expect(told.expectAccepted().state.spent).toMatchObject({ loop: 1 });
    told.send("write").report({ outcome: "ask" }).expectHeld("q");
  });

  test("[C84] a variable says how large a budget is", () => {
    const within = { budget: "b", times: "limit", else: "write-exhausted" };
    const protocol = withMoves({
      id: "go",
      from: ["doing"],
      to: "doing",
      within,
      rule: "T",
    });
    const told = planned({}, { ...protocol, vars: { ...protocol.vars, limit: 1 } });
    told.move("go").expectAccepted();
    told.move("go").expectHeld("write-exhausted");
  });
});

const yes: Option = { id: "yes", label: "Yes", does: [] };

function ask(told: Story): Story {
  return told.when({ type: "decision.ask", question: "q", unit: ".", about: {} }, AGENT);
}

function withQuestion(change: Partial<Question>): Protocol {
  const q: Question = { prompt: "Q?", options: [yes], by: ["agent"], rule: "T", ...change };
  return checkedProtocol({ ...toyTable, questions: { ...toyTable.questions, q } });
}

function withWrite(change: Partial<Work>): Protocol {
  const write = { ...must(toyTable.work, "write"), ...change };
  return checkedProtocol({ ...toyTable, work: { ...toyTable.work, write } });
}

/** The toy whose writer may also report `ask`, with these consequences. */
function outcome(does: readonly Consequence[], question: Partial<Question> = {}): Protocol {
  const protocol = withQuestion(question);
  const write = must(toyTable.work, "write");
  const outcomes = { ...write.outcomes, ask: does };
  return { ...protocol, work: { ...protocol.work, write: { ...write, outcomes } } };
}
