import type { Place, Watch, WatchRule } from "./watch.ts";

const RANKS: Readonly<Record<WatchRule["kind"], number>> = {
  sealed: 0,
  engine: 1,
  allowed: 2,
  worktree: 3,
  // For agents that have nothing to do with what is under way.
  lock: 5,
  role: 3,
  plan: 3,
};

const STRICT: readonly Place["git"][] = ["free", "kept", "locked"];

/**
 * Combines what several workflows hold in one worktree. Order: what is held by name, what somebody may write,
 * what is held because it belongs to others, and whole worktrees last.
 */
export function merged(watch: Watch): Watch {
  const places = new Map<string, Place>();
  for (const place of watch.places) {
    const known = places.get(place.root);
    places.set(place.root, known === undefined ? { ...place, from: "" } : both(known, place));
  }
  const ordered = [...places.values()].map((one) => ({
    ...one,
    rules: one.rules.toSorted((a, b) => rankOf(a) - rankOf(b)),
  }));
  return { ...watch, places: ordered };
}

function rankOf({ kind, paths }: WatchRule): number {
  return RANKS[kind] + (RANKS[kind] === 3 && paths.includes("**") ? 1 : 0);
}

function both(one: Place, other: Place): Place {
  const holder = one.holder ?? other.holder;
  return {
    root: one.root,
    from: "",
    git: STRICT.indexOf(one.git) > STRICT.indexOf(other.git) ? one.git : other.git,
    ...(holder === undefined ? {} : { holder }),
    branches: [...(one.branches ?? []), ...(other.branches ?? [])],
    rules: [...one.rules, ...other.rules],
  };
}
