/** The built command line on scratch repositories: real processes, real git, nothing shared with the user's own. */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect } from "vitest";
import type { JsonObject } from "../../src/core/values/json.ts";
import { checkSchema } from "../../src/files/json/schema.ts";
import { forgedBelow } from "./prove-all.ts";
import { operations } from "../../src/operations/index.ts";
import { tryRemedies, uselessRemedies } from "./remedies.ts";
import { copyStore, dropStore, storeEnv } from "./store.ts";

/** This checkout's program, or another that is to be tested, such as an installed package. */
export const BIN: string =
  process.env["HOLDPOINT_E2E_BIN"] ??
  fileURLToPath(new URL("../../bin/holdpoint.js", import.meta.url));

/** No call may hang a test run. */
const CALL_MS_MAX = 120_000;
const PROOF_MS_MAX = 120_000;

/** What one call answered. With `--json`, `json` is the one object on standard output. */
export interface Reply {
  readonly exit: number;
  readonly json: Answer;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Reason {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
  /** The fix as data, where it can be asked for. */
  readonly remedy?: { readonly operation: string; readonly input: JsonObject };
}

export interface Finding extends Reason {
  readonly file: string;
  readonly line: number;
}

export interface Menu {
  readonly id: string;
  readonly question: string;
  readonly prompt: string;
  readonly nonce: string;
  readonly about: Readonly<Record<string, unknown>>;
  readonly options: readonly {
    readonly number: number;
    readonly id: string;
    readonly label: string;
    readonly recommended?: boolean;
    readonly discovery?: string;
  }[];
}

/** Every field that some verb answers with; absent ones read as undefined. */
export interface Answer {
  readonly ok?: boolean;
  readonly workflow?: string;
  readonly state?: string;
  readonly headline?: string;
  readonly seq?: number;
  readonly finished?: boolean;
  readonly details?: Readonly<Record<string, string>>;
  readonly error?: { readonly code: string; readonly message: string; readonly fix: string };
  readonly refusals?: readonly Reason[];
  readonly held?: readonly Menu[];
  readonly events?: readonly string[];
  readonly notes?: readonly { readonly code: string; readonly message: string }[];
  readonly warnings?: readonly string[];
  readonly commits?: readonly { readonly oid: string; readonly short: string }[];
  readonly pending?: readonly { readonly code: string; readonly message: string }[];
  readonly order?: Order;
  readonly orders?: readonly Order[];
  readonly drift?: readonly string[];
  readonly lease?: { readonly session: string } | null;
  readonly dispatches?: readonly {
    readonly id: string;
    readonly role: string;
    readonly status: string;
  }[];
  readonly candidates?: readonly {
    readonly do: string;
    readonly unit?: string;
    readonly allowed: boolean;
    readonly refusals: readonly Reason[];
  }[];
  readonly workflows?: readonly {
    readonly id: string;
    readonly protocol: string;
    readonly exit: number;
    readonly findings: readonly Finding[];
    readonly result?: string;
    readonly summary?: readonly string[];
    readonly changes?: readonly { readonly file: string; readonly diff: string }[];
    readonly refusals?: readonly Reason[];
    readonly at?: string;
    readonly updatedAt?: string;
  }[];
  readonly gaps?: Readonly<Record<"files" | "state" | "git", readonly string[]>>;
  readonly choices?: readonly string[];
  readonly shown?: readonly string[];
  readonly chain?: { readonly records: number; readonly damage?: { readonly code: string } };
  readonly entries?: readonly {
    readonly seq: number;
    readonly actor: string;
    readonly session: string;
    readonly command: string;
    readonly at: string;
    readonly events: readonly string[];
  }[];
}

export interface Order {
  readonly dispatch: string;
  readonly role: string;
  readonly prompt: string;
  readonly files: readonly string[];
  readonly stage: number;
  readonly phase: string | null;
  /** The team contract's input. */
  readonly task?: Readonly<Record<string, unknown>>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** Arguments: one string is split at spaces, a list is taken as it is. */
export type Args = string | readonly string[];

export interface Scratch {
  readonly top: string;
  readonly env: Readonly<Record<string, string>>;
  /** Run `holdpoint <args> --json`. */
  readonly hold: (args: Args, options?: RunOptions) => Reply;
  /** Run `holdpoint <args>` as a person would, without `--json`. */
  readonly say: (args: Args, options?: RunOptions) => Reply;
  /** As `hold`, without waiting, for tests in which several run at once. */
  readonly holdLater: (args: Args, options?: RunOptions) => Promise<Reply>;
  readonly git: (...args: readonly string[]) => string;
  readonly write: (path: string, text: string) => void;
  readonly edit: (path: string, change: (text: string) => string) => void;
  readonly read: (path: string) => string;
  readonly has: (path: string) => boolean;
  readonly remove: (path: string) => void;
  readonly hook: (name: string, script: string) => void;
}

const rooms: string[] = [];
// The clients are tried with these helpers too, and without a test runner.
if (process.env["VITEST"] !== undefined)
  afterAll(async () => {
    expect(await sweep(), "records that the tables could not have made").toEqual([]);
    expect(uselessRemedies(), "remedies that do not help").toEqual([]);
  }, PROOF_MS_MAX);

/** Every directory goes; gives what was forged in their journals. */
export async function sweep(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const room of rooms.splice(0)) {
    if (!tampered.has(room)) found.push(...(await forgedBelow(room)));
    for (const name of readdirSync(room)) dropStore(join(room, name));
    rmSync(room, { recursive: true, force: true });
  }
  return found;
}

/** Where a test writes into the journal itself. */
const tampered = new Set<string>();

export function tamper({ top }: Pick<Scratch, "top">): void {
  tampered.add(dirname(top));
}

/** A directory of its own, gone when the test file is done. */
export function scratchDirectory(parent: string = tmpdir()): string {
  const room = realpathSync(mkdtempSync(join(parent, "holdpoint-e2e-")));
  rooms.push(room);
  return room;
}

/** Of what is not tested here, the repository says that it has none. */
export const NO_CHECKS: JsonObject = Object.fromEntries(
  ["build", "tests", "quality", "validate"].map((name) => [name, { none: "a test" }]),
);

/** A repository with one commit and nothing of Holdpoint in it but that it has no checks. */
export function repository(): Scratch {
  const scratch = bareDirectory();
  scratch.git("init", "--quiet", "--template=", "--initial-branch=main");
  scratch.git("config", "user.name", "Ada");
  scratch.git("config", "user.email", "ada@example.org");
  scratch.write(".gitignore", "build/\n");
  scratch.write("holdpoint.config.json", JSON.stringify({ checks: NO_CHECKS }));
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "first");
  return scratch;
}

/** Settings count as they are committed. */
export function commitFile(scratch: Scratch, path: string, text: string): void {
  scratch.write(path, text);
  scratch.git("add", "--force", path);
  scratch.git("commit", "--quiet", "--no-verify", "-m", `settings: ${path}`, "--", path);
}

/** A directory without git. */
export function bareDirectory(): Scratch {
  const top = join(scratchDirectory(), "work tree");
  mkdirSync(top);
  return scratchAt(top);
}

/** The same repository once more, so that an expensive state is built once and used often. */
export function copyOf(scratch: Scratch): Scratch {
  const top = join(scratchDirectory(), "work tree");
  cpSync(scratch.top, top, { recursive: true, preserveTimestamps: true });
  copyStore(scratch.top, top);
  return scratchAt(top);
}

const made = new Map<string, Scratch>();

/**
 * A repository in a state that takes many calls to reach, built once for all test files of a run.
 * Only to be copied, never to be worked in.
 */
export function preparedOnce(name: string, build: () => Scratch): Scratch {
  const known = made.get(name);
  if (known !== undefined) return known;
  const shared = process.env["HOLDPOINT_E2E_DIR"];
  const top = shared === undefined ? undefined : join(shared, name, "work tree");
  const scratch = top !== undefined && existsSync(top) ? scratchAt(top) : share(build(), top);
  made.set(name, scratch);
  return scratch;
}

/** Whole or not at all: another worker may be building the same one. */
function share(scratch: Scratch, top: string | undefined): Scratch {
  if (top === undefined) return scratch;
  const half = `${dirname(top)}.${process.pid}`;
  cpSync(scratch.top, join(half, "work tree"), { recursive: true, preserveTimestamps: true });
  copyStore(scratch.top, join(half, "work tree"));
  try {
    renameSync(half, dirname(top));
  } catch {
    rmSync(half, { recursive: true, force: true });
  }
  return scratch;
}

export function scratchAt(top: string): Scratch {
  const env = cleanEnv(dirname(top));
  const path = (name: string): string => join(top, name);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  const read = (name: string): string => readFileSync(path(name), "utf8");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: top, env, encoding: "utf8", stdio: "pipe" }).trimEnd();
  return {
    top,
    env,
    hold: (args, options = {}) => run([...argList(args), "--json"], top, { env, ...options }),
    say: (args, options = {}) => run(argList(args), top, { env, ...options }),
    holdLater: (args, options = {}) =>
      runLater([...argList(args), "--json"], top, { env, ...options }),
    git,
    write,
    edit: (name, change) => {
      const before = read(name);
      const after = change(before);
      if (after === before) throw new Error(`the edit of ${name} changes nothing:\n${before}`);
      write(name, after);
    },
    read,
    has: (name) => existsSync(path(name)),
    remove: (name) => rmSync(path(name), { recursive: true }),
    hook: (name, script) => {
      const file = path(join(".git/hooks", name));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
  };
}

function argList(args: Args): readonly string[] {
  return typeof args === "string" ? args.split(" ") : args;
}

/** No client's marks, no configuration of the machine: the caller is a person unless a test says otherwise. */
function cleanEnv(home: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TMPDIR: tmpdir(),
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    NO_COLOR: "1",
  };
}

type Where = RunOptions & { readonly env: Readonly<Record<string, string>> };

function run(args: readonly string[], top: string, { env, stdin = "", cwd = top }: Where): Reply {
  const whole = { ...cleanEnv(dirname(top)), ...storeEnv(top), ...env };
  const result = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    env: whole,
    input: stdin,
    timeout: CALL_MS_MAX,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const reply = replyOf(args, result.status ?? -1, result.stdout, result.stderr);
  tryRemedies({ args, top, cwd, env: whole, bin: BIN }, reply.json);
  return reply;
}

async function runLater(
  args: readonly string[],
  top: string,
  { env, stdin = "", cwd = top }: Where,
): Promise<Reply> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd,
    env: { ...cleanEnv(dirname(top)), ...storeEnv(top), ...env },
    timeout: CALL_MS_MAX,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.end(stdin);
  const exit = await new Promise<number>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? -1));
  });
  return replyOf(args, exit, stdout, stderr);
}

/** What a verb answers is what its operation's published schema says, whatever the test is about. */
function fitsSchema([verb = "", ...rest]: readonly string[], json: JsonObject): void {
  const operation = operations.find((one) => one.name === verb);
  if (operation === undefined || rest.includes("--help") || rest.includes("--watch")) return;
  const wrong = checkSchema(operation.result, json);
  if (wrong.length > 0)
    throw new Error(`the answer of ${verb} is not what its schema says: ${JSON.stringify(json)}`);
}

/** With `--json` standard output holds exactly one JSON object; a killed process may leave none. */
function replyOf(args: readonly string[], exit: number, stdout: string, stderr: string): Reply {
  const wantsJson = args.includes("--json");
  if (!wantsJson || (exit === -1 && stdout === "")) return { exit, json: {}, stdout, stderr };
  const json = parseAnswer(stdout);
  if (json === undefined)
    throw new Error(
      `holdpoint ${args.join(" ")} (exit ${exit}) did not print JSON:\n${stdout}\n${stderr}`,
    );
  fitsSchema(args, json);
  return { exit, json, stdout, stderr };
}

function parseAnswer(text: string): (Answer & JsonObject) | undefined {
  try {
    const json: Answer & JsonObject = JSON.parse(text);
    return json;
  } catch {
    return undefined;
  }
}
