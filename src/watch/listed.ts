/**
 * Which paths a command prints, as far as that can be known, because the next command may get them as arguments.
 */
import { operands } from "./arguments.ts";
import { ANY } from "./any.ts";
import { searchedBy } from "./find.ts";
import { programName } from "./programs.ts";
import { takeApart } from "./words.ts";
import type { Word } from "./words.ts";

const UNKNOWN: readonly string[] = [ANY];

/** Programs that print some of the lines they read. */
const FILTERS: readonly string[] = [
  "grep",
  "egrep",
  "fgrep",
  "head",
  "tail",
  "sort",
  "uniq",
  "tac",
];

/** The paths that a command prints; `before` are those that it reads from the previous command. */
export function listedBy(
  words: readonly string[],
  before: readonly string[] | undefined,
): readonly string[] {
  const [first = "", ...args] = words;
  const name = programName(first);
  if (before !== undefined) return FILTERS.includes(name) ? before : UNKNOWN;
  if (name === "find") return searchedBy(args).found.flatMap(below);
  // A new file that nobody has yet, so it is not held.
  if (name === "mktemp") return ["/tmp/mktemp-makes-a-name"];
  if (name === "echo" || name === "printf") return args.length === 0 ? UNKNOWN : args;
  if (name === "ls") return orHere(operands(args)).flatMap((path) => [path, `${path}/*`]);
  if (name === "git") return listsFiles(args) ? trackedBy(args) : UNKNOWN;
  if (/^(?:e?grep|rg|ag|fd|fdfind)$/.test(name) && namesFiles(name, args))
    return orHere(operands(args, /^(?:-[egt]|--glob|--type)$/).slice(1)).flatMap(below);
  return UNKNOWN;
}

/** The same for a text of several commands in a pipeline. */
export function printedBy(
  text: string,
  textsOf: (word: Word) => readonly string[],
): readonly string[] {
  let paths: readonly string[] | undefined;
  for (const item of takeApart(text) ?? []) {
    if (item.kind !== "command" || (paths !== undefined && !item.piped)) return UNKNOWN;
    paths = listedBy(item.words.flatMap(textsOf), paths);
  }
  return paths ?? UNKNOWN;
}

/** The path itself, and everything below it. */
function below(path: string): readonly string[] {
  return path.includes(ANY) ? [path] : [path, `${path}/${ANY}`];
}

function orHere(paths: readonly string[]): readonly string[] {
  return paths.length === 0 ? ["."] : paths;
}

function listsFiles([verb = "", ...args]: readonly string[]): boolean {
  if (verb === "grep") return args.some((arg) => /^-\w*l|^--files/.test(arg));
  return verb === "ls-files" || args.includes("--name-only");
}

/** The repository's files, or those that a pattern or folder limits them to. */
function trackedBy([verb, ...args]: readonly string[]): readonly string[] {
  const at = args.indexOf("--");
  const paths = at >= 0 ? args.slice(at + 1) : verb === "ls-files" ? operands(args) : [];
  return orHere(paths).flatMap((path) =>
    path.includes("*") ? [`./${ANY}/${path.split("/").at(-1)}`] : below(path),
  );
}

function namesFiles(name: string, args: readonly string[]): boolean {
  return name.startsWith("fd") || args.some((arg) => /^-(?!-)\w*[lL]|^--files/.test(arg));
}
