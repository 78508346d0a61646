import { questionOf } from "./ask.ts";
import { who } from "../who.ts";
import { emit, readFact, refuse } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { member, showJson } from "../../values/json.ts";
import { isFresh } from "../../guards/fresh.ts";
import { matchAnswer } from "./match-answer.ts";
import { isReleased, isReplayed } from "./release.ts";
import type { Option, Question } from "../../table/protocol.ts";
import type { Decision } from "../../state/state.ts";
import { countJoined } from "../../state/voices.ts";
import { remedy } from "../../table/remedy.ts";

export interface AnswerInput {
  readonly decision: string;
  readonly nonce: string | undefined;
  readonly text: string;
  readonly reason: string;
}

export type Answered =
  | { readonly kind: "chosen"; readonly option: Option; readonly decision: Decision }
  | { readonly kind: "invalid"; readonly question: Question; readonly decision: Decision }
  | { readonly kind: "kept" };

/** Reads an answer against the question as it was shown. Only a person may give one, and only once. */
export function takeAnswer(draft: Draft, input: AnswerInput): Answered {
  const decision = member(draft.state.decisions, input.decision);
  if (decision === undefined || !mayAnswer(draft, decision, input)) {
    if (decision === undefined) refuseUnknown(draft, input.decision);
    return { kind: "kept" };
  }
  if (!isFresh((key) => readFact(draft, key), decision.bound)) return askAgain(draft, decision);
  const question = questionOf(draft, decision.question);
  const matched = matchAnswer(question, decision, input.text);
  if (matched === undefined) return { kind: "invalid", question, decision };
  const { option: chosen, text: said } = matched;
  if (chosen === "other") return takeOther(draft, decision, input);
  if (chosen.why === "words" && said.trim() === "") {
    refuse(draft, {
      code: "answer-needs-words",
      message: `"${chosen.label}" needs your words; by itself it says nothing`,
      fix: remedy("answer", {
        workflow: draft.state.id,
        choice: chosen.label.includes("<") ? chosen.label : "<your words>",
      }),
      rule: question.rule,
    });
    return { kind: "kept" };
  }
  draft.input = { ...draft.input, text: said };
  if (chosen.why === true && input.reason.trim() === "") {
    refuse(draft, {
      code: "reason-missing",
      message: `"${chosen.label}" needs a reason, which is recorded`,
      fix: remedy("answer", { workflow: draft.state.id, choice: chosen.id, reason: "..." }),
      rule: question.rule,
    });
    return { kind: "kept" };
  }
  if (chosen.leaves === "open") {
    emit(draft, {
      type: "option.looked",
      decision: decision.id,
      option: chosen.id,
      by: who(draft),
    });
    return { kind: "kept" };
  }
  if (!isReleased(draft)) return { kind: "kept" };
  if (!isJoined(draft, { question, decision, option: chosen, text: said })) return { kind: "kept" };
  const why = input.reason === "" ? said : `${said} (${input.reason})`;
  const text = chosen.leaves === undefined || input.reason === "" ? why : input.reason;
  emit(draft, {
    type: "decision.settled",
    decision: decision.id,
    status: chosen.leaves === "cancelled" ? "cancelled" : "answered",
    option: chosen.id,
    text,
    by: who(draft),
  });
  return { kind: "chosen", option: chosen, decision };
}

/**
 * Where several people must choose the same option, each choice is recorded and the last one needed settles the
 * question.
 */
function isJoined(
  draft: Draft,
  choice: { question: Question; decision: Decision; option: Option; text: string },
): boolean {
  const { question, decision, option, text } = choice;
  const wanted = option.people ?? question.people ?? 1;
  if (wanted <= 1) return true;
  const by = who(draft);
  emit(draft, { type: "decision.joined", decision: decision.id, option: option.id, text, by });
  const now = member(draft.state.decisions, decision.id) ?? decision;
  const count = countJoined(now, option.id, draft.state);
  if (count >= wanted) return true;
  draft.notes.push({
    code: "people-missing",
    message: `${count} of ${wanted} different people have chosen "${option.label}"; the question stays open`,
    rule: question.rule,
  });
  return false;
}

export function mayAnswer(
  draft: Draft,
  decision: Decision,
  input: Pick<AnswerInput, "nonce">,
): boolean {
  const { rule } = questionOf(draft, decision.question);
  if (draft.envelope.actor.kind !== "person") {
    refuse(draft, {
      code: "person-required",
      message: `Only a person may answer "${decision.prompt}"; you are ${draft.envelope.actor.kind} ${draft.envelope.actor.name}`,
      fix: remedy(
        "answer",
        { workflow: draft.state.id, decision: decision.id },
        "Show the question to a person and let them answer",
      ),
      rule,
    });
    return false;
  }
  if (isReplayed(draft)) return false;
  if (decision.status !== "open") {
    const settled = decision.settled;
    refuse(draft, {
      code: "already-answered",
      message: `${decision.id} was settled${settled === null ? "" : ` with "${settled.option}" by ${settled.by} at ${settled.at}`}`,
      fix: remedy("next", { workflow: draft.state.id }, "See what is open now"),
      rule: "core",
    });
    return false;
  }
  if (input.nonce !== undefined && input.nonce !== decision.nonce) {
    refuse(draft, {
      code: "answer-stale",
      message: `${decision.id} was asked again since this answer was prepared`,
      fix: remedy("next", { workflow: draft.state.id }, "Look at it once more"),
      rule: "core",
    });
    return false;
  }
  return true;
}

export function refuseUnknown(draft: Draft, id: string): void {
  refuse(draft, {
    code: "decision-unknown",
    message: `There is no decision "${id}" in ${draft.state.id}`,
    fix: remedy("next", { workflow: draft.state.id }, "See what is open"),
    rule: "core",
  });
}

/** What the question is about has changed since it was shown, so it is asked again about the new state. */
function askAgain(draft: Draft, decision: Decision): Answered {
  emit(draft, {
    type: "decision.settled",
    decision: decision.id,
    status: "void",
    option: "",
    text: "what it is about has changed, so it is asked again",
    by: "engine",
  });
  draft.asks = { question: decision.question, unit: decision.unit, about: decision.about };
  return { kind: "kept" };
}

function takeOther(draft: Draft, decision: Decision, { text }: AnswerInput): Answered {
  const said = text.replace(/^\s*(?:other|\d+)\s*[:,-]?\s*/i, "").trim();
  if (said === "") {
    refuse(draft, {
      code: "other-needs-text",
      message: "What would you like to do? Other takes free text",
      fix: remedy("answer", { workflow: draft.state.id, choice: "other: <what you want>" }),
      rule: "core",
    });
    return { kind: "kept" };
  }
  emit(draft, {
    type: "note.added",
    list: "other",
    tag: decision.id,
    text: `${said} (${who(draft)})`,
  });
  return { kind: "kept" };
}

export function refuseInvalid(draft: Draft, decision: Decision, rule: string): void {
  const choices = decision.options
    .map((one, index) => `${one.word === true ? one.id : index + 1} ${one.label}`)
    .join(", ");
  const empty = showJson(draft.input["text"] ?? "").trim() === "";
  refuse(draft, {
    code: empty ? "answer-empty" : "not-an-option",
    message: empty
      ? `An empty answer is none of the ${decision.options.length} options`
      : `That is not one of the ${decision.options.length} options`,
    fix: `Answer with a number or a keyword: ${choices}.`,
    rule,
  });
}
