/**
 * The name of a clone that shares its store with others:
 *
 *   <host>:<directory> (<id>)      the id is of this clone on this machine, whatever the rest is called
 *
 * HOLDPOINT_PLACE names it where directories come and go, as on a build machine.
 */
import { createHash } from "node:crypto";
import { linkSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { inLine } from "../../core/values/line.ts";
import { machineName } from "../process/processes.ts";
import { randomIds } from "../process/ids.ts";
import { errorCode, makeDirectory, readOwn, writeSynced } from "./durable.ts";

const NAME_CHARS_MAX = 200;

export function placeName({
  dir,
  readOnly,
  env,
}: {
  /** The store's directory, which all worktrees of a clone share. */
  readonly dir: string;
  readonly readOnly: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}): string {
  const given = inLine(env["HOLDPOINT_PLACE"] ?? "")
    .slice(0, NAME_CHARS_MAX)
    // Removes a suffix that looks like an id, so that no clone can take another's name.
    .replace(/(?:\([0-9a-f]{8}\)|\s)+$/, "")
    .trim();
  if (given !== "") return given;
  const file = join(dir, "clone");
  if (!readOnly && readOwn(file) === "") nameOnce(dir, file);
  // A copy of the directory has the same file, but is another clone.
  const own = `${readOwn(file)} ${machineName()} ${dir}`;
  const id = createHash("sha256").update(own).digest("hex").slice(0, 8);
  const top = dir.replace(/\/(?:\.git\/holdpoint|\.holdpoint)$/, "");
  return `${inLine(`${hostname()}:${top}`).slice(0, NAME_CHARS_MAX)} (${id})`;
}

/** If two processes do this at once, one of them sets the name. A link never shows a half-written file. */
function nameOnce(dir: string, file: string): void {
  makeDirectory(dir);
  const temporary = `${file}.${randomIds.next()}.tmp`;
  writeSynced(temporary, randomIds.next(), 0o600);
  try {
    linkSync(temporary, file);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
