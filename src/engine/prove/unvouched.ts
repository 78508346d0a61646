import type { Family, VerifiedWorkflow, VerifyFinding, World } from "../../ports/family.ts";
import type { GitJournaled } from "../../ports/git.ts";
import type { Parts } from "../parts.ts";
import { openWorld } from "../parts.ts";

/**
 * Files that claim a state and have no journal. If Holdpoint was never used here, they are judged by themselves.
 * If commits or the configuration show that it was used, the missing journal is reported, because nothing
 * supports the claim.
 */

const SETTINGS = "holdpoint.config.json";

/** This clone made commits for records of this journal, but the journal is gone. */
export function missingJournal(
  stream: string,
  commits: readonly GitJournaled[],
): readonly VerifyFinding[] {
  const name = encodeURIComponent(stream);
  const made = commits.find((one) => one.here && one.journal.split(" ")[0] === name);
  if (made === undefined) return [];
  return [
    {
      code: "journal-missing",
      file: "journal",
      line: 0,
      message: `commit ${made.oid.slice(0, 7)} was made here for a record of its journal, and there is no journal`,
      fix: "Restore the journal from a backup; without it nothing vouches for what the files claim.",
      rule: "S5",
    },
  ];
}

/** A sentence for each workflow whose files claim more than a start while no journal here knows it. */
export async function unvouched(
  parts: Parts,
  judged: readonly VerifiedWorkflow[],
): Promise<readonly string[]> {
  const known = new Set(await parts.journal.streams());
  const without = judged.filter(({ protocol, id }) => !known.has(`${protocol}:${id}`));
  const named = without.filter((one) =>
    one.findings.every(({ code }) => code !== "journal-missing"),
  );
  if (named.length === 0 || !(await isUsed(parts))) return [];
  const world = openWorld(parts);
  const told = await Promise.all(
    named.map(async ({ protocol, id }) => {
      const family = await parts.families.get(protocol);
      const claims = family !== undefined && (await isBeyondFirst(world, family, id));
      return claims ? [id] : [];
    }),
  );
  const ids = told.flat();
  const more = ids.length > NAMED_MAX ? ` and ${ids.length - NAMED_MAX} more` : "";
  return ids.length === 0
    ? []
    : [
        `no journal here vouches for what the files say of ${ids.slice(0, NAMED_MAX).join(", ")}${more}`,
      ];
}

const NAMED_MAX = 5;

async function isUsed({ settings, git }: Parts): Promise<boolean> {
  if ((await settings.read(SETTINGS)).kind !== "absent") return true;
  return (await git.journaled("")).length > 0;
}

async function isBeyondFirst(world: World, family: Family, id: string): Promise<boolean> {
  const { root, kinds } = family.protocol;
  const read = await family.adopt.read(world, id, {});
  return read.kind === "refused" || read.import.at !== kinds[root]?.start;
}
