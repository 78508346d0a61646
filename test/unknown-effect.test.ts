/** A journal that wants what no version of its protocol knows any more goes on, and says so. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { act, find, start } from "../src/engine/engine.ts";
import { toJson } from "../src/core/values/json.ts";
import { tallyFamily } from "./tally.ts";

test("[C60] an effect nobody knows is skipped, and the next command is recorded", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "unknown-effect-"));
  const composed = await compose({ cwd, env: {}, families: [tallyFamily] });
  if (composed.kind === "failed") throw new Error(composed.message);
  const { parts } = composed;
  const caller = { actor: { kind: "person", name: "ada" }, session: "s" } as const;
  await start(parts, tallyFamily, { id: "solo", options: {}, caller });
  const { head } = await parts.journal.load("tally:solo");
  const wanted = { type: "effect.wanted", effect: "E-1", kind: "comit", args: {}, unit: "." };
  const events = toJson([{ ...wanted, asks: null, undo: null }]);
  const body = { command: "unit.move", actor: "person:ada", session: "s", events, used: {} };
  const at = "2099-01-01T00:00:00.000Z";
  await parts.journal.append("tally:solo", head, { id: "old", at, body });

  const found = await find(parts, "solo");
  if (found.kind === "refused") throw new Error("there is no solo");
  const add = { type: "unit.move", unit: ".", move: "add", reason: "one" } as const;
  const outcome = await act(parts, found, add, caller);

  expect(outcome).toMatchObject({ kind: "done", pending: [] });
  const { state } = await parts.journal.load("tally:solo");
  expect(state.effects["E-1"]).toMatchObject({ status: "skipped" });
  expect(state.notes.at(-1)).toMatchObject({ tag: "one" });
  await parts.journal.close();
  rmSync(cwd, { recursive: true, force: true });
});
