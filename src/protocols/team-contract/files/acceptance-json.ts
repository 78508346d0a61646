import { isJsonObject } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { objects, text, texts } from "../../../core/values/json-read.ts";
import type { Parsed } from "../../../files/problem.ts";
import { checkJson, problem } from "./json-problems.ts";
import { lineOf } from "../../../files/json/source.ts";
import { acceptanceSchema } from "./schemas/tasks.ts";

/**
 * `acceptance.json`: `{ "acceptance_criteria": [{ "id": "AC-001", "description": "…",
 * "verify": ["npm test", "manual: …"] }] }`. A bare text in `verify` is a command.
 */
export interface Criterion {
  readonly id: string;
  readonly description: string;
  readonly verify: readonly Check[];
}

/** How something is proved: by a command's exit code, or by a named person. */
export interface Check {
  readonly kind: "cmd" | "manual";
  readonly text: string;
}

/** Codes: `acceptance-unreadable`, `acceptance-field`. */
export function parseAcceptance(source: string): Parsed<readonly Criterion[]> {
  const { json, value, problems } = checkJson(source, acceptanceSchema, {
    unreadable: "acceptance-unreadable",
    field: "acceptance-field",
    rule: "TC-133",
    fix: "Make acceptance.json one JSON object with a list acceptance_criteria.",
  });
  if (!isJsonObject(value)) return { value: undefined, problems };
  const criteria = objects(value["acceptance_criteria"]).map(toCriterion);
  const twice = criteria.flatMap(({ id }, index) =>
    criteria.findIndex((one) => one.id === id) === index
      ? []
      : [
          problem({
            code: "acceptance-field",
            line: lineOf(json, ["acceptance_criteria", index]),
            message: `${id} is there twice`,
            fix: "Give every criterion its own id.",
            rule: "TC-133",
          }),
        ],
  );
  return { value: criteria, problems: [...problems, ...twice] };
}

function toCriterion({ id, description, verify }: JsonObject): Criterion {
  return {
    id: text(id),
    description: text(description),
    verify: texts(verify).map(toCheck),
  };
}

export function toCheck(check: string): Check {
  const match = /^(cmd|manual):\s*/.exec(check);
  const said = check.slice(match?.[0].length ?? 0).trim();
  return { kind: match?.[1] === "manual" ? "manual" : "cmd", text: said };
}

/** The check's name in records, always with its prefix. */
export function checkName({ kind, text }: Check): string {
  return `${kind}: ${text}`;
}
