import type { Commit } from "../outcome.ts";
import type { Parts } from "../parts.ts";
import type { FileChange } from "./preview.ts";

/*
 * Adopting writes the files first and the journals last. So nothing differs from a journal's first record, and
 * after an interruption adopting can simply be repeated.
 */

export type Written =
  | { readonly kind: "written"; readonly kept: readonly string[] }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };

/** Writes the files in their final form. Their earlier text is kept and can be read later. */
export async function writeAdopted(
  { workspace, blobs }: Parts,
  changes: readonly FileChange[],
): Promise<Written> {
  const kept: string[] = [];
  for (const { file, before, after } of changes) {
    if (before !== null) kept.push(`${file} as it was is kept as blob ${await blobs.put(before)}`);
    const done = await workspace.install(file, after, before);
    if (done.kind !== "installed") return { kind: "failed", ...problemOf(file, done) };
  }
  return { kind: "written", kept };
}

function problemOf(
  file: string,
  done: object,
): { readonly code: string; readonly message: string; readonly fix: string } {
  const said: unknown = Reflect.get(done, "message");
  const message = typeof said === "string" ? said : `${file} changed while it was read`;
  return { code: "file-busy", message, fix: "Try again." };
}

/** The files that already had uncommitted changes, which the commit would include. */
export async function changedBefore(
  { git, place }: Parts,
  files: readonly string[],
): Promise<readonly string[]> {
  if (files.length === 0 || place.kind !== "repository") return [];
  return (await git.changes(files)).map(({ path }) => path);
}

export interface AdoptCommit {
  readonly commit?: Commit;
  /** The name in its trailer. */
  readonly named?: string;
  /** Why there is no commit, although there is something to commit. */
  readonly warnings: readonly string[];
}

/** Commits everything that was written, and nothing else. */
export async function commitAdopted(
  { git, place, clock, sha256 }: Parts,
  { names, files, dirty }: Readonly<Record<"names" | "files" | "dirty", readonly string[]>>,
): Promise<AdoptCommit> {
  if (files.length === 0 || place.kind !== "repository") return { warnings: [] };
  const own = files.filter((path) => dirty.includes(path));
  if (own.length > 0)
    return { warnings: [`not committed, because it had changes before: ${own.join(", ")}`] };
  const subject = names.length === 1 ? `Adopt ${names.join()}` : `Adopt ${names.length} workflows`;
  const message = `${subject}\n\n${names.join("\n")}`;
  // Files that git ignores are not committed.
  const paths = (await git.changes(files)).map(({ path }) => path);
  if (paths.length === 0) return { warnings: [] };
  const prepared = await git.prepare({ paths, views: {}, message, at: clock.now() });
  if (prepared.kind === "empty") return { warnings: [] };
  if (prepared.kind === "rejected")
    return { warnings: [`not committed: ${prepared.message} ${prepared.fix}`] };
  // The commit comes before the records, so no record can have wanted it. Its trailer gets a name made from the
  // commit itself.
  const { base, tree } = prepared.savepoint;
  const named = sha256(`adopt ${base} ${tree}`);
  const made = await git.commit(prepared.savepoint, named);
  if (made.kind !== "committed")
    return { warnings: [`not committed: ${made.message} ${made.fix}`] };
  const commit = { oid: made.oid, short: made.oid.slice(0, 7) };
  return { commit, named, warnings: prepared.warnings };
}
