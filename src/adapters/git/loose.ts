/**
 * Files of the commit that HEAD names, read from git's own files without starting git: for a repository that is laid
 * out the ordinary way, and objects that lie there one by one. What is packed, or odd in any way, is left to git.
 * Every object is hashed: what does not have its own name is not there.
 */
import { createHash } from "node:crypto";
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { modeAndOidIn } from "./objects.ts";
import type { Repository } from "./place.ts";
import { readPlainCommit } from "./plain.ts";

export type LooseFiles =
  | { readonly commit: undefined }
  | { readonly commit: string; readonly files: readonly (Uint8Array | undefined)[] };

export async function readLooseFiles(
  repo: Pick<Repository, "gitDir" | "commonDir">,
  paths: readonly string[],
): Promise<LooseFiles | undefined> {
  const head = readPlainCommit(repo, "HEAD");
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
    const [, tree] = /^tree ([0-9a-f]{40})\n/.exec(read(head.oid).body.toString("latin1")) ?? [];
    if (tree === undefined) return undefined;
    return { commit: head.oid, files: paths.map((path) => fileIn(read, tree, path)) };
  } catch {
    // Packed, damaged, or of a kind we do not know: git is asked.
    return undefined;
  }
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
  const file = join(commonDir, "objects", oid.slice(0, 2), oid.slice(2));
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
