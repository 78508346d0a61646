/**
 * Who carries out unsettled effects, on any machine: rows that lead from the process that wanted an effect to the
 * one that has it now.
 */
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { Holders } from "../../../ports/holders.ts";
import type { Database } from "./database.ts";
import { nameOf } from "./lines.ts";

/** More takers than that are a loop, not processes that died. */
const TAKERS_MAX = 10_000;

export function createHolders(database: Database, onStep: (step: string) => void): Holders {
  const key = (text: string): string => nameOf(text).key;
  return {
    of: async (effect, wantedBy) => {
      const rows = await database.query(TAKERS, [key(effect), TAKERS_MAX + 1]);
      const next = new Map(rows.map((row) => [String(row["taken_from"]), String(row["taken_by"])]));
      let holder = wantedBy;
      for (let taker = 0; taker < TAKERS_MAX; taker += 1) {
        const by = next.get(key(holder));
        if (by === undefined) return holder;
        holder = by;
      }
      return UNREADABLE;
    },
    take: async (effect, from, by) => {
      onStep("take");
      const [row] = await database.query("SELECT @.take_effect($1, $2, $3) AS taken", [
        key(effect),
        key(from),
        by,
      ]);
      return row?.["taken"] === true;
    },
    recall: async (effect) => {
      const [row] = await database.query("SELECT seen FROM @.attempts WHERE effect = $1", [
        key(effect),
      ]);
      const text = row?.["seen"];
      const seen = typeof text === "string" ? parseJson(text) : undefined;
      return isJsonObject(seen) ? seen : undefined;
    },
    keep: async (effect, seen) => {
      await database.query("SELECT @.keep_attempt($1, $2)", [key(effect), JSON.stringify(seen)]);
    },
    forget: async (effect) => {
      await database.query("SELECT @.forget_effect($1)", [key(effect)]);
    },
  };
}

const TAKERS = "SELECT taken_from, taken_by FROM @.takers WHERE effect = $1 LIMIT $2";

/** Not the name of any process, so nothing is proven about it. */
const UNREADABLE = "";
