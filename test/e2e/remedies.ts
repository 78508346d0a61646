/**
 * Every remedy that is a command is typed once as it is printed, where it was printed: in the same place, by the same
 * caller, on a copy that is thrown away. It must be understood, and must not be refused for the very reason it is to mend.
 */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { onCopiedStore } from "./store.ts";

export interface Typed {
  readonly args: readonly string[];
  readonly top: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly bin: string;
}

interface Offered {
  readonly code: string;
  readonly command: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly by?: string;
}

const CALL_MS_MAX = 60_000;
/** What a test does to the program, and nobody else. */
const FAULTS: readonly string[] = ["HOLDPOINT_DIE_AT", "HOLDPOINT_TRACE_STEPS"];
/** Options that say who asks: the remedy is for whoever was refused. */
const CALLER: readonly string[] = ["--as", "--session", "--fence"];
/** Where it is asked about. */
const PLACE = "--cwd";

const failed: string[] = [];

/** What did not help, since it was last asked. */
export function uselessRemedies(): readonly string[] {
  return failed.splice(0);
}

/** Type each remedy in an answer that nobody has typed yet in this run. */
export function tryRemedies(typed: Typed, answer: unknown): void {
  const shared = process.env["HOLDPOINT_E2E_DIR"];
  if (shared === undefined || !basename(dirname(typed.top)).startsWith("holdpoint-e2e-")) return;
  for (const offered of offeredIn(answer)) {
    if (!isFirst(shared, offered)) continue;
    const reply = isWhole(offered)
      ? onCopy(typed, (env) => type({ ...typed, env }, offered))
      : "to be filled in";
    appendFileSync(
      join(shared, "remedies.jsonl"),
      `${JSON.stringify({ ...offered, reply, asked: typed.args.join(" ") })}\n`,
    );
    if (typeof reply === "object" && isUseless(offered, reply))
      failed.push(
        `${offered.code} (of ${typed.args.join(" ")}) offers "${offered.command}": exit ${reply.exit}, ${reply.codes.join(", ")}`,
      );
  }
}

/** It is not understood, names something that there is not, breaks, or comes to the same no. */
function isUseless({ code }: Offered, { codes }: Tried): boolean {
  const wrong = codes.some(
    (one) => one === "usage" || one === "internal" || one.endsWith("-unknown"),
  );
  return wrong || (codes.includes(code) && !CONDITIONAL.includes(code));
}

/** Says itself that it helps only once the other session is gone. */
const CONDITIONAL: readonly string[] = ["lease-held"];

/** Whatever has a code and beside it a remedy that can be asked for, at any depth. */
function offeredIn(value: unknown): readonly Offered[] {
  if (value === null || typeof value !== "object") return [];
  const below = Object.values(value).flatMap(offeredIn);
  const { code, fix, remedy } = value as Partial<{ code: string; fix: string; remedy: Offered }>;
  const command = fix?.slice(Math.max(0, fix.indexOf("holdpoint "))) ?? "";
  if (code === undefined || remedy === undefined || command === "") return below;
  const { operation, input, by } = remedy;
  return [{ code, command, operation, input, ...(by === undefined ? {} : { by }) }, ...below];
}

/** What stands in angle brackets is for a person to fill in. */
function isWhole({ command }: Offered): boolean {
  return !/<[a-z][^<>]*>/.test(command);
}

/** Of all test files one gets it. */
function isFirst(shared: string, { code, operation, input, by }: Offered): boolean {
  const { step } = input;
  const named = [code, operation, by, ...Object.keys(input).toSorted(), step]
    .filter((one) => typeof one === "string")
    .join(" ");
  mkdirSync(join(shared, "remedies"), { recursive: true });
  try {
    mkdirSync(join(shared, "remedies", named.replaceAll(/[^\w -]/g, "_").slice(0, 200)));
    return true;
  } catch {
    return false;
  }
}

const BYTES_MAX = 100_000_000;
const FILES_MAX = 20_000;

/** A hole of 100 GB takes no space before somebody copies it. */
function isSmall(room: string): boolean {
  try {
    const paths = readdirSync(room, { recursive: true, encoding: "utf8" });
    if (paths.length > FILES_MAX) return false;
    let bytes = 0;
    for (const path of paths) bytes += lstatSync(join(room, path)).size;
    return bytes <= BYTES_MAX;
  } catch {
    return false;
  }
}

/** Names in git's worktrees are whole paths, so the copy stands where the original stood, and that comes back unchanged. */
function onCopy<T>({ top, env }: Typed, act: (env: Typed["env"]) => T): T | "not copied" {
  const room = dirname(top);
  if (!isSmall(room)) return "not copied";
  const aside = `${room}.aside`;
  renameSync(room, aside);
  try {
    cpSync(aside, room, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
    return onCopiedStore(top, env, (store) => act({ ...env, ...store }));
  } catch {
    // A pipe, or a directory that nobody may read: there are remedies enough elsewhere.
    return "not copied";
  } finally {
    rmSync(room, { recursive: true, force: true });
    renameSync(aside, room);
  }
}

interface Tried {
  readonly exit: number;
  readonly codes: readonly string[];
  readonly said: string;
}

function type({ args, cwd, env, bin }: Typed, { command, by }: Offered): Tried {
  const caller = given([PLACE, ...(by === undefined ? CALLER : [])], args);
  const marked = Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !FAULTS.includes(name) && (by === undefined || !MARKS.includes(name)),
    ),
  );
  const script = `holdpoint() { '${process.execPath}' '${bin}' "$@"; }; ${command} --json ${caller.map((one) => `'${one}'`).join(" ")}`;
  const { status, stdout, stderr } = spawnSync("sh", ["-c", script], {
    cwd,
    env: marked,
    timeout: CALL_MS_MAX,
    encoding: "utf8",
  });
  const said = `${stdout}${stderr}`.slice(0, 600);
  return { exit: status ?? -1, codes: codesIn(parsed(stdout)), said };
}

/** What marks a caller as an agent. */
const MARKS: readonly string[] = ["CLAUDECODE", "HOLDPOINT_ACTOR", "HOLDPOINT_SESSION"];

function given(options: readonly string[], args: readonly string[]): readonly string[] {
  return args.flatMap((one, index) =>
    options.includes(one)
      ? [one, args[index + 1] ?? ""]
      : options.includes(one.split("=")[0] ?? "")
        ? [one]
        : [],
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why it was refused; findings that a look finds are what it is for, and so are the refusals that an audit lists. */
function codesIn(answer: unknown): readonly string[] {
  const {
    refusals = [],
    error,
    events,
  } = (answer ?? {}) as {
    refusals?: readonly { code?: string }[];
    error?: { code: string };
    events?: unknown;
  };
  const refused = events === undefined ? refusals.flatMap(({ code }) => code ?? []) : [];
  return [...new Set([...refused, ...(error === undefined ? [] : [error.code])])];
}
