import { fillText } from "../../core/decide/draft.ts";
import { matchesGlob } from "../../core/values/glob.ts";
import { isJsonObject, member } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import { texts } from "../../core/values/json-read.ts";
import { readMeasured } from "../../core/values/measured.ts";
import type { Change, Measured } from "../../core/values/measured.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Left, Workflow } from "../../core/state/state.ts";
import type { Family, World, WorkOut } from "../../ports/family.ts";
import { changeSince, movedIn, readBaseline } from "./measure.ts";

/**
 * What changed in a unit's files since its last step, while no order was out. Null if nothing did, if there was
 * no step yet, or while work is out, because then the change is measured with its report.
 */
export async function lookUnordered(
  ...[world, unit, state, family]: [World, string, Workflow, Family]
): Promise<Json> {
  const place = family.checks.at(state, unit);
  const isHere = (one: string): boolean => family.checks.at(state, one) === place;
  const here = Object.values(state.dispatches).filter((one) => isHere(one.unit));
  const last = lastLeft(state, isHere);
  if (last === undefined || here.some((one) => one.status !== "ended")) return null;
  const found = await changeSince(world, last, state, family);
  const measured = readMeasured(found);
  if (measured === undefined || typeof measured === "string") return found;
  const off = here.filter(
    (one) => one.outcome === "cancelled" && one.sentSeq >= last.seq && one.sentAt >= last.at,
  );
  const files = await nobodys(world, { state, family, left: last }, measured);
  if (Object.keys(files).length === 0 && measured.commits.length === 0) return null;
  return {
    files,
    moved: movedIn(new Map(Object.entries(files))),
    commits: measured.commits,
    ...(measured.committed.length === 0 ? {} : { committed: measured.committed }),
    ...(off.length === 0 ? {} : { off: off.map((one) => one.id) }),
  };
}

type LeftOf = Left & { readonly unit: string };

/** The last step that ended in this directory, of any unit. */
function lastLeft({ left }: Workflow, isHere: (unit: string) => boolean): LeftOf | undefined {
  return Object.entries(left)
    .filter(([unit]) => isHere(unit))
    .map(([unit, one]) => ({ ...one, unit }))
    .toSorted((a, b) => b.seq - a.seq)[0];
}

/**
 * Leaves out what check runs wrote, and what other workflows were ordered to change outside this workflow's
 * paths.
 */
async function nobodys(
  world: World,
  {
    state,
    family,
    left,
  }: { readonly state: Workflow; readonly family: Family; readonly left: LeftOf },
  { files }: Measured,
): Promise<Readonly<Record<string, Change>>> {
  const byRuns = new Set(writtenByRuns(state, left.seq));
  const isOwn = homeOf(state, family);
  const paths = Object.entries(files).filter(([path]) => !byRuns.has(path));
  if (!paths.some(([path]) => !isOwn(path))) return Object.fromEntries(paths);
  const { work } = await world.written(left.at);
  const orders = await Promise.all(
    work.filter((one) => one.workflow !== state.id).map((one) => explain(world, one)),
  );
  return Object.fromEntries(
    paths.filter(([path, change]) => isOwn(path) || !orders.some((one) => one(path, change))),
  );
}

/** Files that check runs wrote, such as a coverage report. */
function writtenByRuns({ findings }: Workflow, since: number): readonly string[] {
  return Object.values(findings)
    .filter((one) => one.seq > since && isJsonObject(one.detail))
    .flatMap(({ detail }) => [...texts(detail?.["wrote"]), ...texts(detail?.["changed"])]);
}

/**
 * Whether a path is one that this workflow's orders may change. If some work does not limit its paths, every path
 * is.
 */
function homeOf(state: Workflow, { protocol }: Family): (path: string) => boolean {
  const unit = state.units[ROOT] ?? { id: ROOT, data: {} };
  const makes = Object.values(protocol.work).map((spec) => spec.makes ?? ["**"]);
  const patterns = makes.flat().map((pattern) => fillText(pattern, { state, unit }));
  return (path) => patterns.some((pattern) => matchesGlob(pattern, path));
}

/**
 * The changes explained by another workflow's order: measured with its report, or within an order that is still
 * out.
 */
async function explain(
  world: World,
  { measured, out }: WorkOut,
): Promise<(path: string, change: Change) => boolean> {
  if (out !== undefined) {
    const before = await readBaseline(world, out);
    return (path, [was]) => before !== undefined && (before.files.get(path) ?? null) === was;
  }
  const known = readMeasured(measured);
  if (known === undefined || typeof known === "string") return () => false;
  return (path, [, now]) => member(known.files, path)?.[1] === now;
}
