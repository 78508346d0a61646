/**
 * Further evidence of where a plugin stands, besides its row, entry and handoff: the last step in its timeline,
 * the last commit that names a step, and the phases of its plan. None of these counts alone, but if one
 * contradicts the state files, a person is asked.
 */
import type { AdoptChoice, Adopted, World } from "../../../ports/family.ts";
import type { Handoff } from "../files/handoff/handoff.ts";
import type { ParsedPlan } from "../files/plan.ts";
import type { RegistryEntry } from "../files/plugins-md/plugins-md.ts";
import { CALLED } from "../words/describe.ts";
import { choiceOf, unsure } from "./adopt-choice.ts";
import { placeOf, placesAgree, renumber } from "./place.ts";
import type { Place } from "./place.ts";

export interface Witness {
  readonly where: string;
  readonly says: string;
  readonly place: Place;
}

const COMMITS_MAX = 50;

/** The last step in each of them, if there is one. */
export async function witnessesOf(
  { git }: World,
  {
    id,
    entry,
    old,
  }: { readonly id: string; readonly entry: RegistryEntry | undefined; readonly old: boolean },
): Promise<readonly Witness[]> {
  const told = (entry?.timeline ?? []).map(({ date, tag = "", text }) => ({
    where: "the timeline",
    says: `${date} ${tag === "" ? "" : `(${tag}): `}${text}`,
    place: stepIn(`${tag} ${text}`, old),
  }));
  const commits = (await git.log(`plugins/${id}`, COMMITS_MAX)).map(({ at, oid, subject }) => ({
    where: `git (${oid.slice(0, 7)})`,
    says: `${at.slice(0, 10)} ${subject}`,
    place: namesIt(subject, id) ? stepIn(subject, old) : undefined,
  }));
  return [told.toReversed(), commits].flatMap((all) => {
    for (const { where, says, place } of all)
      if (place !== undefined) return [{ where, says, place }];
    return [];
  });
}

/**
 * Signs of the old stage numbers: agents that existed only then, and phases of stages that have other names now.
 */
export function looksOld(
  handoff: Handoff | undefined,
  plan: ParsedPlan | undefined,
  entry: RegistryEntry | undefined,
): boolean {
  return (
    handoff?.stage === 6 ||
    /invoke_(?:foundation_agent|shell_agent|validator)/.test(handoff?.nextAction ?? "") ||
    plan?.phases.some(({ stage }) => stage > LAST_PHASED) === true ||
    entry?.timeline.some(({ tag = "", text }) => OLD_STEP.test(`${tag} ${text}`)) === true
  );
}

const LAST_PHASED = 4;

/** Names of the stages under the old numbers. */
const OLD_STEP =
  /^Stage (?:6\b|3\b.*\bshell\b|4\b.*\b(?:audio|dsp)\b|5\b.*\b(?:ui|gui|interface)\b)/i;

/** The place, or, if other evidence contradicts it, what a person needs to decide. */
export function unlessContradicted(
  place: Place,
  witnesses: readonly Witness[],
  plan: ParsedPlan | undefined,
): Place | Extract<Adopted, { kind: "refused" }> {
  const { phase } = place;
  if (phase !== null && plan?.phases.some((one) => one.phase === phase) !== true)
    return unsure(`The files speak of phase ${phase}, which plan.md does not have`);
  const other = witnesses.find((one) => contradicts(one, place));
  if (other === undefined) return place;
  return {
    ...unsure(`The state files say ${nameOf(place)}, ${other.where} says: ${other.says}`),
    choices: [place, ...witnesses.map((one) => one.place)].map(choiceOf),
  };
}

/** Any phase of the plan may be the last finished one. */
export function phaseChoices(plan: ParsedPlan | undefined): readonly AdoptChoice[] {
  return (plan?.phases ?? []).flatMap(({ stage, phase }) => {
    const at = BEFORE[stage];
    return at === undefined ? [] : [{ at, phase }];
  });
}

const BEFORE: Readonly<Record<number, string>> = { 3: "s2", 4: "s3" };

function nameOf({ at, phase }: Place): string {
  const place = CALLED[at] ?? at;
  return phase === null ? place : `${place}, phase ${phase}`;
}

/**
 * Whether a witness contradicts the place. Not every step is committed under its name, so commits that show less
 * than a finished plugin prove nothing.
 */
function contradicts({ where, place: other }: Witness, place: Place): boolean {
  const [theirs, ours] = [rankOf(other), rankOf(place)];
  if (placesAgree(other, place) || theirs === ours) return false;
  return theirs > ours || ours < FINISHED || where === "the timeline";
}

/** How far along a plugin is. Validation runs after stage 4, so it counts like stage 4. */
function rankOf({ at, phase }: Place): number {
  const stage = RANKS[at] ?? FINISHED;
  return phase === null ? stage : stage + Number(phase.split(".")[1]) / PHASES_MAX;
}

const FINISHED = 6;
const PHASES_MAX = 10_000;
const RANKS: Readonly<Record<string, number>> = {
  ideated: 0,
  drafted: 0,
  s0: 1,
  s2: 2,
  s3: 3,
  s4: 4,
  s5: 4,
};

function namesIt(subject: string, id: string): boolean {
  return new RegExp(`(?<![\\w-])${id.replaceAll(/\W/g, String.raw`\$&`)}(?![\\w-])`).test(subject);
}

/** The step that these words report as done; undefined if they only say that it has begun, or name no step. */
function stepIn(words: string, old: boolean): Place | undefined {
  if (UNDER_WAY.test(words)) return undefined;
  const [, whole, part, phase = part === undefined ? undefined : `${whole ?? ""}.${part}`] =
    /\bstage (\d)(?:\.([1-9]\d*))?(?:[^\n]{0,20}\bphase (\d\.[1-9]\d*))?/i.exec(words) ?? [];
  if (whole !== undefined) {
    const read = renumber({ id: "stage", stage: Number(whole), phase }, old);
    const place = placeOf(read);
    // Validation is only mentioned once it is over.
    return place?.at === "s5" ? { at: "working", phase: null } : place;
  }
  return MILESTONES.find(([said]) => said.test(words))?.[1];
}

const UNDER_WAY =
  /\b(?:wip|begin(?:s|ning)?|began|start(?:s|ed|ing)?|continue[sd]?|in progress|prepar\w+|fix(?:es|ed)?|revert(?:s|ed)?)\b/i;

const MILESTONES: readonly (readonly [RegExp, Place])[] = [
  [/\breset to ideation\b/i, { at: "ideated", phase: null }],
  [/\bresearch (?:&|and) planning complete\b/i, { at: "s0", phase: null }],
  [/\bbuild system (?:ready|operational)\b/i, { at: "s2", phase: null }],
  [/\baudio engine (?:working|complete)\b/i, { at: "s3", phase: null }],
  [/\bui integrated\b/i, { at: "s4", phase: null }],
  [/\bvalidation complete\b/i, { at: "working", phase: null }],
  [/\b(?:un)?installed\b/i, { at: "installed", phase: null }],
];
