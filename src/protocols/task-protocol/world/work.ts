/**
 * What a task changes, as one digest: every file it touches, as it was where the branch began and as it is now. A
 * verdict bound to it holds while these files stay the same on both sides. Anything else new on main is covered
 * by the checks, which run on the whole tree. Closing the two lists is done by the engine and left out.
 */
import type { Workflow } from "../../../core/state/state.ts";
import { text } from "../../../core/values/json-read.ts";
import {
  changedEntries,
  changedSections,
  closeChangelog,
  closeTodo,
  type Completion,
  lostProse,
  lostWords,
  sectionText,
} from "../files/close-lists.ts";
import { parseChangelog } from "../files/changelog-md.ts";
import type { World } from "../../../ports/family.ts";
import type { TaskPlaces } from "./places.ts";

export async function workOf(places: TaskPlaces, world: World, state: Workflow): Promise<string> {
  const { entries, since } = await places.ahead(state.id, text(state.vars["main"]) || "main");
  const lists = await ownPart(places, state, since ?? "");
  const lines = Object.entries({ ...entries, ...lists })
    .filter(([, entry]) => entry !== CLOSED)
    .map(([path, entry]) => `${entry} ${path}`);
  return `sha256:${world.sha256(lines.toSorted().join("\0"))}`;
}

const CLOSED = "closed";

/** What the branch changes for other tasks in the two lists, which every task may edit to close itself. */
export async function lookOthers(
  places: TaskPlaces,
  state: Workflow,
  planned: readonly string[] = [],
): Promise<readonly string[]> {
  const { id, vars } = state;
  const { since = "", files } = await places.ahead(id, text(vars["main"]) || "main");
  const told = [
    { path: text(vars["todo"]), changed: changedEntries, lost: lostProse },
    { path: text(vars["changelog"]), changed: changedSections, lost: lostWords },
  ].map(async ({ path, changed, lost }) => {
    if (!files.includes(path)) return [];
    const [before, after] = await Promise.all([places.file(since, path), places.file(id, path)]);
    const gone = planned.includes(path) ? [] : lost(before ?? "", after ?? "");
    const more = gone.length - LINES_MAX;
    return [
      ...changed(before ?? "", after ?? "", id).map((name) => `what ${path} says of ${name}`),
      ...gone.slice(0, LINES_MAX).map((line) => `what ${path} says in "${line}"`),
      ...(more > 0 ? [`what ${path} says in ${more} more lines`] : []),
    ];
  });
  return (await Promise.all(told)).flat();
}

const LINES_MAX = 5;

/** Lists in which the branch only closes its own task. Other tasks closing theirs is not a change of this one. */
async function ownPart(
  places: TaskPlaces,
  { id, vars }: Workflow,
  since: string,
): Promise<Readonly<Record<string, string>>> {
  const how: Completion = vars["completion"] === "mark" ? "mark" : "remove+changelog";
  const [todo, changelog] = [text(vars["todo"]), text(vars["changelog"])];
  const read = async (path: string): Promise<readonly string[]> => {
    const [before, after] = await Promise.all([places.file(since, path), places.file(id, path)]);
    return [before ?? "", after ?? ""];
  };
  const [[list = "", listNow = ""], [log = "", logNow = ""]] = await Promise.all([
    read(todo),
    read(changelog),
  ]);
  const whole = (merged: string): Parameters<typeof closeTodo>[0] => ({
    merged,
    ours: merged,
    theirs: merged,
    since: merged,
  });
  const entry = parseChangelog(logNow).find((one) => one.task === id);
  const own = { task: id, date: entry?.date ?? "", title: entry?.title ?? "" };
  const kept = closeChangelog({ merged: undefined, ours: logNow, theirs: log, since: log }, own);
  const plain = closeChangelog(whole(log), own) === logNow;
  return {
    ...(listNow === closeTodo(whole(list), id, how) ? { [todo]: CLOSED } : {}),
    ...(entry !== undefined && plain ? { [changelog]: CLOSED } : {}),
    ...(entry !== undefined && !plain && kept === logNow
      ? { [changelog]: sectionText(logNow, id) }
      : {}),
  };
}
