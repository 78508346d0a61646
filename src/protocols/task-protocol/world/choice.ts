import { object, text } from "../../../core/values/json-read.ts";
import type { Choice, World } from "../../../ports/family.ts";
import { parseTodo } from "../files/todo-md.ts";
import type { TodoEntry } from "../files/todo-md.ts";
import type { TaskPlaces } from "./places.ts";
import { nextTask } from "../table/selection.ts";
import type { Entry, LockOwner } from "../table/selection.ts";
import { readList } from "./elsewhere.ts";
import { rootDir } from "./settings.ts";
import { remedy } from "../../../core/table/remedy.ts";

/** The first READY entry that nobody has, with every entry that was looked at. */
export async function choiceOf(places: TaskPlaces, world: World): Promise<Choice | undefined> {
  const list = await readList(places, world);
  const open = parseTodo(list ?? "").entries.filter((one) => !one.done);
  if (open.length === 0) return undefined;
  const root = rootDir({}, world.config);
  const worktrees = new Set((await places.worktrees(world)).map((one) => one.path));
  const owners = await ownersOf(world);
  const locks = new Map(
    await Promise.all(
      open.map(async ({ name }) => [name, await lockOf(world, `${root}/${name}`)] as const),
    ),
  );
  const choice = nextTask(
    open.map((entry) => entryOf(entry, open)),
    (name) => ({
      lock: owners.has(name) ? "another" : (locks.get(name) ?? "none"),
      worktree: worktrees.has(`${root}/${name}/code`),
    }),
  );
  const checked = choice.checked.map(({ task, selection, why }) => {
    const owner = owners.get(task) ?? "";
    return { name: task, verdict: selection, why: owner === "" ? why : `session ${owner} has it` };
  });
  const { task: next, counts } = choice;
  const run = remedy("start", {
    workflow: next ?? "",
    protocol: "task-protocol",
    options: { feasibility: "yes" },
  });
  return { next, run: next === null ? [] : [run], counts: { ...counts }, checked };
}

/**
 * An entry is blocked by those still in the list. If all its dependencies are done, it only lacks the word READY.
 */
function entryOf({ name, status, dependencies }: TodoEntry, open: readonly TodoEntry[]): Entry {
  const blockedBy = dependencies.filter((one) => open.some((other) => other.name === one));
  const freed = status === "BLOCKED" && dependencies.length > 0 && blockedBy.length === 0;
  return { name, status: freed ? "READY" : status, blockedBy };
}

/** Tasks in the journal that have not ended, each with its session. */
async function ownersOf(world: World): Promise<ReadonlyMap<string, string>> {
  const all = (await world.workflows()).map((one) => object(one.summary));
  return new Map(
    all
      .filter((one) => one["protocol"] === "task-protocol" && one["at"] !== "CLEANUP")
      .map((one) => [text(one["id"]), text(one["session"])]),
  );
}

/** A lock without a journal was written by somebody else, readable or not. */
async function lockOf({ workspace }: World, dir: string): Promise<LockOwner> {
  return (await workspace.read(`${dir}/task.json`)).kind === "absent" ? "none" : "another";
}
