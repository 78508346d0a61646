/** Words as paths: what variables of the same command say is filled in, what cannot be known matches anything. */
import { ANY } from "./any.ts";
import type { Word } from "./words.ts";

export type Variables = ReadonlyMap<string, readonly string[]>;

/** What a machine sets to places of its own; nothing that is held lies there. */
const OUTSIDE =
  /^(?:TMPDIR|TMP|TEMP|XDG_(?:CACHE|RUNTIME|STATE|DATA)_\w+|RUNNER_TEMP|GITHUB_(?:OUTPUT|ENV|PATH|STEP_SUMMARY|STATE)|CARGO_TARGET_DIR|GOCACHE|SCRATCH)$/;

const VALUES_MAX = 64;
const CHARS_MAX = 16_384;

/** The texts a word may become; `*` in them matches within a name, `ANY` anything. */
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

/** Without quotes a value is as many words as it has; with them it is one, and what looks like both is both. */
function inWords(value: string): readonly string[] {
  const words = value.split(/\s+/).filter((one) => one !== "");
  return words.length > 1 ? [value, ...words] : [value];
}

/** What grows without end, such as a variable that is doubled again and again, could be anything. */
function bounded(made: readonly string[]): readonly string[] {
  const few = made.length > VALUES_MAX ? [...made.slice(0, VALUES_MAX), ANY] : made;
  return few.map((one) => (one.length > CHARS_MAX ? ANY : one));
}

function atHome(text: string, variables: Variables, home: string): string {
  if (/^~\+(?:\/|$)/.test(text)) return (variables.get("PWD")?.[0] ?? ANY) + text.slice(2);
  return /^~(?:\/|$)/.test(text) ? home + text.slice(1) : text;
}

/** Characters that the shell compares with names, as the one sign that matches most. */
function wild(text: string): string {
  return text.replaceAll(/\[[^\]/]*\]|\?/g, "*");
}

/** `a{b,c}d` is two words; of many such braces each stands for anything. */
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

/** `NAME=value` before a command or alone. */
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
