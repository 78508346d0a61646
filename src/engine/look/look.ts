import type { Answer, Evidence } from "../../core/decide/answer.ts";
import { decide } from "../../core/decide/decide.ts";
import type { Decide } from "../../core/decide/decide.ts";
import { canonicalJson, member, toJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import { isReading } from "../../core/values/measured.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { CheckConfig, Family, Look, World } from "../../ports/family.ts";
import { pathIn } from "../../core/values/paths.ts";
import { unknown } from "../../core/values/unknown.ts";
import { openWorld } from "../parts.ts";
import type { OneWorld } from "./reading.ts";
import { lookChange, lookFiles, lookTree } from "./measure.ts";
import { lookUnordered } from "./unordered.ts";
import type { Card } from "../release/card.ts";
import { cardOf, lookAuthors } from "../release/card.ts";
import { driftOf } from "../show/show.ts";

/** Facts may lead to further facts (a plan to its phases); this many rounds at most. */
const LOOK_ROUNDS_MAX = 8;

/** Decides, looks up the facts that are needed, and decides again. */
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

/** Calls `ask`, looks up the facts it needs, and calls it again. Looking up is quick and changes nothing. */
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

/**
 * Whether the facts of a decision still hold when it is recorded. A file may have changed only in another
 * workflow's part; then the facts are the same, and the decision stands.
 */
export async function stillHolds(
  parts: OneWorld,
  family: Family,
  state: Workflow,
  used: Readonly<Record<string, Json>>,
): Promise<boolean> {
  if (await parts.workspace.holds()) return true;
  parts.workspace.refresh();
  const told = Object.entries(used).filter(([key]) => !isReading(key));
  const keys = told.map(([key]) => key);
  const now = await lookUp(family, openWorld(parts), state, keys);
  return canonicalJson(now) === canonicalJson(Object.fromEntries(told));
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

/** Facts available in every family. */
const LOOKS: Readonly<Record<string, CommonLook>> = {
  digest: lookDigest,
  git: async ({ place }) => (place.kind === "repository" ? "repository" : place.why),
  check: async (world, name, state, family) => {
    if ((await checksOf(world, family, state, name)).length > 0) return true;
    const none = member(world.config.none ?? {}, name);
    return none === undefined ? false : { none };
  },
  command: async (world, name, state, family) => {
    const checks = await checksOf(world, family, state, name);
    return checks.length === 0 ? null : world.sha256(canonicalJson(toJson(checks)));
  },
  drift: async (world, _, state, family) => {
    const drift = await driftOf(world, family, state);
    return drift.length === 0 ? null : drift;
  },
  tree: lookTree,
  changed: lookChanged,
  files: lookFiles,
  change: lookChange,
  unordered: lookUnordered,
  tip: async ({ git }) => (await git.resolve("HEAD")) ?? null,
  card: lookCard,
  authors: lookAuthors,
  basis: async (world) => toJson((await world.bases()).committed[0] ?? null),
  heads: async (world) => await world.heads(),
};

/**
 * The commands of a check. Those in the workflow's own files are part of the agreement, and the configuration
 * cannot replace them.
 */
export async function checksOf(
  world: World,
  family: Family,
  state: Workflow,
  name: string,
): Promise<readonly CheckConfig[]> {
  const own = await family.checks.own(world, state, name);
  const check = member(world.config.checks, name);
  return own.length > 0 || check === undefined ? own : [check];
}

/** The digest of what is to be released: everything shown with a question. */
async function lookCard(...[world, hold, state, family]: Parameters<CommonLook>): Promise<Json> {
  const card = await cardIn(world, { family, state }, hold);
  return typeof card === "string" ? unknown(card) : world.sha256(canonicalJson(card));
}

export async function cardIn(
  world: World,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  hold: string,
): Promise<Card | string> {
  const asks = async (keys: readonly string[]): Promise<Evidence> =>
    await lookUp(family, world, state, keys);
  return await cardOf({ world, family, state, lookUp: asks }, hold);
}

/** The digest of a file. Something that exists but cannot be read, such as a link, is unknown and not absent. */
async function lookDigest({ workspace }: World, named: string): Promise<Json> {
  const path = pathIn(workspace.root, named);
  const digest = await workspace.digest(path);
  if (digest !== undefined) return digest;
  // The root directory, and anything outside it, is no evidence.
  const isInside = /[^./]/.test(path) && !path.startsWith("/");
  if (isInside && (await workspace.list(path)).length > 0) return "directory";
  const file = await workspace.read(path);
  return file.kind === "unreadable" && file.code !== "not-a-file" ? unknown(file.message) : null;
}

/** Whether a file differs from the last commit. */
async function lookChanged({ place, git }: World, path: string): Promise<Json> {
  if (place.kind !== "repository") return unknown(`cannot be compared: ${place.message}`);
  if ((await git.resolve("HEAD")) === undefined) return unknown("has no commit to compare with");
  return (await git.changes([path])).length > 0;
}
