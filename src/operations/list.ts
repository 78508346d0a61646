import { compareTexts, isJsonObject, showJson } from "../core/values/json.ts";
import type { JsonObject } from "../core/values/json.ts";
import { uncounted } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import { inputOf } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { FLAG, NUMBER, TEXT, TEXTS, answers, listOf, orNull, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json-schema.ts";

export type ListInput = Readonly<Record<string, never>>;

export interface Listed extends Answer {
  readonly workflows: readonly JsonObject[];
  /** Settings that do not count and protocol files that cannot be used, and what to do about each. */
  readonly warnings?: readonly string[];
}

export const LISTED: JsonObject = {
  ok: FLAG,
  workflows: listOf(
    shape({
      protocol: TEXT,
      id: TEXT,
      at: TEXT,
      updatedAt: TEXT,
      session: orNull(TEXT),
      open: NUMBER,
      out: NUMBER,
    }),
  ),
};

/** What is wrong beside the workflows. */
export const WARNINGS: JsonObject = { warnings: TEXTS };

const LIST: Schema = answers(shape(LISTED, WARNINGS));

export const list: Operation<ListInput, Listed> = told({
  name: "list",
  purpose: "All workflows of this repository, the latest first",
  input: inputOf<ListInput>({ required: {}, optional: {} }),
  result: LIST,
  examples: [{}],
  readOnly: () => true,
  run,
});

async function run({ parts }: Context): Promise<Listed> {
  const workflows = (await parts.journal.list())
    .flatMap(({ summary }) => (isJsonObject(summary) ? [summary] : []))
    .toSorted((a, b) => compareTexts(showJson(b["updatedAt"]), showJson(a["updatedAt"])));
  return { ok: true, workflows, ...(await settingsWarnings(parts)) };
}

/** What is wrong with settings, and protocol files that cannot be used: these stop their own workflows only. */
export async function settingsWarnings(parts: Parts): Promise<Pick<Listed, "warnings">> {
  const problems = await parts.families.problems();
  const unusable = problems.map(({ message, fix }) => `${message}. ${fix}`);
  const warnings = [...uncounted(parts), ...unusable];
  return warnings.length === 0 ? {} : { warnings };
}
