/**
 * Checks every signature in a journal again, and finds words of people that the policy wanted signed and that are
 * not.
 */
import { readStatement } from "../../core/decide/decisions/statement.ts";
import { REPOSITORY, ruleOf } from "../../core/state/policy.ts";
import type { Basis, Rule } from "../../core/state/policy.ts";
import type { Event } from "../../core/state/events.ts";
import type { Workflow } from "../../core/state/state.ts";
import { countPeople, wordsOn } from "../../core/state/voices.ts";
import { isInForce } from "../../core/replay/replay.ts";
import { gatesIn } from "../../core/replay/words.ts";
import { emptyWorkflow, evolveAll } from "../../core/state/evolve.ts";
import { canonicalJson, isJsonObject, showJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import { object, text } from "../../core/values/json-read.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import { eventsOf, openWorld, protocolOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { inForce, policiesIn, readBasis, signersIn } from "../release/policy.ts";
import { weakened } from "../release/weaker.ts";
import type { Found, Judged } from "./found.ts";
import { readRecord } from "./prove.ts";

export async function judgeReleases(
  parts: Parts,
  { stream, proof: { words, seen } }: Pick<Judged, "stream" | "proof">,
  found: Found,
): Promise<void> {
  const protocol = protocolOf(stream);
  const family = await parts.families.get(protocol);
  const agreed = await agreedSince(parts);
  if (stream === REPOSITORY_STREAM)
    for (const { seq, weaker } of agreed)
      if (weaker !== undefined)
        found.bad.push({ journal: stream, seq, code: "policy-weakened", message: weaker });
  const rewritten = agreed.flatMap(({ heads }) => otherThan(seen.hashes, heads?.[stream]))[0];
  if (rewritten !== undefined)
    found.bad.push({
      journal: stream,
      seq: rewritten,
      code: "journal-rewritten",
      message: "the repository has seen another record when it agreed on a policy",
    });
  const known = new Map<string, readonly string[]>();
  for (const { record, before, latest } of words) {
    const events = eventsOf(record);
    const bad = (code: string, message: string): void =>
      void found.bad.push({ journal: stream, seq: record.seq, code, message });
    const under = agreed.findLast((one) => isAfter(stream, record, one));
    for (const event of events)
      if (event.type === "release.given" && event.strength === "signed") {
        found.signatures += 1;
        // Take the latest known time, so that an expired key cannot be used with an earlier date.
        const at = [record.at, latest, under?.at ?? ""].toSorted().at(-1) ?? "";
        const judged = await judgeSignature(parts, { protocol, record, under, at }, event);
        if ("names" in judged) known.set(event.nonce, judged.names);
        else bad(judged.code, judged.message);
      }
    const read = readRecord(record);
    const byTable = family !== undefined && isInForce(family.protocol, before, read);
    const needed = gatesIn(byTable ? family.protocol : undefined, before, read);
    const unsigned = missingSignature(
      before,
      { protocol, record, under },
      { events, needed, known },
    );
    if (unsigned !== undefined) bad("signature-missing", unsigned);
  }
}

type GivenEvent = Extract<Event, { type: "release.given" }>;

interface Under {
  readonly protocol: string;
  readonly record: JournalRecord;
  /** The policy agreed on before it. */
  readonly under: Agreed | undefined;
}

/**
 * Verified with the keys that counted when it was recorded, as far as that is known: a key removed since was
 * valid then. Returns the names that the key is listed under, or what is wrong.
 */
async function judgeSignature(
  parts: Parts,
  { protocol, record: { prev }, under, at }: Under & { readonly at: string },
  { proof, by, gate, key }: GivenEvent,
): Promise<Wrong | { readonly names: readonly string[] }> {
  const statement = readStatement(proof?.statement ?? "");
  if (statement === undefined || proof?.signature === undefined)
    return {
      code: "signature-bad",
      message: `${by} released "${gate}" with no statement that can be read`,
    };
  if (statement.head !== prev)
    return {
      code: "signature-bad",
      message: `${by} signed "${gate}" on record ${statement.head.slice(0, 12)}, and it stands behind ${prev.slice(0, 12)}`,
    };
  const bases = under ? [under.basis] : inForce(await openWorld(parts).bases(), protocol);
  const { statement: said, signature } = proof;
  const name = statement.by;
  const verified = await parts.signatures.verify({
    text: said,
    signature,
    by: name,
    ...signersIn(bases),
    at,
  });
  if (verified.kind === "good") {
    const rule = ruleOf(policiesIn(under ? [under.basis] : [], protocol), protocol, gate);
    return unfit(verified, { name, key, gate, rule }) ?? { names: verified.names };
  }
  return {
    code: verified.code,
    message: `the signature of ${name} at "${gate}" does not hold: ${verified.message}`,
  };
}

interface Wrong {
  readonly code: string;
  readonly message: string;
}

/** The signature is good but is not the one required. */
function unfit(
  verified: { readonly key: string; readonly hardware: boolean },
  asked: {
    readonly name: string;
    readonly key: string | undefined;
    readonly gate: string;
    readonly rule: Rule;
  },
): Wrong | undefined {
  const { name, gate, rule, key } = asked;
  if (key !== verified.key)
    return {
      code: "signature-bad",
      message: `${name} signed "${gate}" with another key than named`,
    };
  if (rule.hardware && !verified.hardware)
    return {
      code: "key-not-hardware",
      message: `${name} signed "${gate}" with a key in no device, or without a touch`,
    };
  return rule.by === null || rule.by.includes(name)
    ? undefined
    : { code: "approver-not-allowed", message: `"${gate}" is not for ${name} to release` };
}

interface Agreed {
  readonly seq: number;
  readonly at: string;
  readonly basis: Basis;
  /** What it requires less than the policy before it, if no person is recorded as having accepted that. */
  readonly weaker: string | undefined;
  /** How far each journal went at that time. Old records have none. */
  readonly heads: Readonly<Record<string, string>> | undefined;
}

/** The policies that the repository has agreed on, in order. */
async function agreedSince({ journal }: Parts): Promise<readonly Agreed[]> {
  const agreed: Agreed[] = [];
  let state = emptyWorkflow(REPOSITORY);
  for (const record of await journal.read(REPOSITORY_STREAM)) {
    state = evolveAll(state, eventsOf(record), record);
    const basis = readBasis(object(state.vars["accepted"]));
    if (basis === undefined || canonicalJson(basis) === canonicalJson(agreed.at(-1)?.basis ?? null))
      continue;
    const isAccepted = showJson(record.body["actor"]).startsWith("person:");
    const before = { accepted: agreed.at(-1)?.basis, remembered: undefined };
    const [less] = isAccepted ? [] : weakened({ ...before, committed: [basis] });
    const weaker = less && `a policy is followed that nobody accepted: ${less}`;
    const heads = headsIn(state.vars["heads"]);
    agreed.push({ seq: record.seq, at: record.at, basis, weaker, heads });
  }
  return agreed;
}

function headsIn(value: Json | undefined): Agreed["heads"] {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([stream, head]) => [stream, text(head)]));
}

const REPOSITORY_STREAM = `${REPOSITORY}:${REPOSITORY}`;

/**
 * Whether a record came after a policy was agreed on. A date is only what its writer claims, so where possible
 * the recorded head of the journal decides.
 */
function isAfter(stream: string, record: JournalRecord, { seq, at, heads }: Agreed): boolean {
  if (stream === REPOSITORY_STREAM) return record.seq > seq;
  if (record.at > at || heads === undefined) return record.at > at;
  return record.seq > Number(heads[stream]?.split(" ")[0] ?? 0);
}

/** The number of a record that differs from the one seen before; empty if it is the same or missing. */
function otherThan(hashes: readonly string[], head: string | undefined): readonly number[] {
  const [seq = "", hash = ""] = head?.split(" ") ?? [];
  const there = hashes[Number(seq) - 1];
  return there === undefined || there === hash ? [] : [Number(seq)];
}

/** Reports a person's word that should have been signed under the policy at that time. */
function missingSignature(
  before: Workflow,
  { protocol, record, under }: Under,
  {
    events,
    needed,
    known,
  }: {
    readonly events: readonly Event[];
    readonly needed: ReturnType<typeof gatesIn>;
    /** The names that verified release keys are listed under. */
    readonly known: ReadonlyMap<string, readonly string[]>;
  },
): string | undefined {
  const actor = showJson(record.body["actor"]);
  if (under === undefined || !actor.startsWith("person:")) return undefined;
  const policies = policiesIn([under.basis], protocol);
  const wanted = needed.filter((gates) =>
    gates.every((gate) => ruleOf(policies, protocol, gate).strength === "signed"),
  );
  const signed = events.flatMap((event) =>
    event.type === "release.given" && event.strength === "signed" ? [event] : [],
  );
  for (const gates of wanted) {
    const given = signed.find((one) => gates.includes(one.gate));
    const gate = gates[0] ?? "";
    if (given === undefined)
      return `${actor} released "${gate}" without the signature that the policy asks for`;
    const { people } = ruleOf(policies, protocol, given.gate);
    const said = { ...before.given, [given.nonce]: { ...given, seq: record.seq } };
    const count = peopleFor(given, said, known);
    if (count < people) return `${count} of ${people} people have signed "${gate}"`;
  }
  return undefined;
}

/**
 * Who has signed the same thing and not changed their mind since. The names a record claims for a key are not
 * trusted.
 */
function peopleFor(
  { gate, hold, choice, card }: GivenEvent,
  said: Workflow["given"],
  known: ReadonlyMap<string, readonly string[]>,
): number {
  const named = Object.entries(said).map(
    ([nonce, one]) => [nonce, { ...one, names: known.get(nonce) ?? one.names ?? [] }] as const,
  );
  const same = wordsOn(Object.fromEntries(named), gate, hold).filter(
    (one) => one.strength === "signed" && one.choice === choice && one.card === card,
  );
  return countPeople(same);
}
