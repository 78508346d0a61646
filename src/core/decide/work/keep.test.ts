import { describe, expect, test } from "vitest";
import { AGENT, PERSON } from "../../../../test/story.ts";
import type { Story } from "../../../../test/story.ts";
import { inReview } from "../../../../test/toy.ts";
import { keptAnswer } from "./keep.ts";

describe("an answer that waits for the files", () => {
  test("is given again as it was, by whom it was", () => {
    const told = keep(inReview(), { text: "no", reason: "thin" }).expectHeld("approve");
    const kept = keptAnswer(told.state);
    expect(kept).toMatchObject({
      command: { type: "decision.answer", decision: "D-1", text: "no", reason: "thin" },
      actor: { kind: "person", name: "ada" },
    });
    if (kept === undefined) throw new Error("nothing is kept");
    told.when(kept.command, kept).expectAccepted();
    expect(keptAnswer(told.state)).toBeUndefined();
  });

  test("is a person's, to the question as it was asked", () => {
    const told = inReview();
    keep(told, { as: AGENT }).expectRefused("person-required");
    keep(told, { nonce: "older" }).expectRefused("answer-stale");
    keep(told, { decision: "D-9" }).expectRefused("decision-unknown");
    expect(keptAnswer(told.state)).toBeUndefined();
  });

  test("is not what a note says, whoever wrote it", () => {
    const text = JSON.stringify({ nonce: inReview().open[0]?.nonce, text: "yes", name: "ada" });
    const told = inReview().when({ type: "note.add", list: "captured", tag: "D-1", text }, AGENT);
    expect(told.expectHeld("approve").state.notes.at(-1)).toMatchObject({ list: "captured" });
    expect(keptAnswer(told.state)).toBeUndefined();
  });

  test("is dropped once it was refused, and the question can be answered", () => {
    const told = keep(inReview(), { text: "no" });
    told.when({ type: "answer.drop", decision: "D-1", why: "no reason" }).expectHeld("approve");
    expect(keptAnswer(told.state)).toBeUndefined();
    told.reply("approve", "yes").expectAccepted();
  });
});

function keep(
  told: Story,
  { as = PERSON, decision = "D-1", text = "yes", reason = "", ...given }: Given = {},
): Story {
  const nonce = given.nonce ?? told.open[0]?.nonce ?? "";
  return told.when({ type: "answer.keep", decision, nonce, text, reason }, as);
}

interface Given {
  readonly as?: typeof PERSON;
  readonly decision?: string;
  readonly nonce?: string;
  readonly text?: string;
  readonly reason?: string;
}
