import { emit, fill, readFact } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { requireUnit, rootOf } from "../../state/evolve.ts";
import { bind } from "../../guards/guard.ts";
import { canonicalJson, isJsonArray, isJsonObject, member } from "../../values/json.ts";
import type { Json, JsonObject } from "../../values/json.ts";
import { applyMove, machineOf } from "../move.ts";
import { ruleIn } from "./release.ts";
import type { Option, Question } from "../../table/protocol.ts";
import type { Decision, PendingAsk, ShownOption } from "../../state/state.ts";

/** Asks a question unless it is already open. Returns the option that an advance grant chose, if any. */
export function ask(draft: Draft, pending: PendingAsk, grants: boolean): Option | undefined {
  const question = questionOf(draft, pending.question);
  const about = goThere(draft, question, pending.about);
  const open = openDecisions(draft).find(
    (one) =>
      one.question === pending.question &&
      one.unit === pending.unit &&
      (pending.apart !== true || canonicalJson(one.about) === canonicalJson(about)),
  );
  if (open !== undefined) return undefined;
  const id = decisionId(draft, question);
  emit(draft, {
    type: "decision.asked",
    decision: id,
    question: pending.question,
    unit: pending.unit,
    prompt: fill(
      draft,
      requireUnit(draft.state, pending.unit),
      menuOf(draft, question).statement ?? question.prompt,
      about,
    ),
    options: shownOptions(draft, question, pending.unit),
    bound: bind(draft, requireUnit(draft.state, pending.unit), question.binds),
    nonce: `${draft.envelope.id}.${Object.keys(draft.state.decisions).length}`,
    about,
  });
  return grants ? grantedOption(draft, id, question) : undefined;
}

/**
 * Some questions have a state of their own (`via`): the root moves there first, and the question records where it
 * came from.
 */
function goThere(draft: Draft, question: Question, about: JsonObject): JsonObject {
  if (question.via === undefined) return about;
  const root = rootOf(draft.state);
  const row = machineOf(draft, root).moves.find((one) => one.id === question.via);
  if (row?.from.includes(root.at) !== true) return { from: root.back.at(-1) ?? root.at, ...about };
  applyMove(draft, root, row, "");
  draft.asks = null;
  return { from: root.at, ...about };
}

/** Puts the next free number in the place of `#`. */
function decisionId(draft: Draft, { id = "D-#" }: Question): string {
  const [before = "", after] = id.split("#");
  if (after === undefined) return id;
  const numbers = Object.keys(draft.state.decisions)
    .filter((one) => one.startsWith(before) && one.endsWith(after))
    .map((one) => Number(one.slice(before.length, one.length - after.length)))
    .filter(Number.isInteger);
  return `${before}${Math.max(0, ...numbers) + 1}${after}`;
}

/**
 * The repository's own wording of a question: a list of options, or options with a statement to show above them.
 */
function menuOf(
  draft: Draft,
  { menu }: Question,
): { readonly statement?: string; readonly options: readonly Json[] } {
  const fact = menu === undefined ? undefined : readFact(draft, menu);
  if (isJsonArray(fact)) return { options: fact };
  const { statement, options } = isJsonObject(fact) ? fact : {};
  return {
    ...(typeof statement === "string" ? { statement } : {}),
    options: isJsonArray(options) ? options : [],
  };
}

/** The labels may come from the repository's own menu file. What an option does always comes from the table. */
export function shownOptions(
  draft: Draft,
  question: Question,
  unit: string,
): readonly ShownOption[] {
  const own = menuOf(draft, question).options.flatMap((one) => customOption(question, one));
  const leadsOn = own.some((shown) => optionOf(question, shown.id)?.leaves !== "open");
  const shown = leadsOn
    ? withPrimary(question, own)
    : question.options.map((one) => toShown(question, one));
  const named = requireUnit(draft.state, unit);
  const filled = shown.map((one) => ({ ...one, label: fill(draft, named, one.label) }));
  return question.other === false ? filled : [...filled, { id: "other", label: "Other" }];
}

/**
 * Adds the recommended option in first place if the repository's menu leaves it out: a menu must not remove the
 * way on.
 */
function withPrimary(question: Question, own: readonly ShownOption[]): readonly ShownOption[] {
  const primary = question.options.find((one) => one.recommended === true) ?? question.options[0];
  if (primary === undefined || own.some(({ id }) => id === primary.id)) return own;
  return [toShown(question, primary), ...own];
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
  { options }: Question,
  { id, label, recommended, discovery }: Option,
): ShownOption {
  return {
    id,
    label,
    // If the first option accepts any text, "3" may be such a text, so no option is numbered.
    ...(options[0]?.words?.includes("*") === true ? { word: true } : {}),
    ...(recommended === undefined ? {} : { recommended }),
    ...(discovery === undefined ? {} : { discovery }),
  };
}

/** The option chosen by an advance grant, if a person gave one for this question. */
function grantedOption(draft: Draft, id: string, question: Question): Option | undefined {
  const grant = question.grant?.find((name) => draft.state.vars[name] === true);
  const [first] = question.options;
  if (grant === undefined || first === undefined) return undefined;
  // A grant was given without seeing what is shown now. It does not count where the policy asks for more than a
  // plain word.
  const { strength, people } = ruleIn(draft, member(draft.state.decisions, id)?.question ?? "");
  if (strength !== "word" || people > 1) return undefined;
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

export function openDecisions(draft: Draft): readonly Decision[] {
  return Object.values(draft.state.decisions).filter((one) => one.status === "open");
}

export function questionOf(draft: Draft, name: string): Question {
  const question = draft.protocol.questions[name];
  if (question === undefined) throw new Error(`Cannot find question "${name}" in the protocol`);
  return question;
}
