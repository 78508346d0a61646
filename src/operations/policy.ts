import { GATES } from "../core/decide/decisions/asked-for.ts";
import { isForPeople } from "../core/decide/decisions/release.ts";
import { REPOSITORY, ruleOf } from "../core/state/policy.ts";
import type { Policy, Rule } from "../core/state/policy.ts";
import { ROOT } from "../core/state/state.ts";
import { remedy } from "../core/table/remedy.ts";
import type { Act } from "../core/decide/answer.ts";
import type { JsonObject } from "../core/values/json.ts";
import { readSigners } from "../core/values/signers.ts";
import { act } from "../engine/engine.ts";
import { openWorld } from "../engine/parts.ts";
import { unfulfilled } from "../engine/release/fulfil.ts";
import { followPolicy } from "../engine/release/follow.ts";
import { inForce, signersIn } from "../engine/release/policy.ts";
import { proposed, weakened } from "../engine/release/weaker.ts";
import type { Family } from "../ports/family.ts";
import type { Schema } from "../files/json/schema.ts";
import { answerTo, givenAgain, refusedAnswer } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { openWorkflow } from "./parts/open.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import {
  ACT,
  answers,
  FLAG,
  listOf,
  OPEN,
  shape,
  TAKEN_SHAPE,
  TEXT,
  TEXTS,
} from "./parts/shapes.ts";
import { told } from "./parts/told.ts";

export type PolicyInput = { readonly accept?: boolean; readonly reason?: string };

export interface PolicyTold extends Answer {
  /** What is required at every gate without an entry of its own. */
  readonly rule: JsonObject;
  readonly gates: readonly { readonly gate: string; readonly rule: JsonObject }[];
  /** Where it comes from; empty if there is no policy. */
  readonly from: readonly string[];
  /** Whose keys count. */
  readonly signers: readonly string[];
  /** What requires less than the accepted policy, and does not apply yet. */
  readonly weakened: readonly string[];
  readonly problems: readonly string[];
  readonly choices: readonly Act[];
}

const POLICY: Schema = answers(
  shape({
    ok: FLAG,
    rule: OPEN,
    gates: listOf(shape({ gate: TEXT, rule: OPEN })),
    from: TEXTS,
    signers: TEXTS,
    weakened: TEXTS,
    problems: TEXTS,
    choices: listOf({ anyOf: [TEXT, ACT] }),
  }),
  TAKEN_SHAPE,
);

export const policy: Operation<PolicyInput, Answered<PolicyTold | Taken>> = told({
  name: "policy",
  purpose: "How a person's word must be proven here, gate by gate",
  input: inputOf<PolicyInput>({
    required: {},
    optional: {
      accept: flag("let the policy and the keys count that are committed now (people only)"),
      reason: text("why; recorded"),
    },
  }),
  result: POLICY,
  examples: [{}, { accept: true, reason: "bob has joined, his key is added" }],
  readOnly: ({ accept }) => accept !== true,
  run,
});

async function run(context: Context, input: PolicyInput): Promise<Answered<PolicyTold | Taken>> {
  return input.accept === true ? await accept(context, input.reason ?? "") : await tell(context);
}

async function accept(context: Context, reason: string): Promise<Answered<Taken>> {
  const { parts, caller } = context;
  await followPolicy(parts);
  const bases = await openWorld(parts).bases();
  if (weakened(bases).length === 0)
    return refusedAnswer([
      {
        code: "policy-unchanged",
        message: "The committed policy asks for nothing less than the accepted one",
        fix: remedy("policy", {}, "See what is in force"),
        rule: "core",
      },
    ]);
  const found = await openWorkflow(context, `${REPOSITORY}:${REPOSITORY}`);
  if ("ok" in found) return found;
  const command = { type: "unit.move", unit: ROOT, move: "accept", reason } as const;
  const again = { accept: true, ...(reason === "" ? {} : { reason }) };
  return givenAgain(answerTo(await act(parts, found, command, caller), found), "policy", again);
}

async function tell({ parts }: Context): Promise<PolicyTold> {
  const bases = await openWorld(parts).bases();
  const all = inForce(bases, "");
  const policies = all.map((one) => one.policy);
  const { signers, authorities, problems } = readSigners(signersIn(all).signers);
  const families = await parts.families.all();
  const named = [...new Set(policies.flatMap((one) => Object.keys(one.gates)))];
  const less = [...weakened(bases), ...(await proposed(openWorld(parts), bases))];
  return {
    ok: true,
    rule: toObject(ruleOf(policies, "*", "*")),
    gates: named.map((gate) => ({ gate, rule: ruleAt(policies, gate) })),
    from: all.map((one) => one.from),
    signers: [
      ...signers.map(({ principals, type }) => `${principals.join(",")} ${type}`),
      ...authorities.map(({ principals, type }) => `${principals.join(",")} certified by ${type}`),
    ],
    weakened: less,
    problems: [
      ...problems.map(({ line, message }) => `line ${line} of the keys ${message}`),
      ...named
        .filter((gate) => !isGate(families, gate))
        .map((gate) => `${gate} is no gate of a protocol here`),
      ...all.flatMap((one) =>
        unfulfilled(one).map((gate) => `${gate}, as ${one.from} has it: nobody can fulfil it`),
      ),
    ],
    choices: less.length === 0 ? [] : [remedy("policy", { accept: true, reason: "..." })],
  };
}

function ruleAt(policies: readonly Policy[], key: string): JsonObject {
  const [protocol = "", gate = ""] = key.split("/");
  return toObject(ruleOf(policies, protocol, gate));
}

function toObject(rule: Rule): JsonObject {
  return { ...rule };
}

/** Whether anything has that name. A typing mistake in a policy would otherwise protect nothing, unnoticed. */
function isGate(families: readonly Family[], key: string): boolean {
  const [name = "", gate = ""] = key.split("/");
  return families
    .filter(({ protocol }) => name === "*" || protocol.name === name)
    .some(({ protocol }) => gate === "*" || gatesOf(protocol).includes(gate));
}

export function gatesOf({ questions, kinds }: Family["protocol"]): readonly string[] {
  const moves = Object.values(kinds).flatMap(({ moves: rows }) =>
    rows.filter((row) => isForPeople(row.by)).map((row) => row.id),
  );
  return [...new Set([...Object.keys(questions), ...moves, ...GATES])];
}
