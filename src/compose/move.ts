/** Operations on the store itself: set it up, move it, inspect it. Loaded only when they are needed. */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isPut } from "../adapters/git/fence/hook-files.ts";
import { movedAway, movedTo } from "../adapters/store/embedded/moved.ts";
import { openFiles } from "../adapters/store/move/embedded.ts";
import type { House } from "../adapters/store/move/house.ts";
import { move } from "../adapters/store/move/move.ts";
import type { Moved } from "../adapters/store/move/move.ts";
import { openServer } from "../adapters/store/move/postgres.ts";
import { openDatabase } from "../adapters/store/postgres/database.ts";
import type { Database } from "../adapters/store/postgres/database.ts";
import { examine } from "../adapters/store/postgres/examine.ts";
import type { Finding } from "../adapters/store/postgres/finding.ts";
import { migrate } from "../adapters/store/postgres/migrate.ts";
import type { Migrated } from "../adapters/store/postgres/migrate.ts";
import { readTarget } from "../adapters/store/postgres/target.ts";
import type { Located } from "./place.ts";
import { firstCommits, storeUrl } from "./store.ts";
import { StoreProblem } from "../ports/problem.ts";

export type { Finding, Migrated, Moved };

type Env = Readonly<Record<string, string | undefined>>;

export interface StoreCall {
  readonly at: Located;
  readonly env: Env;
  /** Another address than the configured one, such as the owner's. */
  readonly url?: string;
}

/** Creates or updates the tables as their owner, and grants a role what people and agents need. */
export async function setUpStore(
  call: StoreCall,
  given: { readonly role?: string; readonly project?: string },
): Promise<Migrated> {
  return await asOwner(call, async (database) => {
    const { role } = given;
    const project = await projectOf(call, database, given.project);
    return await migrate(database, { project, ...(role === undefined ? {} : { role }) });
  });
}

export async function moveStore(
  call: StoreCall,
  to: "postgres" | "embedded",
): Promise<Moved & { readonly from: string; readonly to: string; readonly fenced: boolean }> {
  const fenced = call.at.gitDir !== undefined && isPut(call.at.gitDir);
  if (fenced) assertNamed(call, to);
  return await asOwner(call, async (database) => {
    const { dir } = call.at;
    if (to === "postgres") await migrate(database, { project: await projectOf(call, database) });
    const server = openServer(database, join(dir, "copies", "none"));
    const opened = await openFiles(dir);
    const files: House = { ...opened, where: `${opened.where} on ${hostname()}` };
    const [source, target] = to === "postgres" ? [files, server] : [server, files];
    try {
      return { ...(await move(source, target)), from: source.where, to: target.where, fenced };
    } finally {
      await opened.close();
    }
  });
}

/**
 * The fence's hook only trusts the committed configuration. If that did not name the new store yet, the change
 * could never be committed.
 */
function assertNamed({ at: { config } }: StoreCall, to: "postgres" | "embedded"): void {
  const isNamed = config.store?.postgres !== undefined;
  if (isNamed === (to === "postgres")) return;
  const said = isNamed ? "still names the server" : "names no server yet";
  throw new StoreProblem({
    code: "store-move-fenced",
    message: `Nothing is moved: a fence is up here, and its hook finds the store by the committed configuration, which ${said}; after the move it would let nobody commit that`,
    fix: `Commit a configuration ${isNamed ? "without" : "with"} \`store\` first (a person: holdpoint fence open BRANCH COMMIT), then move, then put the fence up again: holdpoint fence install.`,
  });
}

export async function examineStore(call: StoreCall): Promise<readonly Finding[]> {
  const { at, env } = call;
  const url = call.url ?? storeUrl(env, at.config);
  if (url === undefined) return [ownFiles(at.dir)];
  return await withDatabase(call, async (database) => {
    const { project } = database.target;
    const projects = project === undefined ? await firstCommits(at.root) : [project];
    return await examine(database, Date.now, projects);
  });
}

function ownFiles(dir: string): Finding {
  const moved = movedTo(dir);
  if (moved !== undefined) {
    const { message: said, fix } = movedAway(moved).problem;
    return { check: "moved", state: "failed", said, fix };
  }
  const said = existsSync(dir)
    ? `The files in ${dir}`
    : "The files of this clone; there are none yet";
  return { check: "store", state: "proven", said };
}

/**
 * The configured address is the one agents use. Their role may neither create tables nor bypass the checks on
 * writing.
 */
async function asOwner<T>(call: StoreCall, work: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await withDatabase(call, work);
  } catch (error) {
    if (!(error instanceof StoreProblem) || error.problem.code !== "store-rights") throw error;
    throw new StoreProblem({
      ...error.problem,
      fix: "Do it as the owner of the database: --url postgresql://OWNER@HOST/DATABASE",
    });
  }
}

async function withDatabase<T>(
  { at, env, url: given }: StoreCall,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const url = given ?? storeUrl(env, at.config);
  if (url === undefined)
    throw new StoreProblem({
      code: "store-not-named",
      message: "It is not said which PostgreSQL is meant",
      fix: "Name it: --url postgresql://USER@HOST/DATABASE, HOLDPOINT_STORE, or `store` in holdpoint.config.json.",
    });
  const database = openDatabase(readTarget(url, env), { env });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The project is identified by its first commit, unless another name is given. */
async function projectOf(
  { at: { root } }: StoreCall,
  { target }: Database,
  given?: string,
): Promise<string> {
  const project = given ?? target.project ?? (await firstCommits(root)).at(-1);
  if (project !== undefined) return project;
  throw new StoreProblem({
    code: "store-project-unknown",
    message: "The store is to belong to a project, and there is no first commit to know it by",
    fix: "Say what it is called: behind the address, ?project=NAME.",
  });
}
