import type { Import } from "../../../core/state/commands.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Handoff } from "../files/handoff/handoff.ts";
import type { ParsedPlan, PlanPhase } from "../files/plan.ts";
import { parseStatus, sameStatus } from "../files/plugin-status.ts";
import type { RegistryEntry } from "../files/plugins-md/plugins-md.ts";
import type { AdoptChoice, Adopted, World } from "../../../ports/family.ts";
import { handoffOf } from "../table/paths.ts";
import { readPlan } from "./looks.ts";
import { choiceOf, distinct, unsure } from "./adopt-choice.ts";
import { placeOf, placesAgree, renumber } from "./place.ts";
import type { Place } from "./place.ts";
import type { Witness } from "./adopt-witness.ts";

/** What the registry says, the most authoritative place first. */
export type Statuses = readonly { readonly where: string; readonly status: string }[];

/** Where a plugin stands according to its files. If they contradict each other, what a person needs to decide. */
export function choosePlace(
  statuses: Statuses,
  handoff: Handoff | undefined,
  options: JsonObject,
  old: boolean,
): Place | Extract<Adopted, { kind: "refused" }> {
  // A person knows better than contradictory files.
  if (typeof options["at"] === "string")
    return {
      at: options["at"],
      phase: typeof options["phase"] === "string" ? options["phase"] : null,
    };
  const read = (status: string, numbering: boolean): Place | undefined =>
    placeOf(renumber(parseStatus(status), numbering));
  const recorded = statuses.map(({ status }) => read(status, old));
  const fromHandoff = handoffPlace(handoff, old);
  const [side] = options["side"] === "handoff" ? [fromHandoff] : recorded;
  if (side !== undefined && typeof options["side"] === "string") return side;
  const others = statuses.map(({ status }) => read(status, !old));
  const choices = placesOf([...recorded, fromHandoff, ...others, handoffPlace(handoff, !old)]);
  const odd = statuses[recorded.indexOf(undefined)];
  if (odd !== undefined)
    return { ...unsure(`${odd.where} says ${odd.status}, which is no state of a plugin`), choices };
  const known = [...recorded, fromHandoff].filter((one) => one !== undefined);
  const [first = { at: "ideated", phase: null }] = known;
  const agrees = (place: Place): boolean =>
    placesAgree(first, place) || (place === fromHandoff && isWide(handoff, first, old));
  return known.every(agrees) ? first : { ...unsure(mismatch(handoff, statuses)), choices };
}

/** `stage: 4.3` beside a plain `Stage 4` is not a contradiction. */
function isWide(handoff: Handoff | undefined, place: Place, old: boolean): boolean {
  if (typeof handoff?.stage !== "string") return false;
  const wide = handoffPlace({ ...handoff, stage: Number(handoff.stage[0]) }, old);
  return wide !== undefined && placesAgree(place, wide);
}

/** If a stage's last phase is done, the stage may be finished or not: files use the same words for both. */
export function unlessLast(
  place: Place,
  phases: readonly PlanPhase[],
): Place | Extract<Adopted, { kind: "refused" }> {
  const { phase } = place;
  const same = phases.filter(({ stage }) => stage === Number(phase?.split(".")[0]));
  if (phase === null || same.at(-1)?.phase !== phase) return place;
  const before = same.at(-2)?.phase;
  const running = before === undefined ? { at: place.at } : { at: place.at, phase: before };
  const [stage = 0] = same.map((one) => one.stage);
  return {
    ...unsure(
      `${phase} is the last phase of stage ${stage}: no file says whether the stage is finished`,
    ),
    choices: [{ at: `s${stage}` }, running],
  };
}

function placesOf(places: readonly (Place | undefined)[]): readonly AdoptChoice[] {
  return distinct(places.flatMap((one) => (one === undefined ? [] : [choiceOf(one)])));
}

function mismatch(handoff: Handoff | undefined, statuses: Statuses): string {
  const [entry, row] = statuses.map(({ status }) => status);
  if (row !== undefined && entry !== undefined && !sameStatus(row, entry))
    return `The entry says ${entry}, the table says ${row}`;
  const phase = typeof handoff?.phase === "string" ? `, phase ${handoff.phase}` : "";
  return `The handoff says stage ${String(handoff?.stage)}${phase}, the registry says ${entry ?? ""}`;
}

function handoffPlace(handoff: Partial<Handoff> | undefined, old: boolean): Place | undefined {
  // Agents write `stage: 4.3` for phase 4.3 of stage 4.
  const [dotted, whole] = /^([0-6])\.[1-9]\d*$/.exec(String(handoff?.stage)) ?? [];
  const stage = whole === undefined ? handoff?.stage : Number(whole);
  if (handoff === undefined || typeof stage !== "number") return undefined;
  const { phase = dotted ?? null, status } = handoff;
  const position = renumber({ id: "stage", stage, phase: phase ?? undefined }, old);
  if (status === "workflow_complete") return { at: "working", phase: null };
  return placeOf(position, status === "in_progress");
}

/** What every source says about the plugin's place, in its own words. */
export async function evidenceOf(
  world: World,
  {
    id,
    statuses,
    entry,
    handoff,
    witnesses,
  }: {
    readonly id: string;
    readonly statuses: Statuses;
    readonly entry?: RegistryEntry | undefined;
    readonly handoff?: Handoff | undefined;
    readonly witnesses: readonly Witness[];
  },
): Promise<readonly string[]> {
  const latest = entry?.timeline.at(-1);
  const phases = (await readPlan(world, id))?.phases.map(({ phase }) => phase) ?? [];
  const [commit] = await world.git.log(`plugins/${id}`, 1);
  const stage = [handoff?.stage, handoff?.phase].filter((one) => one !== undefined && one !== null);
  return [
    ...statuses.map(({ where, status }) => `${where}: ${status}`),
    ...(latest === undefined
      ? []
      : [`its last line: ${latest.date} ${latest.tag ?? ""} ${latest.text}`]),
    ...(handoff === undefined
      ? []
      : [
          `${handoffOf(id)}: stage ${stage.join(", phase ")}, ${handoff.status ?? "no status"}${(handoff.nextAction ?? "") === "" ? "" : `, next ${handoff.nextAction}`}`,
        ]),
    ...(phases.length === 0 ? [] : [`plan.md has the phases ${phases.join(", ")}`]),
    ...(commit === undefined
      ? []
      : [`git, the last commit: ${commit.at.slice(0, 10)} ${commit.subject}`]),
    ...witnesses
      .filter(({ says }) => says !== `${commit?.at.slice(0, 10) ?? ""} ${commit?.subject ?? ""}`)
      .map(({ where, says }) => `${where}, the last step it names: ${says}`),
  ];
}

/** The phases of the plan as units. Those before this place are done. */
export function phaseUnits(plan: ParsedPlan | undefined, place: Place): Import["units"] {
  if (plan === undefined || !plan.phased) return [];
  return plan.phases.map(({ phase, stage, title }, index) => {
    const before = plan.phases.slice(0, index).findLast((one) => one.stage === stage);
    const after = before === undefined ? [] : [before.phase];
    return {
      id: phase,
      kind: "phase",
      at: isDone(place, stage, phase) ? "done" : "todo",
      data: { stage, title, after },
    };
  });
}

const FINISHED_STAGES: Readonly<Record<string, number>> = {
  s3: 3,
  s4: 4,
  s5: 4,
  working: 4,
  installed: 4,
  improving: 4,
};

function isDone(place: Place, stage: number, phase: string): boolean {
  if ((FINISHED_STAGES[place.at] ?? 0) >= stage) return true;
  if (place.phase === null || !place.phase.startsWith(`${stage}.`)) return false;
  return Number(phase.split(".")[1]) <= Number(place.phase.split(".")[1]);
}
