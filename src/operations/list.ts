import { compareTexts, isJsonObject, showJson } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import { inputOf } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { FLAG, NUMBER, TEXT, answers, listOf, orNull, shape } from "./shapes.ts";
import type { Schema } from "../files/json-schema.ts";

export type ListInput = Readonly<Record<string, never>>;

export interface Listed extends Answer {
  readonly workflows: readonly JsonObject[];
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

const LIST: Schema = answers(shape(LISTED));

export const list: Operation<ListInput, Listed> = {
  name: "list",
  purpose: "All workflows of this repository, the latest first",
  input: inputOf<ListInput>({ required: {}, optional: {} }),
  result: LIST,
  examples: [{}],
  readOnly: () => true,
  run,
};

async function run({ parts }: Context): Promise<Listed> {
  const workflows = (await parts.journal.list())
    .flatMap(({ summary }) => (isJsonObject(summary) ? [summary] : []))
    .toSorted((a, b) => compareTexts(showJson(b["updatedAt"]), showJson(a["updatedAt"])));
  return { ok: true, workflows };
}
