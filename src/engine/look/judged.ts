import { isJsonObject, member } from "../../core/values/json.ts";
import type { Bound, Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";

/** Two changes closer together than the file system's clock resolution leave the same times. */
const SETTLE_MS = 150;

export interface Watched {
  /** What has happened to the files since the watch began. */
  readonly written: () => Promise<Written>;
}

export interface Written {
  /** Existing files that were written or removed. */
  readonly touched: readonly string[];
  readonly added: readonly string[];
}

/**
 * Watches the files that a check judges while it runs. Files with the same bytes before and after may have been
 * different in between; their change time, which no program can set, reveals that.
 */
export async function watch(
  parts: Parts,
  run: {
    readonly family: Family;
    readonly state: Workflow;
    /** The directory the check runs in, relative to the top of the worktree. */
    readonly at: string;
    readonly bound: Bound;
  },
): Promise<Watched> {
  const stamps = async (): Promise<ReadonlyMap<string, string | undefined>> => {
    const found = new Map<string, string | undefined>();
    for (const path of await judged(parts, run)) found.set(path, await parts.workspace.stamp(path));
    return found;
  };
  let before = await stamps();
  if ([...before.values()].includes(undefined)) {
    // The file was written so recently that its times cannot prove anything yet. Wait a moment.
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    before = await stamps();
  }
  return {
    written: async () => {
      const after = await stamps();
      const isTouched = (path: string): boolean =>
        !after.has(path) || before.get(path) !== after.get(path);
      return {
        touched: [...before.keys()].filter(isTouched),
        added: [...after.keys()].filter((path) => !before.has(path)),
      };
    },
  };
}

/** The files that the facts are about; if the check has a directory of its own, everything in it. */
async function judged(
  { workspace }: Parts,
  { family, state, at, bound }: Parameters<typeof watch>[1],
): Promise<ReadonlySet<string>> {
  const views = new Set(family.views(state).map((view) => view.path));
  const paths = new Set<string>();
  const addTree = async (directory: string): Promise<void> => {
    const { files } = await workspace.measure(directory);
    for (const path of files.keys()) if (!views.has(path)) paths.add(path);
  };
  if (at !== "") await addTree(at);
  for (const [key, value] of Object.entries(bound)) {
    const [word = "", ...of] = key.split(":");
    if (isJsonObject(value)) for (const path of Object.keys(value)) paths.add(path);
    // A family may have redefined this fact.
    if (member(family.looks, word) !== undefined) continue;
    if (word === "tree") await addTree(of.join(":"));
    if (word === "digest") paths.add(of.join(":"));
  }
  return paths;
}
