import type { Refusal } from "../../core/decide/answer.ts";
import type { Command } from "../../core/state/commands.ts";
import { member } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { ROOT } from "../../core/state/state.ts";
import type { AdoptChoice, Family } from "../../ports/family.ts";
import type { Caller, Found } from "../engine.ts";
import { handle } from "../handle.ts";
import { openWorld, streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { preview } from "./preview.ts";
import type { FileChange } from "./preview.ts";
import { remedy } from "../../core/table/remedy.ts";

/** A choice in words of the protocol. */
export interface SaidChoice extends AdoptChoice {
  readonly says: string;
}

/** What became of one name. */
export interface Adoption {
  readonly kind: "adopted" | "already" | "preview" | "unsure" | "refused";
  readonly id: string;
  readonly summary: readonly string[];
  readonly refusals: readonly Refusal[];
  /** The changes to the state files, planned or made. */
  readonly changes?: readonly FileChange[];
  /** If the files contradict each other: what each says, and what may be meant. */
  readonly evidence?: readonly string[];
  readonly choices?: readonly SaidChoice[];
}

/** Names visible in the files that no journal knows. */
export async function unadopted(parts: Parts): Promise<readonly string[]> {
  const world = openWorld(parts);
  const names = await Promise.all(
    (await parts.families.all()).map((family) => family.adopt.discover(world)),
  );
  return [...new Set(names.flat())];
}

/** A workflow read from its files, with nothing written yet. Later writes do not change what was read. */
export interface Adoptable {
  readonly kind: "ready";
  readonly id: string;
  readonly found: Found;
  readonly command: Extract<Command, { type: "workflow.adopt" }>;
  readonly summary: readonly string[];
  /** A person must confirm first. */
  readonly confirm: boolean;
}

export async function readAdoptable(
  parts: Parts,
  id: string,
  options: JsonObject,
): Promise<Adoptable | Adoption> {
  const family = await familyFor(parts, id);
  if (family === undefined) return refusedWith(id, [notFound(id)]);
  const illegal = family.names.check(id);
  if (illegal !== undefined) return refusedWith(id, [illegal]);
  const { state } = await parts.journal.load(streamOf(family, id));
  if (ROOT in state.units) return { kind: "already", id, summary: [], refusals: [] };
  const states = statesOf(family);
  const at = options["at"];
  if (typeof at === "string" && !states.includes(at)) return refusedWith(id, [noState(at, states)]);
  const adopted = await family.adopt.read(openWorld(parts), id, options);
  if (adopted.kind === "refused") {
    const { evidence, choices } = adopted;
    return {
      ...refusedWith(id, adopted.refusals),
      ...(evidence === undefined ? {} : { evidence }),
      ...(choices === undefined ? {} : { choices: everyChoice(choices, family) }),
    };
  }
  const { summary, confirm } = adopted;
  const imported = typeof at === "string" ? { ...adopted.import, at } : adopted.import;
  const command = { type: "workflow.adopt", workflow: id, import: imported } as const;
  return { kind: "ready", id, found: { family, state }, command, summary, confirm };
}

/** What adopting would write, or why it is not possible. */
export async function lookAtAdoptable(
  parts: Parts,
  { id, found, command, summary }: Adoptable,
  caller: Caller,
): Promise<Adoption> {
  const { refusals, changes } = await preview(parts, found, command, caller);
  if (refusals.length > 0) return refusedWith(id, refusals);
  return { kind: "preview", id, summary, refusals: [], changes };
}

/** Writes the first record. */
export async function recordAdopted(
  parts: Parts,
  { id, found: { family }, command: { import: read, ...rest }, summary }: Adoptable,
  caller: Caller,
  /** The commit that contains its files. */
  made: JsonObject = {},
): Promise<Adoption> {
  const command = { ...rest, import: { ...read, from: { ...read.from, ...made } } };
  const outcome = await handle(parts, { family, workflow: id, command, ...caller });
  if (outcome.kind === "refused") return refusedWith(id, outcome.refusals);
  if (outcome.kind === "failed") return refusedWith(id, [{ ...outcome, rule: "core" }]);
  return { kind: "adopted", id, summary: [...summary, ...outcome.warnings], refusals: [] };
}

/** Adopts one workflow: a preview, or with its files written as its record says. */
export async function adoptOne(
  parts: Parts,
  {
    id,
    options,
    caller,
  }: { readonly id: string; readonly options: JsonObject; readonly caller: Caller },
): Promise<Adoption> {
  const read = await readAdoptable(parts, id, options);
  if (read.kind !== "ready") return read;
  const looked = await lookAtAdoptable(parts, read, caller);
  if (looked.kind === "refused" || options["dryRun"] === true) return looked;
  if (read.confirm && options["yes"] !== true) return { ...looked, kind: "unsure" };
  return await recordAdopted(parts, read, caller);
}

/** All states to choose from, those supported by some file first. A person may know better than the files. */
function everyChoice(likely: readonly AdoptChoice[], family: Family): readonly SaidChoice[] {
  // A phase of a stage that is under way is another place than the stage before it.
  const named = new Set(likely.filter((one) => one.phase === undefined).map(({ at }) => at));
  const rest = statesOf(family).filter((at) => !named.has(at));
  const all: readonly AdoptChoice[] = [...likely, ...rest.map((at) => ({ at }))];
  return all.map((one) => ({
    ...one,
    says: `${member(family.words.called, one.at) ?? one.at}${one.phase === undefined ? "" : `, phase ${one.phase} finished`}`,
  }));
}

function statesOf({ protocol }: Family): readonly string[] {
  return protocol.kinds[protocol.root]?.states ?? [];
}

function noState(at: string, states: readonly string[]): Refusal {
  return {
    code: "state-unknown",
    message: `There is no state ${JSON.stringify(at)}`,
    fix: `Use one of ${states.join(", ")}.`,
    rule: "core",
  };
}

async function familyFor(parts: Parts, id: string): Promise<Family | undefined> {
  const world = openWorld(parts);
  for (const family of await parts.families.all()) {
    if ((await family.adopt.discover(world)).includes(id)) return family;
  }
  return undefined;
}

function refusedWith(id: string, refusals: readonly Refusal[]): Adoption {
  return { kind: "refused", id, summary: [], refusals };
}

function notFound(id: string): Refusal {
  return {
    code: "workflow-unknown",
    message: `The files here do not show ${JSON.stringify(id)}`,
    fix: remedy("adopt", { all: true, dryRun: true }, "See what they do show"),
    rule: "core",
  };
}
