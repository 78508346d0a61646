/** Compares a path with what is held, and a text with the names of what is held. */
import type { Denial } from "./call.ts";
import { judgeOwn, settingsDenial } from "./own.ts";
import { covers, isBelow, overlaps, patternNames } from "./paths.ts";
import type { Names } from "./paths.ts";
import type { Place, Watch, WatchRule } from "./watch.ts";
import { isFor } from "./who.ts";
import type { Who } from "./who.ts";

export interface Judging {
  readonly watch: Watch;
  readonly who: Who;
  readonly facts: {
    readonly home: string;
    readonly program: string;
    readonly starters?: readonly string[];
    readonly resolve: (path: string) => string;
    readonly belongs?: (path: string) => boolean;
  };
}

/** The innermost worktree that contains a path. */
export function placeOf({ watch }: Judging, path: Names): Place | undefined {
  return watch.places
    .filter(({ root }) => isBelow(path, patternNames(root, "")))
    .toSorted((a, b) => b.root.length - a.root.length)[0];
}

/** Why this path may not be written. It may have unknown parts; `**` at its end means everything below. */
export function judgePath(judging: Judging, path: Names, could: boolean): Denial | undefined {
  // A write somewhere in a folder hardly means the journal, so it is not denied for that.
  const own = could ? undefined : judgeOwn(judging.watch, path, programsOf(judging));
  if (own !== undefined) return own;
  for (const place of placesOn(judging, path)) {
    const rule = ruleFor(judging, place, path);
    if (rule !== undefined) return denialOf(rule, path);
  }
  return undefined;
}

/** The same for an unknown program: only what is held by name counts, not a whole worktree. */
export function judgeNamed(judging: Judging, path: Names, cwd: Names): Denial | undefined {
  const own = judgeOwn(judging.watch, path, []);
  if (own !== undefined) return own;
  const here = placeOf(judging, cwd);
  for (const place of placesOn(judging, path)) {
    const rule = ruleFor(judging, place, path);
    if (rule !== undefined && !(place === here && isWhole(rule))) return denialOf(rule, path);
  }
  return undefined;
}

/** The worktree of a path, and those below it if everything below is meant. */
function placesOn(judging: Judging, path: Names): readonly Place[] {
  const inner = placeOf(judging, path);
  const open = isOpen(path);
  const below = judging.watch.places.filter(
    (one) =>
      open &&
      one !== inner &&
      overlaps(path, patternNames(one.root, "**")) &&
      !isAround(one, inner),
  );
  return inner === undefined ? below : [inner, ...below];
}

function isAround(one: Place, inner: Place | undefined): boolean {
  return inner !== undefined && inner.root.startsWith(`${one.root}/`);
}

function ruleFor({ who }: Judging, place: Place, path: Names): WatchRule | undefined {
  for (const rule of place.rules) {
    if (!isFor(rule, who)) continue;
    if (rule.kind === "allowed") {
      if (allows(rule, place, path)) return undefined;
    } else if (speaksOf(rule, place, path)) return rule;
  }
  return undefined;
}

function isOpen(path: Names): boolean {
  return path.some((name) => name.includes("*"));
}

function allows({ paths, like = [] }: WatchRule, { root }: Place, path: Names): boolean {
  const patterns = paths.map((one) => patternNames(root, one));
  if (!isOpen(path))
    return patterns.some((one) => overlaps(one, path)) || isLike(like, relative(root, path));
  const closed = path.at(-1) === "**" ? path.slice(0, -1) : path;
  if (patterns.some((one) => covers(one, closed))) return true;
  return !isOpen(closed) && isLike(like, `${relative(root, closed)}/`);
}

function speaksOf({ paths, like = [] }: WatchRule, { root }: Place, path: Names): boolean {
  if (paths.some((one) => overlaps(patternNames(root, one), path))) return true;
  return like.length > 0 && (isOpen(path) || isLike(like, relative(root, path)));
}

function isLike(like: readonly string[], path: string): boolean {
  return like.some((one) => new RegExp(one, "i").test(path));
}

function relative(root: string, path: Names): string {
  return path.slice(patternNames(root, "").length).join("/");
}

function denialOf({ code, rule, message, fix, lift }: WatchRule, path: Names): Denial {
  const file = `/${path.join("/")}`;
  return { code, rule, message: message.replaceAll("{path}", file), fix, lift };
}

/** Whether the rule covers everything in its place. */
function isWhole({ paths }: WatchRule): boolean {
  return paths.includes("**");
}

/** The rule that forbids all writing in this worktree, except what is allowed by name. */
export function wholePlace(judging: Judging, cwd: Names): Denial | undefined {
  const place = placeOf(judging, cwd);
  const path = [...cwd, "**"];
  for (const rule of place?.rules ?? []) {
    if (place === undefined || !isFor(rule, judging.who)) continue;
    if (rule.kind === "allowed" && allows(rule, place, path)) return undefined;
    if (rule.kind !== "allowed" && isWhole(rule)) return denialOf(rule, path);
  }
  return undefined;
}

export function workflowsIn({ rules }: Place): readonly string[] {
  return [...new Set(rules.map((one) => one.workflow))].slice(0, WORKFLOWS_MAX);
}

const WORKFLOWS_MAX = 3;

/** The first held path that a text names by its path, its folder or its file name. */
export function mentioned(judging: Judging, text: string): Denial | undefined {
  const { watch, who } = judging;
  const plain = text.replaceAll("\\", "/");
  const root = watch.own.find((one) => plain.includes(one) || hasName(plain, shortOf(one)));
  if (root !== undefined) return judgeOwn(watch, patternNames(root, "x"), []);
  if (SETTINGS.test(plain)) return settingsDenial();
  for (const place of watch.places) {
    const held = place.rules.filter((rule) => rule.kind !== "allowed" && isFor(rule, who));
    for (const rule of held) {
      const name = rule.paths.map((one) => namedIn(plain, one)).find((one) => one !== "");
      if (name !== undefined) return denialOf(rule, patternNames(place.root, name));
    }
    const inside = placeOf(judging, patternNames(place.root, ""));
    const whole = held.find(isWhole);
    if (
      whole !== undefined &&
      inside === place &&
      watch.places.length > 1 &&
      plain.includes(`${place.root}/`)
    )
      return denialOf(whole, patternNames(place.root, ""));
  }
  return undefined;
}

/** `.git/holdpoint` for `/repo/.git/holdpoint`: one common word alone would match everywhere. */
function shortOf(root: string): string {
  const [before = "", last = ""] = root.split("/").slice(-2);
  return last.startsWith(".") ? `${last}/` : `${before}/${last}`;
}

const SETTINGS =
  /\.claude\/settings|\.codex\/(?:hooks|config)|\.gemini\/settings|opencode\.jsonc?|\.github\/hooks|\.copilot\/|disableAllHooks/;

/** The name by which a text refers to a pattern: its path, its file name, or its folder alone. */
function namedIn(text: string, pattern: string): string {
  const known = pattern.split("/").filter((one) => one !== "");
  const open = known.findIndex((one) => one.includes("*"));
  const fixed = open < 0 ? known : known.slice(0, open);
  const file = open < 0 ? (fixed.at(-1) ?? "") : "";
  const folder = (open < 0 ? fixed.slice(0, -1) : fixed).join("/");
  if (file !== "" && hasName(text, file)) return file;
  if (open >= 0 && folder !== "" && hasName(text, folder)) return folder;
  return folder.includes("/") && hasFolder(text, folder) ? folder : "";
}

/** Whether the text names the folder itself; other files in it are not held. */
function hasFolder(text: string, folder: string): boolean {
  for (let at = text.indexOf(folder); at >= 0; at = text.indexOf(folder, at + 1)) {
    const after = text.slice(at + folder.length, at + folder.length + 2);
    if (!/[\w.-]/.test(text[at - 1] ?? "") && !/^(?:\/[\w.-]|[\w.-])/.test(after)) return true;
  }
  return false;
}

/** Whether the name stands by itself: `a.md` is not in `data.md`. */
export function hasName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + name.length]];
    if (!/[\w.-]/.test(before) && (name.endsWith("/") || !/[\w-]/.test(after))) return true;
  }
  return false;
}

function programsOf({ facts }: Judging): readonly string[] {
  return [facts.program, ...(facts.starters ?? [])];
}
