import { describe, expect, test } from "vitest";
import { HOOK, MAIN, oid } from "../../../test/fenced.ts";
import { emptyWorkflow } from "../../core/state/evolve.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { fenceOf, isSame, openingOf, openingsOf } from "./state.ts";

function repository(fence: Json, decisions: readonly JsonObject[] = []): Workflow {
  const all = Object.fromEntries(decisions.map((one, at) => [`Q-${String(at)}`, one]));
  return { ...emptyWorkflow("repository"), vars: { fence }, decisions: all as never };
}

describe("a fence", () => {
  test.each<[string, Json]>([
    ["nothing", null],
    ["a text", "fence"],
    ["no hook", { refs: {}, since: "" }],
    ["a hook that is a text", { hook: "hook" }],
    ["a hook that lies nowhere", { hook: { ...HOOK, directory: 7 } }],
    ["a hook without files", { hook: { ...HOOK, files: "none" } }],
  ])("is not what %s says", (_, fence) => {
    expect(fenceOf(repository(fence))).toBeUndefined();
  });

  test("is its branches, its hook and its openings", () => {
    const fence = { refs: { [MAIN]: "a" }, since: "now", hook: HOOK };
    expect(fenceOf(repository(fence))).toEqual({ ...fence, openings: [] });
  });

  test("is opened by the answers to its own question", () => {
    const about = { ref: MAIN, from: "a", to: "b" };
    const said = (question: string, option: string | null): JsonObject => ({
      question,
      about,
      settled: option === null ? null : { option, at: "then", by: "person:ada" },
    });
    const all = [
      said("open-fence", "no"),
      said("other", "open"),
      said("open-fence", null),
      said("open-fence", "open"),
    ];
    expect(openingsOf(repository(null, all))).toEqual([{ ...about, at: "then", by: "person:ada" }]);
  });
});

describe("a move", () => {
  const move = { ref: MAIN, from: oid("a"), to: oid("b") };

  test("is one branch from one commit to another", () => {
    expect(isSame(move, { ...move })).toBe(true);
    for (const other of [{ ref: "x" }, { from: "x" }, { to: "x" }])
      expect(isSame(move, { ...move, ...other })).toBe(false);
  });

  test("is offered to a person as what is to come, or as what has happened", () => {
    const input = { action: "open", what: "main", commit: move.to.slice(0, 12), reason: "..." };
    expect(openingOf(move, "why")).toEqual({ operation: "fence", input, says: "why" });
    const from = move.from.slice(0, 12);
    expect(openingOf(move, "why", true)).toMatchObject({ input: { ...input, from } });
  });
});
