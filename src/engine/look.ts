import type { Answer, Evidence } from "../core/answer.ts";
import { decide } from "../core/decide.ts";
import type { Decide } from "../core/decide.ts";
import { member } from "../core/json.ts";
import type { Json } from "../core/json.ts";
import type { Workflow } from "../core/state.ts";
import type { Family, Look, View, World } from "../ports/family.ts";
import { matchesGlob } from "../core/glob.ts";
import { driftOf } from "./show.ts";

/** Facts lead to further facts (a plan to its phases), but not for ever. */
const LOOK_ROUNDS_MAX = 8;

/** Decide, look up what it needs, and decide again. */
export async function decideWithLooks(
  family: Family,
  world: World,
  input: Omit<Decide, "evidence" | "protocol">,
): Promise<Exclude<Answer, { kind: "needs" }>> {
  return await untilKnown(family, world, input.state, (evidence) => {
    const answer = decide({ ...input, protocol: family.protocol, evidence });
    return answer.kind === "needs" ? { needs: answer.facts } : { answer };
  });
}

/** Ask, look up what it needs, and ask again. Looking is quick and changes nothing. */
export async function untilKnown<T>(
  family: Family,
  world: World,
  state: Workflow,
  ask: (evidence: Evidence) => { readonly answer: T } | { readonly needs: readonly string[] },
): Promise<T> {
  let evidence: Evidence = {};
  for (let round = 0; round < LOOK_ROUNDS_MAX; round += 1) {
    const said = ask(evidence);
    if ("answer" in said) return said.answer;
    evidence = { ...evidence, ...(await lookUp(family, world, state, said.needs)) };
  }
  throw new Error(`Cannot judge ${state.id}: its protocol never stops asking for facts`);
}

export async function lookUp(
  family: Family,
  world: World,
  state: Workflow,
  keys: readonly string[],
): Promise<Evidence> {
  const entries = await Promise.all(
    keys.map(async (key) => [key, await lookUpOne(family, world, state, key)] as const),
  );
  return Object.fromEntries(entries);
}

async function lookUpOne(
  family: Family,
  world: World,
  state: Workflow,
  key: string,
): Promise<Json> {
  const colon = key.indexOf(":");
  const name = colon < 0 ? key : key.slice(0, colon);
  const look = member(family.looks, name) ?? member(LOOKS, name);
  if (look === undefined) throw new Error(`Cannot look up "${key}": no look is called "${name}"`);
  return await look(world, colon < 0 ? "" : key.slice(colon + 1), state, family);
}

type CommonLook = (...args: [...Parameters<Look>, Family]) => Promise<Json>;

/** Looks that every family has. */
const LOOKS: Readonly<Record<string, CommonLook>> = {
  digest: async ({ workspace }, path) => {
    const digest = await workspace.digest(path);
    if (digest !== undefined) return digest;
    // The root itself is no evidence of anything.
    const named = path.replaceAll(/[./]/g, "") !== "";
    return named && (await workspace.list(path)).length > 0 ? "directory" : null;
  },
  git: async ({ place }) => (place.kind === "repository" ? "repository" : place.why),
  check: async ({ config }, name) => Object.hasOwn(config.checks, name),
  drift: async (world, _, state, family) => {
    const drift = await driftOf(world, family, state);
    return drift.length === 0 ? null : drift;
  },
  tree: lookTree,
  changed: lookChanged,
  inside: async (...args) => await lookPaths(args, true),
  outside: async (...args) => await lookPaths(args, false),
};

const TREE_FILES_MAX = 20_000;

/** One digest for everything below a directory, its state files left out: writing state changes no code. */
async function lookTree(
  ...[world, directory, state, family]: Parameters<CommonLook>
): Promise<Json> {
  const paths = directory === "." ? await allFiles(world) : await filesBelow(world, directory);
  return await digestOf(world, paths, family.views(state));
}

/** One digest for the files of the worktree that match one of the patterns, or for those that match none. */
async function lookPaths(
  [world, patterns, state, family]: Parameters<CommonLook>,
  inside: boolean,
): Promise<Json> {
  const matches = (path: string): boolean =>
    patterns.split(",").some((pattern) => matchesGlob(pattern, path));
  const paths = (await allFiles(world)).filter((path) => matches(path) === inside);
  return await digestOf(world, paths, family.views(state));
}

async function digestOf(
  { workspace, sha256, now }: World,
  paths: readonly string[],
  shown: readonly View[],
): Promise<string> {
  const views = new Set(shown.map((view) => view.path));
  // What could not be read in full is equal to nothing, not even to itself a moment later.
  if (paths.length > TREE_FILES_MAX) return `more than ${TREE_FILES_MAX} files, at ${now}`;
  const lines: string[] = [];
  for (const path of paths)
    if (!views.has(path)) lines.push(`${(await workspace.digest(path)) ?? "-"} ${path}`);
  return sha256(lines.sort().join("\n"));
}

/** The whole worktree, without what its own `.gitignore` leaves out, and without our corner of it. */
async function allFiles(world: World): Promise<readonly string[]> {
  const files = (await world.git.files()) ?? (await filesBelow(world, "."));
  return files.filter((path) => !path.startsWith(".holdpoint/") && !path.startsWith(".git/"));
}

async function filesBelow({ workspace }: World, directory: string): Promise<readonly string[]> {
  const files: string[] = [];
  const queue = [directory];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    for (const name of await workspace.list(path)) {
      const child = `${path === "." ? "" : `${path}/`}${name.replace(/\/$/, "")}`;
      if (name.endsWith("/")) queue.push(child);
      else files.push(child);
      if (files.length > TREE_FILES_MAX) return files;
    }
  }
  return files;
}

/** Whether a file differs from the last commit; null where nobody can tell. */
async function lookChanged({ place, git }: World, path: string): Promise<Json> {
  if (place.kind !== "repository" || (await git.resolve("HEAD")) === undefined) return null;
  return (await git.changes([path])).length > 0;
}
