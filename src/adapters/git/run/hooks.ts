/** Runs the repository's own hooks on a savepoint that is not committed yet. */
import { access, constants, readFile, rm, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { exists, type Repository } from "../place/place.ts";
import type { PrivateIndex } from "../index/private-index.ts";
import { hookRejected, type Refusal } from "../refusal.ts";
import { succeed, type GitAnswer, type RunGit, type RunOptions } from "./run.ts";
import type { Settings } from "./settings.ts";
import { randomIds } from "../../process/ids.ts";

/** Whether a hook of that name may exist. Looking is faster than starting git to be told that there is none. */
export function mayHaveHook(repo: Repository, settings: Settings, hook: string): boolean {
  return settings.hooksElsewhere || exists(join(repo.commonDir, "hooks", hook));
}

/** A hook may change the index, as formatters do. */
export async function runPreCommit(index: PrivateIndex): Promise<Refusal | undefined> {
  return await runHook(index, "pre-commit", []);
}

/** A hook may rewrite the message; the message it leaves is the one that counts. */
export async function runCommitMsg(
  index: PrivateIndex,
  message: string,
): Promise<{ readonly refusal: Refusal | undefined; readonly message: string }> {
  const file = join(index.repo.tmpDir, `message-${randomIds.next()}`);
  try {
    await writeFile(file, message.endsWith("\n") ? message : `${message}\n`);
    const refusal = await runHook(index, "commit-msg", [file]);
    return { refusal, message: await readFile(file, "utf8") };
  } finally {
    await rm(file, { force: true });
  }
}

async function runHook(
  { repo, env }: PrivateIndex,
  hook: string,
  args: readonly string[],
): Promise<Refusal | undefined> {
  const options: RunOptions = {
    cwd: repo.top,
    // As `git commit` does for a commit without an editor.
    env: { ...env, GIT_EDITOR: ":" },
    msMax: repo.hookMsMax,
    hook: true,
  };
  const answer = (await hasHookCommand(repo))
    ? await repo.run(["hook", "run", "--ignore-missing", hook, "--", ...args], options)
    : await runHookFile(repo, hook, { args, options });
  if (answer === undefined || (answer.end === "exit" && answer.code === 0)) return undefined;
  return hookRejected(hook, answer, repo.hookMsMax);
}

/** Whether git has `git hook run` (since 2.36). Decided by version, because error texts are translated. */
function hasHookCommand(repo: Repository): Promise<boolean> {
  const known = hookCommands.get(repo.run) ?? readHookCommand(repo);
  hookCommands.set(repo.run, known);
  return known;
}

async function readHookCommand(repo: Repository): Promise<boolean> {
  const text = await succeed(repo.run(["version"], { cwd: repo.top }));
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 36);
}

async function runHookFile(
  repo: Repository,
  hook: string,
  call: { readonly args: readonly string[]; readonly options: RunOptions },
): Promise<GitAnswer | undefined> {
  // `--git-path` takes core.hooksPath into account.
  const args = ["rev-parse", "--git-path", `hooks/${hook}`];
  const found = (await succeed(repo.run(args, { cwd: repo.top }))).trim();
  const file = isAbsolute(found) ? found : join(repo.top, found);
  try {
    await access(file, constants.X_OK);
  } catch {
    return undefined;
  }
  return await repo.run(call.args, { ...call.options, program: file });
}

// One answer for each git binary in use, which does not change while we run.
const hookCommands = new WeakMap<RunGit, Promise<boolean>>();
