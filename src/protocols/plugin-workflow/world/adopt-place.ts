import type { Refusal, Remedy } from "../../../core/decide/answer.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Handoff } from "../files/handoff.ts";
import { parseStatus } from "../files/plugin-status.ts";
import { findPlugin } from "../files/plugins-md.ts";
import type { RegistryEntry } from "../files/plugins-md.ts";
import type { AdoptChoice, Adopted, World } from "../../../ports/family.ts";
import { REGISTRY, handoffOf } from "../table/paths.ts";
import { readPlan } from "./looks.ts";
import { placeOf, placesAgree, renumber } from "./place.ts";
import type { Place } from "./place.ts";

/** Where a plugin stands that only files speak for; where they contradict each other, what a person needs to say it. */
export function choosePlace(
  entry: RegistryEntry | undefined,
  handoff: Handoff | undefined,
  options: JsonObject,
): Place | Extract<Adopted, { kind: "refused" }> {
  // A person knows better than files that have drifted.
  if (typeof options["at"] === "string")
    return {
      at: options["at"],
      phase: typeof options["phase"] === "string" ? options["phase"] : null,
    };
  const old =
    options["numbering"] === "old" || (options["numbering"] !== "new" && looksOld(handoff));
  const fromRegistry =
    entry?.status === undefined ? undefined : placeOf(renumber(parseStatus(entry.status), old));
  const fromHandoff = handoffPlace(handoff, old);
  if (fromRegistry === undefined) return fromHandoff ?? { at: "ideated", phase: null };
  if (fromHandoff === undefined || options["side"] === "registry") return fromRegistry;
  if (options["side"] === "handoff") return fromHandoff;
  if (placesAgree(fromHandoff, fromRegistry)) return fromRegistry;
  return {
    ...mismatch(entry, handoff),
    choices: placesOf([fromRegistry, fromHandoff, ...otherNumbering(entry, handoff, old)]),
  };
}

/** What the same files mean under the other numbering: nobody has written down which they use. */
function otherNumbering(
  entry: RegistryEntry | undefined,
  handoff: Handoff | undefined,
  old: boolean,
): readonly (Place | undefined)[] {
  const status = entry?.status;
  return [
    status === undefined ? undefined : placeOf(renumber(parseStatus(status), !old)),
    handoffPlace(handoff, !old),
  ];
}

function placesOf(places: readonly (Place | undefined)[]): readonly AdoptChoice[] {
  const rows = places.flatMap((one) =>
    one === undefined
      ? []
      : [one.phase === null ? { at: one.at } : { at: one.at, phase: one.phase }],
  );
  return rows.filter(
    (one, index) =>
      rows.findIndex((other) => JSON.stringify(other) === JSON.stringify(one)) === index,
  );
}

function mismatch(
  entry: RegistryEntry | undefined,
  handoff: Handoff | undefined,
): Extract<Adopted, { kind: "refused" }> {
  return refused(
    "stage-mismatch",
    `The handoff says ${String(handoff?.stage)}${typeof handoff?.phase === "string" ? `/${handoff.phase}` : ""}, the registry says ${entry?.status ?? ""}`,
    "Say which side is right with --side handoff or --side registry, or where it really stands with --at <state>; for files in the old numbering add --numbering old.",
    "PW-266",
  );
}

/** Names of agents that only the old numbering had. */
function looksOld(handoff: Handoff | undefined): boolean {
  return (
    handoff?.stage === 6 ||
    /invoke_(?:foundation_agent|shell_agent|validator)/.test(handoff?.nextAction ?? "")
  );
}

function handoffPlace(handoff: Handoff | undefined, old: boolean): Place | undefined {
  if (handoff === undefined || typeof handoff.stage !== "number") return undefined;
  const { stage, phase = null, status } = handoff;
  const position = renumber({ id: "stage", stage, phase: phase ?? undefined }, old);
  if (status === "workflow_complete") return { at: "working", phase: null };
  return placeOf(position, status === "in_progress");
}

/** What every source says about where it stands, in its own words. */
export async function evidenceOf(
  world: World,
  {
    id,
    entry,
    handoff,
  }: {
    readonly id: string;
    readonly entry?: RegistryEntry | undefined;
    readonly handoff?: Handoff | undefined;
  },
): Promise<readonly string[]> {
  const file = await world.workspace.read(REGISTRY);
  const { row } = findPlugin(file.kind === "text" ? file.text : "", id);
  const latest = entry?.timeline.at(-1);
  const phases = (await readPlan(world, id))?.phases.map(({ phase }) => phase) ?? [];
  const [commit] = await world.git.log(`plugins/${id}`, 1);
  const stage = [handoff?.stage, handoff?.phase].filter((one) => one !== undefined && one !== null);
  return [
    ...(row === undefined ? [] : [`the table of ${REGISTRY}: ${row.status ?? "nothing"}`]),
    ...(entry?.status === undefined ? [] : [`the entry of ${REGISTRY}: ${entry.status}`]),
    ...(latest === undefined
      ? []
      : [`its last line: ${latest.date} ${latest.tag ?? ""} ${latest.text}`]),
    ...(handoff === undefined
      ? []
      : [
          `${handoffOf(id)}: stage ${stage.join(", phase ")}, ${handoff.status ?? "no status"}, next ${handoff.nextAction ?? "nothing"}`,
        ]),
    ...(phases.length === 0 ? [] : [`plan.md has the phases ${phases.join(", ")}`]),
    ...(commit === undefined
      ? []
      : [`git, the last commit: ${commit.at.slice(0, 10)} ${commit.subject}`]),
  ];
}

export function refused(
  code: string,
  message: string,
  fix: Remedy,
  rule: string,
): { readonly kind: "refused"; readonly refusals: readonly Refusal[] } {
  return { kind: "refused", refusals: [{ code, message, fix, rule }] };
}
