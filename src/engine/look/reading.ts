import { ABSENT } from "../../ports/workspace.ts";
import type { FileRead, Reading, Workspace } from "../../ports/workspace.ts";
import type { TreeReading } from "../../ports/reading.ts";
import type { Parts } from "../parts.ts";

/** The parts for one command, in which every file is read once. */
export type OneWorld = Parts & { readonly workspace: Reading };

export function oneWorld(parts: Parts): OneWorld {
  const { workspace } = parts;
  return { ...parts, workspace: isReading(workspace) ? workspace : readOnce(workspace) };
}

/** The same for commands that only look. Changes during the look do not matter, so no stamps are taken. */
export function oneLook(parts: Parts): Parts {
  const { workspace } = parts;
  return { ...parts, workspace: readOnce({ ...workspace, stamp: async () => undefined }) };
}

export function isReading(workspace: Workspace): workspace is Reading {
  return "refresh" in workspace;
}

export function readOnce(under: Workspace): Reading {
  const texts = new Map<string, Promise<FileRead>>();
  const digests = new Map<string, Promise<string | undefined>>();
  const lists = new Map<string, Promise<readonly string[]>>();
  const trees = measureOnce(under);
  const stamps = new Map<string, string | undefined>();

  /** The stamp is taken before reading, so that a change in between is noticed. */
  const once = <T>(
    known: Map<string, Promise<T>>,
    path: string,
    read: (path: string) => Promise<T>,
  ): Promise<T> => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const reading = stampFirst(path).then(() => read(path));
    known.set(path, reading);
    return reading;
  };
  const stampFirst = async (path: string): Promise<void> => {
    if (!stamps.has(path)) stamps.set(path, await under.stamp(path));
  };
  const refresh = (): void => {
    for (const known of [texts, digests, lists, trees, stamps]) known.clear();
  };
  const forget = (path: string): void => {
    for (const known of [texts, digests, stamps]) known.delete(path);
    lists.clear();
    trees.clear();
  };
  /** If the stamp cannot tell, the content itself is compared. */
  const isSamePath = async (path: string): Promise<boolean> => {
    const stamp = stamps.get(path);
    const [text, digest, list] = [await texts.get(path), digests.get(path), lists.get(path)];
    // The view was missing when stamped but was there when read, so the stamp says nothing.
    const tells = stamp !== undefined && (stamp !== ABSENT || text?.kind !== "text");
    if (tells && (await under.stamp(path)) === stamp) return true;
    return (
      (text === undefined || sameFile(text, await under.read(path))) &&
      (digest === undefined || (await digest) === (await under.digest(path))) &&
      (list === undefined || (await list).join("\n") === (await under.list(path)).join("\n"))
    );
  };
  return {
    ...under,
    read: (path) => once(texts, path, under.read),
    digest: async (path) => {
      const file = await texts.get(path);
      return file?.kind === "text" ? file.digest : await once(digests, path, under.digest);
    },
    list: (directory) => once(lists, directory, under.list),
    measure: trees.measure,
    install: async (path, content, expected) => {
      const installed = await under.install(path, content, expected);
      forget(path);
      return installed;
    },
    move: async (from, to) => {
      const moved = await under.move(from, to);
      refresh();
      return moved;
    },
    recover: async () => {
      const left = await under.recover();
      if (left.length > 0) refresh();
      return left;
    },
    holds: async () => {
      for (const path of stamps.keys()) if (!(await isSamePath(path))) return false;
      return await trees.hold();
    },
    refresh,
  };
}

/** Measures every tree once, and again to see whether it has changed. */
function measureOnce(under: Pick<Workspace, "measure">): {
  readonly measure: Workspace["measure"];
  readonly hold: () => Promise<boolean>;
  readonly clear: () => void;
} {
  const known: Measuring[] = [];
  return {
    measure: async (directory, options = {}) => {
      const of = JSON.stringify([directory, options.also ?? []]);
      for (const one of known)
        if (one.of === of && (await serves(one, options.rules))) return one.tree;
      const again = (): Promise<TreeReading> => under.measure(directory, options);
      const tree = again();
      known.push({ of, asked: options.rules, tree, again });
      return await tree;
    },
    hold: async () => {
      for (const { tree, again } of known) {
        const [before, now] = [await tree, await again()];
        if (!isSame(before.files, now.files) || !isSame(before.rules, now.rules)) return false;
      }
      return true;
    },
    clear: () => known.splice(0),
  };
}

interface Measuring {
  readonly of: string;
  /** The rules of an earlier reading, if the caller passed some. */
  readonly asked: TreeReading["rules"] | undefined;
  readonly tree: Promise<TreeReading>;
  readonly again: () => Promise<TreeReading>;
}

/** If the earlier rules equal the current ones, the reading is the same as without them. */
async function serves({ asked, tree }: Measuring, wanted: Measuring["asked"]): Promise<boolean> {
  if (asked === wanted) return true;
  const { rules } = await tree;
  return isSame(asked ?? rules, wanted ?? rules);
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  if (one.size !== other.size) return false;
  for (const [key, value] of one) if (other.get(key) !== value) return false;
  return true;
}

function sameFile(before: FileRead, now: FileRead): boolean {
  if (before.kind === "text" && now.kind === "text") return before.digest === now.digest;
  if (before.kind === "unreadable" && now.kind === "unreadable") return before.code === now.code;
  return before.kind === now.kind;
}
