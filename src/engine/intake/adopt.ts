import type { Refusal } from "../../core/decide/answer.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Caller } from "../engine.ts";
import { handle } from "../handle.ts";
import { openWorld, streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { preview } from "./preview.ts";
import type { FileChange } from "./preview.ts";
import { remedy } from "../../core/table/remedy.ts";

/** What became of one name. */
export interface Adoption {
  readonly kind: "adopted" | "already" | "preview" | "unsure" | "refused";
  readonly id: string;
  readonly summary: readonly string[];
  readonly refusals: readonly Refusal[];
  /** What it would write into the state files. */
  readonly changes?: readonly FileChange[];
}

/** Names that the files show and no journal knows. */
export async function unadopted(parts: Parts): Promise<readonly string[]> {
  const world = openWorld(parts);
  const names = await Promise.all(
    (await parts.families.all()).map((family) => family.adopt.discover(world)),
  );
  return [...new Set(names.flat())];
}

export async function adoptOne(
  parts: Parts,
  {
    id,
    options,
    caller,
  }: { readonly id: string; readonly options: JsonObject; readonly caller: Caller },
): Promise<Adoption> {
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
  if (adopted.kind === "refused") return refusedWith(id, adopted.refusals);
  const { summary } = adopted;
  const imported = typeof at === "string" ? { ...adopted.import, at } : adopted.import;
  const command = { type: "workflow.adopt", workflow: id, import: imported } as const;
  const unsure = adopted.confirm && options["yes"] !== true;
  if (options["dryRun"] === true || unsure) {
    const { refusals, changes } = await preview(parts, { family, state }, command, caller);
    if (refusals.length > 0) return refusedWith(id, refusals);
    return {
      kind: options["dryRun"] === true ? "preview" : "unsure",
      id,
      summary,
      refusals: [],
      changes,
    };
  }
  const outcome = await handle(parts, { family, workflow: id, command, ...caller });
  if (outcome.kind === "refused") return refusedWith(id, outcome.refusals);
  if (outcome.kind === "failed") return refusedWith(id, [{ ...outcome, rule: "core" }]);
  return { kind: "adopted", id, summary: [...summary, ...outcome.warnings], refusals: [] };
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
