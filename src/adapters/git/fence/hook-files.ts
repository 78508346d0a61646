/**
 * Installs the hook where git looks for it, and removes it again.
 *
 *   core.hooksPath not set   our file in the git directory's hooks; an existing hook is kept beside it and called
 *   core.hooksPath set       a directory of our own, whose hooks call those in the configured directory. That one is
 *                            not changed: all repositories may share it, or it may be part of the work itself
 */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createHash } from "node:crypto";
import type { FenceHook } from "../../../ports/fence.ts";
import type { Problem } from "../../../ports/problem.ts";
import { errorCode, readRegular, replaceOwn } from "../../store/durable.ts";
import {
  FENCE_HOOK,
  hookText,
  isOurs,
  KEPT,
  PASSED_ON,
  PASSED_ON_IF_THERE,
  passOnText,
  SERVER_HOOK,
} from "./hook-text.ts";
import type { HookText } from "./hook-text.ts";

export interface Hooks {
  readonly commonDir: string;
  /** Where git looks for hooks, if configured: in this repository's own configuration, and overall. */
  readonly path: FenceHook["path"];
  readonly bare: boolean;
  readonly text: Pick<HookText, "shell" | "node" | "program" | "store">;
}

const RELEASES = "refs/holdpoint/releases/";

export const OWN_HOOKS: string = join("holdpoint", "hooks");

/** Writes the hook files, if it is not only to say what they would be, but does not change git's configuration. */
export function putHooks(
  hooks: Hooks,
  refs: readonly string[],
  writes: boolean,
): FenceHook | Problem {
  const { commonDir } = hooks;
  const path = placeBefore(hooks);
  const place = path === null ? "hooks" : OWN_HOOKS;
  const directory = join(commonDir, place);
  const texts = textsOf(hooks, refs, path);
  try {
    const foreign = notOurs(directory, Object.keys(texts));
    if (foreign !== undefined) return foreign;
    if (writes) mkdirSync(directory, { recursive: true });
    for (const [name, text] of writes ? Object.entries(texts) : [])
      putOne(join(directory, name), text);
  } catch (error) {
    return unwritable(directory, error);
  }
  const files = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, sha256(text)]),
  );
  return { directory: place, files, path };
}

/** Whether one of the two directories has a hook of ours, whoever installed it. */
export function isPut(commonDir: string): boolean {
  return ["hooks", OWN_HOOKS].some((place) => {
    const read = readRegular(join(commonDir, place, FENCE_HOOK));
    return read.kind === "found" && isOurs(read.bytes.toString());
  });
}

/**
 * Where hooks were before ours. If git already points to our directory, our files there name the earlier place.
 */
function placeBefore({ commonDir, path }: Hooks): FenceHook["path"] {
  const own = join(commonDir, OWN_HOOKS);
  if (path?.whole !== own) return path;
  const before = saidIn(textOf(join(own, FENCE_HOOK)) ?? "", "before");
  return before === "" ? null : { own: path.own === own ? null : path.own, whole: dirname(before) };
}

/** A value written in one of our files. */
function saidIn(text: string, name: string): string {
  const [, said = ""] = new RegExp(`^${name}='(.*)'$`, "m").exec(text) ?? [];
  return said.replaceAll(String.raw`'\''`, "'");
}

function textsOf(
  { text, bare }: Hooks,
  refs: readonly string[],
  path: FenceHook["path"],
): Readonly<Record<string, string>> {
  const before = (name: string): string => (path === null ? "" : join(path.whole, name));
  const names = bare ? [FENCE_HOOK, SERVER_HOOK] : [FENCE_HOOK];
  // On a server, the releases that came with a push are the only record of who released what, so they are
  // protected too.
  const below = ["refs/replace/", ...(bare ? [RELEASES] : [])];
  const own = names.map((name) => [
    name,
    hookText({ ...text, name, refs, below, before: before(name) }),
  ]);
  if (path === null) return Object.fromEntries(own);
  const there = PASSED_ON_IF_THERE.filter((name) => existsSync(before(name)));
  const passed = [...PASSED_ON, ...there].map((name) => [name, passOnText(name, before(name))]);
  return Object.fromEntries([...passed, ...own]);
}

/** Files of another user, and anything that is not a regular file, are not replaced. */
function notOurs(directory: string, names: readonly string[]): Problem | undefined {
  for (const place of [directory, ...names.map((name) => join(directory, name))]) {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.uid !== process.geteuid?.())
      return {
        code: "hook-not-yours",
        message: `${place} belongs to another user, so no fence was put up`,
        fix: "Have its owner give it to you, or let them run `holdpoint fence install`.",
      };
    if (place !== directory && !stats.isFile() && !stats.isSymbolicLink())
      return {
        code: "hook-odd",
        message: `${place} is neither a file nor a link, so no fence was put up`,
        fix: "Move it away, then try again.",
      };
  }
  return undefined;
}

/** An existing hook is kept under another name beside ours, which calls it. */
function putOne(file: string, text: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats !== undefined && !isOurs(textOf(file) ?? "")) renameSync(file, `${file}${KEPT}`);
  replaceOwn(file, text, () => undefined);
  chmodSync(file, 0o755);
}

export function takeHooks(
  commonDir: string,
  { directory: place, files, path }: FenceHook,
): Problem | undefined {
  const directory = join(commonDir, place);
  try {
    for (const name of Object.keys(files)) {
      const file = join(directory, name);
      const text = textOf(file);
      // If somebody has replaced our file since, theirs stays.
      if (text !== undefined && isOurs(text)) rmSync(file);
      if (existsSync(file) || lstatSync(`${file}${KEPT}`, { throwIfNoEntry: false }) === undefined)
        continue;
      renameSync(`${file}${KEPT}`, file);
    }
    if (path !== null && readdirSync(directory).length === 0)
      rmSync(directory, { recursive: true });
    return undefined;
  } catch (error) {
    return unwritable(directory, error);
  }
}

/** What is wrong with the files, compared with what was installed. */
export function lookAtHooks(
  commonDir: string,
  { directory, files }: FenceHook,
): readonly Problem[] {
  return Object.entries(files).flatMap(([name, digest]) => {
    const file = join(commonDir, directory, name);
    const text = textOf(file);
    if (text === undefined) return [down("hook-missing", `${file} is gone`)];
    if (sha256(text) !== digest) return [down("hook-replaced", `${file} is another one`)];
    if (!isExecutable(file)) return [down("hook-replaced", `${file} is not executable`)];
    const gone = ["node", "program"]
      .map((part) => saidIn(text, part))
      .filter((part) => part !== "" && !existsSync(part));
    return gone.map((part) => ({
      code: "fence-program-gone",
      message: `The fence cannot judge anything, and refuses every move: ${part} is gone`,
      fix: "Install Holdpoint again, then run `holdpoint fence install`.",
    }));
  });
}

function down(code: string, how: string): Problem {
  return {
    code,
    message: `The fence is down: its hook ${how}`,
    fix: "Find out who did it, then run `holdpoint fence install`.",
  };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function textOf(file: string): string | undefined {
  try {
    const read = readRegular(file);
    return read.kind === "found" ? read.bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
}

function unwritable(directory: string, error: unknown): Problem {
  if (errorCode(error) === undefined) throw error;
  const why = error instanceof Error ? error.message : "";
  return {
    code: "hook-unwritable",
    message: `The hooks in ${directory} cannot be written: ${why}`,
    fix: "Make the directory writable, then try again.",
  };
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
