/**
 * Releases that travel with commits. A server has no journals. All it can know is in git's objects: the move that
 * people were shown, their signatures, and, in the commit at its branch, the policy and the keys.
 */
import { readStatement } from "../../core/decide/decisions/statement.ts";
import type { Statement } from "../../core/decide/decisions/statement.ts";
import type { Proof } from "../../core/state/commands.ts";
import { REPOSITORY, ruleOf } from "../../core/state/policy.ts";
import type { Basis, Rule } from "../../core/state/policy.ts";
import { countPeople, lastWords } from "../../core/state/voices.ts";
import { canonicalJson, isJsonObject, parseJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { object, text } from "../../core/values/json-read.ts";
import type { BroughtRef, CommitFacts } from "../../ports/fence.ts";
import type { Parts } from "../parts.ts";
import { basisAt, policiesIn } from "../release/policy.ts";
import { isSame, moveIn, OPENING, shortOid, shortRef } from "./state.ts";
import type { RefMove } from "./state.ts";

/** How far the clocks of two machines may differ. */
const CLOCK_MS_MAX = 2 * 60_000;

/**
 * Stores a signed release where a push can take it along: the card, the statement, the signature. A refusal is
 * stored too.
 */
export async function carryRelease(
  { fencing }: Parts,
  card: JsonObject,
  { statement, signature }: Proof,
): Promise<void> {
  const { to } = moveOn(card);
  const said = readStatement(statement);
  if (to === "" || said === undefined || signature === undefined) return;
  await fencing.carry(to, said.nonce, JSON.stringify({ card, statement, signature }));
}

const OPEN = "open";

/** The move that people were asked about; empty if the question was about something else. */
function moveOn(card: JsonObject): RefMove {
  const question = object(card["question"] ?? null);
  return moveIn(question["question"] === OPENING ? object(question["about"] ?? null) : {});
}

export interface Arriving {
  /** Other references in the same push. */
  readonly brought?: readonly BroughtRef[];
  /** The current time, if the move happens now. Without it, the move may have happened at any time. */
  readonly now?: string;
}

/** Why the releases that came along do not allow this move; undefined if they do. */
export async function judgeCarried(
  parts: Parts,
  move: RefMove,
  { brought = [], now }: Arriving = {},
): Promise<string | undefined> {
  const { fencing } = parts;
  const basis = await basisAt(fencing.committed, shortRef(move.ref), move.from);
  const rule = ruleOf(basis ? policiesIn([basis], REPOSITORY) : [], REPOSITORY, OPENING);
  if (basis === undefined || rule.strength !== "signed")
    return `${shortOid(move.from)}, where it stands, has no policy that asks for signatures`;
  const range = (await fencing.range(`${move.from}..${move.to}`)) ?? [];
  const made = await fencing.commits(range);
  const commit = made.get(move.to);
  if (commit === undefined || made.size !== range.length) return UNREAD;
  // In a shallow history, the authors of the missing commits would be overlooked.
  const behind = [...made.values()]
    .flatMap(({ parents }) => parents)
    .filter((one) => !made.has(one));
  if ((await fencing.commits(behind)).size !== new Set(behind).size) return UNREAD;
  const given: Given[] = [];
  let why = "no signed release of it came along";
  for (const source of await fencing.carried(move.to, brought)) {
    const read = readCarried(parts, source, move) ?? UNREADABLE;
    const found =
      typeof read === "string"
        ? read
        : (unfit(read.statement, rule, { now, commit, made: [...made.values()] }) ??
          (await signedBy(parts, read, { basis, rule })));
    if (typeof found === "string") why = found;
    else given.push(found);
  }
  const inOrder = given.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const said = lastWords(inOrder);
  const no = said.find(({ choice }) => choice !== OPEN);
  if (no !== undefined) why = `${no.by} has said "${no.choice}" to it`;
  const open = said.filter(({ choice }) => choice === OPEN);
  const count = Math.max(
    0,
    ...open.map(({ card }) => countPeople(open.filter((one) => one.card === card))),
  );
  if (count >= rule.people) return undefined;
  return count === 0 ? why : `${count} of ${rule.people} people have released it`;
}

interface Given {
  readonly card: string;
  readonly choice: string;
  readonly at: string;
  readonly by: string;
  readonly key: string;
  readonly names: readonly string[];
}

interface Carried {
  readonly statement: Statement;
  readonly text: string;
  readonly signature: string;
}

const UNREAD = "not all of it can be read here";
const UNREADABLE = "what came along as its release cannot be read";

function readCarried(
  { sha256 }: Parts,
  source: string,
  move: RefMove,
): Carried | string | undefined {
  const value: Json | undefined = parseJson(source);
  if (!isJsonObject(value) || !isJsonObject(value["card"])) return undefined;
  const { card, signature } = value;
  const statement = readStatement(text(value["statement"]));
  if (statement === undefined || typeof signature !== "string") return undefined;
  const { gate, protocol } = statement;
  if (sha256(canonicalJson(card)) !== statement.card)
    return "what came along as its release is not what was signed";
  if (protocol !== REPOSITORY || gate !== OPENING)
    return `what was signed is of ${protocol}/${gate}, which lets no branch move`;
  const { ref, from, to } = moveOn(card);
  if (!isSame({ ref, from, to }, move))
    return `what was released is ${shortRef(ref)} from ${shortOid(from)} to ${shortOid(to)}`;
  return { statement, text: text(value["statement"]), signature };
}

/**
 * Why a yes does not count. A no is not checked this way: it counts at any age, from anybody with a listed key.
 */
function unfit(
  statement: Statement,
  rule: Rule,
  { made, ...when }: When & { readonly made: readonly CommitFacts[] },
): string | undefined {
  if (statement.choice !== OPEN) return undefined;
  return misdated(statement, rule, when) ?? notTheirs(statement.by, rule, made);
}

interface When {
  readonly now: string | undefined;
  readonly commit: CommitFacts;
}

/** The release is dated before the commit existed, is valid for too long, or is too old. */
function misdated(
  { at, expires }: Statement,
  { minutes }: Rule,
  { now, commit }: When,
): string | undefined {
  const [given, until] = [Date.parse(at), Date.parse(expires)];
  if (!(until > given && until <= given + minutes * 60_000))
    return `its release counts from ${at} to ${expires}, and ${minutes} minutes are allowed`;
  if (!(given + CLOCK_MS_MAX >= commit.at * 1000)) return "its release is older than the commit";
  if (now === undefined || (Date.parse(now) <= until && Date.parse(now) + CLOCK_MS_MAX >= given))
    return undefined;
  return `its release counted from ${at} to ${expires}, and it is ${now}`;
}

function notTheirs(
  name: string,
  { by, notAuthor }: Rule,
  made: readonly CommitFacts[],
): string | undefined {
  if (by !== null && !by.includes(name)) return `${name} is none of those whose word counts`;
  return notAuthor && made.some(({ people }) => people.includes(name))
    ? `${name} made some of it, and whoever did so does not release it`
    : undefined;
}

/** Verified at this machine's time, so that an expired key cannot sign with an earlier date. */
async function signedBy(
  { signatures, clock }: Parts,
  { statement: { by, card, choice, at: given }, text: said, signature }: Carried,
  { basis: { signers, revoked }, rule }: { readonly basis: Basis; readonly rule: Rule },
): Promise<string | Given> {
  const at = clock.now();
  const verified = await signatures.verify({ text: said, signature, by, signers, revoked, at });
  if (verified.kind === "problem") return `its release does not hold: ${verified.message}`;
  if (choice === OPEN && rule.hardware && !verified.hardware)
    return `the key of ${by} is kept in no device, or that was not touched`;
  return { card, choice, at: given, by, key: verified.key, names: verified.names };
}

/** The released moves that lead to where a branch stands, newest first, as far back as the releases reach. */
export async function carriedMoves(
  parts: Parts,
  ref: string,
  { from, tip }: { readonly from: string; readonly tip: string },
): Promise<readonly RefMove[]> {
  const moves: RefMove[] = [];
  for (let at = tip; at !== from && moves.length < MOVES_MAX;) {
    const sources = await parts.fencing.carried(at, []);
    const said = sources.map((one) =>
      moveOn(object(object(parseJson(one) ?? null)["card"] ?? null)),
    );
    const fits = said.filter((one) => one.ref === ref && one.to === at);
    let found: RefMove | undefined;
    for (const move of fits)
      if (found === undefined && (await judgeCarried(parts, move)) === undefined) found = move;
    if (found === undefined || moves.some((one) => one.to === found?.from)) break;
    moves.push(found);
    at = found.from;
  }
  return moves;
}

const MOVES_MAX = 10_000;
