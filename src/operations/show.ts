import { decodeText } from "../core/values/bytes.ts";
import type { Refusal } from "../core/decide/answer.ts";
import { member, showJson, toJson } from "../core/values/json.ts";
import { objects } from "../core/values/json-read.ts";
import type { Json } from "../core/values/json.ts";
import type { Workflow } from "../core/state/state.ts";
import { find } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import { eventsOf, streamOf } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import { refusedAnswer } from "./parts/answers.ts";
import type { RefusedAnswer } from "./parts/answers.ts";
import { inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { ANY, FLAG, TEXT, answers, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type ShowInput = { readonly id: string; readonly workflow?: string };

export interface Shown extends Answer {
  readonly id: string;
  readonly kind: "blob" | "release" | "decision" | "dispatch" | "finding" | "effect" | "seal";
  /** The content of a blob. */
  readonly text?: string;
  /** What the journal says about anything else. */
  readonly value?: Json;
}

const SHOW: Schema = answers(
  shape(
    {
      ok: FLAG,
      id: TEXT,
      kind: { enum: ["blob", "release", "decision", "dispatch", "finding", "effect", "seal"] },
    },
    { text: TEXT, value: ANY },
  ),
);

export const show: Operation<ShowInput, Shown | RefusedAnswer> = {
  name: "show",
  purpose: "One thing by its id: a kept text, what a check printed, a decision",
  input: inputOf<ShowInput>({
    required: { id: text("the name of a blob or a check, or the id of something in the workflow") },
    optional: { workflow: text("the workflow it belongs to; a blob needs none") },
  }),
  result: SHOW,
  examples: [
    { id: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
    { id: "d2", workflow: "TapeDelay" },
    { id: "tests", workflow: "TapeDelay" },
    { id: "D-1.statement", workflow: "TapeDelay" },
  ],
  readOnly: () => true,
  run,
};

async function run(
  { parts }: Context,
  { id, workflow }: ShowInput,
): Promise<Shown | RefusedAnswer> {
  if (workflow === undefined) return await blobOf(parts, id);
  const found = await find(parts, workflow);
  if (found.kind === "refused") return refusedAnswer(found.refusals);
  return (
    partOf(found.state, id) ??
    (await releaseOf(parts, found, id)) ??
    (await printedBy(parts, found.state, id)) ??
    (await blobOf(parts, id))
  );
}

/**
 * A signed statement, byte for byte, and its signature: `D-1.statement`, `D-1.sig`, or by the nonce of the
 * release.
 */
async function releaseOf(
  { journal }: Parts,
  { family, state }: Found,
  id: string,
): Promise<Shown | undefined> {
  const [, of, part] = /^(.+)\.(statement|sig)$/.exec(id) ?? [];
  const given = Object.entries(state.given).filter(
    ([nonce, one]) => of !== undefined && (nonce === of || one.hold === of),
  );
  const [nonce, last] = given.at(-1) ?? [];
  if (last === undefined) return undefined;
  const [record] = await journal.read(streamOf(family, state.id), last.seq - 1, 1);
  const proof = (record === undefined ? [] : eventsOf(record)).flatMap((event) =>
    event.type === "release.given" && event.nonce === nonce ? (event.proof ?? []) : [],
  )[0];
  const text = part === "sig" ? proof?.signature : proof?.statement;
  return text === undefined ? undefined : { ok: true, id, kind: "release", text };
}

/** The whole output of a check's last run, command by command. */
async function printedBy(
  { blobs }: Parts,
  { findings }: Workflow,
  check: string,
): Promise<Shown | undefined> {
  const [latest] = Object.values(findings)
    .filter((one) => one.kind === check && objects(one.detail?.["runs"]).length > 0)
    .toSorted((a, b) => b.seq - a.seq);
  if (latest === undefined) return undefined;
  const told = objects(latest.detail?.["runs"]).map(async (run) => {
    const kept = await blobs.get(showJson(run["output"] ?? ""));
    const printed = kept.kind === "found" ? new TextDecoder().decode(kept.bytes) : "";
    return `${showJson(run["name"] ?? check)}: ${showJson(run["ended"] ?? "")}\n${printed}`;
  });
  const texts = await Promise.all(told);
  return { ok: true, id: check, kind: "finding", text: texts.join("\n") };
}

function partOf(state: Workflow, id: string): Shown | undefined {
  const { decisions, dispatches, findings, effects, seals } = state;
  const ledgers = {
    decision: decisions,
    dispatch: dispatches,
    finding: findings,
    effect: effects,
    seal: seals,
  } as const;
  for (const kind of KINDS) {
    const value = member<unknown>(ledgers[kind], id);
    if (value !== undefined) return { ok: true, id, kind, value: toJson(value) };
  }
  return undefined;
}

const KINDS = ["decision", "dispatch", "finding", "effect", "seal"] as const;

async function blobOf({ blobs }: Parts, id: string): Promise<Shown | RefusedAnswer> {
  if (!/^[0-9a-f]{64}$/.test(id)) return refusedAnswer([unknown(id)]);
  const read = await blobs.get(id);
  if (read.kind === "absent") return refusedAnswer([unknown(id)]);
  if (read.kind === "damaged")
    return refusedAnswer([
      { code: "blob-damaged", message: read.message, fix: "Restore it from a backup.", rule: "S5" },
    ]);
  return {
    ok: true,
    id,
    kind: "blob",
    text: decodeText(read.bytes) ?? new TextDecoder().decode(read.bytes),
  };
}

function unknown(id: string): Refusal {
  return {
    code: "evidence-unknown",
    message: `Nothing is kept under ${JSON.stringify(id)}`,
    fix: "A blob has 64 hexadecimal digits; ids of a workflow's own need its name too, and stand in its audit.",
    rule: "core",
  };
}
