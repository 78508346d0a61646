import { plainPath } from "../values/paths.ts";
import type { Protocol } from "./protocol.ts";

/**
 * Names are typed on command lines, stored in files and journals, and compared letter by letter. So a name that
 * is invisible, hard to type, or looks like another is refused.
 */
export function nameMistakes(protocol: Protocol): readonly string[] {
  const { name, kinds, questions, work, guards, vars, stateFile } = protocol;
  const places: readonly (readonly [string, readonly string[]])[] = [
    ["kinds", Object.keys(kinds)],
    ...Object.entries(kinds).flatMap(([kind, { states, moves }]) => [
      [`${kind} states`, states] as const,
      [`${kind} moves`, [...new Set(moves.map(({ id }) => id))]] as const,
    ]),
    ["questions", Object.keys(questions)],
    ...Object.entries(questions).map(
      ([question, { options }]) => [`${question} options`, options.map(({ id }) => id)] as const,
    ),
    ["work", Object.keys(work)],
    ["guards", Object.keys(guards)],
    ["vars", Object.keys(vars)],
  ];
  return [
    ...(PROTOCOL_NAME.test(name)
      ? []
      : [`name: ${shown(name)} is no name for a protocol (small letters, digits and hyphens)`]),
    ...places.flatMap(([where, names]) => [
      ...names.filter((one) => !isName(one)).map((one) => `${where}: ${shown(one)} is no name`),
      ...alike(names).map(
        ([one, other]) => `${where}: ${shown(one)} and ${shown(other)} look the same`,
      ),
    ]),
    ...(stateFile === undefined || isInside(stateFile)
      ? []
      : [`stateFile: ${shown(stateFile)} is no file of the repository`]),
  ];
}

export const PROTOCOL_NAME: RegExp = /^[a-z][a-z0-9-]{0,63}$/;

/**
 * Letters of any script and common separators. `__proto__` is excluded, because it would set an object's
 * prototype.
 */
export function isName(name: string): boolean {
  return (
    /^[\p{L}\p{N}_.][\p{L}\p{N}\p{M} _.:/@#'+-]{0,63}$/u.test(name) &&
    !name.endsWith(" ") &&
    name !== "__proto__"
  );
}

/**
 * Pairs of names that a reader could not tell apart: the same letters in another case, Unicode form or script.
 */
function alike(names: readonly string[]): readonly (readonly [string, string])[] {
  const seen = new Map<string, string>();
  return names.flatMap((name) => {
    const look = looks(name);
    const other = seen.get(look);
    seen.set(look, name);
    return other === undefined || other === name ? [] : [[other, name] as const];
  });
}

function looks(name: string): string {
  const plain = name.normalize("NFKC").toLowerCase();
  return plain.replace(/[\u0370-\u052f]/gu, (letter) => TWINS[letter] ?? letter);
}

/** Cyrillic and Greek letters that look like Latin ones. */
const TWINS: Readonly<Record<string, string>> = Object.fromEntries(
  "аa еe оo рp сc уy хx іi јj ѕs ԁd һh ӏl οo αa ρp τt ιi κk νv"
    .split(" ")
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

/** Shows unusual characters by their code, so that invisible ones can be seen. */
function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80)).replace(
    /[^\x20-\x7e]/gu,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

function isInside(path: string): boolean {
  const plain = plainPath(path);
  return plain !== "" && !plain.startsWith("/") && !plain.startsWith("../") && !/[\0\\]/.test(path);
}
