/** The fence port, implemented with git's binary and files. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FenceHook, Fencing, Stands } from "../../../ports/fence.ts";
import type { Problem } from "../../../ports/problem.ts";
import { readOwn, replaceOwn } from "../../store/durable.ts";
import { objectsIn } from "../objects/objects.ts";
import { readVerified } from "../objects/verified.ts";
import type { AskObjects } from "../objects/verified.ts";
import { exists } from "../place/place.ts";
import { READ_ONLY } from "../run/environment.ts";
import { createRunGit } from "../run/run.ts";
import type { GitAnswer } from "../run/failure.ts";
import { readCarried, writeCarried } from "./carried.ts";
import type { Git } from "./carried.ts";
import { readFacts } from "./facts.ts";
import { lookAtHooks, OWN_HOOKS, putHooks, takeHooks } from "./hook-files.ts";
import { resolveCommit, resolveRange } from "./names.ts";
import { readLogged, readStands } from "./refs.ts";

export interface FencingOptions {
  readonly commonDir: string;
  /** The top of a worktree, or the git directory itself in a bare repository. */
  readonly top: string;
  readonly bare: boolean;
  /** Where the journals are, unless they are in a shared store. */
  readonly store: string;
  readonly shared: boolean;
  readonly env: NodeJS.ProcessEnv;
}

export function createFencing(options: FencingOptions): Fencing {
  const { commonDir, top, store, env } = options;
  const run = createRunGit("git", env);
  const git: Git = async (args, more = READ_ONLY, input = "") =>
    await run(args, {
      cwd: top,
      input,
      env: { ...more, ...quarantine(env), GIT_DIR: gitDirOf(options) },
    });
  const memory = join(store, "fence-seen");
  return {
    look: async (put) => (put === undefined ? [] : await look(git, commonDir, put)),
    plan: async (refs) => await put(git, options, refs, false),
    put: async (refs) => await put(git, options, refs, true),
    take: async (hook) => takeHooks(commonDir, hook) ?? (await pointBack(git, commonDir, hook)),
    stands: async (ref) => await standsOf(git, commonDir, ref),
    commits: async (oids) => await readFacts(git, commonDir, oids),
    resolve: async (name) => await resolveCommit(git, name),
    logged: (ref) => readLogged(commonDir, ref),
    carried: async (oid, brought) => await readCarried(git, oid, brought),
    carry: async (oid, name, text) => await writeCarried(git, oid, name, text),
    committed: async (commit, path) => {
      const ask: AskObjects = async (names) => {
        const input = names.map((name) => `${name}\n`).join("");
        return objectsIn((await git(["cat-file", "--batch"], READ_ONLY, input)).stdout, names);
      };
      const [bytes] = await readVerified(ask, commit, [path]);
      return bytes?.toString("utf8") ?? "";
    },
    range: async (range) => {
      const ends = await resolveRange(git, range);
      const args = ["--reverse", "--topo-order", `--max-count=${RANGE_MAX + 1}`];
      return ends === undefined ? undefined : await readList(git, [...args, ends]);
    },
    line: async (tip, countMax) =>
      (await readList(git, ["--first-parent", `--max-count=${countMax}`, tip])) ?? [],
    isShallow: () => exists(join(commonDir, "shallow")),
    stamp: ({ directory, files }, refs) =>
      [
        ...Object.keys(files).map((name) => join(commonDir, directory, name)),
        ...configFiles(commonDir, env),
        ...refs.flatMap((ref) => [join(commonDir, ref), join(commonDir, "logs", ref)]),
        join(commonDir, "packed-refs"),
        join(commonDir, "refs/replace"),
        join(commonDir, "info/grafts"),
      ]
        .map(stampOf)
        .join("\n"),
    recall: () => readOwn(memory),
    keep: (stamp) => {
      try {
        replaceOwn(memory, stamp);
      } catch {
        // Only a cache: without it, everything is checked again.
      }
    },
  };
}

/** While a push is judged, its objects are in a separate place, which git names in these variables. */
function quarantine(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH"].flatMap(
      (name) => (env[name] === undefined ? [] : [[name, env[name]]]),
    ),
  );
}

/** The worktree's own git directory if it has one, because settings may differ for each worktree. */
function gitDirOf({ commonDir, top, bare }: FencingOptions): string {
  const own = join(top, ".git");
  return !bare && statSync(own, { throwIfNoEntry: false })?.isDirectory() === true
    ? own
    : commonDir;
}

async function put(
  git: Git,
  { commonDir, bare, store, shared }: FencingOptions,
  refs: readonly string[],
  writes: boolean,
): Promise<FenceHook | Problem> {
  const path = await hooksPath(git);
  const text = {
    shell: shellHere(),
    node: process.execPath,
    program: join(packageRoot(), "bin/holdpoint.js"),
    store: shared ? SHARED : store === join(commonDir, "holdpoint") ? "" : store,
  };
  if (writes) mkdirSync(commonDir, { recursive: true });
  const hook = putHooks({ commonDir, path, bare, text }, refs, writes);
  if ("code" in hook || hook.path === null || !writes) return hook;
  const set = await git(["config", "--local", "core.hooksPath", join(commonDir, OWN_HOOKS)], {});
  return set.code === 0 ? hook : notSet(set);
}

/**
 * With `-p`, bash ignores functions and options from the environment. Whoever moves a branch could otherwise
 * replace `read`, or prevent everything from running.
 */
function shellHere(): string {
  const { status } = spawnSync(SHELL, ["-p", "-c", ":"], { stdio: "ignore", timeout: 10_000 });
  return status === 0 ? `${SHELL} -p` : SHELL;
}

const SHELL = "/bin/sh";

/** Where git looks for hooks, if configured. A relative path is resolved as git does. */
async function hooksPath(git: Git): Promise<FenceHook["path"]> {
  const whole = said(await git(["config", "--type=path", "--get", "core.hooksPath"], {}));
  if (whole === undefined || whole === "") return null;
  const own = said(await git(["config", "--local", "--get", "core.hooksPath"], {}));
  return { own: own ?? null, whole };
}

/** Only if it still points to our directory. */
async function pointBack(
  git: Git,
  commonDir: string,
  { path }: FenceHook,
): Promise<Problem | undefined> {
  const own = said(await git(["config", "--local", "--get", "core.hooksPath"], {}));
  if (path === null || own !== join(commonDir, OWN_HOOKS)) return undefined;
  const args = path.own === null ? ["--unset-all", "core.hooksPath"] : ["core.hooksPath", path.own];
  const set = await git(["config", "--local", ...args], {});
  return set.code === 0 ? undefined : notSet(set);
}

function notSet({ stderr }: GitAnswer): Problem {
  return {
    code: "hook-unwritable",
    message: `core.hooksPath cannot be set in this repository: ${stderr.trim()}`,
    fix: "Make the configuration of the repository writable, then try again.",
  };
}

/** Checks the hook files, and whether git would run them at all. */
async function look(git: Git, commonDir: string, hook: FenceHook): Promise<readonly Problem[]> {
  const problems = [...lookAtHooks(commonDir, hook)];
  const whole = (await hooksPath(git))?.whole ?? join(commonDir, "hooks");
  const directory = join(commonDir, hook.directory);
  if (whole !== directory)
    problems.push({
      code: "hooks-elsewhere",
      message: `The fence is down: git looks for hooks in ${whole} (core.hooksPath), and not in ${directory}`,
      fix: "Find out who set it, then run `holdpoint fence install`.",
    });
  const odd = [join(commonDir, "info/grafts")].filter(existsSync);
  const replaced = said(
    await git(["for-each-ref", "--count=1", "--format=%(refname)", "refs/replace/"]),
  );
  for (const what of [...odd, ...(replaced === undefined || replaced === "" ? [] : [replaced])])
    problems.push({
      code: "objects-replaced",
      message: `${what} has git show other content under the id of a released commit`,
      fix: "Look at what it replaces, then take it away (`git replace -d`, or the file).",
    });
  return problems;
}

/** Read from files. Other ways to store references are left to git. */
async function standsOf(git: Git, commonDir: string, ref: string): Promise<Stands> {
  if (!exists(join(commonDir, "reftable"))) return readStands(commonDir, ref);
  const oid = said(await git(["rev-parse", "--verify", "--quiet", ref])) ?? "";
  const symbolic = said(await git(["symbolic-ref", "--quiet", ref])) ?? "";
  return { oid, symbolic, packed: "", locked: false };
}

async function readList(git: Git, args: readonly string[]): Promise<readonly string[] | undefined> {
  const { end, code, stdout } = await git(["rev-list", ...args, "--"]);
  if (end !== "exit" || code !== 0) return undefined;
  return stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
}

/** A command's answer in one line; undefined if it failed. */
function said({ end, code, stdout }: GitAnswer): string | undefined {
  return end === "exit" && code === 0 ? stdout.toString("utf8").trim() : undefined;
}

function configFiles(commonDir: string, env: NodeJS.ProcessEnv): readonly string[] {
  const home = env["HOME"] ?? homedir();
  return [
    join(commonDir, "config"),
    join(commonDir, "config.worktree"),
    env["GIT_CONFIG_GLOBAL"] ?? join(home, ".gitconfig"),
    join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "git/config"),
    "/etc/gitconfig",
  ];
}

function stampOf(file: string): string {
  try {
    const { mtimeMs, ctimeMs, size, ino, mode } = statSync(file);
    return [mtimeMs, ctimeMs, size, ino, mode].join(" ");
  } catch {
    return "-";
  }
}

function packageRoot(): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
    if (dirname(at) === at) throw new Error("Cannot find the package this program belongs to");
  }
}

/**
 * Used in place of a directory, because the hook file can be read by everybody and must not contain the store's
 * address.
 */
export const SHARED = "shared";

/** A longer range is not judged commit by commit. */
export const RANGE_MAX = 10_000;
