import { compareTexts, isJsonObject, member, showJson } from "../core/values/json.ts";
import type { JsonObject } from "../core/values/json.ts";
import { streamOf, uncounted } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import { inputOf } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { FLAG, NUMBER, TEXT, TEXTS, answers, listOf, orNull, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type ListInput = Readonly<Record<string, never>>;

export interface Listed extends Answer {
  readonly workflows: readonly JsonObject[];
  /** Settings that do not count and unusable protocol files, with what to do about each. */
  readonly warnings?: readonly string[];
}

export const LISTED: JsonObject = {
  ok: FLAG,
  workflows: listOf(
    shape({
      protocol: TEXT,
      id: TEXT,
      at: TEXT,
      state: TEXT,
      updatedAt: TEXT,
      session: orNull(TEXT),
      open: NUMBER,
      out: NUMBER,
    }),
  ),
};

/** Problems that are not about a single workflow. */
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
  const summaries = (await parts.journal.list())
    .flatMap(({ summary }) => (isJsonObject(summary) ? [shown(summary)] : []))
    .toSorted((a, b) => compareTexts(showJson(b["updatedAt"]), showJson(a["updatedAt"])));
  const workflows = await Promise.all(summaries.map((one) => withState(parts, one)));
  return { ok: true, workflows, ...(await settingsWarnings(parts)) };
}

/** Leaves out the data that policies are judged by. */
function shown(whole: JsonObject): JsonObject {
  const { agreed: _, ...summary } = whole;
  return summary;
}

/** The state in words. A workflow that always exists and that nobody has taken has no state of work. */
async function withState(parts: Parts, summary: JsonObject): Promise<JsonObject> {
  const [protocol, id, at] = ["protocol", "id", "at"].map((name) => showJson(summary[name]));
  const family = await parts.families.get(protocol ?? "");
  const state = member(family?.words.called ?? {}, at ?? "") ?? at ?? "";
  if (family === undefined || summary["session"] !== null || family.names.standing !== id)
    return { ...summary, state };
  const standing = await parts.journal.load(streamOf(family, id));
  const free = family.words.describe(standing.state).state;
  return { ...summary, at: free, state: free };
}

/** Settings that do not count and unusable protocol files. The latter stop only their own workflows. */
export async function settingsWarnings(parts: Parts): Promise<Pick<Listed, "warnings">> {
  const problems = await parts.families.problems();
  const unusable = problems.map(({ message, fix }) => `${message}. ${fix}`);
  const warnings = [...uncounted(parts), ...unusable];
  return warnings.length === 0 ? {} : { warnings };
}
