/**
 * Derives from the journals what is held: after each step for the workflow that moved, and completely if it is
 * missing.
 */
import type { Workflow } from "../core/state/state.ts";
import type { Family } from "../ports/family.ts";
import { unknownPlace } from "../watch/judge.ts";
import type { Made, Place, Watch, Watched } from "../watch/watch.ts";
import type { Outcome } from "./outcome.ts";
import { protocolOf, streamOf } from "./parts.ts";
import type { Parts } from "./parts.ts";

/** The outcome of a command, after what is held was updated. */
export async function watched(
  parts: Parts,
  { family, workflow }: { readonly family: Family; readonly workflow: string },
  outcome: Outcome,
): Promise<Outcome> {
  if (outcome.kind === "done" || outcome.kind === "held") await keepWatch(parts, family, workflow);
  return outcome;
}

/**
 * Updates it after a step. It only serves warnings, so an error here does not fail the step; the next reader
 * rebuilds it.
 */
async function keepWatch(parts: Parts, family: Family, workflow: string): Promise<void> {
  const { watches } = parts;
  try {
    const stream = streamOf(family, workflow);
    const journal = await watches.journal(stream);
    if (journal === undefined) return;
    const last = watches.last();
    if (last === undefined || !(await watches.isFresh(last, stream))) {
      await makeWatch(parts);
      return;
    }
    if ((last.made[journal.file]?.size ?? watches.quiet()[journal.file]) === journal.size) return;
    const { state } = await parts.journal.load(stream);
    const { root } = parts.workspace;
    const places = watchedPlaces(family, state, { file: journal.file, root });
    const before = last.places.filter((one) => one.from !== journal.file);
    if (places.length === 0 && before.length === last.places.length) {
      watches.keepQuiet({ ...watches.quiet(), [journal.file]: journal.size });
      return;
    }
    const { [journal.file]: _, ...others } = last.made;
    const made = { ...others, [journal.file]: { size: journal.size, root: parts.workspace.root } };
    if (places.length === 0)
      watches.keepQuiet({ ...watches.quiet(), [journal.file]: journal.size });
    watches.keep({
      ...known(last, [family]),
      made: places.length === 0 ? others : made,
      places: [...before, ...places],
    });
  } catch {
    dropQuietly(parts);
  }
}

function dropQuietly({ watches }: Parts): void {
  try {
    watches.drop();
  } catch {
    // If nothing can be written, the stored state no longer fits the journals, which readers notice.
  }
}

/** Builds it from every journal, reading only those that have grown. */
export async function makeWatch(parts: Parts): Promise<Watch> {
  const { watches } = parts;
  // Read before the list, so that a journal added meanwhile makes the result stale.
  const listed = await watches.listed();
  const last = watches.last();
  const held = new Map<string | undefined, Place[]>();
  for (const one of last?.places ?? []) held.set(one.from, [...(held.get(one.from) ?? []), one]);
  const quiet = watches.quiet();
  const silent: Record<string, number> = {};
  const made: Record<string, Made> = {};
  const places: Place[] = [];
  const families = new Map<string, Family>();
  let isSure = true;
  for (const { file, size, stream } of await watches.journals()) {
    if (quiet[file] === size) {
      silent[file] = size;
      continue;
    }
    const before = last?.made[file];
    const old = held.get(file) ?? [];
    const kept = before?.size === size ? old : undefined;
    const family = kept === undefined ? await parts.families.get(protocolOf(stream)) : undefined;
    if (family !== undefined) families.set(family.protocol.name, family);
    const root = before?.root ?? parts.workspace.root;
    const found =
      kept === undefined
        ? await placesFrom(parts, family, stream, { file, root, before: old })
        : { places: kept, sure: true };
    isSure &&= found.sure;
    if (found.places.length === 0) silent[file] = size;
    else made[file] = { size, root };
    places.push(...found.places);
  }
  const empty: Watch = { format: 1, made, listed, own: watches.own, roles: [], cites: {}, places };
  const watch = { ...known(last ?? empty, [...families.values()]), made, listed, places };
  if (!isSure) return watch;
  try {
    if (JSON.stringify(silent) !== JSON.stringify(quiet)) watches.keepQuiet(silent);
    watches.keep(watch);
  } catch {
    // The caller gets the result even if it could not be stored.
  }
  return watch;
}

/** A damaged journal says nothing reliable: what it held before is still held, or else everything. */
async function placesFrom(
  parts: Parts,
  family: Family | undefined,
  stream: string,
  of: { readonly file: string; readonly root: string; readonly before: readonly Place[] },
): Promise<Found> {
  const { state, damage } = await parts.journal.load(stream);
  const { file, root, before } = of;
  if (damage === undefined && family !== undefined)
    return { places: watchedPlaces(family, state, of), sure: true };
  if (damage === undefined && !isBusy(state)) return { places: [], sure: true };
  const why = damage === undefined ? "has a protocol that is not there" : "is damaged";
  const all = unknownPlace(root, `the journal of ${stream} ${why}`);
  return { places: before.length > 0 ? before : [{ ...all, from: file }], sure: false };
}

function isBusy({ dispatches, decisions, seals }: Workflow): boolean {
  const open = [...Object.values(dispatches), ...Object.values(decisions)];
  return Object.keys(seals).length > 0 || open.some((one) => one.status === "open");
}

interface Found {
  readonly places: readonly Place[];
  /** Whether it may be stored. */
  readonly sure: boolean;
}

function watchedPlaces(
  family: Family,
  state: Workflow,
  { file, root }: { readonly file: string; readonly root: string },
): readonly Place[] {
  return state.seq === 0 ? [] : family.watch(state).map((one) => placed(one, file, root));
}

function placed({ place, ...held }: Watched, from: string, root: string): Place {
  return { ...held, from, root: place === "" ? root : `${root}/${place}` };
}

/** Adds the roles and rules of these families. */
function known(watch: Watch, families: readonly Family[]): Watch {
  const roles = families.flatMap(({ words }) => words.agents.map((one) => one.name));
  const cites = families.map(({ protocol }) => protocol.rules ?? {});
  return {
    ...watch,
    roles: [...new Set([...watch.roles, ...roles])],
    cites: Object.assign({}, watch.cites, ...cites),
  };
}
