/** Every remedy that a shipped table offers can be asked for: the operation is there, and so is the step. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Act } from "../src/core/decide/answer.ts";
import { isJsonObject, showJson, toJson } from "../src/core/values/json.ts";
import type { Json } from "../src/core/values/json.ts";
import type { Protocol } from "../src/core/table/protocol.ts";
import { readRemedy } from "../src/core/table/remedy.ts";
import { mainProtocol } from "../src/protocols/task-protocol/table/main-protocol.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";
import { operations } from "../src/operations/index.ts";
import { checkRemedy } from "./remedies.ts";

const SRC = join(import.meta.dirname, "../src");

const tables = [pluginWorkflow, teamContract, taskProtocol, mainProtocol];

describe.each(tables.map((one) => [one.name, one] as const))("%s", (_, protocol) => {
  const acts = actsIn(toJson(protocol));

  test("remedies that can be asked for fit their operations", () => {
    for (const act of acts) checkRemedy(act, protocol.name);
  });

  test("steps that remedies name are steps of the table", () => {
    const steps = stepsOf(protocol);
    const named = acts
      .filter((one) => one.operation === "advance")
      .flatMap((one) => (one.input["step"] === undefined ? [] : [showJson(one.input["step"])]));
    expect(named.filter((name) => !steps.has(name))).toEqual([]);
  });
});

test("the tables offer some", () => {
  expect(tables.flatMap((one) => actsIn(toJson(one))).length).toBeGreaterThan(50);
});

test("every remedy in the source names an operation and inputs that it has", () => {
  const wrong = readdirSync(SRC, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .flatMap((path) =>
      remediesIn(readFileSync(join(SRC, path), "utf8")).map((one) => ({ path, ...one })),
    )
    .filter(({ operation, inputs }) => {
      const known = operations.find((one) => one.name === operation)?.input.properties;
      return known === undefined || inputs.some((name) => !Object.hasOwn(known, name));
    });
  expect(wrong).toEqual([]);
  expect(remediesIn('remedy("run", { check, workflow: state.id }, "x")')).toEqual([
    { operation: "run", inputs: ["check", "workflow"] },
  ]);
});

test("a remedy that no operation answers is found", () => {
  expect(() => checkRemedy({ operation: "run", input: {} }, "here")).toThrow(/no operation/);
  const misspelt = { operation: "reconcile", input: { workflow: "A", restroe: true } };
  expect(() => checkRemedy(misspelt, "here")).toThrow(/restroe/);
  expect(() => checkRemedy("Run holdpoint run build.", "here")).toThrow(/typed, not data/);
});

/** Where a remedy is made from literals: its operation, and the names of its inputs. */
function remediesIn(
  text: string,
): readonly { readonly operation: string; readonly inputs: readonly string[] }[] {
  const made = /\bremedy\(\s*"([a-z]+)",\s*\{((?:[^{}]|\{[^{}]*\})*)\}/g;
  return [...text.matchAll(made)].map(([, operation = "", members = ""]) => {
    const flat = members.replaceAll(/\.\.\.\([^)]*\)|\{[^{}]*\}|"[^"]*"|`[^`]*`/g, "");
    const names = flat.split(",").map((one) => one.split(":")[0]?.trim() ?? "");
    return { operation, inputs: names.filter((name) => /^\w+$/.test(name)) };
  });
}

function stepsOf({ kinds, work, questions }: Protocol): ReadonlySet<string> {
  const moves = Object.values(kinds).flatMap((kind) => kind.moves.map((move) => move.id));
  return new Set([...moves, ...Object.keys(work), ...Object.keys(questions), "cancel"]);
}

function actsIn(value: Json): readonly Act[] {
  if (value === null || typeof value !== "object") return [];
  const remedy = isJsonObject(value) ? readRemedy(value) : "";
  if (typeof remedy !== "string") return [remedy];
  return Object.values(value).flatMap(actsIn);
}
