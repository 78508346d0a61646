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
 * Updates it after a step, for the workflow that moved and no other. It only serves warnings, so an error here does
 * not fail the step; the next reader rebuilds it.
 */
async function keepWatch(parts: Parts, family: Family, workflow: string): Promise<void> {
  const { watches } = parts;
  try {
    const stream = streamOf(family, workflow);
    const journal = await watches.journal(stream);
    if (journal === undefined) return;
    const { file, size } = journal;
    // Read before the names, so that a journal added meanwhile makes the result stale.
    const listed = await watches.listed();
    const last = watches.last();
    if (last === undefined || !(await knowsOthers(watches, last, { file, listed }))) {
      await makeWatch(parts);
      return;
    }
    if ((last.made[file]?.size ?? last.silent?.[file]) === size) return;
    const { state } = await parts.journal.load(stream);
    const { root } = parts.workspace;
    const { roles, cites } = knownOf([family]);
    watches.add({
      file,
      size,
      root,
      listed,
      roles: roles.filter((one) => !last.roles.includes(one)),
      cites: Object.fromEntries(
        Object.entries(cites).filter(([code, rule]) => last.cites[code] !== rule),
      ),
      places: watchedPlaces(family, state, { file, root }),
    });
  } catch {
    dropQuietly(parts);
  }
}

/** Whether no other journal was added or removed since. Readers notice themselves whether others have grown. */
async function knowsOthers(
  watches: Parts["watches"],
  last: Watch,
  { file, listed }: { readonly file: string; readonly listed: number },
): Promise<boolean> {
  if (last.listed === listed) return true;
  const known = new Set([
    ...Object.keys(watches.quiet()),
    ...Object.keys(last.silent ?? {}),
    ...Object.keys(last.made),
    file,
  ]);
  const names = new Set(await watches.names());
  return known.size === names.size && [...known].every((one) => names.has(one));
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
  const stored = watches.quiet();
  const quiet = { ...stored, ...last?.silent };
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
  const { silent: _, ...known } = last ?? empty;
  const added = knownOf([...families.values()]);
  const watch: Watch = {
    ...known,
    roles: [...new Set([...known.roles, ...added.roles])],
    cites: { ...known.cites, ...added.cites },
    made,
    listed,
    places,
  };
  if (!isSure) return watch;
  try {
    if (JSON.stringify(silent) !== JSON.stringify(stored)) watches.keepQuiet(silent);
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

/** The roles and rules of these families. */
function knownOf(families: readonly Family[]): Pick<Watch, "roles" | "cites"> {
  const cites = families.map(({ protocol }) => protocol.rules ?? {});
  return {
    roles: [...new Set(families.flatMap(({ words }) => words.agents.map((one) => one.name)))],
    cites: Object.assign({}, ...cites),
  };
}
