import { againWith, askedFor } from "./asked-for.ts";
import type { AskedFor } from "./asked-for.ts";
import { emit, readFact, refuse } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { readStatement } from "./statement.ts";
import type { Statement } from "./statement.ts";
import { who } from "../who.ts";
import type { Proof } from "../../state/commands.ts";
import { ruleOf, STRENGTHS } from "../../state/policy.ts";
import type { Agreed, Rule, Strength } from "../../state/policy.ts";
import { ROOT } from "../../state/state.ts";
import type { Given } from "../../state/state.ts";
import { countPeople, wordsOn } from "../../state/voices.ts";
import { remedy } from "../../table/remedy.ts";
import { canonicalJson, member, showJson } from "../../values/json.ts";
import { texts } from "../../values/json-read.ts";
import { isUnknown, whyUnknown } from "../../values/unknown.ts";

/** Decides whether a person's word counts: how it was proven, compared with what the policy asks for. */

/** The code of refusals that a person at a terminal could resolve. */
export const ASKS_PRESENCE = "presence-missing";

/** How far the clocks of two machines may differ. */
const CLOCK_MS_MAX = 2 * 60_000;

/**
 * Whether the person's word behind this command counts for what the command asks. Called wherever only a person
 * may do something, after it is clear that a person is asking. Without a policy and without a proof it counts.
 */
export function isReleased(draft: Draft): boolean {
  const { envelope, protocol, before, command } = draft;
  if (envelope.presumed === true) return true;
  if (envelope.policy === undefined && envelope.proof === undefined) return true;
  // One command is one word, even if it is asked for at several points along the way.
  if (draft.events.some((event) => event.type === "release.given")) return true;
  const asked = askedFor(protocol, before, command);
  const rule = ruleIn(draft, asked.gate);
  const problem =
    unproven(draft, asked, rule) ?? untrue(draft, asked, rule) ?? notTheirs(draft, rule);
  if (problem !== undefined) refuse(draft, { ...problem, rule: "core" });
  if (problem !== undefined || draft.needs.size > 0) return false;
  return isEnough(draft, asked, rule);
}

/** Whether a row is reserved for people. */
export function isForPeople(by: readonly string[] | undefined): boolean {
  return by !== undefined && by.length > 0 && by.every((one) => one === "person");
}

/** What the policies ask for at a gate. */
export function ruleIn({ envelope, protocol, used }: Draft, gate: string): Rule {
  const rule = ruleOf(envelope.policy ?? [], protocol.name, gate);
  if (envelope.policy !== undefined) used[`policy:${gate}`] = { ...rule };
  return rule;
}

/**
 * Records which policy the repository had agreed on when this was decided. The repository's own journal may be
 * lost or deleted on purpose, and this copy survives it.
 */
export function noteAgreed(draft: Draft): void {
  const { envelope, before, events, refusals } = draft;
  const { agreed } = envelope;
  if (agreed === undefined || refusals.length > 0 || events.length === 0) return;
  const last = before.agreed;
  const isNew = last === null || last.seq > agreed.seq || isOther(last, agreed);
  if (!isNew && canonicalJson(last.basis) === canonicalJson(agreed.basis)) return;
  emit(draft, { type: "policy.agreed", ...agreed });
}

/** The same record number with another hash: the repository's journal was replaced. */
function isOther(last: Agreed, { seq, hash }: Agreed): boolean {
  return last.seq === seq && last.hash !== hash;
}

/** Refuses a release that was used before, whatever has become of its question. */
export function isReplayed(draft: Draft): boolean {
  const statement = readStatement(draft.envelope.proof?.statement ?? "");
  const given = statement && member(draft.before.given, statement.nonce);
  if (given === undefined) return false;
  refuse(draft, {
    code: "answer-replayed",
    message: `This release was given before, by ${given.by} for "${given.choice}", and counts once`,
    fix: seeAgain(draft),
    rule: "core",
  });
  return true;
}

type Problem = Pick<Parameters<typeof refuse>[1], "code" | "message" | "fix">;

/** The word is proven more weakly than the policy asks. */
function unproven(draft: Draft, { gate }: AskedFor, rule: Rule): Problem | undefined {
  const { proof, actor } = draft.envelope;
  const given: Strength = proof?.strength ?? "word";
  if (STRENGTHS.indexOf(given) >= STRENGTHS.indexOf(rule.strength)) {
    if (!rule.hardware || proof?.hardware === true || rule.strength !== "signed") return undefined;
    return {
      code: "key-not-hardware",
      message: `"${gate}" asks for a key that is kept in a device; this one is a file that a program can read, or its device was not touched`,
      fix: remedy("keys", { hardware: true }, "Set up such a key"),
    };
  }
  const { id } = draft.state;
  if (rule.strength === "signed")
    return {
      code: "signature-missing",
      message: `The policy asks for a signature at "${gate}"; the word of ${actor.name} alone is not enough`,
      fix: againWith(id, draft.command, { sign: true }, "Sign it with your key"),
    };
  return {
    code: ASKS_PRESENCE,
    message: `The policy asks for somebody at a terminal at "${gate}", who confirms what is shown there`,
    fix: againWith(id, draft.command, {}, "Do it yourself, in a terminal of your own"),
  };
}

/**
 * The signed statement is about something else, or out of date. It binds what was shown, where, when and for
 * which choice.
 */
function untrue(draft: Draft, asked: AskedFor, rule: Rule): Problem | undefined {
  const { proof } = draft.envelope;
  if (proof === undefined) return undefined;
  const statement = readStatement(proof.statement);
  const fix = seeAgain(draft);
  if (statement === undefined)
    return {
      code: "release-unreadable",
      message: "What was signed is no statement of a release",
      fix,
    };
  const foreign = otherThan(draft, asked, statement);
  if (foreign !== undefined) {
    const message = `This release is for ${foreign[0]} "${foreign[1]}", and not for "${foreign[2]}"`;
    return { code: "release-foreign", message, fix };
  }
  return misdated(draft, asked, rule, statement) ?? changed(draft, asked, statement);
}

function otherThan(
  { protocol, state, envelope }: Draft,
  asked: AskedFor,
  statement: Statement,
): readonly [string, string, string] | undefined {
  const wanted = {
    protocol: protocol.name,
    workflow: state.id,
    hold: asked.hold,
    gate: asked.gate,
    choice: asked.choice,
    reason: asked.reason,
    by: envelope.actor.name,
  };
  for (const [name, value] of Object.entries(wanted))
    if (statement[name] !== value) return [name, showJson(statement[name]), value];
  return undefined;
}

function misdated(
  draft: Draft,
  { hold }: AskedFor,
  rule: Rule,
  { at, expires, seq }: Statement,
): Problem | undefined {
  const { envelope, before } = draft;
  const fix = seeAgain(draft);
  const decision = member(before.decisions, hold);
  if (decision !== undefined && seq < decision.askedSeq)
    return { code: "release-early", message: `${hold} was not asked yet when this was given`, fix };
  const [given, now, until] = [at, envelope.at, expires].map((time) => Date.parse(time));
  if (
    given === undefined ||
    now === undefined ||
    until === undefined ||
    Number.isNaN(given + now + until)
  )
    return {
      code: "release-unreadable",
      message: "The release does not say when it was given",
      fix,
    };
  // If the question itself is dated in the future, the clock that asked it ran ahead. Then the order of the two
  // times proves nothing.
  const askedAt = decision?.askedAt ?? "";
  if (given > now + CLOCK_MS_MAX || (at < askedAt && askedAt <= envelope.at))
    return {
      code: "release-predated",
      message: `This release says it is of ${at}; it is ${envelope.at} now${askedAt === "" ? "" : `, and ${hold} was asked at ${askedAt}`}`,
      fix: "Set the clock right, then look at it once more and release it again.",
    };
  if (until > now && until <= given + rule.minutes * 60_000) return undefined;
  return {
    code: "release-expired",
    message: `This release counted until ${expires}, and for ${rule.minutes} minutes at most`,
    fix,
  };
}

/** What was shown, or the journal, has changed since the release was given. */
function changed(draft: Draft, { hold }: AskedFor, statement: Statement): Problem | undefined {
  const { envelope, before } = draft;
  const fix = seeAgain(draft);
  if (statement.seq !== before.seq || statement.head !== envelope.head)
    return {
      code: "release-stale",
      message: `${before.id} has gone on since record ${statement.seq}, which this release was given on`,
      fix,
    };
  const card = readFact(draft, `card:${hold}`);
  if (card === undefined || card === statement.card) return undefined;
  if (isUnknown(card)) {
    const message = `What is to be released cannot be read in full: ${whyUnknown(card)}`;
    return { code: "card-unreadable", message, fix: "Make it readable, then release it again." };
  }
  const message = "What was shown has changed since it was released";
  return { code: "release-stale", message, fix };
}

/** The policy does not let this person decide here, however well their word is proven. */
function notTheirs(draft: Draft, { by, notAuthor }: Rule): Problem | undefined {
  const { name } = draft.envelope.actor;
  if (by !== null && !by.includes(name))
    return {
      code: "approver-not-allowed",
      message: `${name} is none of those whose word counts here: ${by.join(", ") || "nobody"}`,
      fix: "Ask one of them to do it.",
    };
  if (!notAuthor) return undefined;
  const authors = readFact(draft, "authors");
  if (authors === undefined || !(isUnknown(authors) || texts(authors).includes(name)))
    return undefined;
  return {
    code: "approver-is-author",
    message: isUnknown(authors)
      ? `Nobody can tell whose work it is: ${whyUnknown(authors)}`
      : `${name} made some of this work, and whoever did so does not release it`,
    fix: "Ask somebody else to look at it and to release it.",
  };
}

/** Records the word. Where several people must say the same, true only once there are enough of them. */
function isEnough(draft: Draft, asked: AskedFor, { people }: Rule): boolean {
  const { envelope, before } = draft;
  const { proof } = envelope;
  if (proof === undefined && people <= 1) return true;
  const statement = readStatement(proof?.statement ?? "");
  const { gate, hold, choice } = asked;
  const given: Omit<Given, "seq"> = {
    gate,
    hold,
    choice,
    strength: proof?.strength ?? "word",
    by: who(draft),
    card: statement?.card ?? "",
    expires: statement?.expires ?? FOR_EVER,
    ...(proof?.key === undefined ? {} : { key: proof.key }),
    ...(proof?.names === undefined ? {} : { names: proof.names }),
  };
  const nonce = statement?.nonce ?? envelope.id;
  emit(draft, { type: "release.given", nonce, ...given, ...(proof && { proof: keptOf(proof) }) });
  const same = wordsOn(draft.state.given, gate, hold).filter(
    (one) => one.choice === choice && one.card === given.card && one.expires > envelope.at,
  );
  const count = countPeople(same);
  if (count >= people) return true;
  if (!Object.hasOwn(before.units, ROOT)) {
    refuse(draft, {
      code: "people-missing",
      message: `The policy asks for ${people} people at "${gate}", and nothing is there yet that could wait for them`,
      fix: `Let one person be enough for "${gate}" in the policy, or leave out what needs a person's word.`,
      rule: "core",
    });
    return false;
  }
  const message = `${count} of ${people} different people have said "${choice}"; it waits for the others`;
  draft.notes.push({ code: "people-missing", message, rule: "core" });
  return false;
}

/** A word without a statement does not say when it was shown, so it does not expire. */
const FOR_EVER = "9999";

function keptOf({ strength, statement, signature, key, hardware }: Proof): Proof {
  return {
    strength,
    statement,
    ...(signature === undefined ? {} : { signature }),
    ...(key === undefined ? {} : { key }),
    ...(hardware === undefined ? {} : { hardware }),
  };
}

function seeAgain({ state }: Draft): ReturnType<typeof remedy> {
  return remedy("hold", { workflow: state.id }, "Look at it once more and release it again");
}
