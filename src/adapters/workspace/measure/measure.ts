/**
 * Reads a whole tree by its bytes. Files that this process has read before and that have not been written since
 * are not read again. Nothing of this is stored on disk, where those being measured could change it.
 */
import { existsSync, lstatSync, readFileSync, readdirSync } from "node:fs";
import type { Dirent } from "node:fs";
import { join, resolve } from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { LEFT_MAX } from "../../../ports/reading.ts";
import type { ReadingOptions, TreeReading } from "../../../ports/reading.ts";
import { codeOf, FRESH_MS, isGone, readEntry } from "./bytes.ts";
import type { Steps } from "./bytes.ts";
import { NO_RULES, ruleOn, withRules } from "./rules.ts";
import type { Rules } from "./rules.ts";

export type Measure = (directory: string, options?: ReadingOptions) => Promise<TreeReading>;

export interface MeasureOptions {
  readonly freshMs?: number;
}

export function createMeasure(root: string, { freshMs = FRESH_MS }: MeasureOptions = {}): Measure {
  const stamps: Stamps = new Map();
  return async (directory, options = {}) => {
    const below = directory.replaceAll(/^(?:\.(?=\/|$))?\/*|\/+$/g, "");
    const steps = new Walk({ ...topOf(root, below), freshMs }, stamps, options).read(below);
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      await breathe();
    }
  };
}

/** The digest each file had when it was last read, by path. */
type Stamps = Map<string, { readonly stamp: string; readonly text: string }>;

/** The nearest directory that is a worktree of its own. Its ignore rules count; those around it do not. */
function topOf(root: string, below: string): { readonly root: string; readonly top: string } {
  for (let at = below; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/"))))
    if (existsSync(join(root, at, ".git"))) return { root, top: at };
  return { root, top: "" };
}

class Walk {
  private readonly files = new Map<string, string>();
  private readonly problems = new Map<string, string>();
  private readonly kept = new Map<string, string>();
  private readonly left: string[] = [];
  private readonly hidden = new Set<string>();
  private readonly root: string;
  private readonly top: string;
  private readonly place: string;
  private readonly hasStore: boolean;
  private readonly freshMs: number;
  private readonly stamps: Stamps;
  private readonly options: ReadingOptions;

  constructor(
    place: { readonly root: string; readonly top: string; readonly freshMs: number },
    stamps: Stamps,
    options: ReadingOptions,
  ) {
    this.root = place.root;
    this.top = place.top;
    this.place = join(place.root, place.top);
    this.hasStore = !existsSync(join(this.place, ".git"));
    this.freshMs = place.freshMs;
    this.stamps = stamps;
    this.options = options;
  }

  *read(below: string): Steps<TreeReading> {
    yield* this.walk(below, this.rulesTo(below));
    for (const path of this.options.also ?? [])
      if (!this.files.has(path) && isBelow(path, below)) yield* this.add(path);
    for (const path of this.options.also ?? []) this.hidden.delete(path);
    const sorted = [...this.files].sort(([a], [b]) => (a < b ? -1 : 1));
    const left = this.left.filter((path) => !this.files.has(path)).sort();
    const { problems, kept: rules, hidden } = this;
    return { files: new Map(sorted), problems, rules, left, hidden };
  }

  /** The rules from all directories from the top down to this one. */
  private rulesTo(below: string): readonly Rules[] {
    let rules: readonly Rules[] =
      this.options.rules === undefined ? [NO_RULES] : [NO_RULES, NO_RULES];
    const parts = below.slice(this.top.length).split("/").filter(Boolean);
    let at = this.top;
    for (const part of parts) {
      rules = this.enter(at, rules, this.ignoreFile(at));
      at = at === "" ? part : `${at}/${part}`;
      rules = rules.map((one) => ruleOn(one, this.inTop(at), true));
    }
    // If the directory itself is ignored, that rule is dropped: it would hide everything that was asked for.
    return rules.map((one) => (one.hidden ? NO_RULES : one));
  }

  /** The current rules and, if given, those of an earlier reading. */
  private enter(
    directory: string,
    [now = NO_RULES, ...before]: readonly Rules[],
    text: string | undefined,
  ): readonly Rules[] {
    const at = this.inTop(directory);
    if (text !== undefined && !now.hidden) this.kept.set(directory, text);
    const earlier = this.options.rules?.get(directory);
    return [withRules(now, at, text), ...before.map((one) => withRules(one, at, earlier))];
  }

  private inTop(path: string): string {
    return this.top === "" ? path : path.slice(this.top.length + 1);
  }

  private ignoreFile(directory: string): string | undefined {
    try {
      const path = this.placeOf(directory, ".gitignore");
      const stats = lstatSync(path, { throwIfNoEntry: false });
      // Git does not follow links to ignore files either.
      if (stats?.isFile() !== true || stats.size > RULES_BYTES_MAX) return undefined;
      return readFileSync(path, "utf8");
    } catch {
      return undefined;
    }
  }

  private *walk(top: string, start: readonly Rules[]): Steps<void> {
    const queue = [{ directory: top, rules: start }];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const { directory } = next;
      const entries = this.list(directory);
      const has = (name: string): boolean => entries.some((one) => one.name === name);
      if (directory !== top && has(".git") && this.isWorktree(directory)) {
        this.leave(`${directory}/`);
        continue;
      }
      const text = has(".gitignore") ? this.ignoreFile(directory) : undefined;
      const entered = this.enter(directory, next.rules, text);
      for (const entry of entries) {
        const path = directory === "" ? entry.name : `${directory}/${entry.name}`;
        if (this.isApart(path)) continue;
        const isDirectory = entry.isDirectory();
        const rules = entered.map((one) => ruleOn(one, this.inTop(path), isDirectory));
        if (rules.every((one) => one.hidden)) this.leave(isDirectory ? `${path}/` : path);
        else if (isDirectory) queue.push({ directory: path, rules });
        else {
          if (rules[0]?.hidden === true) this.hidden.add(path);
          yield* this.add(path);
        }
      }
      if (this.files.size > FILES_MAX) {
        this.problems.set(".", `has more than ${FILES_MAX} files`);
        return;
      }
    }
  }

  private leave(path: string): void {
    if (this.left.length < LEFT_MAX) this.left.push(path);
  }

  private list(directory: string): readonly Dirent[] {
    try {
      const entries = readdirSync(this.placeOf(directory), { withFileTypes: true });
      const odd = entries.find(({ name }) => name.includes("\uFFFD"));
      if (odd !== undefined)
        this.problems.set(`${directory}/${odd.name}`, "has a name that is not UTF-8");
      return entries;
    } catch (error) {
      if (!isGone(error)) this.problems.set(directory || ".", `cannot be read (${codeOf(error)})`);
      return [];
    }
  }

  /**
   * Git's own files and ours. In a nested repository, only files that git writes by itself are skipped, because
   * its folders can contain code too.
   */
  private isApart(path: string): boolean {
    const at = this.inTop(path);
    const ours = this.hasStore ? STORE : CORNER;
    return at === ".git" || ours.test(at) || LEFT.test(at) || GITS.test(at);
  }

  /**
   * Another worktree of the same repository, if git says so in both places. Otherwise it is an ordinary
   * directory.
   */
  private isWorktree(path: string): boolean {
    const place = this.placeOf(path, ".git");
    try {
      if (lstatSync(place, { throwIfNoEntry: false })?.isFile() !== true) return false;
      const gitDir = /^gitdir: (.+)$/m.exec(readFileSync(place, "utf8"))?.[1]?.trim() ?? "";
      if (!/\/worktrees\/[^/]+$/.test(gitDir)) return false;
      const back = readFileSync(join(resolve(join(this.root, path), gitDir), "gitdir"), "utf8");
      return resolve(back.trim()) === place;
    } catch {
      return false;
    }
  }

  /** Without `join()`, which costs as much as the stat itself. */
  private placeOf(...parts: readonly string[]): string {
    return [this.root, ...parts].join("/");
  }

  private *add(path: string): Steps<void> {
    const entry = yield* readEntry(`${this.root}/${path}`, {
      top: this.place,
      freshMs: this.freshMs,
      known: (stamp) => {
        const before = this.stamps.get(path);
        return before?.stamp === stamp ? before.text : undefined;
      },
    });
    if (entry.kind === "absent") return;
    if (entry.kind === "problem") this.problems.set(path, entry.why);
    else {
      this.files.set(path, entry.text);
      const { stamp, text } = entry;
      if (stamp !== undefined) this.stamps.set(path, { stamp, text });
    }
    if (this.files.size % BREATH_FILES === 0) yield;
  }
}

function isBelow(path: string, directory: string): boolean {
  return directory === "" || path.startsWith(`${directory}/`);
}

const CORNER = /^\.holdpoint\/(?:aside|tmp)$/;
/** Without git, the store is in this folder too. */
const STORE =
  /^\.holdpoint\/(?:agents|aside|beats|blobs|format|holders|journals|mcp|read|refusals|shown|snapshots|tmp|tried|watch(?:-quiet)?\.json|watch-more\.jsonl)$/;
/** Commands left in the inbox, and their results. */
const LEFT = /^\.holdpoint\/inbox\/(?:[\w-]{8,64}(?:\.\d{1,10}|\.answer)?\.json|\.[\w-]+\.tmp)$/;
const GITS =
  /\/\.git\/(?:index|packed-refs|objects|refs|logs|gc\.log|COMMIT_EDITMSG|[A-Z_]*HEAD|[^/]+\.lock)$/;
/** Ten times the largest repositories that people work in. */
const FILES_MAX = 1_000_000;
const RULES_BYTES_MAX = 1024 * 1024;
const BREATH_FILES = 1024;
