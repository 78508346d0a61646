import { ruleOf } from "../../core/state/policy.ts";
import type { Basis, Rule } from "../../core/state/policy.ts";
import { isForReleases, isHardware, namesOf, readSigners } from "../../core/values/signers.ts";
import type { Signer, Signers } from "../../core/values/signers.ts";

/**
 * Gates at which a policy asks for more people than there are. It counts while it is committed, as all that asks for more
 * does, but nobody agrees on it: a hold without a way out would be one for ever.
 */
export function unfulfilled({ policy, signers, revoked }: Basis): readonly string[] {
  const all = readSigners(signers);
  const counts = (one: Signer): boolean => isForReleases(one) && !revoked.includes(one.key);
  const known = {
    signers: all.signers.filter(counts),
    authorities: all.authorities.filter(counts),
  };
  return ["*/*", ...Object.keys(policy.gates)].filter((key) => {
    const [protocol = "", gate = ""] = key.split("/");
    const rule = ruleOf([policy], protocol, gate);
    return countOf(rule, known) < rule.people;
  });
}

type Known = Pick<Signers, "signers" | "authorities">;

function countOf({ strength, by, hardware }: Rule, known: Known): number {
  // An authority names as many people as it likes.
  if (strength !== "signed" || known.authorities.length > 0)
    return by === null ? Infinity : new Set(by).size;
  const fit = known.signers.filter((one) => !hardware || isHardware(one.type));
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
