import type { Refusal } from "../decide/answer.ts";
import type { Command } from "../state/commands.ts";
import { beginDraft } from "../decide/draft.ts";
import type { Draft } from "../decide/draft.ts";
import { holdsTrue, runGuards } from "../guards/guard.ts";
import { canonicalJson, isJsonObject, member } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { RuledNeed, Protocol, Test } from "../table/protocol.ts";
import type { Bound, Unit, Workflow } from "../state/state.ts";
import type { Recorded, Scene } from "./scene.ts";

export interface Asked {
  readonly unit: Unit;
  readonly state: Workflow;
  readonly when: readonly Test[] | undefined;
  readonly guards: readonly RuledNeed[] | undefined;
}

/**
 * Runs a row's guards again on the facts recorded as read. A guard that needs something the record does not hold
 * (the command's input, a long fact of which only the digest was kept) is skipped. Every other one must have
 * passed.
 */
export function guardsAgain(scene: Scene, asked: Asked): string | undefined {
  const { protocol, guarded } = scene;
  if (protocol === undefined || !guarded) return undefined;
  const blind = { is: false };
  const draft = draftOf({ ...scene, protocol }, asked, blind);
  const fits = holdsTrue(draft, asked.unit, asked.when);
  if (!fits && !isBlind(scene, draft, blind)) return "its conditions did not hold";
  runGuards(draft, asked.unit, asked.guards);
  if (isBlind(scene, draft, blind)) return undefined;
  const [missing] = draft.needs;
  if (missing !== undefined) return `nobody looked at ${missing}, which it asks for`;
  const said = [...draft.refusals.map(sentence), ...draft.holds.map((one) => one.sentence)];
  return said.length === 0 ? undefined : said.join("; ");
}

function sentence({ message }: Refusal): string {
  return message;
}

/** Whether a guard needed something of which the record has at most a digest. */
function isBlind({ record }: Scene, { needs }: Draft, blind: { readonly is: boolean }): boolean {
  return blind.is || [...needs].some((key) => Object.hasOwn(record.used, key));
}

/** Rebuilds the decision behind a record as far as the record allows. */
export function draftOf(
  scene: Scene & { readonly protocol: Protocol },
  { state }: Pick<Asked, "state">,
  blind: { is: boolean },
): Draft {
  const { protocol, record, before, actor } = scene;
  const { id, at, session } = record;
  const draft = beginDraft({
    protocol,
    state: before,
    envelope: { id, at, actor: { ...actor }, session },
    command: unknownCommand(record.command, blind),
    evidence: evidenceOf(scene),
  });
  draft.state = state;
  draft.input = unseen({}, blind);
  draft.about = aboutOf(scene);
  const reported = record.events.find((event) => event.type === "dispatch.ended");
  if (reported?.type === "dispatch.ended") {
    draft.dispatch = reported.dispatch;
    const { agent, outcome } = reported.claim;
    if (typeof agent === "string" && typeof outcome === "string")
      draft.claim = { ...reported.claim, agent, outcome };
  }
  return draft;
}

function aboutOf({ record, before }: Scene): JsonObject {
  const settled = record.events.find((event) => event.type === "decision.settled");
  if (record.command !== "decision.answer" || settled?.type !== "decision.settled") return {};
  return member(before.decisions, settled.decision)?.about ?? {};
}

/**
 * The facts of a record. A long one is recorded only by its digest; it is restored if something in the state was
 * vouched for with a fact of that digest.
 */
function evidenceOf(scene: Scene): JsonObject {
  const known = evidences.get(scene.record);
  if (known !== undefined) return known;
  const evidence = readEvidence(scene);
  evidences.set(scene.record, evidence);
  return evidence;
}

/** Computed once for each record: it has many guards, and all of them read the same facts. */
const evidences = new WeakMap<Recorded, JsonObject>();

function readEvidence(scene: Scene): JsonObject {
  const { record, before } = scene;
  const found = Object.entries(record.used).flatMap(([key, value]): readonly [string, Json][] => {
    if (!isDigest(value)) return [[key, value]];
    const text = canonicalJson(value);
    const same = boundsOf(before).find(
      (bound) =>
        Object.hasOwn(bound, key) && canonicalJson(scene.recordedAs(bound[key] ?? null)) === text,
    );
    return same === undefined ? [] : [[key, same[key] ?? null]];
  });
  return Object.fromEntries(found);
}

function boundsOf({ findings, decisions, dispatches }: Workflow): readonly Bound[] {
  return [
    ...Object.values(findings).map((one) => one.bound),
    ...Object.values(decisions).map((one) => one.bound),
    ...Object.values(dispatches).map((one) => one.baseline),
  ];
}

/**
 * Whether a value is the digest of a long fact. A fact that only looks like one is treated as unknown, which is
 * safe.
 */
function isDigest(value: Json): boolean {
  return isJsonObject(value) && Object.keys(value).join() === "sha256";
}

/** An object whose other members are not known. Reading one gives undefined and is noted in `blind`. */
function unseen<T extends object>(known: T, blind: { is: boolean }): T {
  const note = (_: T, key: string | symbol): void => {
    if (!Object.hasOwn(known, key)) blind.is = true;
  };
  return new Proxy(known, {
    get: (target, key) => {
      note(target, key);
      return Reflect.get(target, key);
    },
    has: (target, key) => {
      note(target, key);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor: (target, key) => {
      note(target, key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys: (target) => {
      blind.is = true;
      return Reflect.ownKeys(target);
    },
  });
}

function unknownCommand(type: string, blind: { is: boolean }): Command {
  // Only its type is recorded; reading anything else is noted as unseen.
  // oxlint-disable-next-line no-unsafe-type-assertion
  return unseen({ type }, blind) as Command;
}
