import type { Refusal } from "../../core/decide/answer.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Workflow } from "../../core/state/state.ts";
import { canonicalJson, member } from "../../core/values/json.ts";
import type { Family, World } from "../../ports/family.ts";
import type { TreeReading } from "../../ports/reading.ts";
import { cardIn } from "../look/look.ts";
import type { Card } from "./card.ts";

/** What a person was shown, to tell afterwards what has changed. */
export interface Seen {
  readonly hold: string;
  readonly card: Card;
  readonly files: TreeReading["files"];
}

interface Of {
  readonly family: Family;
  readonly state: Workflow;
}

export async function seenOf(world: World, of: Of, hold: string, card: Card): Promise<Seen> {
  return { hold, card, files: await filesOf(world, of, hold) };
}

async function filesOf(world: World, of: Of, hold: string): Promise<TreeReading["files"]> {
  const unit = member(of.state.decisions, hold)?.unit ?? ROOT;
  return (await world.tree(of.family.checks.at(of.state, unit) || ".")).files;
}

/** Adds to the refusal of a stale release what has changed since it was shown. */
export async function tellChanged(
  world: World,
  of: Of,
  seen: Seen,
  refusals: readonly Refusal[],
): Promise<readonly Refusal[]> {
  if (!refusals.some(({ code }) => code === "release-stale")) return refusals;
  const now = await cardIn(world, of, seen.hold);
  if (typeof now === "string") return refusals;
  const parts = PARTS.filter(
    ([part]) => canonicalJson(now[part] ?? null) !== canonicalJson(seen.card[part] ?? null),
  ).map(([, words]) => words);
  const files = await filesOf(world, of, seen.hold);
  const paths = [...new Set([...files.keys(), ...seen.files.keys()])].filter(
    (path) => files.get(path) !== seen.files.get(path),
  );
  const named = paths.slice(0, PATHS_MAX).join(", ");
  const more = paths.length > PATHS_MAX ? ` and ${paths.length - PATHS_MAX} more files` : "";
  const what = [...(paths.length === 0 ? [] : [`${named}${more}`]), ...parts];
  if (what.length === 0) return refusals;
  return refusals.map((one) =>
    one.code === "release-stale" ? { ...one, message: `${one.message}: ${what.join(", ")}` } : one,
  );
}

const PATHS_MAX = 5;

const PARTS: readonly (readonly [keyof Card & string, string])[] = [
  ["question", "the question"],
  ["at", "where the workflow stands"],
  ["evidence", "what vouches for it"],
  ["work", "the work"],
  ["authors", "who made it"],
  ["waivers", "what is waived"],
  ["rule", "the policy"],
  ["weakened", "what is weaker than agreed"],
];
