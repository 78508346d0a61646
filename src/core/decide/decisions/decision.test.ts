// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { AGENT, ENGINE } from "../../../../test/story.ts";
import type { Story } from "../../../../test/story.ts";
import { at, inReview, must, planned, started, toy, toyTable } from "../../../../test/toy.ts";
import { checkedProtocol } from "../../table/define.ts";
import type { Protocol, Question } from "../../table/protocol.ts";

describe("asking", () => {
  test("[C31] an open question is not asked again", () => {
    const told = planned().when(ask("free-ask"), AGENT).expectHeld("free-ask");
    told.when(ask("free-ask"), AGENT).expectHeld("free-ask");
    expect(told.events).toEqual([]);
    expect(told.open).toHaveLength(1);
  });

  test("[C32] a gate asks on every entry for which its guards pass", () => {
    const told = inReview().move("rework", { reason: "thin" });
    for (let time = 0; time < 2; time += 1) {
      told
        .given({ parts: [{ id: "z" }] })
        .move("replan")
        .send("build", "z")
        .report();
      told.expectHeld("approve");
      told.move("rework", { reason: "again" });
    }
    const free = started().when({
      type: "unit.move",
      unit: ".",
      move: "plan",
      input: { lane: "fast lane" },
    });
    for (const part of ["a", "b"]) free.send("build", part).report();
    free.expectAccepted();
    expect(at(free.state)).toBe("review");
  });

  test("[C44] a question is asked by command only by those it names", () => {
    const told = planned();
    told.when(ask("free-ask")).expectRefused("ask-illegal");
    told.when(ask("approve"), AGENT).expectRefused("ask-illegal");
    told.when(ask("nonesuch"), AGENT).expectRefused("ask-illegal");
    told.when({ ...ask("free-ask"), about: { why: "curious" } }, AGENT).expectHeld("free-ask");
    expect(told.open[0]).toMatchObject({ about: { why: "curious" }, prompt: "May I?" });
    told.reply("free-ask", "sure").expectAccepted();
    expect(told.state.vars["asked"]).toBe(true);
  });

  test("[C45] a question with an id keeps it, the others are numbered", () => {
    const told = planned().when(ask("strict"), AGENT).when(ask("free-ask"), AGENT);
    expect(told.open.map((one) => one.id)).toEqual(["Q-WORD", "D-1"]);
    told.reply("strict", "word").when(ask("strict"), AGENT);
    expect(told.state.decisions["Q-WORD"]?.status).toBe("open");
    const goOn = { ...must(toyTable.questions, "go-on"), id: "UD-#" };
    const questions = { ...toyTable.questions, "go-on": goOn };
    const prefixed = checkedProtocol({ ...toyTable, questions });
    expect(planned({}, prefixed).move("hurry").open[0]?.id).toBe("UD-1");
  });
});

describe("answering", () => {
  test.each(["1", "yes", "YES", " ok ", "Aye", "approved, with love", "Continue"])(
    "[C33] %j chooses the first option",
    (text) => {
      const told = inReview().reply("approve", text).expectAccepted();
      expect(told.state.decisions["D-1"]?.settled).toEqual({
        option: "yes",
        // A number means nothing without the menu it was read from.
        text: text === "1" ? "yes" : text,
        by: "person:ada",
        at: told.state.updatedAt,
        seq: told.state.seq,
      });
    },
  );

  test.each([
    "",
    "  ",
    "0",
    "5",
    "99",
    "-1",
    "1.5",
    "1 2",
    "yess",
    "👍",
    "x".repeat(10_240),
    `approved ${"x".repeat(10_240)}`,
    `other: ${"x".repeat(10_240)}`,
    "constructor",
  ])("[C34] %j is not an answer", (text) => {
    const told = inReview();
    const { state } = told;
    told
      .reply("approve", text)
      .expectRefused(text.trim() === "" ? "answer-empty" : "not-an-option");
    expect(told.refusals[0]?.fix).toBe(
      "Answer with a number or a keyword: 1 Yes, 2 No, 3 Look at it, 4 Other.",
    );
    expect(told.state).toEqual(state);
  });

  test("[C35] only a person answers", () => {
    for (const as of [AGENT, ENGINE])
      inReview().reply("approve", "yes", as).expectRefused("person-required");
  });

  test("[C35] an answer counts once; the late one is told the outcome", () => {
    const told = inReview().reply("approve", "yes");
    told.when({ type: "decision.answer", decision: "D-1", text: "no" });
    told.expectRefused("already-answered");
    expect(told.refusals[0]?.message).toMatch(/^D-1 was settled with "yes" by person:ada at 2026/);
  });

  test("[C36] an answer to an earlier asking is refused", () => {
    const told = inReview();
    const nonce = told.open[0]?.nonce;
    told.when({ type: "decision.answer", decision: "D-1", nonce: "c1.0", text: "yes" });
    told.expectRefused("answer-stale");
    told.when({ type: "decision.answer", decision: "D-1", nonce: nonce ?? "", text: "yes" });
    told.expectAccepted();
  });

  test("[C37] what changed under the question is asked anew", () => {
    const told = inReview();
    const [before] = told.open;
    told.given({ "digest:plan.md": "p2" }).reply("approve", "yes").expectHeld("approve");
    expect(told.state.decisions["D-1"]?.status).toBe("void");
    const [after] = told.open;
    expect(after).toMatchObject({ id: "D-2", bound: { "digest:plan.md": "p2" } });
    expect(after?.nonce).not.toBe(before?.nonce);
    told.reply("approve", "yes").expectAccepted();
  });

  test("[C38] an option that wants a reason is refused without one", () => {
    const told = inReview();
    told.reply("approve", "no").expectRefused("reason-missing");
    told.reply("approve", "no", { reason: " " }).expectRefused("reason-missing");
    told.reply("approve", "no", { reason: "thin" }).expectAccepted();
  });

  test("[C39] looking leaves the question open and is recorded", () => {
    const told = inReview().reply("approve", "look").expectHeld("approve");
    expect(told.open[0]?.id).toBe("D-1");
    expect(told.events).toEqual([
      { type: "option.looked", decision: "D-1", option: "look", by: "person:ada" },
    ]);
  });

  test("[C39] Other takes a text, by its word or after its number was asked for", () => {
    const told = inReview();
    for (const text of ["4", "other", "OTHER", "other:  "])
      told.reply("approve", text).expectRefused("other-needs-text");
    told.reply("approve", "Other: sing a song 🎵").expectHeld("approve");
    expect(told.state.notes.at(-1)).toMatchObject({
      list: "other",
      tag: "D-1",
      text: "sing a song 🎵 (person:ada)",
    });
    const none = planned().when(ask("strict"), AGENT);
    expect(none.open[0]?.options.map((one) => one.id)).toEqual(["word"]);
  });

  test("[C42] answers that are none are counted, then something follows", () => {
    const told = planned().when(ask("strict"), AGENT);
    told.reply("strict", "what?").expectHeld("strict");
    told.reply("strict", "").expectHeld("strict");
    expect(told.state.spent["word"]).toBe(2);
    told.reply("strict", "eh?").expectAccepted();
    expect(told.state.decisions["Q-WORD"]?.status).toBe("cancelled");
    expect(told.state.notes.at(-1)).toMatchObject({ list: "log", text: "gave up" });
  });

  test("[C42] an answer in time leads on", () => {
    const told = planned().when(ask("strict"), AGENT).reply("strict", "hm").reply("strict", "WORD");
    told.expectAccepted();
    expect(told.state.units["opened"]).toMatchObject({ at: "open", data: { by: "answer" } });
  });
});

describe("grants", () => {
  test("[C40] a grant answers with the first option, and says so", () => {
    const told = planned({ parts: [] }).when({ type: "vars.set", name: "fast", value: true });
    told.move("hurry").expectAccepted();
    expect(told.state.decisions["D-1"]).toMatchObject({
      status: "answered",
      settled: { option: "continue", by: "grant:fast", text: "by grant fast" },
    });
    expect(told.state.dispatches["W-1"]).toMatchObject({ spec: "write", status: "open" });
  });

  test("[C40] without the grant it waits", () => {
    planned().move("hurry").expectHeld("go-on");
  });

  test("[C40] grants that answer one another for ever are a mistake of the protocol", () => {
    const round: Question = {
      prompt: "Round?",
      grant: ["fast"],
      options: [{ id: "on", label: "On", does: [{ ask: "round" }] }],
      rule: "T",
    };
    const told = planned({}, withQuestion("round", round));
    told.when({ type: "vars.set", name: "fast", value: true });
    expect(() => told.when(ask("round"), AGENT)).toThrow(
      'Cannot settle "Toy": grants answer one another without end',
    );
  });

  test("[C41] where going on is refused, the person is asked and told why", () => {
    const told = planned({ parts: [] }).when({ type: "vars.set", name: "fast", value: true });
    told.given({ tidy: false }).move("hurry").expectHeld("go-on");
    expect(told.open[0]).toMatchObject({
      status: "open",
      about: { code: "untidy", message: "the desk of Toy is untidy", rule: "T-untidy" },
    });
    expect(told.state.dispatches).toEqual({});
    told.given({ tidy: true }).reply("go-on", "1").expectAccepted();
  });

  test("[C41] where going on leads to another question, that one is asked", () => {
    const hurried = withQuestion("go-on", {
      ...must(toy.questions, "go-on"),
      options: [{ id: "on", label: "On", does: [{ move: "strict" }] }],
    });
    const told = planned({}, hurried).when({ type: "vars.set", name: "fast", value: true });
    told.given({ "digest:plan.md": "p2" }).move("hurry").expectHeld("plan-changed");
    expect(told.open.map((one) => one.question)).toEqual(["plan-changed"]);
  });
});

describe("menus of the repository", () => {
  test("[C43] labels, order and selection may change, effects may not", () => {
    const menu = [
      { label: "Rest", action: "pause" },
      { label: "March", action: "continue", recommended: true, discovery: "fresh air" },
      { label: "Own", action: "rm -rf" },
      { label: 7, action: "look" },
      "junk",
    ];
    const told = planned({ "menu:go-on": menu }).move("hurry");
    expect(told.open[0]?.options).toEqual([
      { id: "pause", label: "Rest" },
      { id: "continue", label: "March", recommended: true, discovery: "fresh air" },
      { id: "other", label: "Other" },
    ]);
    const rested = told.fork().reply("go-on", "1").expectAccepted();
    expect(rested.state.dispatches).toEqual({});
    told.reply("go-on", "look").expectRefused("not-an-option");
    told.reply("go-on", "2").expectAccepted();
    expect(told.state.dispatches["W-1"]?.unit).toBe("a");
  });

  test("[C43] a menu that leads nowhere is not used", () => {
    for (const menu of [[{ label: "Look", action: "look" }], [], {}, "x"]) {
      const told = planned({ "menu:go-on": menu }).move("hurry");
      expect(told.open[0]?.options.map((one) => one.label)).toEqual([
        "Go on",
        "Pause .",
        "Look",
        "Other",
      ]);
    }
  });
});

function ask(question: string): Extract<Parameters<Story["when"]>[0], { type: "decision.ask" }> {
  return { type: "decision.ask", question, unit: ".", about: {} };
}

function withQuestion(name: string, asked: Question): Protocol {
  const questions = { ...toyTable.questions, [name]: { by: ["agent"] as const, ...asked } };
  return checkedProtocol({ ...toyTable, questions });
}
