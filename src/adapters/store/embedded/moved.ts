/** Marks a store whose journals have moved elsewhere, so that writers are told where. */
import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { errorCode, makeDirectory, readOwn, replaceOwn, syncDirectory } from "../durable.ts";

export function movedPath(dir: string): string {
  return join(dir, "moved.json");
}

/** The new place; undefined if the journals are here. */
export function movedTo(dir: string): string | undefined {
  if (!isThere(movedPath(dir))) return undefined;
  const value = parseJson(readOwn(movedPath(dir)));
  const to = isJsonObject(value) ? value["to"] : undefined;
  return typeof to === "string" ? to : "another store";
}

/** Prefix in the mark of a store that is still being filled. */
const ARRIVING = "arriving from ";

export function arriving(from: string): string {
  return `${ARRIVING}${from}`;
}

/** The files there are outdated or incomplete, so they are not read. */
export function movedAway(where: string): StoreProblem {
  if (where.startsWith(ARRIVING))
    return new StoreProblem({
      code: "store-arriving",
      message: `The store is being moved here from ${where.slice(ARRIVING.length)}, and not all of it has arrived`,
      fix: "Wait until it has; where the move was interrupted, give it again: holdpoint store move.",
    });
  return new StoreProblem({
    code: "store-moved",
    message: `The store has moved to ${where}; what lies here is of yesterday, and nothing is recorded here any more`,
    fix: "Name the new store: commit it as `store` in holdpoint.config.json, or set HOLDPOINT_STORE.",
  });
}

/** True even if it cannot be read. */
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
