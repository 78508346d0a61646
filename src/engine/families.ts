import type { Family } from "../ports/family.ts";
import { withDigest } from "./intake/definition.ts";

/** The families an engine knows. Each is loaded when it is first met: reading every table is felt on each call. */
export interface Families {
  /** Those that are known without reading a file. */
  readonly names: readonly string[];
  /** Whether there may be others, in files that are not read yet. */
  readonly hasOwn: boolean;
  readonly get: (name: string) => Promise<Family | undefined>;
  readonly all: () => Promise<readonly Family[]>;
  /** Files with protocols of one's own that cannot be used. */
  readonly problems: () => Promise<readonly ProtocolProblem[]>;
  /** The protocol of a file as it lies in the worktree, for looking at it: nothing is started under it. */
  readonly read: (file: string) => Promise<LoadedProtocols>;
}

export interface ProtocolProblem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly file: string;
}

export interface LoadedProtocols {
  readonly families: readonly Family[];
  readonly problems: readonly ProtocolProblem[];
}

export interface FamilySources {
  /** What ships with Holdpoint, by name. */
  readonly shipped: Readonly<Record<string, () => Promise<Family>>>;
  /** What a program brought along. */
  readonly given: readonly Family[];
  /** What the repository brings along. */
  readonly own: (() => Promise<LoadedProtocols>) | undefined;
  readonly read: Families["read"];
  readonly sha256: (text: string) => string;
  /** What the repository's settings for a family come to, a digest each. */
  readonly settings?: (family: Family) => Promise<Readonly<Record<string, string>>>;
}

export function createFamilies(sources: FamilySources): Families {
  const { shipped, given, own } = sources;
  const loaded = new Map<string, Promise<Family>>();
  const read = once(async () => {
    const { families, problems } = (await own?.()) ?? { families: [], problems: [] };
    return {
      families: await Promise.all(families.map((one) => identified(sources, one, true))),
      problems,
    };
  });
  for (const one of given) {
    const isOwn = !Object.hasOwn(shipped, one.protocol.name);
    loaded.set(one.protocol.name, identified(sources, one, isOwn));
  }
  const names = [...new Set([...loaded.keys(), ...Object.keys(shipped)])];
  const load = (name: string): Promise<Family> | undefined => {
    const known = loaded.get(name);
    if (known !== undefined || !Object.hasOwn(shipped, name)) return known;
    const family = shipped[name]?.().then((one) => identified(sources, one, false));
    if (family !== undefined) loaded.set(name, family);
    return family;
  };
  return {
    names,
    hasOwn: own !== undefined,
    get: async (name) =>
      (await load(name)) ?? (await read()).families.find((one) => one.protocol.name === name),
    all: async () => [
      ...(await Promise.all(names.flatMap((name) => load(name) ?? []))),
      ...(await read()).families,
    ],
    problems: async () => (await read()).problems,
    read: sources.read,
  };
}

/** A family whose protocol says which definition it is, and under which settings it is followed. */
async function identified(
  { sha256, settings }: FamilySources,
  family: Family,
  isOwn: boolean,
): Promise<Family> {
  const known = withDigest(family, { isOwn, sha256 });
  if (settings === undefined) return known;
  return { ...known, protocol: { ...known.protocol, settings: await settings(family) } };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
