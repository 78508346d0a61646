import type { Refusal } from "../core/decide/answer.ts";
import { adoptOne, unadopted } from "../engine/intake/adopt.ts";
import type { Adoption } from "../engine/intake/adopt.ts";
import type { FileChange } from "../engine/intake/preview.ts";
import { diffOf } from "../files/diff.ts";
import { usage } from "./parts/answers.ts";
import type { FailedAnswer } from "./parts/answers.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { FLAG, REFUSAL, TEXT, TEXTS, answers, listOf, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json-schema.ts";

export type AdoptInput = {
  readonly workflow?: string;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly side?: string;
  readonly numbering?: string;
  readonly at?: string;
  readonly yes?: boolean;
};

export interface AdoptAnswer extends Answer {
  readonly refusals: readonly Refusal[];
  readonly workflows: readonly {
    readonly id: string;
    readonly result: Adoption["kind"];
    readonly summary: readonly string[];
    readonly refusals: readonly Refusal[];
    /** Every line that would change, file by file. */
    readonly changes?: readonly { readonly file: string; readonly diff: string }[];
  }[];
}

const ADOPT: Schema = answers(
  shape({
    ok: FLAG,
    refusals: listOf(REFUSAL),
    workflows: listOf(
      shape(
        {
          id: TEXT,
          result: { enum: ["adopted", "already", "preview", "unsure", "refused"] },
          summary: TEXTS,
          refusals: listOf(REFUSAL),
        },
        { changes: listOf(shape({ file: TEXT, diff: TEXT })) },
      ),
    ),
  }),
);

export const adopt: Operation<AdoptInput, AdoptAnswer | FailedAnswer> = told({
  name: "adopt",
  purpose: "Give existing files a journal",
  input: inputOf<AdoptInput>({
    required: {},
    optional: {
      workflow: text("which workflow"),
      all: flag("every workflow the files show that has no journal yet"),
      dryRun: flag("say what would be done, and change nothing"),
      side: text("which file is right when they contradict"),
      numbering: text("old or new stage numbers, where the files do not tell"),
      at: text("the state it is really in, where its files say something else"),
      yes: flag("accept a state that had to be made up from other files"),
    },
  }),
  result: ADOPT,
  examples: [
    { all: true, dryRun: true },
    { workflow: "TapeDelay", side: "registry" },
    { workflow: "TapeDelay", at: "working" },
  ],
  run,
});

async function run(
  { parts, caller }: Context,
  input: AdoptInput,
): Promise<AdoptAnswer | FailedAnswer> {
  const { workflow, all = false, side = null, numbering = null } = input;
  if (all === (workflow !== undefined))
    return usage("adopt needs one workflow, or all.", "Give one of the two.");
  const options = {
    side,
    numbering,
    at: input.at ?? null,
    yes: input.yes === true,
    dryRun: input.dryRun === true,
  };
  const adoptions: Adoption[] = [];
  for (const id of all ? await unadopted(parts) : [workflow ?? ""])
    adoptions.push(await adoptOne(parts, { id, options, caller }));
  return {
    ok: adoptions.every((one) => one.kind !== "refused" && one.kind !== "unsure"),
    workflows: adoptions.map(({ kind, id, summary, refusals, changes }) => ({
      id,
      result: kind,
      summary,
      refusals,
      ...(changes === undefined ? {} : { changes: changes.map(diffOfFile) }),
    })),
    refusals: adoptions.flatMap((one) => (one.kind === "refused" ? one.refusals : [])),
  };
}

function diffOfFile({ file, before, after }: FileChange): { file: string; diff: string } {
  return { file, diff: diffOf(before ?? undefined, after ?? undefined) };
}
