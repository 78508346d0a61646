/** What agents brought to the task branch, what else is on it, and which of their work is missing. */
import type { Json } from "../../../core/values/json.ts";
import { objects, text, texts } from "../../../core/values/json-read.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { unknown } from "../../../core/values/unknown.ts";
import { broughtIn, enteredAt, madeBefore, requiredAgents } from "../table/states.ts";
import { isPlain, isProse } from "../table/risk.ts";
import type { Ahead, TaskPlaces } from "./places.ts";
import { listsOf } from "./settings.ts";

/**
 * Source on the task branch that no agent brought: a file none of them touched, or one that somebody else has
 * changed. Which commits it is in, and what their messages say, proves nothing.
 */
export async function lookOwnSource(
  places: TaskPlaces,
  task: string,
  state: Workflow,
): Promise<Json> {
  if (requiredAgents(state).length === 0) return [];
  const lists = listsOf(state.vars);
  const { files, entries } = await places.ahead(task, text(state.vars["main"]));
  const source = files.filter(
    (path) => !lists.includes(path) && !(isProse(path) && isPlain(entries[path] ?? "")),
  );
  const look = asked(places, state);
  const merges = mergesOf(state);
  const own: string[] = [];
  for (const path of source) {
    const chain = merges.filter((one) => one.files.includes(path));
    if (!(await isAgents(look, { path, chain, at: task }))) own.push(path);
  }
  return own;
}

/** Source that reads otherwise than when REVIEW began, beside what main has got meanwhile: by then agents only judge. */
export async function lookLateSource(
  places: TaskPlaces,
  task: string,
  state: Workflow,
): Promise<Json> {
  const { reviewed, main } = state.vars;
  // Whoever has not come through REVIEW since the last plan has no such moment.
  if (enteredAt(state, "REVIEW") <= enteredAt(state, "SYNTHESIS")) return [];
  const { since = "", entries } = await places.ahead(task, text(main));
  const departed = await places.departed({ from: text(reviewed), onto: since, to: task });
  if (departed === undefined) return unknown("it is not known what stood there when REVIEW began");
  const lists = listsOf(state.vars);
  return departed.filter(
    (path) => !lists.includes(path) && !(isProse(path) && isPlain(entries[path] ?? "")),
  );
}

interface Followed {
  readonly path: string;
  /** The merges of agents' work that touch it, oldest first. */
  readonly chain: readonly Merge[];
  readonly at: string;
}

/**
 * Whether a file is as agents left it, apart from changes on main, and each agent's work started from what
 * another agent or main had. Otherwise somebody wrote in between, and an agent's next commit would hide that.
 */
async function isAgents(look: Asked, { path, chain, at }: Followed): Promise<boolean> {
  const { since, files } = await look.ahead(at);
  if (since === undefined) return false;
  const last = chain.at(-1);
  const differs = async (from: string): Promise<boolean> =>
    (await look.departed({ from, onto: since, to: at }))?.includes(path) !== false;
  // When people released another plan, they were told what was there at that point.
  if (look.told !== "" && at !== look.task && !(await differs(look.told))) return true;
  if (last === undefined) return !files.includes(path);
  if (await differs(last.oid)) return false;
  return await isAgents(look, { path, chain: chain.slice(0, -1), at: `${last.first}^` });
}

interface Asked {
  readonly task: string;
  /** Where the branch was when it last went back for another plan. */
  readonly told: string;
  readonly ahead: (at: string) => Promise<Ahead>;
  readonly departed: TaskPlaces["departed"];
}

/** Shares answers between files, so that git is asked each question once. */
function asked(places: TaskPlaces, { id, vars }: Workflow): Asked {
  const main = text(vars["main"]);
  const heads = new Map<string, Promise<Ahead>>();
  const spans = new Map<string, ReturnType<TaskPlaces["departed"]>>();
  return {
    task: id,
    told: text(vars["replanned"]),
    ahead: (at) => known(heads, at, () => places.ahead(at, main)),
    departed: (span) => known(spans, Object.values(span).join(" "), () => places.departed(span)),
  };
}

function known<T>(answers: Map<string, T>, key: string, ask: () => T): T {
  const answer = answers.get(key) ?? ask();
  answers.set(key, answer);
  return answer;
}

/**
 * Files whose latest work by an agent is no longer on the branch: they are the same as on main, and differ from
 * what was merged. Files that a new plan no longer names may be missing.
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
  // An agent's branch from before a squash still contains the original commits, which must not count as new.
  for (const oid of madeBefore(state).toReversed()) {
    if (!(await places.contains(branch, oid))) continue;
    const since = await places.ahead(branch, oid);
    return files.filter((path) => since.files.includes(path));
  }
  return files;
}

interface Merge {
  readonly oid: string;
  /** Its first commit; empty if it brought none. */
  readonly first: string;
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
    // Each report of finished work leads to one merge, so the two lists of an agent correspond by position.
    const nth = tries.filter((other) => other.unit === one.unit).indexOf(one);
    const order = Object.values(dispatches).filter(
      ({ unit, spec, outcome }) =>
        unit === one.unit && spec === "implementation" && outcome === "COMPLETE",
    )[nth];
    return [
      {
        oid: text(one.detail["oid"]),
        first: text(commits[0]?.["sha"]),
        files: commits.flatMap((commit) => [
          ...texts(commit["created"]),
          ...texts(commit["modified"]),
        ]),
        since: order?.sentSeq ?? 0,
      },
    ];
  });
}
