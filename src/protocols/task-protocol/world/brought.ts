/** What agents brought to the task branch, what is there beside it, and what of it is gone. */
import type { Json } from "../../../core/values/json.ts";
import { objects, text, texts } from "../../../core/values/json-read.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { broughtIn, enteredAt, madeBefore, requiredAgents } from "../table/states.ts";
import { isProse } from "../table/risk.ts";
import type { TaskPlaces } from "./places.ts";
import { listsOf } from "./settings.ts";

/**
 * Source on the task branch that no agent brought: a file none of them touched, or one that reads otherwise
 * than in the last work that was merged. How many commits it is in, and what they say, proves nothing.
 */
export async function lookOwnSource(
  places: TaskPlaces,
  task: string,
  state: Workflow,
): Promise<Json> {
  if (requiredAgents(state).length === 0) return [];
  const main = text(state.vars["main"]);
  const lists = listsOf(state.vars);
  const { files } = await places.ahead(task, main);
  const brought = agentWork(state);
  const last = brought.oids.at(-1);
  // What main changed meanwhile differs too, and is nobody's work here.
  const [differ, moved] =
    last === undefined
      ? [[], []]
      : [await places.changed(last, task), (await places.ahead(main, last)).files];
  return files
    .filter((path) => !lists.includes(path) && !isProse(path))
    .filter((path) => !brought.files.has(path) || (differ.includes(path) && !moved.includes(path)));
}

/**
 * Files whose last work by an agent is not on the branch any more: they read as on main, and otherwise than where that
 * work was merged. What a new plan does not name any more may go with it.
 */
export async function lookLost(
  places: TaskPlaces,
  task: string,
  state: Workflow,
  planned: readonly string[],
): Promise<Json> {
  const { files } = await places.ahead(task, text(state.vars["main"]));
  const newest = new Map<string, Merge>();
  for (const merge of mergesOf(state)) for (const path of merge.files) newest.set(path, merge);
  const wanted = [...newest].filter(
    ([path, { since }]) =>
      !files.includes(path) && (planned.includes(path) || since > enteredAt(state, "SYNTHESIS")),
  );
  const oids = [...new Set(wanted.map(([, { oid }]) => oid))];
  const differ = new Map(
    await Promise.all(oids.map(async (oid) => [oid, await places.changed(oid, task)] as const)),
  );
  return wanted
    .filter(([path, { oid }]) => differ.get(oid)?.includes(path) === true)
    .map(([path]) => path)
    .filter((path) => !listsOf(state.vars).includes(path));
}

/** What an agent's branch would add to the task branch. */
export async function lookBrings(
  places: TaskPlaces,
  agent: string,
  state: Workflow,
): Promise<Json> {
  const branch = `${state.id}-${agent}`;
  const tip = await places.head(branch);
  if (tip === undefined || broughtIn(state, agent).includes(tip.commit)) return [];
  const { files } = await places.ahead(branch, state.id);
  // A branch from before the task branch was made one commit still has all that went into it.
  for (const oid of madeBefore(state).toReversed()) {
    if (!(await places.contains(branch, oid))) continue;
    const since = await places.ahead(branch, oid);
    return files.filter((path) => since.files.includes(path));
  }
  return files;
}

interface Merge {
  readonly oid: string;
  readonly files: readonly string[];
  /** The record of the order that it answers. */
  readonly since: number;
}

/** Agents' work as it was merged, oldest first. */
function mergesOf({ effects, dispatches }: Workflow): readonly Merge[] {
  const tries = Object.values(effects).filter(
    (one) => one.kind === "merge-ff" && one.args["scope"] === "agent",
  );
  return tries.flatMap((one) => {
    if (one.status !== "done") return [];
    const commits = objects(one.detail["commits"]);
    // Each report of finished work wants one merge, so the two lists of an agent go side by side.
    const nth = tries.filter((other) => other.unit === one.unit).indexOf(one);
    const order = Object.values(dispatches).filter(
      ({ unit, spec, outcome }) =>
        unit === one.unit && spec === "implementation" && outcome === "COMPLETE",
    )[nth];
    return [
      {
        oid: text(one.detail["oid"]),
        files: commits.flatMap((commit) => [
          ...texts(commit["created"]),
          ...texts(commit["modified"]),
        ]),
        since: order?.sentSeq ?? 0,
      },
    ];
  });
}

/** The files that agents' merged commits touch, and the commits the task branch then stood at. */
function agentWork(state: Workflow): {
  readonly files: ReadonlySet<string>;
  readonly oids: readonly string[];
} {
  const merges = mergesOf(state).filter(({ files }) => files.length > 0);
  return {
    files: new Set(merges.flatMap(({ files }) => files)),
    oids: merges.map(({ oid }) => oid),
  };
}
