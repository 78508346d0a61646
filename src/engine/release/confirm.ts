import type { Answer, Refusal } from "../../core/decide/answer.ts";
import { askedFor } from "../../core/decide/decisions/asked-for.ts";
import { ASKS_PRESENCE } from "../../core/decide/decisions/release.ts";
import { statementText } from "../../core/decide/decisions/statement.ts";
import type { Statement } from "../../core/decide/decisions/statement.ts";
import type { Command, Envelope, Proof } from "../../core/state/commands.ts";
import { ruleOf } from "../../core/state/policy.ts";
import type { Workflow } from "../../core/state/state.ts";
import { canonicalJson } from "../../core/values/json.ts";
import type { Family, World } from "../../ports/family.ts";
import type { Head } from "../../ports/journal.ts";
import { cardIn, decideWithLooks } from "../look/look.ts";
import { oneLook } from "../look/reading.ts";
import { openWorld } from "../parts.ts";
import type { Parts } from "../parts.ts";
import type { Card } from "./card.ts";
import { seenOf } from "./changed.ts";
import type { Seen } from "./changed.ts";
import { inForce, policiesIn, signersIn } from "./policy.ts";

/**
 * Asks the person who gave a command to confirm or sign what is shown. Only a surface with a person in front of
 * it provides this.
 */
export interface Confirm {
  /** Sign, even if the policy does not require it. */
  readonly signs: boolean;
  readonly ask: (shown: Shown) => Promise<Confirmed>;
}

export interface Shown {
  readonly card: Card;
  readonly digest: string;
  readonly gate: string;
  readonly choice: string;
  readonly reason: string;
  readonly expires: string;
  /** Who is asking, as far as known before a key proves it. */
  readonly name: string;
  /** The contents of the file with the keys that count. */
  readonly signers: string;
  /** The text to confirm or sign, in this person's name. */
  readonly statement: (by: string) => string;
}

/** The person's reaction. A signature still has to be verified. */
export type Confirmed =
  | {
      readonly kind: "confirmed";
      readonly by: string;
      readonly statement: string;
      readonly signature?: string;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** Everything is in order except that the person's proof is missing. */
export interface Unconfirmed {
  readonly kind: "unconfirmed";
  readonly state: Workflow;
  readonly head: Head;
}

export interface Asking {
  readonly family: Family;
  readonly command: Command;
  readonly actor: Envelope["actor"];
  readonly confirm?: Confirm;
  readonly proof?: Proof;
}

type Decided = Exclude<Answer, { kind: "needs" }>;

/**
 * Decides as if the word were already proven, to learn what would follow. So nobody is asked to sign something
 * that is refused anyway, and checks run before their results are shown.
 */
export async function decideConfirming(
  world: World,
  { family, confirm, proof }: Asking,
  input: Parameters<typeof decideWithLooks>[2],
): Promise<Decided | "unconfirmed"> {
  const { envelope } = input;
  const asks = confirm !== undefined && proof === undefined && envelope.actor.kind === "person";
  if (!asks || (envelope.policy === undefined && !confirm.signs))
    return await decideWithLooks(family, world, input);
  const presumed = { ...input, envelope: { ...envelope, presumed: true } as const };
  const then = await decideWithLooks(family, world, presumed);
  if (then.kind === "runs" || then.kind === "refused") return then;
  if (confirm.signs) return "unconfirmed";
  const answer = await decideWithLooks(family, world, input);
  if (answer.kind !== "refused") return answer;
  // A signature must be asked for explicitly: nobody's key is used just because a policy requires one.
  return answer.refusals.some(({ code }) => code === ASKS_PRESENCE) ? "unconfirmed" : answer;
}

/**
 * Returns the request with its proof, and what was shown. The person may take minutes, so other commands run
 * meanwhile.
 */
export async function prove<T extends Asking>(
  parts: Parts,
  request: T,
  wanted: Unconfirmed,
): Promise<
  | { readonly kind: "proven"; readonly request: T; readonly seen: Seen }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[]; readonly state: Workflow }
> {
  const { confirm, actor, command } = request;
  if (confirm === undefined) throw new Error("Cannot happen: nobody can be asked");
  const given = await confirmed(parts, { ...request, confirm }, wanted);
  if ("code" in given) return { kind: "refused", refusals: [given], state: wanted.state };
  const { proof, name, seen } = given;
  const named = { command: inNameOf(command, name), actor: { ...actor, name } };
  return { kind: "proven", request: { ...request, ...named, proof }, seen };
}

/** A signer vouches under the name of their key. */
function inNameOf(command: Command, name: string): Command {
  return command.type === "finding.record" ? { ...command, by: `person:${name}` } : command;
}

/** Shows what is to be released, asks, and verifies what comes back. */
async function confirmed(
  parts: Parts,
  { family, command, actor, confirm }: Asking & { readonly confirm: Confirm },
  { state, head }: Unconfirmed,
): Promise<{ readonly proof: Proof; readonly name: string; readonly seen: Seen } | Refusal> {
  const world = openWorld(oneLook(parts));
  const asked = askedFor(family.protocol, state, command);
  const card = await cardIn(world, { family, state }, asked.hold);
  if (typeof card === "string") return unreadable(card);
  const { name: protocol } = family.protocol;
  const bases = inForce(await world.bases(), protocol);
  const { minutes } = ruleOf(policiesIn(bases, protocol), protocol, asked.gate);
  const at = parts.clock.now();
  const digest = parts.sha256(canonicalJson(card));
  const expires = new Date(Date.parse(at) + minutes * 60_000).toISOString();
  const nonce = parts.ids.next();
  const statement = (by: string): Statement => ({
    holdpoint: "release/1",
    protocol,
    workflow: state.id,
    ...asked,
    card: digest,
    head: head.hash,
    seq: head.seq,
    nonce,
    at,
    expires,
    by,
  });
  const seen = await seenOf(world, { family, state }, asked.hold, card);
  const said = await confirm.ask({
    card,
    digest,
    gate: asked.gate,
    choice: asked.choice,
    reason: asked.reason,
    expires,
    name: actor.name,
    signers: signersIn(bases).signers,
    statement: (by) => statementText(statement(by)),
  });
  if (said.kind === "refused") return said.refusal;
  const checked = await proven(parts, protocol, said);
  return "code" in checked ? checked : { ...checked, seen };
}

/** Verifies a signature: its key must be listed on the protected branch and still be valid. */
export async function proven(
  parts: Parts,
  protocol: string,
  { by, statement, signature }: Extract<Confirmed, { kind: "confirmed" }>,
): Promise<{ readonly proof: Proof; readonly name: string } | Refusal> {
  if (signature === undefined) return { proof: { strength: "presence", statement }, name: by };
  const bases = inForce(await openWorld(parts).bases(), protocol);
  if (bases.length === 0 || bases.some((one) => one.from === "worktree")) return NO_BASE;
  const verified = await parts.signatures.verify({
    text: statement,
    signature,
    by,
    ...signersIn(bases),
    at: parts.clock.now(),
  });
  if (verified.kind === "problem") {
    const { code, message, fix } = verified;
    return { code, message, fix, rule: "core" };
  }
  const { key, hardware, names } = verified;
  return { proof: { strength: "signed", statement, signature, key, hardware, names }, name: by };
}

const NO_BASE: Refusal = {
  code: "base-missing",
  message: "No commit says yet whose keys count here",
  fix: "Commit holdpoint.config.json with a policy, and the file with people's keys; then sign again.",
  rule: "core",
};

function unreadable(why: string): Refusal {
  return {
    code: "card-unreadable",
    message: `What is to be released cannot be read in full: ${why}`,
    fix: "Make it readable, then release it again.",
    rule: "core",
  };
}
