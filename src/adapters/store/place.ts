/**
 * The name of a clone that shares its store with others:
 *
 *   <host>:<directory> (<id>)      the id is of this clone on this machine, whatever the rest is called
 *
 * HOLDPOINT_PLACE names it where directories come and go, as on a build machine.
 */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { inLine } from "../../core/values/line.ts";
import { machineName } from "../process/processes.ts";
import { randomIds } from "../process/ids.ts";
import { errorCode, makeDirectory, readOwn } from "./durable.ts";

const NAME_CHARS_MAX = 200;

export function placeName({
  dir,
  root,
  readOnly,
  env,
}: {
  readonly dir: string;
  readonly root: string;
  readonly readOnly: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}): string {
  const given = inLine(env["HOLDPOINT_PLACE"] ?? "").slice(0, NAME_CHARS_MAX);
  if (given.trim() !== "") return given.trim();
  const file = join(dir, "clone");
  if (!readOnly && readOwn(file) === "") {
    makeDirectory(dir);
    try {
      writeFileSync(file, randomIds.next(), { mode: 0o600, flag: "wx" });
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
  // A copy of the directory has the same file, and is another clone.
  const own = `${readOwn(file)} ${machineName()} ${dir}`;
  const id = createHash("sha256").update(own).digest("hex").slice(0, 8);
  return `${`${hostname()}:${root}`.slice(0, NAME_CHARS_MAX)} (${id})`;
}
