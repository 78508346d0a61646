import type { JsonObject } from "../core/values/json.ts";
import { audit as auditOf, tell } from "../engine/prove/audit.ts";
import type { AuditEntry } from "../engine/prove/audit.ts";
import { storiesOf } from "../engine/prove/story.ts";
import { find } from "../engine/engine.ts";
import type { Parts } from "../engine/parts.ts";
import type { JournalReport } from "../ports/journal.ts";
import type { RefusalEntry } from "../ports/refusals.ts";
import { auditChain, CHAIN } from "./audit-chain.ts";
import type { ChainAudited } from "./audit-chain.ts";
import { refusedAnswer, usage } from "./parts/answers.ts";
import type { Answered, RefusedAnswer } from "./parts/answers.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import {
  FLAG,
  NUMBER,
  OPEN,
  REFUSAL,
  TEXT,
  TEXTS,
  answers,
  listOf,
  shape,
} from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type AuditInput = {
  readonly workflow?: string;
  readonly chain?: boolean;
  readonly witness?: string;
};

export interface Audited {
  readonly ok: boolean;
  readonly workflow: string;
  readonly chain: JournalReport;
  /** Records that `decide` could not have made, and what is wrong with each. */
  readonly forged: readonly { readonly seq: number; readonly message: string }[];
  /** What could not be judged, and clocks that jumped. */
  readonly doubts: readonly string[];
  readonly entries: readonly (Omit<AuditEntry, "events"> & {
    readonly events: readonly string[];
    /** The events that matter to people. */
    readonly story: readonly string[];
  })[];
  readonly refusals: readonly RefusalEntry[];
  /** The protocol's own judgement, rule by rule, and the same as a page. */
  readonly compliance?: JsonObject;
  readonly page?: string;
}

const HEAD: Schema = shape({ seq: NUMBER, hash: TEXT });

const AUDIT: Schema = answers(
  CHAIN,
  shape(
    {
      ok: FLAG,
      workflow: TEXT,
      chain: shape({ records: NUMBER, void: NUMBER, torn: NUMBER, head: HEAD }, { damage: OPEN }),
      forged: listOf(shape({ seq: NUMBER, message: TEXT })),
      doubts: TEXTS,
      entries: listOf(
        shape(
          {
            seq: NUMBER,
            at: TEXT,
            actor: TEXT,
            session: TEXT,
            command: TEXT,
            hash: TEXT,
            events: TEXTS,
            story: TEXTS,
          },
          { agent: TEXT },
        ),
      ),
      refusals: listOf(
        shape(
          {
            at: TEXT,
            stream: TEXT,
            command: TEXT,
            step: TEXT,
            actor: TEXT,
            session: TEXT,
            refusals: listOf(REFUSAL),
          },
          { seq: NUMBER, hash: TEXT, run: TEXT, agent: TEXT },
        ),
      ),
    },
    { compliance: OPEN, page: TEXT },
  ),
);

export const audit: Operation<AuditInput, Answered<Audited | ChainAudited>> = told({
  name: "audit",
  purpose: "Who did what and when, with the chain checked",
  input: inputOf<AuditInput>({
    required: {},
    optional: {
      workflow: text("which workflow; with --chain, without it all of them"),
      chain: flag("hold the journals against the table, every signature and every commit"),
      witness: text("a file or a program that keeps the heads: compare, then keep the new ones"),
    },
  }),
  result: AUDIT,
  examples: [{ workflow: "TapeDelay" }, { chain: true }, { witness: "/mnt/log/heads" }],
  readOnly: () => true,
  run,
});

async function run(
  { parts }: Context,
  { workflow, chain: all, witness }: AuditInput,
): Promise<Answered<Audited | ChainAudited>> {
  if (all === true || witness !== undefined) return await auditChain(parts, workflow, witness);
  if (workflow === undefined)
    return usage("audit needs a workflow, or --chain.", "Say which workflow, or --chain for all.");
  return await auditOne(parts, workflow);
}

export async function auditOne(parts: Parts, workflow: string): Promise<Audited | RefusedAnswer> {
  const found = await find(parts, workflow);
  if (found.kind === "refused") return refusedAnswer(found.refusals);
  const { chain, forged, doubts, entries, refusals, compliance } = await auditOf(parts, found);
  const stories = storiesOf(found, entries);
  return {
    ok: chain.damage === undefined && forged.length === 0,
    workflow,
    chain,
    forged,
    doubts,
    entries: entries.map(({ events, ...entry }, index) => ({
      ...entry,
      events: events.map(tell),
      story: stories[index] ?? [],
    })),
    refusals,
    ...(compliance === undefined ? {} : { compliance: compliance.json, page: compliance.markdown }),
  };
}
