import { find } from "../engine/engine.ts";
import { unvouched } from "../engine/prove/unvouched.ts";
import { verifyAll, verifyOne } from "../engine/prove/verify.ts";
import type { VerifiedWorkflow } from "../ports/family.ts";
import { usage } from "./parts/answers.ts";
import type { FailedAnswer } from "./parts/answers.ts";
import { WARNINGS, settingsWarnings } from "./list.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { FIX, FLAG, NUMBER, REMEDY, TEXT, answers, listOf, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json-schema.ts";

export type VerifyInput = { readonly workflow?: string; readonly all?: boolean };

export interface Verified extends Answer {
  readonly workflows: readonly (VerifiedWorkflow & { readonly heading: string })[];
  /** Settings that do not count, protocol files that cannot be used. */
  readonly warnings?: readonly string[];
}

const FINDING: Schema = shape(
  { code: TEXT, file: TEXT, line: NUMBER, message: TEXT, ...FIX, rule: TEXT },
  REMEDY,
);

const VERIFY: Schema = answers(
  shape(
    {
      ok: FLAG,
      workflows: listOf(
        shape(
          {
            id: TEXT,
            protocol: TEXT,
            exit: { enum: [0, 1, 2, 3, 4] },
            heading: TEXT,
            findings: listOf(FINDING),
          },
          { ended: FLAG },
        ),
      ),
    },
    WARNINGS,
  ),
);

export const verify: Operation<VerifyInput, Verified | FailedAnswer> = told({
  name: "verify",
  purpose: "Compare what the files claim with what is true",
  input: inputOf<VerifyInput>({
    required: {},
    optional: {
      workflow: text("which workflow"),
      all: flag("every workflow of this tree"),
    },
  }),
  result: VERIFY,
  examples: [{ workflow: "TapeDelay" }, { all: true }],
  readOnly: () => true,
  run,
});

async function run(
  { parts }: Context,
  { workflow, all = false }: VerifyInput,
): Promise<Verified | FailedAnswer> {
  if (all === (workflow !== undefined))
    return usage("verify needs one workflow, or all.", "Give one of the two.");
  const id = workflow ?? "";
  const workflows = all
    ? await verifyAll(parts)
    : await verifyOne(parts, await find(parts, id), id);
  const headed = workflows.map(async (one) => {
    const family = await parts.families.get(one.protocol);
    return { ...one, heading: family?.verify.headings[one.exit] ?? "" };
  });
  const { warnings: settings = [] } = await settingsWarnings(parts);
  const warnings = [...settings, ...(await unvouched(parts, workflows))];
  return {
    // Who asks for a finished workflow by name wants to go on with it; among all of them it is in order.
    ok: workflows.every((one) => one.exit === 0 || (all && one.ended === true)),
    workflows: await Promise.all(headed),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
