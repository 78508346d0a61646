import { performTask } from "./perform/perform.ts";
import type { GitPorts } from "./perform/outcome.ts";
import type { World } from "../../../ports/family.ts";
import type { TaskPlaces, Worktree } from "./places.ts";

/** A task's places in git, through the ports for worktrees and branches. */
export function placesFor(ports: GitPorts, cwd: string | undefined): TaskPlaces {
  const { worktrees, branches } = ports;
  // Facts are looked up in rounds. In one look every fact sees the same list, and git is asked once.
  const lists = new WeakMap<World, Promise<readonly Worktree[]>>();
  const status = new Map<string, () => Promise<readonly string[] | null>>();
  const dirty = (path: string): Promise<readonly string[] | null> => {
    const known = status.get(path);
    if (known !== undefined) return known();
    const look = together(async () => (await worktrees.status({ path }))?.dirty ?? null);
    status.set(path, look);
    return look();
  };
  return {
    worktrees: (world) => {
      const list = lists.get(world) ?? listOf(worktrees);
      lists.set(world, list);
      return list;
    },
    dirty,
    head: (branch) => branches.head(branch),
    ahead: (branch, base) => branches.ahead(branch, base),
    changed: (from, to) => branches.changed(from, to),
    departed: (span) => branches.departed(span),
    contains: (branch, commit) => branches.contains(branch, commit),
    remote: async () => (await branches.remote()) !== undefined,
    cwd: async () => cwd,
    file: (branch, path) => branches.file(branch, path),
    mentions: (branch, texts, under) => branches.mentions(branch, texts, under),
    perform: (world, state, effect, memory) => performTask(ports, { world, state, effect, memory }),
  };
}

async function listOf(worktrees: GitPorts["worktrees"]): Promise<readonly Worktree[]> {
  // A worktree whose directory was deleted is still in git's list but does not exist.
  return (await worktrees.list())
    .filter((one) => !one.prunable)
    .map(({ path, branch }) => ({ path, branch: branch ?? "" }));
}

/** Simultaneous calls share one look; a later call looks again. */
function together<T>(look: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return async () => {
    running ??= look().finally(() => {
      running = undefined;
    });
    return await running;
  };
}
