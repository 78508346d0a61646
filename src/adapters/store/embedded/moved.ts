/** The mark of a store whose truth is elsewhere now: whoever would write here is told where. */
import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import { errorCode, makeDirectory, readOwn, replaceOwn, syncDirectory } from "../durable.ts";

export function movedPath(dir: string): string {
  return join(dir, "moved.json");
}

/** Where to; undefined where the truth is here. */
export function movedTo(dir: string): string | undefined {
  if (!isThere(movedPath(dir))) return undefined;
  const value = parseJson(readOwn(movedPath(dir)));
  const to = isJsonObject(value) ? value["to"] : undefined;
  return typeof to === "string" ? to : "another store";
}

/** Something that cannot be read is there all the same; below what is no directory nothing is. */
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return errorCode(error) !== "ENOTDIR";
  }
}

export function markMoved(dir: string, to: string | undefined): void {
  makeDirectory(dir);
  if (to === undefined) rmSync(movedPath(dir), { force: true });
  else replaceOwn(movedPath(dir), `${JSON.stringify({ to })}\n`);
  syncDirectory(dir);
}
