/**
 * Judges program text inside a command (as in `python -c`). It is not interpreted; only what can be seen in the
 * text counts.
 */
import { isProgram, programName } from "./programs.ts";

const WRITES =
  /\b(?:write\w*|open|eval|getattr|__\w+__|import_module|unlink|rename|remove|rmtree|mkdir|copy\w*|move|truncate|exec\w*|spawn\w*|system|popen|subprocess|rm|mv|cp|tee|sed|touch|dd|install|ln|sh|bash)\b|>|Sync\(/i;

/** A program that only reads and prints is allowed. Any text that may do more does not count as one. */
const READING = /\b(?:read\w*|print|console\.log|puts|load|len(?:gth)?|cat)\b/;
const READ_OPEN = /\bopen\(\s*(["'])[^"']*\1\s*(?:,\s*(["'])r[bt]?\2\s*)?\)/g;

const READ_SYNC = /\bread\w*Sync\(/g;

export function writes(text: string): boolean {
  return WRITES.test(text.replaceAll(READ_OPEN, "read()").replaceAll(READ_SYNC, "read("));
}

export function onlyReads(text: string): boolean {
  return !writes(text) && READING.test(text);
}

const RUNS = /\b(?:exec\w*|eval|system|popen|subprocess|spawn\w*|source|(?:ba|z|da|k)?sh)\b|`|%x/i;

const DECODES =
  /\bbase(?:32|64)\s+(?:-\w*[dD]\b|--decode)|\bopenssl\s[^|;&]*\s-d\b|\bxxd\s+-\w*r|\b(?:uudecode|rev|b(?:16|32|64)decode|decodebytes|unhexlify|fromhex|atob|decode_?(?:base)?64)\b|["'](?:base64|hex|rot13)["']/;

/** Text that is decoded only to be executed was encoded so that nobody can read it. */
export function unpacks(text: string): boolean {
  return DECODES.test(text);
}

const QUOTED = /(["'`])((?:\\.|(?!\1)[^\\])*)\1/gs;
const QUOTED_MAX = 200;

/** It goes through folders or removes them, so everything below a folder it names is included. */
const TREES =
  /\b(?:rmtree|rm(?:dir)?(?:Sync)?|remove\w*|rename\w*|move|replace|walk|r?glob|scandir|iterdir|readdir\w*)\b/;

export interface Inline {
  readonly runs: boolean;
  /** What it may write, by name and below. */
  readonly paths: readonly string[];
  readonly tree: boolean;
  /** What it may run: as one would type it, and as a list of words. */
  readonly typed: readonly string[];
  readonly command: readonly string[];
}

/** What becomes of the lines that an interpreter is told to go through: they are printed, or written back. */
export function linesBy(name: string, args: readonly string[]): "printed" | "written" | undefined {
  if (name !== "perl" && name !== "ruby") return undefined;
  if (args.some((arg) => /^-\w*i/.test(arg))) return "written";
  return args.some((arg) => /^-\w*[np]/.test(arg)) ? "printed" : undefined;
}

/** Several words are a sentence and not a path, unless they end like the path of a file. */
function isPath(text: string): boolean {
  return /\w/.test(text) && (!/\s/.test(text) || /^[^\n]*\/[^\s/]*\.\w+$/.test(text));
}

/** A quoted text may be a path if the program writes, and a command if it runs something. */
export function readInline(text: string): Inline {
  const found = [...text.matchAll(QUOTED)].map((match) => match[2] ?? "").slice(0, QUOTED_MAX);
  const runs = RUNS.test(text);
  const start = runs ? found.findIndex((one) => isProgram(programName(one))) : -1;
  return {
    runs,
    paths: writes(text) ? found.filter(isPath) : [],
    tree: TREES.test(text),
    typed: runs ? found.filter((one) => /\S\s+\S/.test(one)) : [],
    command: start < 0 ? [] : found.slice(start),
  };
}
