import type { Family } from "../ports/family.ts";

/** The families an engine knows. Each is loaded when it is first met: reading every table is felt on each call. */
export interface Families {
  readonly names: readonly string[];
  readonly get: (name: string) => Promise<Family | undefined>;
  readonly all: () => Promise<readonly Family[]>;
}

export type FamilyLoaders = Readonly<Record<string, () => Promise<Family>>>;

export function lazyFamilies(loaders: FamilyLoaders): Families {
  const loaded = new Map<string, Promise<Family>>();
  const names = Object.keys(loaders);
  const load = (name: string): Promise<Family> | undefined => {
    const known =
      loaded.get(name) ?? (Object.hasOwn(loaders, name) ? loaders[name]?.() : undefined);
    if (known !== undefined) loaded.set(name, known);
    return known;
  };
  return {
    names,
    get: async (name) => await load(name),
    all: async () => await Promise.all(names.flatMap((name) => load(name) ?? [])),
  };
}

export function givenFamilies(families: readonly Family[]): Families {
  return lazyFamilies(
    Object.fromEntries(families.map((family) => [family.protocol.name, async () => family])),
  );
}
