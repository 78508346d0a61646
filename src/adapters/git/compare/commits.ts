/** Which commits were made since a time, by whom, and which paths they changed. */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { GitRecorded } from "../../../ports/git.ts";
import { readCommit } from "../place/head.ts";
import { GONE } from "../../../core/values/measured.ts";
import { RECORD_TRAILER } from "../objects/message.ts";
import type { Repository } from "../place/place.ts";
import { READ_ONLY, succeed } from "../run/run.ts";

/** Commits in HEAD that the base lacks, and commits that the reflog shows were made since a time. */
export async function readCommitsSince(
  repo: Repository,
  base: string,
  since: string,
): Promise<readonly GitRecorded[] | undefined> {
  const head = await readCommit(repo, "HEAD");
  const made = madeSince(repo, base, since).filter((oid) => oid !== head && oid !== base);
  if (head === base && made.length === 0) return [];
  if (base !== "" && (await readCommit(repo, base)) === undefined) return undefined;
  const tips = [...(head === undefined || head === base ? [] : [head]), ...made];
  if (tips.length === 0) return [];
  const without = base === "" ? [] : [`^${base}`];
  const found = await readLog(repo, ["--ignore-missing", ...tips, ...without]);
  const isGone = base !== "" && head !== undefined && !(await isIn(repo, base, head));
  const told = { oid: base, subject: GONE, record: "", paths: [] };
  return [...(isGone ? [told] : []), ...found];
}

async function isIn(repo: Repository, base: string, head: string): Promise<boolean> {
  const args = ["merge-base", "--is-ancestor", base, head];
  return (await repo.run(args, { cwd: repo.top, env: READ_ONLY })).code === 0;
}

async function readLog(
  repo: Repository,
  revisions: readonly string[],
): Promise<readonly GitRecorded[]> {
  const trailer = `%(trailers:key=${RECORD_TRAILER},valueonly,separator=%x2C)`;
  const args = ["log", "-z", "--no-show-signature", "--no-color", "--encoding=UTF-8"];
  args.push("--name-only", "-m", "--no-renames", "--no-ext-diff", "--no-relative");
  args.push("--ignore-submodules=none", `--format=%x01%H%x02${trailer}%x02%s`, ...revisions, "--");
  const fields = (await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }))).split("\0");
  const found = new Map<string, { subject: string; record: string; paths: Set<string> }>();
  let paths = new Set<string>();
  for (const field of fields) {
    const [start = "", record = "", ...rest] = field.split(APART);
    const oid = start.startsWith(BEGINS) ? start.slice(1) : "";
    if (!/^[0-9a-f]{40,64}$/.test(oid)) {
      const path = field.replace(/^\n/, "");
      if (path !== "") paths.add(path);
      continue;
    }
    // A merge is listed once for each of its parents.
    const known = found.get(oid) ?? {
      subject: rest.join(" "),
      record: record.trim(),
      paths: new Set(),
    };
    found.set(oid, known);
    ({ paths } = known);
  }
  return [...found].map(([oid, one]) => ({ ...one, oid, paths: [...one.paths] }));
}

const BEGINS = "\u0001";
const APART = "\u0002";

/**
 * Commits made here since a time, even if the branch does not contain them any more. The reflog cannot prove that
 * there were none, because anybody can remove a line. What it contains is reported.
 */
function madeSince(repo: Repository, base: string, since: string): readonly string[] {
  const from = Math.floor(Date.parse(since) / 1000);
  const all = reflog(repo);
  // The reflog counts in seconds. An entry before the checkout of the base is older than the order, even in the
  // same second.
  const after = all.slice(all.findIndex(({ oid }) => oid === base) + 1);
  const made = after.filter((one) => MADE.test(one.why) && one.seconds >= from);
  return [...new Set(made.map((one) => one.oid))].slice(-MADE_MAX);
}

/** Commits that Holdpoint made in this worktree, as far as its reflog goes back. */
export function readOwnCommits(repo: Repository): readonly string[] {
  return reflog(repo).flatMap(({ oid, why }) => (why.startsWith("holdpoint: ") ? [oid] : []));
}

interface Moved {
  readonly oid: string;
  readonly seconds: number;
  readonly why: string;
}

function reflog({ gitDir }: Repository): readonly Moved[] {
  return tailOf(join(gitDir, "logs", "HEAD"))
    .split("\n")
    .flatMap((line) => {
      const [, oid = "", seconds = "", why = ""] = LINE.exec(line) ?? [];
      return oid === "" ? [] : [{ oid, seconds: Number(seconds), why }];
    });
}

const LINE = /^[0-9a-f]{40,64} ([0-9a-f]{40,64}) .*? (\d+) [-+]\d{4}\t(.*)$/;
const MADE = /^(?:commit|cherry-pick|revert|am|rebase)\b/;
const MADE_MAX = 200;

function tailOf(place: string): string {
  try {
    const file = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(file);
      const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
      const read = readSync(file, buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString("utf8", 0, read);
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

const TAIL_BYTES = 256 * 1024;
