import type { Refusal } from "../../core/decide/answer.ts";
import { cite } from "../../core/table/cite.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import { absentWork } from "./absent.ts";
import { overwrittenBy } from "./edits.ts";
import type { Caller, Found } from "../engine.ts";
import { handle, settle } from "../handle.ts";
import type { Outcome, Pending } from "../outcome.ts";
import { openWorld } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { driftNow } from "../show/drift.ts";
import { show } from "../show/show.ts";

/** The differences between a workflow, its files and git. */
export interface Gaps {
  /** Missing or surplus files. */
  readonly files: readonly string[];
  /** Fields that disagree with the journal. */
  readonly state: readonly string[];
  /** Savepoints that are not in git yet. */
  readonly git: readonly string[];
  readonly pending: readonly Pending[];
  /** Another session is at work; nothing should be decided until it is done. */
  readonly foreign?: Refusal;
}

/** How often the search restarts because another process has recorded something. */
const OVERTAKEN_MAX = 4;

export async function findGaps(
  parts: Parts,
  found: Found,
  { session, actor }: Caller,
): Promise<Gaps> {
  const { family } = found;
  let gaps = NO_GAPS;
  for (let round = 0; round < OVERTAKEN_MAX; round += 1) {
    const settled = await settle(parts, { family, workflow: found.state.id, session, actor });
    const { state, pending } = settled.kind === "failed" ? { ...found, pending: [] } : settled;
    const { foreign } = settled.kind === "failed" ? {} : settled;
    if (foreign !== undefined) return { ...NO_GAPS, foreign: foreign.refusal };
    const { state: now, drift } = await driftNow(parts, family, state);
    gaps = await gapsOf(parts, { family, state: now }, { drift, pending });
    if (now.seq === state.seq) return gaps;
  }
  return gaps;
}

const NO_GAPS: Gaps = { files: [], state: [], git: [], pending: [] };

async function gapsOf(
  parts: Parts,
  { family, state: now }: Found,
  { drift, pending }: { readonly drift: readonly string[]; readonly pending: readonly Pending[] },
): Promise<Gaps> {
  const files = drift.filter((one) => / is missing$| should be gone$/.test(one));
  const wanted = Object.values(now.effects).filter((one) => one.status === "wanted");
  const { place, git } = openWorld(parts);
  const changes = place.kind === "repository" ? await git.changes(viewPaths(family, now)) : [];
  return {
    files,
    state: drift.filter((one) => !files.includes(one)),
    git: [
      ...wanted.map((one) => `the ${one.kind} of ${one.id} is not done yet`),
      ...changes.map((one) => `${one.path} is ${one.change} since the last commit`),
    ],
    pending,
  };
}

function viewPaths(family: Family, state: Workflow): readonly string[] {
  return family.views(state).map((view) => view.path);
}

/** Restores the files from the journal. Their text is kept and named. */
export async function restoreViews(
  parts: Parts,
  { family, state }: Found,
  caller: Caller & { readonly reason?: string | undefined },
): Promise<Outcome> {
  const isMeant = caller.actor.kind === "person" && (caller.reason ?? "") !== "";
  const absent = isMeant ? undefined : await absentWork(parts, family, state);
  if (absent !== undefined) {
    const refusals = [cite(family.protocol, absent)];
    return { kind: "refused", refusals, state };
  }
  const refused = await overwrittenBy(parts, family, { before: state, after: state });
  for (const { view, blob, reasons } of refused) {
    const command = { type: "edit.refuse", view, blob, reasons } as const;
    const outcome = await handle(parts, { family, workflow: state.id, command, ...caller });
    if (outcome.kind === "failed" || outcome.kind === "refused") return outcome;
  }
  const { state: now } = await parts.journal.load(`${family.protocol.name}:${state.id}`);
  const showing = await show(parts, family, now);
  return {
    kind: "done",
    state: now,
    events: [],
    notes: [],
    warnings: [
      ...refused.map(({ view, blob }) => `what ${view} said is kept as blob ${blob}`),
      ...showing.warnings,
    ],
    commits: [],
    pending: showing.pending,
  };
}
