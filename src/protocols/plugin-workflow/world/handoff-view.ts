import { isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { createHandoff, editHandoff } from "../files/handoff/edit.ts";
import type { HandoffChanges, HandoffFields } from "../files/handoff/edit.ts";
import { CONTRACT_KEYS, parseHandoff } from "../files/handoff/handoff.ts";
import type { Checksums, Handoff } from "../files/handoff/handoff.ts";
import type { Rendered, View } from "../../../ports/family.ts";
import { contractOf, handoffOf } from "../table/paths.ts";
import { completedNotes, positionOf, progressDate } from "../table/position.ts";
import type { HandoffPosition } from "../table/position.ts";
import { areOurSteps, isOurState, textsOf } from "../table/texts.ts";

/** `.continue-here.md`: the handoff from which another session can continue. */
export function handoffView(state: Workflow): View {
  return {
    path: handoffOf(state.id),
    shared: false,
    render: (text) => renderHandoff(state, text),
    drift: (text) => driftOfHandoff(state, text),
  };
}

const GONE: ReadonlySet<string> = new Set(["installed", "improving", "removed"]);

/** Before planning, the file belongs to whoever wrote it. So does one that was found beside a finished plugin. */
function isOthers(state: Workflow): boolean {
  const { at = "", entered = {} } = state.units["."] ?? {};
  return !GONE.has(at) || (at !== "removed" && Object.keys(entered).every((one) => GONE.has(one)));
}

function renderHandoff(state: Workflow, text: string | null): Rendered {
  const position = positionOf(state).handoff;
  if (position === null)
    return text !== null && isOthers(state) ? { kind: "text", text } : { kind: "absent" };
  if (text === null) return edited(createHandoff(undefined, changesOf(state, position, undefined)));
  const parsed = parseHandoff(text, { plugin: state.id });
  if (parsed.kind === "broken")
    return { kind: "broken", message: parsed.problems[0]?.message ?? "" };
  if (parsed.kind === "prose") return upgradeProse(state, position, text);
  return edited(editHandoff(text, changesOf(state, position, parsed.value)));
}

/** A file without front matter: all of its text is kept, below the new handoff. */
function upgradeProse(state: Workflow, position: HandoffPosition, text: string): Rendered {
  const fresh = edited(createHandoff(undefined, changesOf(state, position, undefined)));
  return fresh.kind === "text" ? { kind: "text", text: `${fresh.text}\n${text}` } : fresh;
}

function edited({ text, problems }: ReturnType<typeof editHandoff>): Rendered {
  const [problem] = problems.filter((one) => one.severity === "error");
  return problem === undefined
    ? { kind: "text", text }
    : { kind: "broken", message: problem.message };
}

function changesOf(
  state: Workflow,
  position: HandoffPosition,
  now: Handoff | undefined,
): HandoffChanges {
  const texts = textsOf(position);
  // If an agent described this step itself, its words are better than ours and stay. Our own words about an
  // earlier step do not.
  const described =
    now !== undefined && (describes(now, position) || isFound(state, now, position));
  const artifacts = artifactsOf(state);
  const completed = completedNotes(state);
  const known = new Set(completed.map((note) => note.tag));
  return {
    fields: fieldsOf(state, position),
    isUnknown: (tag) => !known.has(tag),
    completed: completed.map(({ tag, text }) => ({ tag, text })),
    ...(described || isTheirs(now?.title) ? {} : { title: texts.title }),
    ...(described && !isOurState(now.currentState ?? "")
      ? {}
      : { currentState: { summary: texts.currentState } }),
    ...(described && !areOurSteps(now.nextSteps) ? {} : { nextSteps: texts.nextSteps }),
    ...(artifacts.length === 0 ? {} : { buildArtifacts: artifacts }),
    ...(texts.checklist === ""
      ? {}
      : { checklist: [{ text: texts.checklist, done: texts.isSeen }] }),
  };
}

/** Found by adoption and describing this very place, so nothing we did has made it outdated. */
function isFound({ dispatches }: Workflow, now: Handoff, position: HandoffPosition): boolean {
  const { stage, phase = null, status } = now;
  const same = stage === position.stage && phase === position.phase && status === position.status;
  return same && Object.keys(dispatches).length === 0;
}

/** A heading without a stage or phase contains nothing to correct. */
function isTheirs(title: string | undefined): boolean {
  return title !== undefined && title !== "" && !/\b(?:stage|phase)\b|\d\.\d/i.test(title);
}

function describes({ title = "" }: Handoff, { stage, phase, status }: HandoffPosition): boolean {
  const label = phase === null ? `Stage ${stage}` : phase;
  const named = new RegExp(`\\b${label.replaceAll(".", "\\.")}(?![.\\d])`).test(title);
  return named && (status === "in_progress") !== /complete|ready|done/i.test(title);
}

function fieldsOf(state: Workflow, position: HandoffPosition): HandoffFields {
  const { complexity_score: score, phased_implementation: phased, gui_type: gui } = state.vars;
  return {
    plugin: state.id,
    stage: position.stage,
    phase: position.phase,
    status: position.status,
    lastUpdated: progressDate(state),
    complexityScore: typeof score === "number" ? score : null,
    phasedImplementation: typeof phased === "boolean" ? phased : null,
    orchestrationMode: true,
    nextAction: position.nextAction,
    nextPhase: position.nextPhase,
    ...(gui === "headless" || gui === "webview" ? { guiType: gui } : {}),
    ...(Object.keys(state.seals).length === 0 ? {} : { checksums: checksumsOf(state) }),
  };
}

export function checksumsOf(state: Workflow): Checksums {
  const entries = CONTRACT_KEYS.map(
    (key) => [key, state.seals[contractOf(state.id, key)]?.digest ?? null] as const,
  );
  return Object.fromEntries(entries);
}

function artifactsOf(
  state: Workflow,
): readonly { readonly format: string; readonly path: string }[] {
  const artifacts = state.vars["artifacts"];
  if (!isJsonArray(artifacts)) return [];
  return artifacts.flatMap((one) =>
    isJsonObject(one) && typeof one["format"] === "string" && typeof one["path"] === "string"
      ? [{ format: one["format"], path: one["path"] }]
      : [],
  );
}

function driftOfHandoff(state: Workflow, text: string | null): readonly string[] {
  const position = positionOf(state).handoff;
  const path = handoffOf(state.id);
  if (position === null) return text === null || isOthers(state) ? [] : [`${path} should be gone`];
  if (text === null) return [`${path} is missing`];
  const { value, problems } = parseHandoff(text, { plugin: state.id });
  if (value === undefined)
    return [`${path} cannot be read: ${problems[0]?.message ?? "no front matter"}`];
  return [
    differs(path, "stage", value.stage, position.stage),
    differs(path, "phase", value.phase ?? null, position.phase),
    differs(path, "status", value.status, position.status),
    ...completedDrift(state, path, value.completed),
    ...CONTRACT_KEYS.map((key) => {
      const sealed = checksumsOf(state)[key] ?? null;
      return sealed === null
        ? undefined
        : differs(path, `checksum of ${key}`, value.checksums?.[key] ?? null, sealed);
    }),
  ].filter((one) => one !== undefined);
}

/** A bullet about a step that the journal does not know is false, and a missing one hides a step. */
function completedDrift(
  state: Workflow,
  path: string,
  found: readonly string[],
): readonly string[] {
  const known = new Set(completedNotes(state).map((note) => note.tag));
  return [
    ...found
      .filter((tag) => !known.has(tag))
      .map((tag) => `${path} calls ${tag} completed, which the journal does not know`),
    ...[...known]
      .filter((tag) => !found.includes(tag))
      .map((tag) => `${path} does not call ${tag} completed`),
  ];
}

function differs(
  path: string,
  what: string,
  found: unknown,
  expected: unknown,
): string | undefined {
  if (found === expected) return undefined;
  return `${path} says ${what} ${JSON.stringify(found ?? null)}, the journal says ${JSON.stringify(expected)}`;
}
