/**
 * Our checker against ajv, over every schema that is published: the same documents pass, and the same places are
 * named. Ours adds the rule, the sentence and the remedy; what is right and what is wrong is JSON Schema's to say.
 */
import { readFileSync, readdirSync } from "node:fs";
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonArray, isJsonObject, showJson } from "../src/core/values/json.ts";
import type { Json } from "../src/core/values/json.ts";
import { checkSchema, showPath } from "../src/files/json/schema.ts";
import type { Schema } from "../src/files/json/schema.ts";
import { operations } from "../src/operations/index.ts";

const DIR = new URL("../schemas/", import.meta.url);
const schemas = readdirSync(DIR, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".json") && !name.endsWith(".result.json"))
  .map((name) => [name, read(name)] as const);

describe("what ajv says, our checker says", () => {
  test.each(schemas)("%s", (_, schema) => {
    const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);
    const seen = { good: 0, bad: 0 };
    fc.assert(
      fc.property(near(schema), (value) => {
        const found = checkSchema(schema, value);
        const isGood = validate(value);
        seen[isGood ? "good" : "bad"] += 1;
        expect(found.length === 0, JSON.stringify(found)).toBe(isGood);
        expect([...new Set(found.map((one) => showPath(one.path)))].sort()).toEqual(
          placesOf(validate.errors ?? []),
        );
      }),
      { numRuns: 400, seed: 8 },
    );
    expect(Math.min(seen.good, seen.bad), JSON.stringify(seen)).toBeGreaterThan(10);
  });
});

test("what operations take and answer is JSON Schema, read strictly", () => {
  const names = readdirSync(new URL("operations/", DIR));
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  for (const name of names) expect(typeof ajv.compile(read(`operations/${name}`))).toBe("function");
  expect(names.toSorted()).toEqual(
    operations.flatMap(({ name }) => [`${name}.input.json`, `${name}.result.json`]).toSorted(),
  );
});

/** The places of ajv's errors, without those it names a second time for the keyword above them. */
function placesOf(errors: readonly ErrorObject[]): readonly string[] {
  const places = errors
    .filter((one) => !SECOND.includes(one.keyword) && !/\/anyOf\/\d+\//.test(one.schemaPath))
    .map(({ instancePath, params, propertyName }) => {
      const steps = instancePath.split("/").slice(1);
      const last = params["missingProperty"] ?? params["additionalProperty"] ?? propertyName;
      const named = typeof last === "string" ? [...steps, last] : steps;
      return showPath(named.map((step) => (/^\d+$/.test(step) ? Number(step) : unescape(step))));
    });
  return [...new Set(places)].sort();
}

const SECOND = ["if", "propertyNames"];

function unescape(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

const TEXTS = ["T-001", "meta", "same", "UD-1", "AC-001", "cmd: x", "x", "", " "];
const TIME = "2026-02-17T01:15:39.294Z";
/** One value in this many is something else than the schema asks for. */
const STRAY_EVERY = 60;

/** Documents that the schema describes, but for a few strays. */
function near(schema: Schema): fc.Arbitrary<Json> {
  const stray = fc.constantFrom<Json>(null, true, -1, 7, "stray", [], [1], {}, { a: 1 });
  return fc.oneof(
    { weight: STRAY_EVERY, arbitrary: meant(schema) },
    { weight: 1, arbitrary: stray },
  );
}

function meant(schema: Schema): fc.Arbitrary<Json> {
  const { enum: values, const: only, anyOf, items, type } = schema;
  if (only !== undefined) return fc.constant(only);
  if (isJsonArray(values)) return fc.constantFrom(...values);
  if (isJsonArray(anyOf)) return fc.oneof(...anyOf.filter((one) => isJsonObject(one)).map(near));
  const [first, ...rest] = isJsonArray(type) ? type : [type];
  if (rest.length > 0)
    return fc.oneof(...[first, ...rest].map((one) => meant({ ...schema, type: one ?? "null" })));
  if (first === "null") return fc.constant(null);
  if (first === "boolean") return fc.boolean();
  if (first === "integer" || first === "number")
    return fc.oneof(
      { weight: STRAY_EVERY / 4, arbitrary: fc.integer({ min: 0, max: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 0.5, 9) },
    );
  if (first === "array")
    return fc.array(near(isJsonObject(items) ? items : { type: "string" }), { maxLength: 3 });
  if (first === "string") return textFor(schema);
  return objectFor(schema);
}

/** Texts that match the pattern, and now and then any. */
function textFor({ pattern = "" }: Schema): fc.Arbitrary<Json> {
  const all = [...TEXTS, TIME];
  const fitting = all.filter((one) => new RegExp(showJson(pattern), "u").test(one));
  const any = fc.constantFrom(...all);
  return fc.oneof(
    { weight: STRAY_EVERY, arbitrary: fitting.length === 0 ? any : fc.constantFrom(...fitting) },
    { weight: 1, arbitrary: any },
  );
}

function objectFor({
  properties,
  required,
  additionalProperties: more,
}: Schema): fc.Arbitrary<Json> {
  const known = isJsonObject(properties) ? Object.entries(properties) : [];
  const needed = isJsonArray(required) ? required : [];
  const members = known.map(([key, value]): [string, fc.Arbitrary<Json | undefined>] => {
    const isAllowed = isJsonObject(value) && !("not" in value);
    const member = isAllowed ? near(value) : fc.constant<Json>("stray");
    const [weight, absent] = !isAllowed
      ? [1, STRAY_EVERY]
      : needed.includes(key)
        ? [STRAY_EVERY, 1]
        : [1, 2];
    return [
      key,
      fc.oneof(
        { weight, arbitrary: member },
        { weight: absent, arbitrary: fc.constant(undefined) },
      ),
    ];
  });
  const strange = ["T-001", "constructor", "a/b~c"].map(
    (key): [string, fc.Arbitrary<Json | undefined>] => {
      const isMap = isJsonObject(more);
      const arbitrary = isMap ? near(more) : fc.constant<Json>("stray");
      const absent = isMap && key === "T-001" ? 1 : STRAY_EVERY;
      return [
        key,
        fc.oneof({ weight: 1, arbitrary }, { weight: absent, arbitrary: fc.constant(undefined) }),
      ];
    },
  );
  return fc
    .record(Object.fromEntries([...members, ...strange]))
    .map((record) => JSON.parse(JSON.stringify(record)) as Json);
}

function read(name: string): Schema {
  return JSON.parse(readFileSync(new URL(name, DIR), "utf8")) as Schema;
}
