/** Expands words into paths: variables set in the same command are filled in, and unknown ones match anything. */
import { ANY } from "./any.ts";
import type { Word } from "./words.ts";

export type Variables = ReadonlyMap<string, readonly string[]>;

/** Variables that point to places of the machine, where nothing is ever held. */
const OUTSIDE =
  /^(?:TMPDIR|TMP|TEMP|XDG_(?:CACHE|RUNTIME|STATE|DATA)_\w+|RUNNER_TEMP|GITHUB_(?:OUTPUT|ENV|PATH|STEP_SUMMARY|STATE)|CARGO_TARGET_DIR|GOCACHE|SCRATCH)$/;

const VALUES_MAX = 64;
const CHARS_MAX = 16_384;

/** The texts that a word may become. `*` in them matches within a name, `ANY` matches anything. */
export function expand(word: Word, variables: Variables, home: string): readonly string[] {
  let made: readonly string[] = [""];
  for (const [index, piece] of word.entries()) {
    if (piece.kind === "any") made = made.map((one) => one + ANY);
    else if (piece.kind === "variable") {
      const outside = OUTSIDE.test(piece.name) ? `/tmp/of-the-machine/${piece.name}` : ANY;
      const values = variables.get(piece.name) ?? [outside];
      const split = piece.quoted === false ? values.flatMap(inWords) : values;
      made = made.flatMap((one) => split.map((value) => one + value));
    } else if (piece.quoted) made = made.map((one) => one + piece.text);
    else {
      const text = index === 0 ? atHome(piece.text, variables, home) : piece.text;
      made = made.flatMap((one) => alternatives(text).map((value) => one + wild(value)));
    }
    made = bounded(made);
  }
  return made;
}

/** An unquoted value is split into words, a quoted one is not. If it could be either, both are kept. */
function inWords(value: string): readonly string[] {
  const words = value.split(/\s+/).filter((one) => one !== "");
  return words.length > 1 ? [value, ...words] : [value];
}

/** A value that grows without limit, such as a variable that is doubled repeatedly, is treated as anything. */
function bounded(made: readonly string[]): readonly string[] {
  const few = made.length > VALUES_MAX ? [...made.slice(0, VALUES_MAX), ANY] : made;
  return few.map((one) => (one.length > CHARS_MAX ? ANY : one));
}

function atHome(text: string, variables: Variables, home: string): string {
  if (/^~\+(?:\/|$)/.test(text)) return (variables.get("PWD")?.[0] ?? ANY) + text.slice(2);
  // The home of somebody else could be anywhere.
  return text.replace(/^~[\w.-]*(?=\/|$)/, (one) => (one === "~" ? home : ANY));
}

/** Replaces the shell's other wildcards by `*`, which matches more. */
function wild(text: string): string {
  return text.replaceAll(/\[[^\]/]*\]|\?|\{[^{}/]*\.\.[^{}/]*\}/g, "*");
}

/** `a{b,c}d` is two words. If there are too many braces, each stands for anything. */
function alternatives(text: string): readonly string[] {
  let made: readonly string[] = [text];
  for (let round = 0; round < BRACES_MAX; round += 1) {
    const next = made.flatMap((one) => {
      const [, before = "", inner, after = ""] = BRACES.exec(one) ?? [];
      return inner === undefined ? [one] : inner.split(",").map((part) => before + part + after);
    });
    if (next.length === made.length || next.length > VALUES_MAX) break;
    made = next;
  }
  return made.map((one) => one.replaceAll(/\{[^{}]*,[^{}]*\}/g, "*"));
}

const BRACES = /^([^{]*)\{([^{}]*,[^{}]*)\}(.*)$/s;
const BRACES_MAX = 6;

/** `NAME=value`, before a command or alone. */
export function assignment(
  word: Word,
): { readonly name: string; readonly value: Word } | undefined {
  const [first, ...rest] = word;
  if (first?.kind !== "text" || first.quoted) return undefined;
  const [whole, name] = /^([A-Za-z_]\w*)\+?=/.exec(first.text) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  return { name, value: [{ ...first, text: first.text.slice(whole.length) }, ...rest] };
}

export function isUnknown(text: string): boolean {
  return text.includes(ANY);
}
