import { ruleOf } from "../../core/state/policy.ts";
import type { Basis, Rule } from "../../core/state/policy.ts";
import { isForReleases, isHardware, namesOf, readSigners } from "../../core/values/signers.ts";
import type { Signer, Signers } from "../../core/values/signers.ts";

/**
 * Gates at which a policy requires more people than exist. Such a policy applies while it is committed, as any
 * stricter one does, but it is never agreed on: the hold would have no way out.
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
  // A certificate authority can certify any number of people.
  if (strength !== "signed" || known.authorities.length > 0)
    return by === null ? Infinity : new Set(by).size;
  const fit = known.signers.filter((one) => !hardware || isHardware(one.type));
  // Names behind a pattern cannot be counted, but keys can.
  const named = fit.filter((one) => {
    const names = namesOf(one);
    return names.length === 0 || by === null || names.some((name) => by.includes(name));
  });
  const names = new Set(named.flatMap((one) => namesOf(one).slice(0, 1)));
  const keys = new Set(named.map((one) => one.key));
  const patterns = named.filter((one) => namesOf(one).length === 0).length;
  return Math.min(keys.size, names.size + patterns);
}
