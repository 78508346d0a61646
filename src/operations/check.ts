import type { CheckFinding, Property } from "../core/check/check.ts";
import type { Refusal } from "../core/decide/answer.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Schema } from "../files/json/schema.ts";
import { refusedAnswer, usage } from "./parts/answers.ts";
import type { Answered } from "./parts/answers.ts";
import { uncounted } from "../engine/parts.ts";
import { nearest } from "../core/values/nearest.ts";
import { inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { FLAG, NUMBER, TEXT, TEXTS, answers, listOf, shape } from "./parts/shapes.ts";

export type CheckInput = { readonly protocol: string };

/** What was proved about a protocol, and the shortest way to each problem. */
export interface CheckedAnswer extends Answer {
  readonly protocol: string;
  readonly version: number;
  readonly proved: readonly { readonly property: Property; readonly says: string }[];
  readonly findings: readonly CheckFinding[];
  readonly places: number;
  readonly steps: number;
  readonly complete: boolean;
}

const STEP: Schema = shape({ by: TEXT, does: TEXT, at: TEXT, asks: TEXTS });

const CHECK: Schema = answers(
  shape({
    ok: FLAG,
    protocol: TEXT,
    version: NUMBER,
    proved: listOf(shape({ property: TEXT, says: TEXT })),
    findings: listOf(
      shape(
        { property: TEXT, code: TEXT, message: TEXT, fix: TEXT, steps: listOf(STEP) },
        { loop: listOf(STEP) },
      ),
    ),
    places: NUMBER,
    steps: NUMBER,
    complete: FLAG,
  }),
);

export const check: Operation<CheckInput, Answered<CheckedAnswer>> = {
  name: "check",
  purpose: "Prove that a protocol holds together, or show where it does not",
  input: inputOf<CheckInput>({
    required: { protocol: text("which protocol: its name, or a file (.yaml, .js)") },
    optional: {},
  }),
  result: CHECK,
  examples: [{ protocol: "team-contract" }, { protocol: "release.yaml" }],
  readOnly: () => true,
  run,
};

async function run(
  context: Context,
  { protocol: name }: CheckInput,
): Promise<Answered<CheckedAnswer>> {
  const { families } = context.parts;
  if (/\.(?:ya?ml|m?js)$/.test(name)) return await checkFile(context, name);
  const family = await families.get(name);
  if (family !== undefined) return await checkedAnswer(family.protocol);
  const problems = await families.problems();
  if (problems.length > 0)
    return refusedAnswer(problems.map(({ code, message, fix }) => refusal(code, message, fix)));
  const like = nearest(name, families.names);
  return usage(
    `There is no protocol "${name}".`,
    [
      like === undefined ? `There are: ${families.names.join(", ")}.` : `Did you mean ${like}?`,
      ...uncounted(context.parts),
    ].join(" "),
  );
}

/** A file that is still being written need not be in the configuration. */
async function checkFile({ parts }: Context, file: string): Promise<Answered<CheckedAnswer>> {
  const text = await parts.workspace.read(file.replace(/^\.\//, ""));
  if (text.kind === "absent")
    return usage(`There is no file ${file}.`, "Name it from the root of the repository.");
  if (text.kind === "unreadable") return usage(text.message, text.fix);
  if (/\.ya?ml$/.test(file)) return await checkYaml(file, text.text);
  const { families, problems } = await parts.families.read(file);
  const [family] = families;
  return family === undefined
    ? refusedAnswer(problems.map(({ code, message, fix }) => refusal(code, message, fix)))
    : await checkedAnswer(family.protocol);
}

/** Every mistake with its line and column. */
async function checkYaml(file: string, text: string): Promise<Answered<CheckedAnswer>> {
  const { readProtocolYaml } = await import("../authoring/yaml.ts");
  const read = readProtocolYaml(text, file);
  if (read.kind === "read") return await checkedAnswer(read.protocol);
  return refusedAnswer(
    read.problems.map(({ line, column, message, fix }) =>
      refusal("protocol-broken", `${file}:${line}:${column} ${message}`, fix),
    ),
  );
}

function refusal(code: string, message: string, fix: string): Refusal {
  return { code, message, fix, rule: "core" };
}

/** The explorer is loaded only here, because loading it would slow down every other call. */
async function checkedAnswer(protocol: Protocol): Promise<CheckedAnswer> {
  const { PROPERTIES, checkProtocol } = await import("../core/check/check.ts");
  const { proved, findings, ...rest } = checkProtocol(protocol);
  return {
    ok: findings.length === 0,
    ...rest,
    proved: proved.map((property) => ({ property, says: PROPERTIES[property] })),
    findings,
  };
}
