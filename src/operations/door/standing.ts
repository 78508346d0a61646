/** Where the workflows here stand, in the few words an agent needs to continue after losing its context. */
import type { Act } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import type { Dispatch } from "../../core/state/state.ts";
import type { Found } from "../../engine/engine.ts";
import type { Parts } from "../../engine/parts.ts";
import { liveWorkflows } from "./live.ts";

/** How many are described; the others are only counted. */
const TOLD_MAX = 4;
const OUT_MAX = 3;
const FILES_MAX = 8;
const PROMPT_CHARS_MAX = 80;
const ASKED_CHARS_MAX = 240;

export interface StandingLine {
  /** Its state, the open question and the work that is out. */
  readonly words: string;
  /** The command that goes on; undefined while a question is open. */
  readonly next?: Act;
}

export interface StandingHere {
  readonly lines: readonly StandingLine[];
  readonly more: number;
}

/** Empty if nothing is under way. With `files`, also names the state files and sealed files. */
export async function standingHere(
  parts: Parts,
  { files }: { readonly files: boolean },
): Promise<StandingHere> {
  const live = await liveWorkflows(parts);
  const lines = live.found.slice(0, TOLD_MAX).map((found) => lineOf(found, files));
  return { lines, more: live.found.length - lines.length + live.more };
}

function lineOf(found: Found, files: boolean): StandingLine {
  const { family, state } = found;
  const { headline, asked } = family.words.describe(state);
  const held = Object.values(state.decisions).find((one) => one.status === "open");
  const out = Object.values(state.dispatches).filter((one) => one.status === "open");
  const words = [
    `${state.id}: ${headline}.`,
    ...(asked === undefined ? [] : [clip(asked, ASKED_CHARS_MAX)]),
    ...(held === undefined
      ? []
      : [`A person must answer "${clip(held.prompt, PROMPT_CHARS_MAX)}".`]),
    ...(out.length === 0 ? [] : [`Out: ${outText(out)}.`]),
    ...(files ? filesText(found) : []),
  ].join(" ");
  return held === undefined ? { words, next: remedy("next", { workflow: state.id }) } : { words };
}

function outText(out: readonly Dispatch[]): string {
  const told = out.slice(0, OUT_MAX).map(({ id, role }) => `${id} ${role}`);
  return [...told, ...(out.length > OUT_MAX ? [`${out.length - OUT_MAX} more`] : [])].join(", ");
}

/** The state files and the sealed ones, which an agent must read again once its conversation is gone. */
function filesText({ family, state }: Found): readonly string[] {
  // The workflow's main file and the shared one are enough; the others are named in them.
  const all = family.views(state).map((one) => one.path);
  const views = [...all.slice(0, 1), ...all.slice(1).slice(-1)];
  const seals = Object.values(state.seals).flatMap(({ artifact, digest }) =>
    digest === null ? [] : [artifact],
  );
  return [
    ...(views.length === 0 ? [] : [`Read ${grouped(views)}.`]),
    ...(seals.length === 0 ? [] : [`Sealed: ${grouped(seals)}.`]),
  ];
}

/** Writes paths as `a/{b,c}.md` to save words. */
function grouped(paths: readonly string[]): string {
  const folders = new Map<string, string[]>();
  for (const path of [...new Set(paths)].slice(0, FILES_MAX)) {
    const cut = path.lastIndexOf("/") + 1;
    const folder = path.slice(0, cut);
    folders.set(folder, [...(folders.get(folder) ?? []), path.slice(cut)]);
  }
  const names = [...folders].map(([folder, files]) =>
    files.length === 1 ? `${folder}${files[0] ?? ""}` : `${folder}{${files.join(",")}}`,
  );
  const more = new Set(paths).size - FILES_MAX;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

function clip(words: string, charsMax: number): string {
  const text = words.replaceAll(/\s+/g, " ").trim();
  return text.length > charsMax ? `${text.slice(0, charsMax)}…` : text;
}
