import { isJsonObject, member } from "../values/json.ts";
import type { JsonObject } from "../values/json.ts";
import { number, object, texts } from "../values/json-read.ts";

/**
 * How strongly a person's word must be proven before it counts, as the repository's configuration says it:
 *
 *     "policy": { "strength": "presence", "gates": { "plugin-workflow/next-2": { "strength": "signed", "people": 2 } } }
 *
 * A gate is the name of a question, of a move for people, or one of `waive`, `attest`, `reseal`, `accept`, `lease`,
 * `adopt`, `skip`, `set`. Without any policy a person's word counts as it is given.
 */
export interface Policy extends JsonObject {
  readonly gates: Readonly<Record<string, JsonObject>>;
}

export type Strength = "word" | "presence" | "signed";

export interface Rule {
  readonly strength: Strength;
  /** How many different people must say the same. */
  readonly people: number;
  /** The author of the work may not release it. */
  readonly notAuthor: boolean;
  /** How many minutes a release is valid after it was shown. */
  readonly minutes: number;
  /** Only a key that never leaves its device and requires a touch. */
  readonly hardware: boolean;
  /** The only people whose word counts; null means anybody. */
  readonly by: readonly string[] | null;
}

export const STRENGTHS: readonly Strength[] = ["word", "presence", "signed"];

export const RELEASE_MINUTES = 30;

const PLAIN: Rule = {
  strength: "word",
  people: 1,
  notAuthor: false,
  minutes: RELEASE_MINUTES,
  hardware: false,
  by: null,
};

/**
 * What several policies require together at one gate. The strictest value wins, so no policy can weaken another.
 */
export function ruleOf(policies: readonly Policy[], protocol: string, gate: string): Rule {
  const rules = policies.map((one) => ruleIn(one, protocol, gate));
  return rules.length === 0 ? PLAIN : rules.reduce(strictest);
}

/** Whether the policy requires more than a plain word at some gate. */
export function asksForProof({ gates, ...whole }: Policy): boolean {
  const rules = [whole, ...Object.values(gates).map((one) => ({ ...whole, ...one }))];
  return rules.some((one) => {
    const { strength, people } = ruleOf([{ ...one, gates: {} }], "", "");
    return strength !== "word" || people > 1;
  });
}

/** The most specific entry for a gate counts; what it leaves out comes from the policy as a whole. */
function ruleIn(policy: Policy, protocol: string, gate: string): Rule {
  const { gates, ...whole } = policy;
  const named = [`${protocol}/${gate}`, `${protocol}/*`, `*/${gate}`]
    .map((key) => member(gates, key))
    .find((one) => one !== undefined);
  const said: JsonObject = { ...whole, ...named };
  const { strength, people, notAuthor, minutes, hardware, by } = said;
  return {
    // An unreadable value is treated as the strictest one.
    strength: STRENGTHS.find((one) => one === (strength ?? "word")) ?? "signed",
    people: number(people, PLAIN.people),
    notAuthor: notAuthor === true,
    minutes: number(minutes, PLAIN.minutes),
    hardware: hardware === true,
    by: by === undefined || by === null ? null : texts(by),
  };
}

function strictest(a: Rule, b: Rule): Rule {
  return {
    strength:
      STRENGTHS.indexOf(a.strength) >= STRENGTHS.indexOf(b.strength) ? a.strength : b.strength,
    people: Math.max(a.people, b.people),
    notAuthor: a.notAuthor || b.notAuthor,
    minutes: Math.min(a.minutes, b.minutes),
    hardware: a.hardware || b.hardware,
    by: a.by === null ? b.by : b.by === null ? a.by : a.by.filter((one) => b.by?.includes(one)),
  };
}

/**
 * The gates at which a policy asks for less than the one before. `*` stands for every gate that neither names.
 */
export function weakerGates(now: Policy, before: Policy): readonly string[] {
  const keys = [...Object.keys(now.gates), ...Object.keys(before.gates), "*/*"].map((key) =>
    key.split("/"),
  );
  // An entry for a protocol takes precedence over one for a gate, so every combination of the two has to be
  // compared.
  const pairs = keys.flatMap(([protocol = ""]) =>
    keys.map(([, gate = ""]) => `${protocol}/${gate}`),
  );
  return [...new Set(pairs)].filter((key) => {
    const [protocol = "", gate = ""] = key.split("/");
    const rule = ruleIn(now, protocol, gate);
    return JSON.stringify(strictest(rule, ruleIn(before, protocol, gate))) !== JSON.stringify(rule);
  });
}

/** What one commit, or the repository's own journal, says about releases. */
export interface Basis extends JsonObject {
  /** Where it was read: `main`, `HEAD`, `worktree` or `accepted`. */
  readonly from: string;
  readonly policy: Policy;
  readonly protected: readonly string[];
  /** Contents of the file with people's keys, and of the file with revoked keys. */
  readonly signers: string;
  readonly revoked: string;
}

/**
 * What the repository had agreed on when a record was decided, and in which record of its own journal that
 * stands.
 */
export interface Agreed {
  readonly seq: number;
  readonly hash: string;
  readonly basis: Basis;
}

export interface Bases {
  /** What was last accepted. It applies beside the committed policy until a person accepts the change. */
  readonly accepted: Basis | undefined;
  /** What this workflow was last decided under, if the repository's own journal has lost it. */
  readonly remembered: Basis | undefined;
  readonly committed: readonly Basis[];
}

/** Name of the protocol, and of its single workflow, in which a repository records the policy it has accepted. */
export const REPOSITORY = "repository";

/** The policy in a configuration, or undefined. */
export function policyIn(config: JsonObject): Policy | undefined {
  const { policy } = config;
  if (!isJsonObject(policy)) return undefined;
  const gates = Object.entries(object(policy["gates"])).map(
    ([name, rule]) => [name, object(rule)] as const,
  );
  return { ...policy, gates: Object.fromEntries(gates) };
}
