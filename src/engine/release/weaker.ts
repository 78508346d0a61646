/** Finds what requires less than was agreed on: in the committed policy, and on the branch that is to be released. */
import { weakerGates } from "../../core/state/policy.ts";
import type { Bases, Basis } from "../../core/state/policy.ts";
import { isForReleases, namesOf, readSigners } from "../../core/values/signers.ts";
import type { World } from "../../ports/world.ts";
import { basisAt, headBasis, linesOf } from "./policy.ts";

/** What requires less than the accepted policy, a sentence each. It does not apply until a person accepts it. */
export function weakened({ accepted, remembered, committed }: Bases): readonly string[] {
  const agreed = remembered ?? accepted;
  return agreed === undefined ? [] : weakerThan(committed[0], agreed);
}

/**
 * The same for the checked-out branch and the worktree. Their policy does not apply, but whoever is about to release
 * their work should see what it would change about releases.
 */
export async function proposed(
  world: Pick<World, "config" | "settings" | "git" | "place" | "workspace">,
  { accepted, remembered, committed }: Bases,
): Promise<readonly string[]> {
  const agreed = remembered ?? accepted ?? committed[0];
  if (agreed === undefined || world.place.kind !== "repository") return [];
  const branch = (await world.git.branch()) ?? "HEAD";
  const isOwn = committed.every((one) => one.from !== branch);
  const here = isOwn
    ? weakerThan(await headBasis(world, branch), agreed)
    : weakerThan(committed[0], agreed);
  const lies = weakerThan(await worktreeBasis(world), agreed).filter((one) => !here.includes(one));
  return [
    ...(isOwn ? here.map((one) => `on ${branch}: ${one}`) : []),
    ...lies.map((one) => `in the worktree: ${one}`),
  ];
}

async function worktreeBasis({ workspace }: Pick<World, "workspace">): Promise<Basis | undefined> {
  const read = async (_: string, path: string): Promise<string> => {
    const file = await workspace.read(path);
    return file.kind === "text" ? file.text : "";
  };
  return await basisAt(read, "worktree", "");
}

function weakerThan(now: Basis | undefined, agreed: Basis): readonly string[] {
  if (now === undefined) return ["the configuration has no policy any more"];
  const known = new Set(linesOf(agreed.signers));
  const gone = linesOf(agreed.revoked).filter((one) => !linesOf(now.revoked).includes(one));
  return [
    ...weakerGates(now.policy, agreed.policy).map((gate) => `${gate} asks for less`),
    ...linesOf(now.signers)
      .filter((one) => !known.has(one))
      .map(
        (one) => `another key counts${whose(one, agreed.signers)}: ${one.slice(0, LINE_CHARS_MAX)}`,
      ),
    ...gone.map((one) => `a key counts again: ${one.slice(0, LINE_CHARS_MAX)}`),
    ...agreed.protected
      .filter((one) => !now.protected.includes(one))
      .map((one) => `${one} is not protected any more`),
  ];
}

/** The names that a new line would give its key. They are easy to overlook in a long line. */
function whose(line: string, before: string): string {
  const { signers, authorities } = readSigners(line);
  const [one] = [...signers, ...authorities];
  if (one === undefined) return "";
  if (authorities.length > 0) return ` for whomever it certifies as ${one.principals.join(",")}`;
  const old = readSigners(before).signers;
  const [same] = old.filter(({ key }) => key === one.key);
  if (namesOf(one).length < one.principals.length)
    return ` for every name like ${one.principals.join(",")}`;
  const owner = namesOf(one).find((name) =>
    old.some((other) => other.key !== one.key && namesOf(other).includes(name)),
  );
  if (owner !== undefined) return ` for ${owner}, who has one`;
  if (same === undefined) return isForReleases(one) ? "" : " for another purpose";
  return namesOf(one).every((name) => namesOf(same).includes(name))
    ? " on other terms"
    : " under another name";
}

const LINE_CHARS_MAX = 120;
