import type { Act, Refusal } from "../core/decide/answer.ts";
import {
  adoptOne,
  lookAtAdoptable,
  readAdoptable,
  recordAdopted,
  unadopted,
} from "../engine/intake/adopt.ts";
import type { Adoptable, Adoption } from "../engine/intake/adopt.ts";
import type { Parts } from "../engine/parts.ts";
import { changedBefore, commitAdopted, writeAdopted } from "../engine/intake/adopt-files.ts";
import type { AdoptCommit } from "../engine/intake/adopt-files.ts";
import type { JsonObject } from "../core/values/json.ts";
import type { SaidChoice } from "../engine/intake/adopt.ts";
import type { FileChange } from "../engine/intake/preview.ts";
import { diffOf } from "../files/diff.ts";
import { usage } from "./parts/answers.ts";
import type { FailedAnswer } from "./parts/answers.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { CHOICES, FLAG, REFUSAL, TEXT, TEXTS, answers, listOf, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type AdoptInput = {
  readonly workflow?: string;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly side?: string;
  readonly numbering?: string;
  readonly at?: string;
  readonly phase?: string;
  readonly noCommit?: boolean;
  readonly yes?: boolean;
};

export interface AdoptAnswer extends Answer {
  readonly refusals: readonly Refusal[];
  readonly workflows: readonly {
    readonly id: string;
    readonly result: Adoption["kind"];
    readonly summary: readonly string[];
    readonly refusals: readonly Refusal[];
    /** Every line that would change, for each file. */
    readonly changes?: readonly { readonly file: string; readonly diff: string }[];
    /** If its files contradict each other: what each says, and the choices. */
    readonly evidence?: readonly string[];
    readonly choices?: readonly Act[];
  }[];
  /** The one commit that contains everything written. */
  readonly commit?: { readonly oid: string; readonly short: string };
  readonly warnings?: readonly string[];
}

const ADOPT: Schema = answers(
  shape(
    {
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
          {
            changes: listOf(shape({ file: TEXT, diff: TEXT })),
            evidence: TEXTS,
            choices: CHOICES,
          },
        ),
      ),
    },
    { commit: shape({ oid: TEXT, short: TEXT }), warnings: TEXTS },
  ),
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
      phase: text("with at: the last finished phase of a stage that is under way, such as 3.1"),
      noCommit: flag("leave what it writes uncommitted"),
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
  if (all === (workflow !== undefined)) return usage("adopt needs one workflow, or all.", EVERY);
  const options = {
    side,
    numbering,
    at: input.at ?? null,
    phase: input.phase ?? null,
    yes: input.yes === true,
    dryRun: input.dryRun === true,
  };
  const ids = all ? await unadopted(parts) : [workflow ?? ""];
  const adopting = { parts, caller, options };
  const { adoptions, commit, warnings } = options.dryRun
    ? { adoptions: await lookAtAll(adopting, ids), commit: undefined, warnings: [] }
    : await adoptAll(adopting, ids, input.noCommit !== true);
  return {
    ...(commit === undefined ? {} : { commit }),
    ...(warnings.length === 0 ? {} : { warnings }),
    ok: adoptions.every((one) => one.kind !== "refused" && one.kind !== "unsure"),
    workflows: adoptions.map(({ kind, id, summary, refusals, changes, evidence, choices }) => ({
      id,
      result: kind,
      summary,
      refusals,
      ...(changes === undefined ? {} : { changes: changes.map(diffOfFile) }),
      ...(evidence === undefined ? {} : { evidence }),
      ...(choices === undefined ? {} : { choices: choices.map((one) => choiceOf(id, one)) }),
    })),
    refusals: adoptions.flatMap((one) => (one.kind === "refused" ? one.refusals : [])),
  };
}

const EVERY: Act = {
  operation: "adopt",
  input: { all: true, dryRun: true },
  says: "To see all that there is",
};

interface Adopting extends Pick<Context, "parts" | "caller"> {
  readonly options: JsonObject;
}

async function lookAtAll(
  { parts, caller, options }: Adopting,
  ids: readonly string[],
): Promise<readonly Adoption[]> {
  const looked: Adoption[] = [];
  for (const id of ids) looked.push(await adoptOne(parts, { id, options, caller }));
  return looked;
}

/** First all are read, then the files are written, then comes one commit, and the journals last. */
async function adoptAll(
  adopting: Adopting,
  ids: readonly string[],
  commits: boolean,
): Promise<AdoptCommit & { readonly adoptions: readonly Adoption[] }> {
  const { caller, options } = adopting;
  // State files show when they were recorded. The clock is stopped, because with another time they would have to
  // be written twice.
  const parts = stopped(adopting.parts);
  const dry = await lookAtAll({ parts, caller, options: { ...options, dryRun: true } }, ids);
  const dirty = await changedBefore(parts, dry.flatMap(filesIn));
  const done = new Map<string, Adoption>();
  const ready: Adoptable[] = [];
  for (const id of ids) {
    const read = await readAdoptable(parts, id, options);
    if (read.kind === "ready") ready.push(read);
    else done.set(id, read);
  }
  const written = new Map<string, Adoption>();
  for (const one of ready) {
    const looked = await lookAtAdoptable(parts, one, caller);
    const unsure = one.confirm && options["yes"] !== true;
    if (looked.kind === "refused") done.set(one.id, looked);
    else if (unsure) done.set(one.id, { ...looked, kind: "unsure" });
    else {
      const wrote = await writeAdopted(parts, looked.changes ?? []);
      if (wrote.kind === "written") written.set(one.id, { ...looked, summary: wrote.kept });
      else done.set(one.id, { ...looked, kind: "refused", refusals: [{ ...wrote, rule: "core" }] });
    }
  }
  const files = [...new Set([...written.values()].flatMap(filesIn))];
  const names = [...written.keys()];
  const made: AdoptCommit = commits
    ? await commitAdopted(parts, { names, files, dirty })
    : { warnings: [] };
  for (const one of ready) {
    const { changes = [], summary = [] } = written.get(one.id) ?? {};
    if (!written.has(one.id)) continue;
    const { commit, named = "" } = made;
    const by = commit === undefined ? {} : { commit: commit.oid, named };
    const recorded = await recordAdopted(parts, one, caller, by);
    done.set(one.id, { ...recorded, changes, summary: [...recorded.summary, ...summary] });
  }
  return { ...made, adoptions: ids.flatMap((id) => done.get(id) ?? []) };
}

function stopped(parts: Parts): Parts {
  const now = parts.clock.now();
  return { ...parts, clock: { ...parts.clock, now: () => now } };
}

function filesIn({ changes = [] }: Adoption): readonly string[] {
  return changes.map(({ file }) => file);
}

function choiceOf(id: string, { at, phase, says }: SaidChoice): Act {
  const input = { workflow: id, at, ...(phase === undefined ? {} : { phase }) };
  return { operation: "adopt", input, says };
}

function diffOfFile({ file, before, after }: FileChange): { file: string; diff: string } {
  return { file, diff: diffOf(before ?? undefined, after ?? undefined) };
}
