/**
 * Commits on the main branch since a task began that Holdpoint did not bring: somebody committed by hand, pulled,
 * or moved the branch. Nobody has looked at them here, and the task is merged on top of them.
 */
import type { Json } from "../../../core/values/json.ts";
import { text, texts } from "../../../core/values/json-read.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { isUnknown, unknown, whyUnknown } from "../../../core/values/unknown.ts";
import type { World } from "../../../ports/family.ts";
import type { Ahead, TaskPlaces } from "./places.ts";

/** Id and subject of each, oldest first. */
export async function lookForeign(
  places: TaskPlaces,
  world: World,
  state: Workflow,
): Promise<Json> {
  const { begun, main } = whereOf(state);
  if (begun === "") return unknown(`it is not recorded where ${main} stood when the task began`);
  const found = await foreignAt(places, world, state, main);
  if (found === undefined) return unknown(`${short(begun)} cannot be found any more`);
  const isThere = await places.contains(main, begun);
  const gone = isThere ? [] : [`${short(begun)} is no longer in ${main}`];
  const listed = [...gone, ...found.commits.map(({ sha, subject }) => `${short(sha)} ${subject}`)];
  const more = listed.length - LISTED_MAX;
  return more > 0 ? [...listed.slice(0, LISTED_MAX), `and ${more} more`] : listed;
}

/** The same for people, who are also told if it is unknown. */
export function foreignTold(foreign: Json | undefined): readonly string[] {
  return isUnknown(foreign) ? [`not known: ${whyUnknown(foreign)}`] : texts(foreign);
}

/** Files changed by such commits that the task's branch is already based on. */
export async function foreignEntries(
  places: TaskPlaces,
  world: World,
  state: Workflow,
): Promise<Ahead["entries"]> {
  const { since } = await places.ahead(state.id, whereOf(state).main);
  const found = since === undefined ? undefined : await foreignAt(places, world, state, since);
  return found?.entries ?? {};
}

type Found = Pick<Ahead, "commits" | "entries">;

async function foreignAt(
  places: TaskPlaces,
  world: World,
  state: Workflow,
  at: string,
): Promise<Found | undefined> {
  const { begun, main } = whereOf(state);
  if (begun === "") return { commits: [], entries: {} };
  const { commits, entries, since } = await places.ahead(at, begun);
  if (since === undefined) return undefined;
  if (commits.length === 0) return { commits, entries };
  const { made } = await world.written(state.startedAt);
  // A commit that Holdpoint made on a task's branch was not brought to main by that.
  const brought = made.filter(
    ({ kind, args }) =>
      kind === "commit" || (kind === "merge-ff" && args["scope"] === "main" && args["to"] === main),
  );
  const ours = new Set(brought.flatMap((one) => one.oids));
  const foreign = commits.filter(({ sha }) => !ours.has(sha));
  const touched = foreign.map(({ created = [], modified = [] }) => [...created, ...modified]);
  // A merge commit lists no files and may have changed any.
  const isAny = touched.some((paths) => paths.length === 0);
  const named = new Set(touched.flat());
  const kept = Object.entries(entries).filter(([path]) => isAny || named.has(path));
  return { commits: foreign, entries: Object.fromEntries(kept) };
}

function whereOf({ vars }: Workflow): { readonly begun: string; readonly main: string } {
  return { begun: text(vars["begun"]), main: text(vars["main"]) };
}

function short(oid: string): string {
  return oid.slice(0, ID_CHARS);
}

const ID_CHARS = 12;
const LISTED_MAX = 50;
