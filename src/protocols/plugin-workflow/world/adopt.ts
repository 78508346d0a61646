import { decodeText } from "../../../core/values/bytes.ts";
import type { Import } from "../../../core/state/commands.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { CONTRACT_KEYS, parseHandoff } from "../files/handoff/handoff.ts";
import type { Handoff, ParsedHandoff } from "../files/handoff/handoff.ts";
import type { ParsedPlan } from "../files/plan.ts";
import { parseNotes, findPlugin, isTableOnly } from "../files/plugins-md/plugins-md.ts";
import type { RegistryEntry } from "../files/plugins-md/plugins-md.ts";
import type { Adopted, World } from "../../../ports/family.ts";
import { isDate } from "../files/handoff/rules.ts";
import { clampScore, readPlan } from "./looks.ts";
import { REGISTRY, artifactsOf, contractOf, draftOf, handoffOf, notesOf } from "../table/paths.ts";
import { choosePlace, evidenceOf, phaseUnits, unlessLast } from "./adopt-place.ts";
import { choiceOf, distinct, refused } from "./adopt-choice.ts";
import type { Statuses } from "./adopt-place.ts";
import { looksOld, phaseChoices, unlessContradicted, witnessesOf } from "./adopt-witness.ts";
import type { Witness } from "./adopt-witness.ts";
import { CALLED } from "../words/describe.ts";
import type { Place } from "./place.ts";
import { OLD_DAYS, daysBetween } from "../table/resume.ts";
import { remedy } from "../../../core/table/remedy.ts";

/**
 * Turns a plugin that only has files into one with a journal. What the files do not show is asked and never
 * guessed: which side is right if they contradict each other, and which numbering an old file uses.
 */
export async function adopt(world: World, id: string, options: JsonObject): Promise<Adopted> {
  const { entry, statuses } = await readRecorded(world, id);
  const handoff = await readHandoff(world, id);
  if (entry === undefined && handoff.parsed === undefined) {
    return refused(
      "workflow-unknown",
      `Neither ${REGISTRY} nor plugins/ knows ${id}`,
      remedy("start", { workflow: id, protocol: "plugin-workflow" }, "Start it"),
      "PW-251",
    );
  }
  const plan = await readPlan(world, id);
  const said = handoff.parsed?.value;
  const numbering = options["numbering"];
  const old = numbering === "old" || (numbering !== "new" && looksOld(said, plan, entry));
  const witnesses = await witnessesOf(world, { id, entry, old });
  const chosen = choosePlace(statuses, said, options, old);
  const isTold = typeof options["at"] === "string" || typeof options["side"] === "string";
  const place = isTold || "refusals" in chosen ? chosen : weighed(chosen, witnesses, plan);
  if ("refusals" in place) {
    const evidence = await evidenceOf(world, { id, statuses, entry, handoff: said, witnesses });
    const known = [...(place.choices ?? []), ...witnesses.map((one) => choiceOf(one.place))];
    const choices = distinct([...known, ...phaseChoices(plan)]);
    return { ...place, evidence, choices };
  }
  const units = phaseUnits(plan, place);
  const seals = await sealsOf(world, id, handoff.parsed?.value, place);
  const imported: Import = {
    at: place.at,
    // Nobody recorded where an improvement started from; usually the plugin was installed.
    ...(place.at === "improving" ? { back: ["installed"] } : {}),
    ...(isOld(handoff.parsed?.value, world.now) ? {} : askedAt(place)),
    vars: {
      ...varsOf(entry, handoff.parsed?.value, await builtArtifacts(world, id)),
      ...scoreOf(handoff.parsed?.value, plan, place),
      entry: await hasEntry(world, id),
      paused: isOld(handoff.parsed?.value, world.now) ? "stage" : null,
    },
    units,
    notes: notesOfEntry(entry, handoff.parsed?.value),
    seals: seals.digests,
    why: seals.migrated ? "baseline: migrated" : "baseline: as recorded",
    from: {
      status: entry?.status ?? null,
      stage: handoff.parsed?.value?.stage ?? null,
      source: handoff.source,
    },
  };
  return {
    kind: "ready",
    import: imported,
    summary: summaryOf(imported, seals.migrated, handoff.source),
    confirm: handoff.source !== "file",
  };
}

/** The place, if nothing contradicts it and the plan leaves no doubt. */
function weighed(
  place: Place,
  witnesses: readonly Witness[],
  plan: ParsedPlan | undefined,
): Place | Extract<Adopted, { kind: "refused" }> {
  const borne = unlessContradicted(place, witnesses, plan);
  if ("refusals" in borne || plan?.phased !== true) return borne;
  return unlessLast(borne, plan.phases);
}

/** The question of each checkpoint. No file can prove that a person has answered it. */
const CHECKPOINTS: Readonly<Record<string, string>> = {
  s0: "stage-0-complete",
  s2: "stage-2-complete",
  s3: "stage-3-complete",
  s4: "stage-4-complete",
};

function askedAt({ at }: Place): Pick<Import, "asks"> {
  const asks = CHECKPOINTS[at];
  return asks === undefined ? {} : { asks };
}

interface Recorded {
  readonly entry: RegistryEntry | undefined;
  readonly statuses: Statuses;
}

/** What the registry says: its row, and its entry, which may be in NOTES.md. */
async function readRecorded({ workspace }: World, id: string): Promise<Recorded> {
  const file = await workspace.read(REGISTRY);
  if (file.kind !== "text") return { entry: undefined, statuses: [] };
  const { row, entry: own } = findPlugin(file.text, id);
  const notes = own === undefined ? await workspace.read(notesOf(id)) : undefined;
  const base = own ?? parseNotes(notes?.kind === "text" ? notes.text : "", id);
  const where = own === undefined ? notesOf(id) : `the entry of ${REGISTRY}`;
  const statuses = [
    { where, status: base.status },
    { where: `the table of ${REGISTRY}`, status: row?.status },
  ].flatMap((one) => ((one.status ?? "") === "" ? [] : [{ ...one, status: one.status ?? "" }]));
  if (own === undefined && row === undefined) return { entry: undefined, statuses: [] };
  const entry = {
    ...base,
    status: base.status ?? row?.status,
    version: base.version ?? row?.version,
    type: base.type ?? row?.type,
    lastUpdated: latest(base, row),
  };
  return { entry, statuses };
}

/** The newest of these dates. */
function latest(
  ...dated: readonly ({ readonly lastUpdated?: string | undefined } | undefined)[]
): string | undefined {
  return dated
    .flatMap((one) => one?.lastUpdated ?? [])
    .filter(isDate)
    .toSorted()
    .at(-1);
}

/** Whether the plugin gets a full entry: not if entries are kept elsewhere. */
async function hasEntry({ workspace }: World, id: string): Promise<boolean> {
  const file = await workspace.read(REGISTRY);
  return (
    file.kind !== "text" || findPlugin(file.text, id).entry !== undefined || !isTableOnly(file.text)
  );
}

interface ReadHandoff {
  readonly parsed: ParsedHandoff | undefined;
  /** Where it was read from: the file, an older commit, or nowhere, so that it is written anew. */
  readonly source: string;
}

const HISTORY_MAX = 50;

/** The handoff, or, if it is unreadable, its newest readable version in a commit. */
async function readHandoff({ workspace, git }: World, plugin: string): Promise<ReadHandoff> {
  const path = handoffOf(plugin);
  const file = await workspace.read(path);
  if (file.kind === "absent") return { parsed: undefined, source: "file" };
  const parsed = file.kind === "text" ? parseHandoff(file.text, { plugin }) : undefined;
  if (parsed?.value !== undefined && parsed.kind !== "prose") return { parsed, source: "file" };
  if (parsed?.kind === "prose") return { parsed: undefined, source: "file" };
  for (const commit of await git.log(path, HISTORY_MAX)) {
    const bytes = await git.show(commit.oid, path);
    const text = bytes === undefined ? undefined : decodeText(bytes);
    const older = text === undefined ? undefined : parseHandoff(text, { plugin });
    if (older?.value !== undefined && older.kind === "current")
      return { parsed: older, source: `commit ${commit.oid.slice(0, 7)}` };
  }
  return { parsed: undefined, source: "registry and contracts" };
}

const UNSEALED: ReadonlySet<string> = new Set(["ideated", "drafted", "installed", "improving"]);

/** The checksums in the handoff. Without any, the current ones, marked as not reviewed. */
async function sealsOf(
  { workspace }: World,
  id: string,
  handoff: Handoff | undefined,
  place: Place,
): Promise<{ readonly digests: Record<string, string | null>; readonly migrated: boolean }> {
  if (UNSEALED.has(place.at)) return { digests: {}, migrated: false };
  const migrated = handoff?.checksums === undefined;
  const entries = await Promise.all(
    CONTRACT_KEYS.map(async (key) => {
      const path = contractOf(id, key);
      const stored = handoff?.checksums?.[key];
      const digest =
        migrated || stored === undefined ? ((await workspace.digest(path)) ?? null) : stored;
      // Planned from a draft: the parameter spec will follow, and is not a contract before stage 2.
      if (digest !== null || key !== "parameter_spec" || place.at !== "s0")
        return [[path, digest] as const];
      const draft = await workspace.digest(draftOf(id));
      return draft === undefined ? [] : [[draftOf(id), draft] as const];
    }),
  );
  return { digests: Object.fromEntries(entries.flat()), migrated };
}

function varsOf(
  entry: RegistryEntry | undefined,
  handoff: Handoff | undefined,
  artifacts: JsonObject[],
): JsonObject {
  return {
    type: entry?.type ?? null,
    version: entry?.version ?? "-",
    gui_type: handoff?.keys.includes("gui_type") === true ? handoff.guiType : (entry?.gui ?? null),
    // An ideation file has a word as its stage. It stays as it is until planning begins.
    handoff: typeof handoff?.stage === "number",
    artifacts,
    last_updated: latest(handoff, entry) ?? null,
  };
}

/** Work untouched for weeks is not simply continued: a person is shown what has happened since. */
function isOld(handoff: Handoff | undefined, now: string): boolean {
  return daysBetween(handoff?.lastUpdated ?? now, now) > OLD_DAYS;
}

/** If the handoff has no score (any more), the plan does. */
function scoreOf(
  handoff: Handoff | undefined,
  plan: ParsedPlan | undefined,
  { at }: Place,
): JsonObject {
  const planned = at !== "ideated" && at !== "drafted" ? plan : undefined;
  const score = planned?.score;
  return {
    complexity_score: handoff?.complexityScore ?? clampScore(score),
    phased_implementation: handoff?.phasedImplementation ?? planned?.phased ?? null,
  };
}

async function builtArtifacts({ workspace }: World, id: string): Promise<JsonObject[]> {
  const found = await Promise.all(
    artifactsOf(id).map(async (one) =>
      (await workspace.digest(one.path)) === undefined ? [] : [{ ...one }],
    ),
  );
  return found.flat();
}

function notesOfEntry(
  entry: RegistryEntry | undefined,
  handoff: Handoff | undefined,
): Import["notes"] {
  const timeline = (entry?.timeline ?? []).map(({ date, tag = "", text }) => ({
    list: "timeline",
    tag,
    text,
    at: date,
  }));
  const completed = (handoff?.completed ?? []).map((tag) => {
    const line = timeline.find((one) => one.tag === tag);
    return {
      list: "completed",
      tag,
      text: line?.text ?? "done before adoption",
      at: line?.at ?? "",
    };
  });
  return [...timeline, ...completed];
}

function summaryOf(imported: Import, migrated: boolean, source: string): readonly string[] {
  const done = imported.units.filter((unit) => unit.at === "done").length;
  const sealed = Object.values(imported.seals).filter((digest) => digest !== null).length;
  const as = migrated ? ", as now: nobody has reviewed this baseline" : "";
  return [
    `stands at ${CALLED[imported.at] ?? imported.at}${imported.units.length === 0 ? "" : `, ${done} of ${imported.units.length} phases done`}`,
    ...(sealed === 0
      ? []
      : [`${sealed} ${sealed === 1 ? "contract is" : "contracts are"} sealed${as}`]),
    ...(source === "file" ? [] : [`the handoff could not be read; it is taken from ${source}`]),
  ];
}
