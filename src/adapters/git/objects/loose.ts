/**
 * Reads and writes loose objects without starting git, in a repository with the usual layout. Packed objects, and
 * anything unusual, are left to git. Every object read is hashed; if its content does not match its name, it
 * counts as missing.
 */
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { randomIds } from "../../process/ids.ts";
import type { Repository } from "../place/place.ts";
import { readPlainCommit } from "../place/plain.ts";
import { modeAndOidIn } from "../index/trees.ts";

export type LooseFiles =
  | { readonly commit: undefined }
  | { readonly commit: string; readonly files: readonly (Uint8Array | undefined)[] };

export async function readLooseFiles(
  repo: Pick<Repository, "gitDir" | "commonDir">,
  paths: readonly string[],
  commit?: string,
): Promise<LooseFiles | undefined> {
  const head = commit === undefined ? readPlainCommit(repo, "HEAD") : { oid: commit };
  if (head === undefined) return undefined;
  if (head.oid === undefined) return { commit: undefined };
  const { inflateSync } = await import("node:zlib");
  const known = new Map<string, Loose>();
  const read = (oid: string): Loose => {
    const loose = known.get(oid) ?? readLoose(repo.commonDir, oid, inflateSync);
    known.set(oid, loose);
    return loose;
  };
  try {
    const tree = treeIn(textOf(read(head.oid)));
    if (tree === undefined) return undefined;
    return { commit: head.oid, files: paths.map((path) => fileIn(read, tree, path)) };
  } catch {
    // Packed, damaged or of an unknown kind: git is asked.
    return undefined;
  }
}

export async function readLooseCommit(
  { commonDir }: Pick<Repository, "commonDir">,
  oid: string,
): Promise<string | undefined> {
  const { inflateSync } = await import("node:zlib");
  try {
    return textOf(readLoose(commonDir, oid, inflateSync));
  } catch {
    return undefined;
  }
}

export async function readLooseTree(
  repo: Pick<Repository, "commonDir">,
  commit: string,
): Promise<string | undefined> {
  return treeIn(await readLooseCommit(repo, commit));
}

function textOf({ type, body }: Loose): string | undefined {
  return type === "commit" ? body.toString("utf8") : undefined;
}

function treeIn(commit: string | undefined): string | undefined {
  return /^tree ([0-9a-f]{40})\n/.exec(commit ?? "")?.[1];
}

export interface Written {
  readonly type: "blob" | "tree" | "commit";
  readonly body: Uint8Array;
}

/**
 * Writes objects as git does: complete under a temporary name first, and synced only if git would. Returns their
 * ids.
 */
export async function writeLoose(
  { commonDir }: Pick<Repository, "commonDir">,
  objects: readonly Written[],
): Promise<readonly string[]> {
  const { deflateSync } = await import("node:zlib");
  return objects.map(({ type, body }) => {
    const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
    const oid = createHash("sha1").update(bytes).digest("hex");
    const file = fileOf(commonDir, oid);
    if (isFreshened(file)) return oid;
    mkdirSync(dirname(file), { recursive: true });
    // Git's own prefix for unfinished objects, so that `git gc` removes what a crash leaves behind.
    const unfinished = join(dirname(file), `tmp_obj_${randomIds.next()}`);
    writeFileSync(unfinished, deflateSync(bytes, { level: 1 }), { flag: "wx", mode: 0o444 });
    renameSync(unfinished, file);
    return oid;
  });
}

/** If the object exists, its time is updated, so that `git gc` does not remove it before it is used. */
function isFreshened(file: string): boolean {
  try {
    const now = new Date();
    utimesSync(file, now, now);
    return true;
  } catch {
    return false;
  }
}

export function hasLoose({ commonDir }: Pick<Repository, "commonDir">, oid: string): boolean {
  return isFreshened(fileOf(commonDir, oid));
}

function fileOf(commonDir: string, oid: string): string {
  return join(commonDir, "objects", oid.slice(0, 2), oid.slice(2));
}

interface Loose {
  readonly type: string;
  readonly body: Buffer;
}

const BYTES_MAX = 16 * 1024 * 1024;

function readLoose(
  commonDir: string,
  oid: string,
  inflate: (data: Buffer, options: { readonly maxOutputLength: number }) => Buffer,
): Loose {
  const file = fileOf(commonDir, oid);
  const { size } = lstatSync(file);
  if (size > BYTES_MAX) throw new Error(`Cannot read ${oid}: it is too large`);
  const bytes = inflate(readFileSync(file), { maxOutputLength: BYTES_MAX });
  if (createHash("sha1").update(bytes).digest("hex") !== oid)
    throw new Error(`Cannot read ${oid}: it is damaged`);
  const end = bytes.indexOf(0);
  const [type = ""] = bytes.toString("latin1", 0, end).split(" ");
  return { type, body: bytes.subarray(end + 1) };
}

function fileIn(read: (oid: string) => Loose, root: string, path: string): Uint8Array | undefined {
  const names = path.split("/");
  let at = root;
  for (const [index, name] of names.entries()) {
    const entry = modeAndOidIn(read(at).body, OID_BYTES, name);
    const wanted = index === names.length - 1 ? /^100/ : /^40000$/;
    if (entry === undefined || !wanted.test(entry.mode)) return undefined;
    at = entry.oid;
  }
  const { type, body } = read(at);
  return type === "blob" ? body : undefined;
}

const OID_BYTES = 20;
