import type { Act, Refusal } from "../core/decide/answer.ts";
import { find } from "../engine/engine.ts";
import { restoreViews } from "../engine/intake/reconcile.ts";
import { mendable } from "../engine/prove/mend.ts";
import { streamOf } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import { diffOf } from "../files/diff.ts";
import { unvouched } from "../engine/prove/unvouched.ts";
import { verifyAll, verifyOne } from "../engine/prove/verify.ts";
import type { VerifiedWorkflow, VerifyFinding } from "../ports/family.ts";
import { usage } from "./parts/answers.ts";
import type { FailedAnswer } from "./parts/answers.ts";
import { WARNINGS, settingsWarnings } from "./list.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import {
  CHOICES,
  FIX,
  FLAG,
  NUMBER,
  REFUSAL,
  REMEDY,
  TEXT,
  TEXTS,
  answers,
  listOf,
  shape,
} from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type VerifyInput = {
  readonly workflow?: string;
  readonly all?: boolean;
  readonly fix?: boolean;
  readonly dryRun?: boolean;
};

export interface Verified extends Answer {
  readonly workflows: readonly (VerifiedWorkflow & {
    readonly heading: string;
    /** Repairs that need no judgement, possible or done: every line, for each file. */
    readonly mends?: readonly { readonly file: string; readonly diff: string }[];
  })[];
  /** Workflows whose files were repaired. */
  readonly mended?: readonly string[];
  readonly refusals?: readonly Refusal[];
  /** Settings that do not count, unusable protocol files. */
  readonly warnings?: readonly string[];
  /** What to do about files that no journal knows. */
  readonly next?: readonly Act[];
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
          { ended: FLAG, mends: listOf(shape({ file: TEXT, diff: TEXT })) },
        ),
      ),
    },
    { ...WARNINGS, mended: TEXTS, refusals: listOf(REFUSAL), next: CHOICES },
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
      fix: flag("mend what needs no judgement: missing files and lines; nothing is taken away"),
      dryRun: flag("with fix: say what would be mended, and change nothing"),
    },
  }),
  result: VERIFY,
  examples: [{ workflow: "TapeDelay" }, { all: true }, { all: true, fix: true, dryRun: true }],
  readOnly: ({ fix, dryRun }) => fix !== true || dryRun === true,
  run,
});

async function run(context: Context, input: VerifyInput): Promise<Verified | FailedAnswer> {
  const { workflow, all = false, fix = false, dryRun = false } = input;
  if (dryRun && !fix) return usage("verify changes nothing.", "Give dryRun together with fix.");
  if (all === (workflow !== undefined)) return usage("verify needs one workflow, or all.", EVERY);
  const before = await look(context, input);
  if (!fix || dryRun) return before;
  const mended: string[] = [];
  const refusals: Refusal[] = [];
  for (const { id, protocol, mends } of before.workflows) {
    const found = mends === undefined ? undefined : await find(context.parts, `${protocol}:${id}`);
    if (found === undefined || found.kind === "refused") continue;
    const outcome = await restoreViews(context.parts, found, context.caller);
    if (outcome.kind === "done") mended.push(id);
    else if (outcome.kind === "refused") refusals.push(...outcome.refusals);
  }
  const after = await look(context, input);
  return { ...after, mended, ...(refusals.length === 0 ? {} : { refusals }) };
}

const EVERY: Act = { operation: "verify", input: { all: true }, says: "To see all of them" };

async function look({ parts }: Context, { workflow, all = false }: VerifyInput): Promise<Verified> {
  const id = workflow ?? "";
  const workflows = all
    ? await verifyAll(parts)
    : await verifyOne(parts, await find(parts, id), id);
  const known = new Set(await parts.journal.streams());
  const headed = workflows.map(async (one) => {
    const family = await parts.families.get(one.protocol);
    const mends = await mendsOf(parts, one);
    const isKnown = family !== undefined && known.has(streamOf(family, one.id));
    return {
      ...one,
      ...(isKnown ? {} : { findings: one.findings.map((found) => adoptFirst(one.id, found)) }),
      heading: family?.verify.headings[one.exit] ?? "",
      ...(mends.length === 0 ? {} : { mends }),
    };
  });
  const { warnings: settings = [] } = await settingsWarnings(parts);
  const claims = await unvouched(parts, workflows);
  const warnings = [...settings, ...claims];
  return {
    // A finished workflow is in order among all of them. If it was named, the user probably wants to continue it,
    // so its findings count.
    ok: workflows.every((one) => one.exit === 0 || (all && one.ended === true)),
    workflows: await Promise.all(headed),
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(claims.length === 0 ? {} : { next: [ADOPT_ALL] }),
  };
}

const ADOPT_ALL: Act = { operation: "adopt", input: { all: true, dryRun: true } };

/** A workflow without a journal must be adopted before any other remedy works. */
function adoptFirst(id: string, finding: VerifyFinding): VerifyFinding {
  const { fix } = finding;
  if (typeof fix === "string" || fix.input["workflow"] !== id || fix.operation === "adopt")
    return finding;
  const first = { operation: "adopt", input: { workflow: id, dryRun: true } };
  return {
    ...finding,
    fix: { ...first, says: "No journal knows it yet; see what adopting it does" },
  };
}

/** Only if files and journal disagree, because rendering every view of a thousand workflows takes long. */
async function mendsOf(
  parts: Parts,
  { id, protocol, findings }: VerifiedWorkflow,
): Promise<readonly { readonly file: string; readonly diff: string }[]> {
  if (!findings.some(({ code }) => code === "state-mismatch")) return [];
  const found = await find(parts, `${protocol}:${id}`);
  if (found.kind === "refused") return [];
  return (await mendable(parts, found)).map(({ file, before, after }) => ({
    file,
    diff: diffOf(before ?? undefined, after ?? undefined),
  }));
}
