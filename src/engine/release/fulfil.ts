import { ruleOf } from "../../core/state/policy.ts";
import type { Basis, Rule } from "../../core/state/policy.ts";
import { isHardware, namesOf, readSigners } from "../../core/values/signers.ts";
import type { Signer } from "../../core/values/signers.ts";

/**
 * Gates at which a policy asks for more people than there are. It counts while it is committed, as all that asks for more
 * does, but nobody agrees on it: a hold without a way out would be one for ever.
 */
export function unfulfilled({ policy, signers, revoked }: Basis): readonly string[] {
  const known = readSigners(signers).signers.filter((one) => !revoked.includes(one.key));
  return ["*/*", ...Object.keys(policy.gates)].filter((key) => {
    const [protocol = "", gate = ""] = key.split("/");
    const rule = ruleOf([policy], protocol, gate);
    return countOf(rule, known) < rule.people;
  });
}

function countOf({ strength, by, hardware }: Rule, known: readonly Signer[]): number {
  if (strength !== "signed") return by === null ? Infinity : new Set(by).size;
  const fit = known.filter((one) => !hardware || isHardware(one.type));
  // A pattern stands for names that nobody can count; keys can be.
  const named = fit.filter((one) => {
    const names = namesOf(one);
    return names.length === 0 || by === null || names.some((name) => by.includes(name));
  });
  const names = new Set(named.flatMap((one) => namesOf(one).slice(0, 1)));
  const keys = new Set(named.map((one) => one.key));
  const patterns = named.filter((one) => namesOf(one).length === 0).length;
  return Math.min(keys.size, names.size + patterns);
}
