/** Words as paths: what variables of the same command say is filled in, what cannot be known matches anything. */
import type { Word } from "./words.ts";

/** Stands for a text that only a running shell knows, slashes included. */
export const ANY = "\uE000";

export type Variables = ReadonlyMap<string, readonly string[]>;

const VALUES_MAX = 64;

/** The texts a word may become; `*` in them matches within a name, `ANY` anything. */
export function expand(word: Word, variables: Variables, home: string): readonly string[] {
  let made: readonly string[] = [""];
  for (const [index, piece] of word.entries()) {
    if (piece.kind === "any") made = made.map((one) => one + ANY);
    else if (piece.kind === "variable") {
      const values = variables.get(piece.name) ?? [ANY];
      made = made.flatMap((one) => values.map((value) => one + value)).slice(0, VALUES_MAX);
    } else if (piece.quoted) made = made.map((one) => one + piece.text);
    else {
      const start = index === 0 && /^~(?:\/|$)/.test(piece.text);
      const text = start ? home + piece.text.slice(1) : piece.text;
      made = made.flatMap((one) => alternatives(text).map((value) => one + wild(value)));
    }
  }
  return made.slice(0, VALUES_MAX);
}

/** Characters that the shell compares with names, as the one sign that matches most. */
function wild(text: string): string {
  return text.replaceAll(/\[[^\]/]*\]|\?/g, "*");
}

/** `a{b,c}d` is two words. */
function alternatives(text: string): readonly string[] {
  const [whole, before, inner, after] = /^([^{]*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(text) ?? [];
  if (whole === undefined || inner === undefined) return [text];
  return inner
    .split(",")
    .flatMap((one) => alternatives(`${before ?? ""}${one}${after ?? ""}`))
    .slice(0, VALUES_MAX);
}

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
