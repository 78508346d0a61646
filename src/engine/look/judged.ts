import { isJsonObject, member } from "../../core/values/json.ts";
import type { Bound, Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";

/** A change within the clock's own step leaves a file's times as they were. */
const SETTLE_MS = 150;

export interface Watched {
  /** What happened to the files since the watch began. */
  readonly written: () => Promise<Written>;
}

export interface Written {
  /** Files that were there, and were written to or are gone. */
  readonly touched: readonly string[];
  readonly added: readonly string[];
}

/**
 * Watch what a check judges while it runs. Bytes that are the same before and after may have been others in between:
 * the files' change times, which no program can set, tell it.
 */
export async function watch(
  parts: Parts,
  run: {
    readonly family: Family;
    readonly state: Workflow;
    /** Where the check runs, from the top of the worktree. */
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
    // Written a moment ago: in a moment its times will tell.
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

/** The files that the facts are about; of a place of its own, all of them. */
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
    // A family's own fact of that name may be about something else.
    if (member(family.looks, word) !== undefined) continue;
    if (word === "tree") await addTree(of.join(":"));
    if (word === "digest") paths.add(of.join(":"));
  }
  return paths;
}
