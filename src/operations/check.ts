import type { CheckFinding, Property } from "../core/check/check.ts";
import type { Protocol } from "../core/protocol.ts";
import type { Schema } from "../files/json-schema.ts";
import { usage } from "./answers.ts";
import type { Answered } from "./answers.ts";
import { nearest } from "../core/nearest.ts";
import { inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { FLAG, NUMBER, TEXT, TEXTS, answers, listOf, shape } from "./shapes.ts";

export type CheckInput = { readonly protocol: string };

/** What was proved of a protocol, and the shortest way to meet each thing that is wrong with it. */
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
  purpose: "Explore a protocol: prove that it holds together, or show the shortest way it does not",
  input: inputOf<CheckInput>({ required: { protocol: text("which protocol") }, optional: {} }),
  result: CHECK,
  examples: [{ protocol: "team-contract" }],
  readOnly: () => true,
  run,
};

async function run(
  { parts }: Context,
  { protocol: name }: CheckInput,
): Promise<Answered<CheckedAnswer>> {
  const family = await parts.families.get(name);
  if (family !== undefined) return await checkedAnswer(family.protocol);
  const like = nearest(name, parts.families.names);
  return usage(
    `There is no protocol "${name}".`,
    like === undefined ? `There are: ${parts.families.names.join(", ")}.` : `Did you mean ${like}?`,
  );
}

/** The explorer is loaded when it is asked for: every other call would pay for reading it. */
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
