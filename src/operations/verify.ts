import { find } from "../engine/engine.ts";
import { removeStale, verifyAll, verifyOne } from "../engine/verify.ts";
import type { VerifiedWorkflow } from "../ports/family.ts";
import { usage } from "./answers.ts";
import type { FailedAnswer } from "./answers.ts";
import { WARNINGS, settingsWarnings } from "./list.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { FIX, FLAG, NUMBER, REMEDY, TEXT, TEXTS, answers, listOf, shape } from "./shapes.ts";
import type { Schema } from "../files/json-schema.ts";

export type VerifyInput = { readonly workflow?: string; readonly all?: boolean };

export interface Verified extends Answer {
  readonly workflows: readonly (VerifiedWorkflow & { readonly heading: string })[];
  /** Files that outlived their workflow and were taken away, with the blob that keeps each. */
  readonly removed?: readonly string[];
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
        shape({
          id: TEXT,
          protocol: TEXT,
          exit: { enum: [0, 1, 2, 3, 4] },
          heading: TEXT,
          findings: listOf(FINDING),
        }),
      ),
    },
    { removed: TEXTS, ...WARNINGS },
  ),
);

export const verify: Operation<VerifyInput, Verified | FailedAnswer> = {
  name: "verify",
  purpose: "Compare what the files claim with what is true",
  input: inputOf<VerifyInput>({
    required: {},
    optional: {
      workflow: text("which workflow"),
      all: flag("every workflow of this tree; looks only, changes nothing"),
    },
  }),
  result: VERIFY,
  examples: [{ workflow: "TapeDelay" }, { all: true }],
  // Looking at one workflow may clear away a file that outlived it; looking at all never does.
  readOnly: ({ all }) => all === true,
  run,
};

async function run(
  context: Context,
  { workflow, all = false }: VerifyInput,
): Promise<Verified | FailedAnswer> {
  if (all === (workflow !== undefined))
    return usage("verify needs one workflow, or all.", "Give one of the two.");
  const { parts } = context;
  const { workflows, removed } = all
    ? { workflows: await verifyAll(parts), removed: [] }
    : await verifyAndTidy(context, workflow ?? "");
  const headed = workflows.map(async (one) => {
    const family = await parts.families.get(one.protocol);
    return { ...one, heading: family?.verify.headings[one.exit] ?? "" };
  });
  return {
    ok: workflows.every((one) => one.exit === 0),
    workflows: await Promise.all(headed),
    ...(removed.length === 0 ? {} : { removed }),
    ...(await settingsWarnings(parts)),
  };
}

/** The clean-up belongs to looking at one workflow: what is removed is kept as a blob, and recorded. */
async function verifyAndTidy(
  { parts, caller, progress }: Context,
  id: string,
): Promise<{
  readonly workflows: readonly VerifiedWorkflow[];
  readonly removed: readonly string[];
}> {
  const found = await find(parts, id);
  const workflows = await verifyOne(parts, found, id);
  const removed = await removeStale(parts, { found, workflows, caller });
  for (const line of removed) progress?.(line);
  return { workflows, removed };
}
