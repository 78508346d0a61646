/** Programs that search folders and remove what they find, or run other programs on it. */
import { operands, optionValues } from "./arguments.ts";
import { ANY } from "./any.ts";

export interface Searched {
  readonly removed: readonly string[];
  /** With everything below. */
  readonly tree: boolean;
  readonly written: readonly string[];
  /** The commands, each with what it is run on. */
  readonly runs: readonly (readonly string[])[];
}

export function readFind(args: readonly string[]): Searched {
  const { found, narrow } = searchedBy(args);
  return {
    removed: args.includes("-delete") ? found : [],
    tree: !narrow,
    written: optionValues(/^-f(?:print0?f?|ls)$/, args),
    runs: executedBy(args).flatMap((words) =>
      found.map((path) => words.map((word) => word.replaceAll("{}", `${path}/**`))),
    ),
  };
}

/** What `find` would find, and whether a name limits that. */
export function searchedBy(args: readonly string[]): {
  readonly found: readonly string[];
  readonly narrow: boolean;
} {
  const first = args.findIndex((arg) => /^[-(!]/.test(arg));
  const roots = first === 0 ? ["."] : args.slice(0, first < 0 ? undefined : first);
  const at = args.findIndex((arg) => /^-i?name$/.test(arg));
  if (at < 0) return { found: roots, narrow: false };
  return { found: roots.map((root) => `${root}/${ANY}/${args[at + 1] ?? "*"}`), narrow: true };
}

/** The commands that `find` runs on what it finds. */
function executedBy(args: readonly string[]): readonly (readonly string[])[] {
  return args.flatMap((arg, index) => {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(arg)) return [];
    const end = args.findIndex((one, place) => place > index && (one === ";" || one === "+"));
    return [args.slice(index + 1, end < 0 ? undefined : end)];
  });
}

/** `fd PATTERN FOLDER... -x COMMAND` passes what it finds to the command, like `xargs`. */
export function readFd(args: readonly string[]): Searched {
  const at = args.findIndex((arg) => /^(?:-[xX]|--exec(?:-batch)?)$/.test(arg));
  const [, ...named] = operands(args.slice(0, at), /^-[eEgtdS]$/);
  const folders = named.length === 0 ? ["."] : named;
  const found = folders.map((one) => `${one}/${ANY}`);
  const runs = at < 0 ? [] : passedOn(args.slice(at + 1), found);
  return { removed: [], tree: false, written: [], runs };
}

/** The words passed to a program by another: all at once, one at a time, or in the place of a mark. */
export function passedOn(
  words: readonly string[],
  paths: readonly string[],
): readonly (readonly string[])[] {
  const each = paths.slice(0, PASSED_MAX);
  if (words.some((word) => word.includes("{}")))
    return each.map((path) => words.map((word) => word.replaceAll("{}", path)));
  const all = each.flatMap((path) => path.split(/\s+/)).slice(0, PASSED_MAX);
  const single = each.length > 1 ? each.map((path) => [...words, ...path.split(/\s+/)]) : [];
  return [[...words, ...all], ...single];
}

const PASSED_MAX = 64;
