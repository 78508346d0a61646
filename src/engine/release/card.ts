import { isFresh } from "../../core/guards/fresh.ts";
import type { Evidence } from "../../core/decide/answer.ts";
import { ruleOf } from "../../core/state/policy.ts";
import type { Rule } from "../../core/state/policy.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Decision, Dispatch, Finding, Workflow } from "../../core/state/state.ts";
import { isJsonObject, member, toJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { object, text, texts } from "../../core/values/json-read.ts";
import { isUnknown, unknown } from "../../core/values/unknown.ts";
import type { Family, World } from "../../ports/family.ts";
import { inForce, policiesIn } from "./policy.ts";
import { proposed, weakened } from "./weaker.ts";

/**
 * Exactly what is to be released, as data. A release is bound to its digest. It contains no time and no reader's
 * name, so that everybody who looks at the same thing gets the same card.
 */
export interface Card extends JsonObject {
  readonly protocol: string;
  readonly workflow: string;
  /** The current state, in the protocol's words. */
  readonly at: string;
  /** The question; null if the word is about none. */
  readonly question: JsonObject | null;
  /** The digest of every file that the work is about. */
  readonly tree: string;
  readonly evidence: readonly JsonObject[];
  readonly work: readonly JsonObject[];
  readonly authors: readonly string[];
  readonly waivers: readonly JsonObject[];
  readonly rule: JsonObject;
  /** Where the committed policy asks for less than what was agreed on. */
  readonly weakened: readonly string[];
}

export interface Shows {
  readonly world: World;
  readonly family: Family;
  readonly state: Workflow;
  readonly lookUp: (keys: readonly string[]) => Promise<Evidence>;
}

/**
 * The card of an open question, or of the whole workflow if `hold` is empty. A sentence if something cannot be
 * read in full.
 */
export async function cardOf(shows: Shows, hold: string): Promise<Card | string> {
  const { family, state, world } = shows;
  const decision = member(state.decisions, hold);
  const unit = decision?.unit ?? ROOT;
  const findings = Object.values(state.findings);
  const keys = findings.flatMap(({ bound }) => Object.keys(bound));
  const files = `files:${unit}`;
  const facts = await shows.lookUp([...new Set([files, "authors", ...keys])]);
  const tree = facts[files] ?? null;
  if (isUnknown(tree)) return text(tree["unknown"]);
  const bases = await world.bases();
  const { name } = family.protocol;
  const policies = policiesIn(inForce(bases, name), name);
  const rule: Rule = ruleOf(policies, family.protocol.name, decision?.question ?? "");
  return {
    protocol: family.protocol.name,
    workflow: state.id,
    at: Object.hasOwn(state.units, ROOT) ? family.words.describe(state).headline : "",
    question: decision === undefined ? null : questionOf(decision),
    tree: text(tree),
    evidence: findings.filter((one) => !isWaiver(one)).map((one) => evidenceOf(one, facts)),
    work: Object.values(state.dispatches).map(workOf),
    authors: texts(facts["authors"]),
    waivers: [...findings.filter(isWaiver).map(waiverOf), ...reasonsOf(state)],
    rule: { ...rule },
    weakened: [...weakened(bases), ...(await proposed(world, bases))],
  };
}

function questionOf({ id, question, prompt, options, about, bound }: Decision): JsonObject {
  const shown = options.map((one) => ({ id: one.id, label: one.label }));
  return { id, question, prompt, options: shown, about, bound };
}

function isWaiver({ kind }: Finding): boolean {
  return kind.startsWith("waiver:");
}

/** A finding, and whether it still applies to the files as they are now. */
function evidenceOf({ unit, kind, by, value, bound }: Finding, facts: Evidence): JsonObject {
  const holds = isFresh((key) => facts[key], bound);
  return { unit, kind, by, value, holds, bound };
}

function waiverOf({ unit, kind, by, value }: Finding): JsonObject {
  return { unit, gate: kind.slice("waiver:".length), by, value };
}

function reasonsOf({ notes }: Workflow): readonly JsonObject[] {
  return notes
    .filter(({ list }) => list === "waivers")
    .map(({ tag, text: reason }) => ({ gate: tag, reason }));
}

/** What an agent claimed, beside what was measured. */
function workOf({
  id,
  role,
  agent,
  session,
  outcome,
  status,
  claim,
  measured,
}: Dispatch): JsonObject {
  return {
    id,
    role,
    agent: agent ?? null,
    session,
    status,
    outcome,
    claimed: claim,
    measured: measured ?? null,
  };
}

/** The authors of the work: who wrote this workflow's commits, and people in whose sessions it was reported. */
export async function lookAuthors(world: World, _: string, state: Workflow): Promise<Json> {
  const effects = Object.values(state.effects);
  const saved = effects.flatMap(({ args }) => {
    const author = object(object(args["savepoint"])["author"]);
    return [text(author["name"]), text(author["email"])];
  });
  const people = Object.values(state.dispatches).flatMap(({ session }) =>
    session.startsWith(HUMAN) ? [session.slice(HUMAN.length)] : [],
  );
  const commits = Object.values(state.dispatches).flatMap(({ measured }) =>
    texts(isJsonObject(measured) ? measured["commits"] : null).flatMap(
      (line) => /^[0-9a-f]{7,64}/.exec(line)?.[0] ?? [],
    ),
  );
  const wrote = await world.git.authors([...new Set(commits)].slice(-COMMITS_MAX));
  if (wrote === undefined && commits.length > 0)
    return unknown("git does not know a commit that was made meanwhile");
  const all = [...saved, ...people, ...(wrote ?? [])].filter((name) => name !== "");
  return toJson([...new Set(all)].sort());
}

const HUMAN = "human:";
const COMMITS_MAX = 500;
