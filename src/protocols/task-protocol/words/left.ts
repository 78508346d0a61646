import { text } from "../../../core/values/json-read.ts";
import type { Workflow } from "../../../core/state/state.ts";
import type { Advice, World } from "../../../ports/family.ts";
import type { TaskPlaces } from "../world/places.ts";

/**
 * What an ended task has left in this clone while another one brought it to its end: only there its worktree, branch
 * and papers were put away. Nothing is removed here by itself, because only a person knows what else is in them.
 */
export async function leftHere(
  places: TaskPlaces,
  world: World,
  { id, vars, effects }: Workflow,
): Promise<readonly Advice[]> {
  const all = Object.values(effects);
  const isShared = all.some(({ by }) => by?.place !== undefined);
  if (!isShared || all.some(({ status }) => status === "wanted")) return [];
  const [dir, main] = [`${text(vars["root"])}/${id}`, text(vars["main"])];
  const trees = (await places.worktrees(world)).filter((one) => one.path.startsWith(`${dir}/`));
  const merge = all.findLast(({ kind, args }) => kind === "merge-ff" && args["scope"] === "main");
  const merged = merge?.status === "done" ? text(merge.detail["oid"]) : "";
  const branch = await places.head(id);
  if (trees.length === 0 && branch === undefined) return [];
  if (merged !== "" && !(await places.contains(main, merged))) {
    const todo = text(vars["todo"]);
    // The task's word in the list was written here when it began, and git does not merge over it.
    const isWritten = (await places.dirty("."))?.includes(todo) === true;
    return [
      {
        action: "not-fetched",
        why: `another clone merged it as ${merged.slice(0, 12)}, which ${main} here does not have yet; its worktree and branch are still here`,
        run: [
          "git fetch",
          ...(isWritten ? [`git stash push -- ${todo}`] : []),
          "git merge --ff-only @{u}",
        ],
      },
    ];
  }
  const own = branch === undefined ? [] : (await places.ahead(id, main)).commits;
  const lost =
    own.length === 0 ? "" : `; look first at what only ${id} has here: git log ${main}..${id}`;
  return [
    {
      action: "left-behind",
      why: `another clone brought it to its end, and its worktree, branch or papers are still here${lost}`,
      run: [
        ...trees.flatMap(({ path }) => [
          `git worktree unlock ${path}`,
          `git worktree remove ${path}`,
        ]),
        ...(branch === undefined ? [] : [`git branch ${own.length === 0 ? "-d" : "-D"} ${id}`]),
        `rm -r ${dir}`,
      ],
    },
  ];
}
