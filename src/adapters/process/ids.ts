/** Random names. */
import { randomBytes } from "node:crypto";
import type { Ids } from "../../ports/ids.ts";

export const randomIds: Ids = { next: nextId };

/**
 * Base 36 instead of base64url: an id that starts with `-` would be read as a flag on a command line, and two ids
 * that differ only in case would be one file on macOS.
 */
function nextId(): string {
  return BigInt(`0x${randomBytes(16).toString("hex")}`)
    .toString(36)
    .padStart(ID_LENGTH, "0");
}

const ID_LENGTH = 25;
