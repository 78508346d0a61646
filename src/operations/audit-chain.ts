/** `audit --chain`: compares all journals, or one, with everything that can contradict them. */
import { againstWitness, proveChains } from "../engine/prove/chain.ts";
import type { Chain, KeptHeads } from "../engine/prove/chain.ts";
import type { BadRecord } from "../engine/prove/found.ts";
import { find } from "../engine/engine.ts";
import { streamOf } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import { isJsonObject, parseJson } from "../core/values/json.ts";
import { number, object, text } from "../core/values/json-read.ts";
import type { Schema } from "../files/json/schema.ts";
import { refusedAnswer } from "./parts/answers.ts";
import type { RefusedAnswer } from "./parts/answers.ts";
import type { Answer } from "./operation.ts";
import { FLAG, NUMBER, TEXT, TEXTS, listOf, shape } from "./parts/shapes.ts";

export interface ChainAudited extends Answer {
  readonly journals: readonly {
    readonly journal: string;
    readonly records: number;
    readonly hash: string;
  }[];
  /** What is wrong, the first bad record of each journal first. */
  readonly bad: readonly BadRecord[];
  readonly doubts: readonly string[];
  /** How many signatures were checked, and how many commits compared. */
  readonly signatures: number;
  readonly commits: number;
  /** How many lines the witness had, and whether it got a new one. */
  readonly witness?: { readonly seen: number; readonly kept: boolean };
}

export const CHAIN: Schema = shape(
  {
    ok: FLAG,
    journals: listOf(shape({ journal: TEXT, records: NUMBER, hash: TEXT })),
    bad: listOf(shape({ journal: TEXT, seq: NUMBER, code: TEXT, message: TEXT })),
    doubts: TEXTS,
    signatures: NUMBER,
    commits: NUMBER,
  },
  { witness: shape({ seen: NUMBER, kept: FLAG }) },
);

export async function auditChain(
  parts: Parts,
  workflow: string | undefined,
  witness: string | undefined,
): Promise<ChainAudited | RefusedAnswer> {
  const found = workflow === undefined ? undefined : await find(parts, workflow);
  if (found?.kind === "refused") return refusedAnswer(found.refusals);
  const chains = await proveChains(parts, found && streamOf(found.family, found.state.id));
  const { journals, doubts, signatures, commits } = chains;
  const kept = witness === undefined ? [] : await recall(parts, witness);
  if ("code" in kept) return refusedAnswer([{ ...kept, rule: "core" }]);
  const asked = kept.map((one) => ({
    ...one,
    heads: only(one.heads, found && streamOf(found.family, found.state.id)),
  }));
  const bad = [...chains.bad, ...againstWitness(journals, asked)];
  const told = {
    ok: bad.length === 0,
    journals: journals.map(({ journal, records, hash }) => ({ journal, records, hash })),
    bad,
    doubts,
    signatures,
    commits,
  };
  if (witness === undefined) return told;
  // If something is wrong, the witness gets no new line, so that it does not confirm a bad state.
  const unkept = told.ok ? await parts.witness.keep(witness, lineOf(parts, journals)) : undefined;
  if (unkept !== undefined) return refusedAnswer([{ ...unkept, rule: "core" }]);
  return { ...told, witness: { seen: kept.length, kept: told.ok } };
}

function only(heads: KeptHeads["heads"], stream: string | undefined): KeptHeads["heads"] {
  if (stream === undefined) return heads;
  return Object.fromEntries(Object.entries(heads).filter(([journal]) => journal === stream));
}

function lineOf({ clock }: Parts, journals: readonly Chain[]): string {
  const heads = journals.map(({ journal, records, hash }) => [journal, { seq: records, hash }]);
  return JSON.stringify({
    holdpoint: "heads/1",
    at: clock.now(),
    heads: Object.fromEntries(heads),
  });
}

type Recalled =
  | readonly KeptHeads[]
  | { readonly code: string; readonly message: string; readonly fix: string };

/** A line that Holdpoint did not write is reported: somebody has changed the witness's file. */
async function recall({ witness }: Parts, name: string): Promise<Recalled> {
  const lines = await witness.recall(name);
  if ("code" in lines) return lines;
  const kept: KeptHeads[] = [];
  for (const [index, line] of lines.entries()) {
    const value = parseJson(line);
    if (!isJsonObject(value) || value["holdpoint"] !== "heads/1")
      return {
        code: "witness-unreadable",
        message: `Line ${index + 1} of the witness is not one that Holdpoint wrote`,
        fix: "Find out who wrote it; take it out, or name another witness.",
      };
    const heads = Object.entries(object(value["heads"])).map(
      ([journal, head]) =>
        [
          journal,
          { seq: number(object(head)["seq"], 0), hash: text(object(head)["hash"]) },
        ] as const,
    );
    kept.push({ at: text(value["at"]), heads: Object.fromEntries(heads) });
  }
  return kept;
}
