import { member, toJson } from "../core/values/json.ts";
import type { JsonObject } from "../core/values/json.ts";
import { canonicalJson } from "../core/values/json.ts";
import { object, text as textIn } from "../core/values/json-read.ts";
import { ROOT } from "../core/state/state.ts";
import type { Workflow } from "../core/state/state.ts";
import { remedy } from "../core/table/remedy.ts";
import type { Found } from "../engine/engine.ts";
import { cardIn } from "../engine/look/look.ts";
import { oneLook } from "../engine/look/reading.ts";
import { openWorld, streamOf } from "../engine/parts.ts";
import type { Parts } from "../engine/parts.ts";
import { inForce } from "../engine/release/policy.ts";
import type { Schema } from "../files/json/schema.ts";
import { againIn } from "./parts/again.ts";
import type { Again } from "./parts/again.ts";
import { openDecisions, refusedIn } from "./parts/answers.ts";
import type { Answered } from "./parts/answers.ts";
import { changesIn } from "./parts/changes.ts";
import type { Changed } from "./parts/changes.ts";
import { openWorkflow } from "./parts/open.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import {
  AGAIN,
  answers,
  FLAG,
  listOf,
  NUMBER,
  OPEN,
  orNull,
  shape,
  TEXT,
  TEXTS,
} from "./parts/shapes.ts";
import { told } from "./parts/told.ts";

export type HoldInput = {
  readonly workflow: string;
  readonly decision?: string;
  readonly full?: boolean;
};

/** Exactly what is to be released. */
export interface Held extends Answer {
  readonly workflow: string;
  readonly protocol: string;
  /** The open question, or empty. */
  readonly hold: string;
  /** What a release is bound to: the digest of the card. */
  readonly digest: string;
  readonly card: JsonObject;
  readonly since: string;
  readonly changes: readonly Changed[];
  /** How many changed files are left out. */
  readonly more: number;
  /** Whether exactly this card was shown before; null if no earlier card is known. */
  readonly shownBefore: boolean | null;
  /** Where the policy comes from. */
  readonly from: readonly string[];
  /** For a question that was asked before: what has changed since. */
  readonly again?: readonly Again[];
}

const CHANGED: Schema = shape({ path: TEXT, change: TEXT }, { diff: TEXT, left: TEXT });

const HOLD: Schema = answers(
  shape(
    {
      ok: FLAG,
      workflow: TEXT,
      protocol: TEXT,
      hold: TEXT,
      digest: TEXT,
      card: OPEN,
      since: TEXT,
      changes: listOf(CHANGED),
      more: NUMBER,
      shownBefore: orNull(FLAG),
      from: TEXTS,
    },
    { again: listOf(AGAIN) },
  ),
);

export const hold: Operation<HoldInput, Answered<Held>> = told({
  name: "hold",
  purpose: "Show what is to be released: what changed, who vouches for it",
  input: inputOf<HoldInput>({
    required: { workflow: text("which workflow") },
    optional: {
      decision: text("which question, where several are open"),
      full: flag("every change in full"),
    },
  }),
  result: HOLD,
  examples: [{ workflow: "TapeDelay" }, { workflow: "TapeDelay", full: true }],
  run,
});

async function run(context: Context, input: HoldInput): Promise<Answered<Held>> {
  const found = await openWorkflow(context, input.workflow);
  if ("ok" in found) return found;
  const { parts } = context;
  const { family, state } = found;
  const asked = input.decision ?? openDecisions(state)[0]?.id ?? "";
  if (input.decision !== undefined && member(state.decisions, asked)?.status !== "open")
    return refusedIn(found, [
      {
        code: "decision-unknown",
        message: `There is no open question "${asked}" in ${state.id}`,
        fix: remedy("hold", { workflow: state.id }, "See what is open"),
        rule: "core",
      },
    ]);
  const own = oneLook(parts);
  const world = openWorld(own);
  const card = await cardIn(world, found, asked);
  if (typeof card === "string")
    return refusedIn(found, [
      {
        code: "card-unreadable",
        message: `What is to be released cannot be read in full: ${card}`,
        fix: "Make it readable, then look again.",
        rule: "core",
      },
    ]);
  const digest = parts.sha256(canonicalJson(card));
  // In a worktree of its own, the work is what its branch adds. Elsewhere it is what changed since a person last
  // decided.
  const at = family.checks.at(state, member(state.decisions, asked)?.unit ?? ROOT);
  const since =
    (at === "" ? undefined : await parts.git.forked(at)) ?? (await baseOf(parts, state));
  const again = (await againIn(own, found)).filter((one) => one.decision === asked);
  const { changes, more } = await changesIn(own, { base: since, at }, input.full === true);
  return {
    ok: true,
    workflow: state.id,
    protocol: family.protocol.name,
    hold: asked,
    digest,
    card: object(toJson(card)),
    since,
    changes,
    more,
    shownBefore: await remembered(context, found, asked, digest),
    from: inForce(await world.bases(), family.protocol.name).map((one) => one.from),
    ...(again.length === 0 ? {} : { again }),
  };
}

/** The commit at which a person last decided. Everything after it is new to people. */
async function baseOf({ git }: Parts, state: Workflow): Promise<string> {
  const settled = Object.values(state.decisions).flatMap((one) => one.settled?.seq ?? []);
  const last = Math.max(0, ...settled);
  const made = Object.values(state.effects).filter(({ kind }) => kind === "commit");
  const before = made.findLast((one) => (one.by?.seq ?? 0) <= last && one.status === "done");
  const first = object(made.find((one) => (one.by?.seq ?? 0) > last)?.args["savepoint"]);
  const known = textIn(before?.detail["oid"]) || textIn(first["base"]);
  return known || ((await git.resolve("HEAD")) ?? "");
}

/** Whether a person has seen this card. Agents looking at it do not count. */
async function remembered(
  { parts, caller }: Context,
  { family, state }: Found,
  asked: string,
  digest: string,
): Promise<boolean | null> {
  const key = `card ${streamOf(family, state.id)} ${asked}`;
  const before = await parts.shown.read(key);
  if (caller.actor.kind === "person")
    await parts.shown.write(key, { seq: state.seq, hash: digest, views: {} });
  return before === undefined ? null : before.hash === digest;
}
