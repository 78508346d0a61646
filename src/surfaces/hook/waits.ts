import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { INBOX } from "../../ports/inbox.ts";

const LEVELS_MAX = 64;

/**
 * Whether a command was left in the inbox here or in a directory above. Only looks at names, because it is called
 * often.
 */
export function isSomethingLeft(cwd: string): boolean {
  let at = cwd;
  for (let level = 0; level < LEVELS_MAX && at !== ""; level += 1) {
    if (namesIn(join(at, INBOX)).some((name) => /^[\w-]+(?:\.\d+)?\.json$/.test(name))) return true;
    if (dirname(at) === at) return false;
    at = dirname(at);
  }
  return false;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
