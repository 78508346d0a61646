/**
 * Whether a file is what a tree has at its path. If the bytes differ, only what the bytes themselves or committed
 * attributes show can explain it: line ends, an LFS pointer, a filter that gives back exactly these bytes.
 * Attributes and filters configured only in the git directory do not count, nor does a filter that the change
 * itself adds.
 */
import { createHash } from "node:crypto";
import { bytesAt, FOLDER, oidOf, type OnDisk } from "./disk.ts";
import { sameEntry, type TreeEntry } from "../index/entries.ts";
import { readObjects } from "../objects/objects.ts";
import { makeNeutral } from "../place/neutral.ts";
import type { Repository } from "../place/place.ts";
import { fillIndex, withEmptyIndex, type PrivateIndex } from "../index/private-index.ts";
import { READ_ONLY, succeed } from "../run/run.ts";

export interface Pair {
  readonly path: string;
  readonly entry: TreeEntry | undefined;
  readonly disk: OnDisk;
  /** The bytes, if they differ from the disk: a state file that is not installed yet. */
  readonly bytes?: Buffer;
}

/** "line-ends": the same text, committed with other line ends than it is checked out with. */
export type Sameness = "same" | "line-ends" | "other";

/** One answer for each pair. Attributes are taken from `commit`; filters only count if `base` has them too. */
export async function compareWithDisk(
  repo: Repository,
  commit: string,
  pairs: readonly Pair[],
  base: string = commit,
): Promise<readonly Sameness[]> {
  const answers = pairs.map(({ entry, disk }): Sameness => {
    // There was a file where there is now a folder, whose files have entries of their own.
    if (entry === undefined && disk?.mode === FOLDER) return "same";
    if (disk !== undefined && disk.oid === undefined) return "other";
    return sameEntry(entry, disk) ? "same" : "other";
  });
  const open = pairs.flatMap((pair, at) => {
    if (answers[at] === "same") return [];
    const both = pair.entry?.mode.startsWith("100") === true && pair.disk?.mode.startsWith("100");
    return both === true ? [{ ...pair, at }] : [];
  });
  if (open.length === 0) return answers;
  const judged = await judgeFiles(repo, { commit, base }, open);
  for (const [index, { at }] of open.entries()) answers[at] = judged[index] ?? "other";
  return answers;
}

async function judgeFiles(
  repo: Repository,
  { commit, base }: { readonly commit: string; readonly base: string },
  pairs: readonly Pair[],
): Promise<readonly Sameness[]> {
  const paths = pairs.map(({ path }) => path);
  const before = base === commit ? undefined : await attributesOf(repo, base, paths);
  return await withEmptyIndex(repo, async (index) => {
    await fillIndex(index, commit);
    const settings = await readConversions(repo);
    const attributes = (await readAttributes(index, paths)).map((now, at) =>
      before === undefined || before[at]?.["filter"] === now["filter"]
        ? now
        : { ...now, filter: "unset" },
    );
    const answers: Sameness[] = [];
    for (const [at, pair] of pairs.entries())
      answers.push(await judge({ index, settings, attributes: attributes[at] ?? {} }, pair));
    return answers;
  });
}

async function attributesOf(
  repo: Repository,
  commit: string,
  paths: readonly string[],
): Promise<readonly Readonly<Record<string, string>>[]> {
  return await withEmptyIndex(repo, async (index) => {
    await fillIndex(index, commit);
    return await readAttributes(index, paths);
  });
}

interface Judging {
  readonly index: PrivateIndex;
  readonly settings: Conversions;
  readonly attributes: Readonly<Record<string, string>>;
}

async function judge(
  { index, settings, attributes }: Judging,
  { path, entry, disk, bytes = bytesAt(index.repo, path) }: Pair,
): Promise<Sameness> {
  const { repo } = index;
  if (entry === undefined || disk?.oid === undefined) return "other";
  if (entry.mode !== disk.mode && settings.modes) return "other";
  if (entry.oid === disk.oid) return "same";
  // The file is read a second time; if it has been written since, these bytes were not the ones compared.
  if (bytes === undefined || oidOf(repo, bytes) !== disk.oid) return "other";
  const plain = Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  if (oidOf(repo, plain) === entry.oid) {
    const allCrlf = !/(?<!\r)\n/.test(bytes.toString("latin1"));
    return wantsCrlf(attributes, settings) && allCrlf ? "same" : "line-ends";
  }
  // Only with a committed `filter=lfs` does a pointer stand for its content; else a clone gets the pointer itself.
  if (attributes["filter"] === "lfs" && (await isPointerTo(repo, entry.oid, bytes))) return "same";
  const converts = ["filter", "ident", "working-tree-encoding"].some((name) =>
    isSet(attributes[name]),
  );
  if (!converts) return "other";
  const args = ["cat-file", "--filters", `--path=${path}`, entry.oid];
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  return answer.end === "exit" && answer.code === 0 && answer.stdout.equals(bytes)
    ? "same"
    : "other";
}

/** Whether git would check out a text with CRLF. */
function wantsCrlf({ text, eol }: Judging["attributes"], settings: Conversions): boolean {
  if (text === "unset") return false;
  if (eol === "crlf" || eol === "lf") return eol === "crlf";
  return settings.autocrlf || (isSet(text) && settings.crlf);
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "unspecified" && value !== "unset";
}

/** A pointer names its content by SHA-256. */
async function isPointerTo(repo: Repository, oid: string, bytes: Buffer): Promise<boolean> {
  const [blob] = await readObjects(repo, [oid]);
  if (blob?.type !== "blob" || blob.bytes.length > POINTER_BYTES_MAX) return false;
  const [, hex, size] = POINTER.exec(blob.bytes.toString("latin1")) ?? [];
  if (Number(size) !== bytes.length) return false;
  return createHash("sha256").update(bytes).digest("hex") === hex;
}

interface Conversions {
  readonly autocrlf: boolean;
  readonly crlf: boolean;
  /** Whether the executable bit counts; some file systems have none. */
  readonly modes: boolean;
}

async function readConversions(repo: Repository): Promise<Conversions> {
  const args = ["config", "-z", "--get-regexp", "^core\\.(autocrlf|eol|filemode)$"];
  const { stdout } = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  const lines = stdout.toString("utf8").toLowerCase().split("\0");
  const last = (key: string): string =>
    lines.findLast((line) => line.startsWith(`${key}\n`))?.slice(key.length + 1) ?? "";
  return {
    autocrlf: ["true", "yes", "on", "1"].includes(last("core.autocrlf")),
    crlf: last("core.eol") === "crlf",
    modes: !["false", "no", "off", "0"].includes(last("core.filemode")),
  };
}

/** Attributes as the commit defines them, read in a git directory without attributes or settings of its own. */
async function readAttributes(
  { repo, env, place }: PrivateIndex,
  paths: readonly string[],
): Promise<readonly Readonly<Record<string, string>>[]> {
  const own = { ...makeNeutral(repo, place), GIT_WORK_TREE: repo.top };
  const args = ["-c", "core.attributesFile=/dev/null", "check-attr", "--cached", "--stdin", "-z"];
  const input = paths.map((path) => `${path}\0`).join("");
  const options = { cwd: repo.top, env: { ...env, ...own }, input };
  const fields = (await succeed(repo.run([...args, ...ATTRIBUTES], options))).split("\0");
  return paths.map((_, at) => {
    const own = fields.slice(at * ATTRIBUTES.length * 3, (at + 1) * ATTRIBUTES.length * 3);
    return Object.fromEntries(ATTRIBUTES.map((name, field) => [name, own[field * 3 + 2] ?? ""]));
  });
}

const ATTRIBUTES = ["text", "eol", "filter", "ident", "working-tree-encoding"] as const;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-.*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n/;
const POINTER_BYTES_MAX = 1024;
