/**
 * Who carries out each unsettled effect, stored beside the journal:
 *
 *   <effect>/<taken from>   holds <taken by>; it is made once
 *   <effect>/seen.json      what an attempt saw before it changed anything
 *
 * Starting with the process that wanted the effect, the first kind of file leads to the one that has it now. There is
 * no lock: if that one dies, another takes over in the same way. Not synced, because a power loss ends all of them.
 */
import { createHash } from "node:crypto";
import { linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import type { Holders } from "../../ports/holders.ts";
import { randomIds } from "../process/ids.ts";
import {
  errorCode,
  makeDirectory,
  readOwn,
  readRegular,
  syncDirectory,
  writeSynced,
} from "./durable.ts";

/** More takers than that are a loop, not processes that died. */
const TAKERS_MAX = 10_000;

export function createHolders(dir: string, onStep: (step: string) => void): Holders {
  const placeOf = (effect: string): string => join(dir, nameOf(effect));
  return {
    of: async (effect, wantedBy) => {
      let holder = wantedBy;
      for (let taker = 0; taker < TAKERS_MAX; taker += 1) {
        const read = readRegular(join(placeOf(effect), nameOf(holder)));
        if (read.kind === "absent") return holder;
        holder = read.kind === "found" ? read.bytes.toString("utf8") : UNREADABLE;
        if (holder === UNREADABLE) return holder;
      }
      return UNREADABLE;
    },
    take: async (effect, from, by) => {
      const place = placeOf(effect);
      mkdirSync(place, { recursive: true });
      // Created as a link of a complete file, so that nobody reads half a name.
      const temporary = join(place, `${randomIds.next()}.tmp`);
      writeFileSync(temporary, by, { mode: 0o600, flag: "wx" });
      onStep("take");
      try {
        linkSync(temporary, join(place, nameOf(from)));
        return true;
      } catch (error) {
        if (errorCode(error) === "EEXIST") return false;
        throw error;
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    recall: async (effect) => {
      const seen = parseJson(readOwn(join(placeOf(effect), SEEN)));
      return isJsonObject(seen) ? seen : undefined;
    },
    keep: async (effect, seen) => {
      const place = placeOf(effect);
      makeDirectory(place);
      const temporary = join(place, `${randomIds.next()}.tmp`);
      writeSynced(temporary, JSON.stringify(seen), 0o600);
      renameSync(temporary, join(place, SEEN));
      syncDirectory(place);
    },
    forget: async (effect) => rmSync(placeOf(effect), { recursive: true, force: true }),
  };
}

const SEEN = "seen.json";

/** Not the name of any process, so nothing is proven about it. */
const UNREADABLE = "";

function nameOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
