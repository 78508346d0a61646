import { emit, fill, readFact, refuse } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { requireUnit, rootOf } from "./evolve.ts";
import { bind } from "./guard.ts";
import { canonicalJson, isJsonArray, isJsonObject, member } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { isFresh } from "./library.ts";
import { matchAnswer } from "./match-answer.ts";
import { applyMove, machineOf } from "./move.ts";
import type { Option, Question } from "./protocol.ts";
import type { Decision, PendingAsk, ShownOption } from "./state.ts";

/** Ask a question, unless it is open already. Answers the option that a standing grant chose, if any. */
export function ask(draft: Draft, pending: PendingAsk, grants: boolean): Option | undefined {
  const question = questionOf(draft, pending.question);
  const about = goThere(draft, question, pending.about);
  const open = openDecisions(draft).find(
    (one) =>
      one.question === pending.question &&
      one.unit === pending.unit &&
      (question.many !== true || canonicalJson(one.about) === canonicalJson(about)),
  );
  if (open !== undefined) return undefined;
  const id = decisionId(draft, question);
  emit(draft, {
    type: "decision.asked",
    decision: id,
    question: pending.question,
    unit: pending.unit,
    prompt: fill(draft, requireUnit(draft.state, pending.unit), question.prompt, about),
    options: shownOptions(draft, question, pending.unit),
    bound: bind(draft, requireUnit(draft.state, pending.unit), question.binds),
    nonce: `${draft.envelope.id}.${Object.keys(draft.state.decisions).length}`,
    about,
  });
  return grants ? grantedOption(draft, id, question) : undefined;
}

/** Some questions have a state of their own: the root goes there first, and the question says from where. */
function goThere(draft: Draft, question: Question, about: JsonObject): JsonObject {
  if (question.via === undefined) return about;
  const root = rootOf(draft.state);
  const row = machineOf(draft, root).moves.find((one) => one.id === question.via);
  if (row?.from.includes(root.at) !== true) return { from: root.back.at(-1) ?? root.at, ...about };
  applyMove(draft, root, row, "");
  draft.asks = null;
  return { from: root.at, ...about };
}

function decisionId(draft: Draft, question: Question): string {
  if (question.id !== undefined) return question.id;
  const prefix = draft.protocol.decisionPrefix ?? "D-";
  const numbers = Object.keys(draft.state.decisions)
    .filter((id) => id.startsWith(prefix))
    .map((id) => Number(id.slice(prefix.length)))
    .filter(Number.isInteger);
  return `${prefix}${Math.max(0, ...numbers) + 1}`;
}

/** Labels may come from the repository's own menu file; what an option does never does. */
export function shownOptions(
  draft: Draft,
  question: Question,
  unit: string,
): readonly ShownOption[] {
  const custom = question.menu === undefined ? undefined : readFact(draft, question.menu);
  const own = isJsonArray(custom) ? custom.flatMap((one) => customOption(question, one)) : [];
  const leadsOn = own.some((shown) => optionOf(question, shown.id)?.again !== true);
  const shown = leadsOn ? own : question.options.map((one) => toShown(question, one));
  const named = requireUnit(draft.state, unit);
  const filled = shown.map((one) => ({ ...one, label: fill(draft, named, one.label) }));
  return question.other === false ? filled : [...filled, { id: "other", label: "Other" }];
}

function customOption(question: Question, entry: Json): readonly ShownOption[] {
  if (!isJsonObject(entry)) return [];
  const option = optionOf(question, entry["action"]);
  if (option === undefined || typeof entry["label"] !== "string") return [];
  const { recommended, discovery } = entry;
  return [
    {
      id: option.id,
      label: entry["label"],
      ...(recommended === true ? { recommended } : {}),
      ...(typeof discovery === "string" ? { discovery } : {}),
    },
  ];
}

function optionOf(question: Question, id: Json | undefined): Option | undefined {
  return question.options.find((one) => one.id === id);
}

function toShown(
  { wordsOnly }: Question,
  { id, label, recommended, discovery }: Option,
): ShownOption {
  return {
    id,
    label,
    ...(wordsOnly === true ? { word: true } : {}),
    ...(recommended === undefined ? {} : { recommended }),
    ...(discovery === undefined ? {} : { discovery }),
  };
}

/** A person may have allowed in advance that this question answers itself. */
function grantedOption(draft: Draft, id: string, question: Question): Option | undefined {
  const grant = question.grant?.find((name) => draft.state.vars[name] === true);
  const [first] = question.options;
  if (grant === undefined || first === undefined) return undefined;
  const text = `by grant ${grant}`;
  emit(draft, {
    type: "decision.settled",
    decision: id,
    status: "answered",
    option: first.id,
    text,
    by: `grant:${grant}`,
  });
  return first;
}

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

/** Read an answer against the question as it was shown. Only a person may give one, and only once. */
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
  if (chosen.says !== undefined && said.trim() === "") {
    refuse(draft, {
      code: "answer-needs-words",
      message: `"${chosen.label}" needs your words; by itself it says nothing`,
      fix: `holdpoint answer ${draft.state.id} "${chosen.says}"`,
      rule: question.rule,
    });
    return { kind: "kept" };
  }
  draft.input = { ...draft.input, text: said };
  if (chosen.why === true && input.reason.trim() === "") {
    refuse(draft, {
      code: "reason-missing",
      message: `"${chosen.label}" needs a reason, which is recorded`,
      fix: `holdpoint answer ${draft.state.id} ${chosen.id} --reason "..."`,
      rule: question.rule,
    });
    return { kind: "kept" };
  }
  if (chosen.again === true) {
    emit(draft, {
      type: "option.looked",
      decision: decision.id,
      option: chosen.id,
      by: who(draft),
    });
    return { kind: "kept" };
  }
  const why = input.reason === "" ? said : `${said} (${input.reason})`;
  const text = chosen.settles === undefined || input.reason === "" ? why : input.reason;
  emit(draft, {
    type: "decision.settled",
    decision: decision.id,
    status: chosen.settles ?? "answered",
    option: chosen.id,
    text,
    by: who(draft),
  });
  return { kind: "chosen", option: chosen, decision };
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
      fix: "Show the question to a person and let them run holdpoint answer.",
      rule,
    });
    return false;
  }
  if (decision.status !== "open") {
    const settled = decision.settled;
    refuse(draft, {
      code: "already-answered",
      message: `${decision.id} was settled${settled === null ? "" : ` with "${settled.option}" by ${settled.by} at ${settled.at}`}`,
      fix: `See holdpoint next ${draft.state.id} for what is open now.`,
      rule: "core",
    });
    return false;
  }
  if (input.nonce !== undefined && input.nonce !== decision.nonce) {
    refuse(draft, {
      code: "answer-stale",
      message: `${decision.id} was asked again since this answer was prepared`,
      fix: `Look at it once more with holdpoint next ${draft.state.id}.`,
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
    fix: `See holdpoint next ${draft.state.id} for what is open.`,
    rule: "core",
  });
}

/** What the answer was about has changed since it was shown: nobody has seen this yet, so ask again. */
function askAgain(draft: Draft, decision: Decision): Answered {
  emit(draft, {
    type: "decision.settled",
    decision: decision.id,
    status: "void",
    option: "",
    text: "what it was about changed",
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
      fix: `holdpoint answer ${draft.state.id} "other: <what you want>"`,
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

export function openDecisions(draft: Draft): readonly Decision[] {
  return Object.values(draft.state.decisions).filter((one) => one.status === "open");
}

export function questionOf(draft: Draft, name: string): Question {
  const question = draft.protocol.questions[name];
  if (question === undefined) throw new Error(`Cannot find question "${name}" in the protocol`);
  return question;
}

export function who(draft: Draft): string {
  return `${draft.envelope.actor.kind}:${draft.envelope.actor.name}`;
}

export function refuseInvalid(draft: Draft, decision: Decision, rule: string): void {
  const choices = decision.options
    .map((one, index) => `${one.word === true ? one.id : index + 1} ${one.label}`)
    .join(", ");
  refuse(draft, {
    code: "not-an-option",
    message: `That is not one of the ${decision.options.length} options`,
    fix: `Answer with a number or a keyword: ${choices}.`,
    rule,
  });
}
