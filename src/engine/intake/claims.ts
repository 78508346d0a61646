import { fileActor } from "../caller.ts";
import { cite } from "../../core/table/cite.ts";
import type { Actor, Command } from "../../core/state/commands.ts";
import { member } from "../../core/values/json.ts";
import type { Remark, Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import { handleChecked } from "../look/checks.ts";
import type { Request } from "../handle.ts";
import type { Outcome } from "../outcome.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { lookQuietly } from "../look/quiet.ts";
import { remedyText } from "../../core/table/remedy.ts";

type Whose = Pick<Request, "actor" | "session" | "fence">;

interface Found {
  readonly family: Family;
  readonly state: Workflow;
}

type BasedOn = Pick<Request, "basedOn">;

/**
 * Where other clones may move the workflow on meanwhile: the record the edited file was read at, plus what this
 * edit has added so far.
 */
export function basedOn(
  { processes: { place } }: Pick<Parts, "processes">,
  { seq }: Workflow,
  outcomes: readonly Outcome[],
): BasedOn {
  const seqs = outcomes.map((one) => ("state" in one ? one.state.seq : 0));
  return place === undefined ? {} : { basedOn: Math.max(seq, ...seqs) };
}

/** The actor for an edit. An edit that ends work counts as the agent that has that work. */
export function editActor({ dispatches }: Workflow, command: Command): Actor {
  const agent =
    command.type === "dispatch.report" ? member(dispatches, command.dispatch)?.agent : undefined;
  return { ...fileActor("edit"), ...(agent === undefined ? {} : { agent }) };
}

/**
 * Takes in edits that people made in state files. An edit that amounts to a legal command is carried out as that
 * command. Any other change in the part that Holdpoint owns is refused: the text is kept and named, and the file
 * restored.
 */
export async function takeInClaims(
  parts: Parts,
  found: Found,
  caller: Whose,
): Promise<readonly Outcome[]> {
  const paths = found.family
    .views(found.state)
    .flatMap(({ path, claims }) => (claims === undefined ? [] : [path]));
  const outcomes: Outcome[] = [];
  for (const path of paths) outcomes.push(...(await takeInOne(parts, found, path, caller)));
  return outcomes;
}

async function takeInOne(
  parts: Parts,
  { family, state }: Found,
  path: string,
  caller: Whose,
): Promise<readonly Outcome[]> {
  const looked = await lookQuietly(
    parts,
    { family, id: state.id },
    async () => await parts.workspace.read(path),
  );
  if (looked === undefined || looked.seen.kind !== "text") return [];
  const { seen: file } = looked;
  const view = family.views(looked.state).find((one) => one.path === path);
  if (view === undefined || view.drift(file.text).length === 0) return [];
  const actor = fileActor(path);
  const submit = async (command: Command, based: BasedOn = {}): Promise<Outcome> =>
    await handleChecked(parts, { family, workflow: state.id, command, ...caller, ...based, actor });
  const outcomes: Outcome[] = [];
  for (const command of view.claims?.(file.text) ?? [])
    outcomes.push(await submit(command, basedOn(parts, looked.state, outcomes)));
  const now = await parts.journal.load(streamOf(family, state.id));
  const after = family.views(now.state).find((one) => one.path === path);
  const still = after?.drift(file.text) ?? [];
  const isRecorded = outcomes.some(
    (one) =>
      "events" in one &&
      one.events.some((event) => event.type === "edit.refused" && event.view === path),
  );
  const refusals = outcomes.flatMap((one) => (one.kind === "refused" ? one.refusals : []));
  // If the step was taken, its own record notes what was wrong with the edit. Lines the step itself added to the
  // file are not the editor's fault.
  const isTaken = outcomes.length > 0 && refusals.length === 0;
  const isOver = isTaken || outcomes.some((one) => one.kind === "failed");
  if (still.length === 0 || isRecorded || isOver) return outcomes;
  const reasons: readonly Remark[] = [
    ...refusals,
    ...still.map((message) => ({ code: "state-mismatch", message, rule: "core" })),
  ].map(({ code, message, rule }) => cite(family.protocol, { code, message, rule }));
  const blob = await parts.blobs.put(file.text);
  const refused = await submit({ type: "edit.refuse", view: path, blob, reasons });
  if (!("warnings" in refused)) return [...outcomes, refused];
  const why = refusals.map(({ message, fix }) => `${path}: ${message}. ${remedyText(fix)}`);
  return [...outcomes, { ...refused, warnings: [...refused.warnings, ...why] }];
}
