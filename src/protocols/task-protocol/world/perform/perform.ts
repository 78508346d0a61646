import type { JsonObject } from "../../../../core/values/json.ts";
import type { Workflow } from "../../../../core/state/state.ts";
import type { World } from "../../../../ports/family.ts";
import type { Done, NotDone } from "../../../../ports/worktrees.ts";
import { fixesIn } from "../fixes.ts";
import { logOf } from "../../table/log.ts";
import { recordedPlaces } from "../../table/made.ts";
import { closeTask } from "./close.ts";
import { merge } from "./merge.ts";
import { ended, notDone, type GitPorts, type Wanted } from "./outcome.ts";
import type { Outcome } from "../places.ts";
import { madeBefore } from "../../table/states.ts";
import { object, text } from "../../../../core/values/json-read.ts";

type Perform = (ports: GitPorts, wanted: Wanted) => Promise<Outcome>;

const PERFORM: Readonly<Record<string, Perform>> = {
  worktree: makeWorktrees,
  "worktree-remove": removeWorktrees,
  "merge-ff": merge,
  squash,
  archive,
  push,
};

export async function performTask(ports: GitPorts, wanted: Wanted): Promise<Outcome> {
  const perform = PERFORM[wanted.effect.kind];
  if (perform === undefined) throw new Error(`Cannot perform "${wanted.effect.kind}"`);
  const outcome = await perform(ports, wanted);
  // If the protocol cannot undo the step, the effect stays pending.
  return outcome.kind === "failed" && wanted.effect.undo === null
    ? { ...outcome, kind: "blocked" }
    : outcome;
}

/** Runs one after the other, up to the first failure. */
async function eachOf<T, D>(
  all: readonly T[],
  run: (one: T) => Promise<Done<D>>,
): Promise<readonly D[] | NotDone> {
  const results: D[] = [];
  for (const one of all) {
    const outcome = await run(one);
    if (outcome.kind === "refused") return outcome;
    results.push(outcome);
  }
  return results;
}

interface Place {
  readonly name: string;
  readonly path: string;
  readonly branch: string;
}

function agentPlaces(state: Workflow, dir: string): readonly Place[] {
  return Object.values(state.units)
    .filter((unit) => unit.kind === "agent")
    .map(({ id }) => ({
      name: id,
      path: `${dir}/${id}/code`,
      branch: `${state.id}-${id}`,
    }));
}

/** Worktrees of agents that have no part in the work any more: deselected, or done without. */
function leftPlaces(state: Workflow): readonly Place[] {
  const dir = `${text(state.vars["root"])}/${state.id}/agents/`;
  const current = new Set(agentPlaces(state, dir.slice(0, -1)).map(({ path }) => path));
  const made = recordedPlaces(state)
    .filter(({ path }) => path.startsWith(dir) && !current.has(path))
    .map((place) => ({ ...place, name: place.path.slice(dir.length).replace(/\/code$/, "") }));
  return [...new Map(made.map((place) => [place.path, place])).values()];
}

/** The worktrees that an effect concerns: the task's, one agent's, or all agents'. */
function placesOf({ state, effect: { args, unit } }: Wanted): readonly Place[] {
  const path = text(args["path"]);
  const task = `${text(state.vars["root"])}/${state.id}`;
  switch (text(args["scope"])) {
    case "agents":
      return agentPlaces(state, path);
    case "all":
      return [
        ...agentPlaces(state, `${task}/agents`),
        ...leftPlaces(state),
        { name: "task", path: `${task}/code`, branch: state.id },
      ];
    default:
      return [
        { name: args["scope"] === "agent" ? unit : "task", path, branch: text(args["branch"]) },
      ];
  }
}

function isRecorded(state: Workflow, { path, branch }: Place): boolean {
  return recordedPlaces(state).some((made) => made.path === path && made.branch === branch);
}

async function makeWorktrees({ worktrees }: GitPorts, wanted: Wanted): Promise<Outcome> {
  const { state, effect } = wanted;
  const { mode, base } = effect.args;
  const fresh: Place[] = [];
  const made = await eachOf(placesOf(wanted), async (place) => {
    const { path, branch, name } = place;
    if (mode === "fresh") {
      const into = text(base);
      const plan = { path, branch, into, recorded: true, task: state.id, name };
      const gone = await worktrees.remove(plan);
      if (gone.kind === "refused") return gone;
    }
    const recorded = mode === "adopt" || isRecorded(state, place);
    const reason = `holdpoint: task ${state.id}`;
    const added = await worktrees.add({ path, branch, base: text(base), recorded, reason });
    if (added.kind === "refused") return added;
    if (added.created && !recorded) fresh.push(place);
    return { ...added, path, branch };
  });
  if ("kind" in made) {
    // All or nothing: what this attempt created is removed again; what existed before stays.
    for (const place of fresh.toReversed())
      await worktrees.remove({ ...place, into: text(base), recorded: true, task: state.id });
    return notDone(made);
  }
  const done = { made: made.map(({ path, branch, commit }) => ({ path, branch, commit })) };
  if (effect.args["scope"] !== "agents") return ended(done);
  // After a new selection, agents that are no longer selected leave nothing behind.
  const gone = await eachOf(
    leftPlaces(state),
    async (place) =>
      await worktrees.remove({ ...place, into: state.id, recorded: true, task: state.id }),
  );
  if ("kind" in gone) return notDone(gone);
  const saved = gone.flatMap((one) => one.saved);
  return ended(
    { ...done, ...(saved.length === 0 ? {} : { saved }) },
    saved.map((ref) => `saved as ${ref}`),
  );
}

async function removeWorktrees({ worktrees }: GitPorts, wanted: Wanted): Promise<Outcome> {
  const { state, world } = wanted;
  // Only what the journal says was made for this task may be removed.
  const own = placesOf(wanted).filter((place) => isRecorded(state, place));
  const removed = await eachOf(own, async (place) => {
    const into = place.name === "task" ? text(state.vars["main"]) : state.id;
    return await worktrees.remove({ ...place, into, recorded: true, task: state.id });
  });
  if ("kind" in removed) return notDone(removed);
  const saved = removed.flatMap((one) => one.saved);
  if (wanted.effect.args["scope"] === "all") await clearFolder(world, state);
  return ended(
    { saved },
    saved.map((ref) => `saved as ${ref}`),
  );
}

/** Files that are in the archive are removed; anything else stays. */
async function clearFolder({ workspace }: World, state: Workflow): Promise<void> {
  const kept = Object.values(state.effects).findLast(
    (one) => one.kind === "archive" && one.status === "done",
  );
  const files = Array.isArray(kept?.detail["files"]) ? kept.detail["files"] : [];
  const dir = `${text(state.vars["root"])}/${state.id}`;
  // Files in the place of a worktree never belonged to this task.
  const own = files.filter(
    (one) => typeof one === "string" && !/^(?:agents\/[^/]+\/)?code\//.test(one),
  );
  for (const name of own.map((one) => text(one))) {
    const here = await workspace.read(`${dir}/${name}`);
    const there = await workspace.read(`${text(kept?.detail["to"])}/${name}`);
    if (here.kind !== "text" || there.kind !== "text" || here.text !== there.text) continue;
    await workspace.install(`${dir}/${name}`, null, here.text);
  }
}

async function squash(ports: GitPorts, wanted: Wanted): Promise<Outcome> {
  const { branches } = ports;
  const { state, effect } = wanted;
  const [branch, base, message] = ["from", "to", "message"].map((name) => text(effect.args[name]));
  const closing = { state, branch: branch ?? "", base: base ?? "", message: message ?? "" };
  // After the squash, they are one commit and cannot be told apart.
  const fixes = await fixesBefore(ports, wanted);
  const squashed = await closeTask(branches, closing);
  if (squashed.kind === "refused") return notDone(squashed);
  const behind = await bringAlong(branches, state);
  return ended({ oid: squashed.commit, ...fixes }, behind);
}

/**
 * Moves agents' branches to the squashed commit. On the old history, their next work would conflict with their
 * last. An agent whose worktree is not clean stays where it is; its new work is recognised later by comparing
 * with what was merged.
 */
async function bringAlong(
  branches: GitPorts["branches"],
  state: Workflow,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const { branch, name } of agentPlaces(state, "")) {
    if ((await branches.head(branch)) === undefined) continue;
    const had = madeBefore(state);
    const moved = await branches.rebase({ branch, onto: state.id, had });
    if (moved.kind === "refused") told.push(`${name} stays where it was: ${moved.message}`);
  }
  return told;
}

/**
 * The fixes that go into the squashed commit. If an earlier attempt died after squashing, they are remembered
 * from it.
 */
async function fixesBefore(
  { branches }: GitPorts,
  { state, effect, memory }: Wanted,
): Promise<JsonObject> {
  const branch = text(effect.args["from"]);
  const seen = (await memory?.recall()) ?? {};
  const tip = text(seen["tip"]);
  if (tip !== "" && !(await branches.contains(branch, tip))) return object(seen["fixes"]);
  const fixes = await fixesIn(branches, state);
  await memory?.keep({ tip: (await branches.head(branch))?.commit ?? "", fixes });
  return fixes;
}

/** Named after the time the task ended, so that a second attempt finds the first. */
async function archive({ worktrees }: GitPorts, { state, effect }: Wanted): Promise<Outcome> {
  const at = (logOf(state).at(-1)?.timestamp ?? state.startedAt).replaceAll(/[^0-9TZ]/g, "");
  const to = `${text(effect.args["to"])}/${state.id}-${at}`;
  const kept = await worktrees.archive({ from: text(effect.args["from"]), to });
  return kept.kind === "refused" ? notDone(kept) : ended({ to: kept.to, files: [...kept.files] });
}

async function push({ branches }: GitPorts, { state, effect }: Wanted): Promise<Outcome> {
  const branch = text(effect.args["branch"]);
  const head = await branches.head(branch);
  const recorded = Object.values(state.effects)
    .filter((one) => one.kind === "push" && one.status === "done")
    .map((one) => text(one.detail["oid"]));
  const pushed = await branches.push({ branch, commit: head?.commit ?? "", recorded });
  if (pushed.kind === "refused") return notDone(pushed);
  return ended({ oid: pushed.commit, remote: pushed.remote });
}
