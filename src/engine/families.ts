import type { Family } from "../ports/family.ts";
import { withDigest } from "./intake/definition.ts";

/**
 * The families an engine knows. Each is loaded on first use, because reading every table would slow down every
 * call.
 */
export interface Families {
  /** Names known without reading a file. */
  readonly names: readonly string[];
  /** Whether files that have not been read yet may define others. */
  readonly hasOwn: boolean;
  readonly get: (name: string) => Promise<Family | undefined>;
  readonly all: () => Promise<readonly Family[]>;
  /** Protocol files of the repository that cannot be used. */
  readonly problems: () => Promise<readonly ProtocolProblem[]>;
  /**
   * Reads the protocol in a file as it is in the worktree, only for looking at it. No workflow is started under
   * it.
   */
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
  /** Those shipped with Holdpoint, by name. */
  readonly shipped: Readonly<Record<string, () => Promise<Family>>>;
  /** Those that the calling program brought along. */
  readonly given: readonly Family[];
  /** Those that the repository defines. */
  readonly own: (() => Promise<LoadedProtocols>) | undefined;
  readonly read: Families["read"];
  readonly sha256: (text: string) => string;
  /** A digest of each repository setting that the family's gates depend on. */
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

/** Adds the digests of its definition and settings to a family's protocol. */
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
