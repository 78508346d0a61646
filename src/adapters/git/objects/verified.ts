/**
 * Reads files of a commit and checks that every object on the way has the hash it was asked for. Git checks this
 * when an object arrives, but not when it is read: anybody who replaces a file below `objects` could show other
 * content under a released id.
 */
import { createHash } from "node:crypto";
import { ProblemError } from "../../../ports/problem.ts";
import { modeAndOidIn } from "../index/trees.ts";

export interface GitObject {
  readonly oid: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** Returns the object for each name; undefined if there is none. A name must not contain a line break. */
export type AskObjects = (names: readonly string[]) => Promise<readonly (GitObject | undefined)[]>;

/** The commit has the file, but its content cannot be read reliably. */
export class ObjectUnreadable extends ProblemError {
  override readonly name = "ObjectUnreadable";

  constructor(what: string) {
    super({
      code: "object-unreadable",
      message: `Git has no object that is what ${what} says: it is gone, or another one was put in its place`,
      fix: "Look with `git fsck`, then fetch the repository's objects anew from where they are whole.",
    });
  }
}

/**
 * The content of regular files; undefined if the commit has no such file. A link is skipped, because its content
 * is a path.
 */
export async function readVerified(
  ask: AskObjects,
  commit: string,
  paths: readonly string[],
): Promise<readonly (Buffer | undefined)[]> {
  const legal = paths.filter((path) => path !== "" && !path.includes("\n"));
  if (legal.length === 0) return paths.map(() => undefined);
  const places = [...new Set(["", ...legal.flatMap(placesIn)])];
  const [first, ...others] = await ask([commit, ...places.map((place) => `${commit}:${place}`)]);
  const at = new Map(places.map((place, index) => [place, others[index]]));
  const [, root = ""] = /^tree ([0-9a-f]+)\n/.exec(bytesOf(first, commit).toString("latin1")) ?? [];
  return paths.map((path) => {
    let oid = root;
    let place = "";
    for (const [index, name] of legal.includes(path) ? path.split("/").entries() : []) {
      const entry = modeAndOidIn(bytesOf(at.get(place), oid), oid.length / 2, name);
      place = index === 0 ? name : `${place}/${name}`;
      const wanted = place === path ? /^100/ : /^40000$/;
      if (entry === undefined || !wanted.test(entry.mode)) return undefined;
      oid = entry.oid;
    }
    return place === "" ? undefined : bytesOf(at.get(place), oid);
  });
}

/** The path and all its parents: `a`, `a/b`, `a/b/c` for `a/b/c`. */
function placesIn(path: string): readonly string[] {
  return [...path.matchAll(/\/|$/g)].map(({ index }) => path.slice(0, index));
}

function bytesOf(object: GitObject | undefined, oid: string): Buffer {
  if (object === undefined || object.oid !== oid || !isItself(object))
    throw new ObjectUnreadable(oid.slice(0, OID_CHARS));
  return object.bytes;
}

export function isItself({ oid, type, bytes }: GitObject): boolean {
  const hash = createHash(oid.length === 40 ? "sha1" : "sha256");
  return hash.update(`${type} ${bytes.length}\0`).update(bytes).digest("hex") === oid;
}

const OID_CHARS = 12;
