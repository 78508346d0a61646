/** Tree objects: reading one, and building those of a list of entries, with their ids. */
import { createHash } from "node:crypto";
import type { IndexEntry } from "./index-file.ts";

export interface Trees {
  readonly root: string;
  /** The content of every tree, by its id. */
  readonly bodies: ReadonlyMap<string, Buffer>;
}

/** The entries must be sorted as in git and without conflicts; then each directory's entries are consecutive. */
export function treesOf(all: readonly IndexEntry[]): Trees {
  const entries = all.filter((entry) => !entry.promised);
  const bodies = new Map<string, Buffer>();
  let at = 0;
  const build = (prefix: string): string => {
    const parts: Buffer[] = [];
    for (let entry = entries[at]; entry?.path.startsWith(prefix) === true; entry = entries[at]) {
      const slash = entry.path.indexOf("/", prefix.length);
      const name = entry.path.slice(prefix.length, slash < 0 ? undefined : slash);
      if (slash < 0) at += 1;
      const [mode, oid] =
        slash < 0 ? [entry.mode, entry.oid] : [FOLDER_MODE, build(entry.path.slice(0, slash + 1))];
      parts.push(Buffer.from(`${mode} ${name}\0`, "latin1"), Buffer.from(oid, "hex"));
    }
    const body = Buffer.concat(parts);
    const oid = createHash("sha1").update(`tree ${body.length}\0`).update(body).digest("hex");
    bodies.set(oid, body);
    return oid;
  };
  return { root: build(""), bodies };
}

/** A tree is `<mode> <name>\0<oid in bytes>`, repeated. */
export function modeAndOidIn(
  tree: Buffer,
  oidBytes: number,
  wanted: string,
): { readonly mode: string; readonly oid: string } | undefined {
  for (let at = 0; at < tree.length;) {
    const end = tree.indexOf(0, at);
    if (end < 0) return undefined;
    const [mode = "", ...name] = tree.toString("utf8", at, end).split(" ");
    at = end + 1 + oidBytes;
    if (name.join(" ") === wanted) return { mode, oid: tree.toString("hex", end + 1, at) };
  }
  return undefined;
}

const FOLDER_MODE = "40000";
