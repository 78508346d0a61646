/** Who survived, and whether there is a reason for it. */
import type { Mutant } from "./mutants.ts";

/** A mutant that no test could kill, and why. Found again by its text, because lines move. */
export interface Equivalent {
  readonly file: string;
  /** The first line of the statement it is in. */
  readonly at: string;
  readonly was: string;
  readonly now: string;
  readonly reason: string;
}

export interface Verdict {
  readonly text: string;
  readonly isGood: boolean;
}

export interface Judged {
  readonly mutants: readonly Mutant[];
  readonly killed: ReadonlySet<string>;
  readonly met: ReadonlySet<string>;
  readonly equivalents: readonly Equivalent[];
  /** Whether every mutant was asked about: only then can an entry be said to be out of date. */
  readonly whole: boolean;
}

/** Of each area by itself: a well-tested core does not speak for the engine. */
const KILLED_MIN = 0.9;

export function judge({ mutants, killed, met, equivalents, whole }: Judged): Verdict {
  const alive = mutants.filter(({ id }) => !killed.has(id));
  const isListed = (mutant: Mutant): boolean => equivalents.some((one) => isSame(one, mutant));
  const survivors = alive.filter((mutant) => !isListed(mutant));
  const stale = whole ? equivalents.filter((one) => !alive.some((of) => isSame(one, of))) : [];
  const folders = [...new Set(mutants.map(({ file }) => folderOf(file)))].map((folder) => {
    const there = mutants.filter(({ file }) => folderOf(file) === folder);
    const dead = there.filter(({ id }) => killed.has(id)).length;
    const listed = there.filter((one) => !killed.has(one.id) && isListed(one)).length;
    return `${folder}: ${share(dead, there.length)}, ${String(listed)} equivalent`;
  });
  const areas = [...new Set(mutants.map(({ file }) => areaOf(file)))].map((area) => {
    const there = mutants.filter(({ file }) => areaOf(file) === area);
    return { area, dead: there.filter(({ id }) => killed.has(id)).length, all: there.length };
  });
  const text = [
    ...survivors.map((one) => `${met.has(one.id) ? "survived" : "not met "} ${told(one)}`),
    ...stale.map(
      (one) => `no longer there, or killed: ${one.file} ${short(one.was)} => ${short(one.now)}`,
    ),
    ...folders,
    ...areas.map(({ area, dead, all }) => `all of ${area}: ${share(dead, all)}`),
    `all: ${share(mutants.length - alive.length, mutants.length)}, ${String(survivors.length)} without a reason`,
  ].join("\n");
  const enough = areas.every(({ dead, all }) => dead >= KILLED_MIN * all);
  return { text, isGood: enough && survivors.length === 0 && stale.length === 0 };
}

function isSame(one: Equivalent, { file, at, was, now }: Mutant): boolean {
  return one.file === file && one.at === at && one.was === was && one.now === now;
}

function folderOf(file: string): string {
  return file.split("/").slice(0, -1).join("/");
}

function areaOf(file: string): string {
  return /^src\/(?:core|engine|protocols|adapters)/.exec(file)?.[0] ?? file;
}

function share(part: number, whole: number): string {
  return `${String(part)} of ${String(whole)} killed (${((100 * part) / whole).toFixed(1)} %)`;
}

function told({ file, line, was, now, at }: Mutant): string {
  return `${file}:${String(line)}  ${short(was)} => ${short(now)}   in: ${short(at)}`;
}

function short(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ");
  return flat.length > 90 ? `${flat.slice(0, 87)}...` : flat;
}
