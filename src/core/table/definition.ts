import type { Refusal } from "../decide/answer.ts";
import type { Command } from "../state/commands.ts";
import { who } from "../decide/who.ts";
import { emit, refuse } from "../decide/draft.ts";
import type { Draft } from "../decide/draft.ts";
import { isJsonArray, isJsonObject, member, showJson } from "../values/json.ts";
import type { Json } from "../values/json.ts";
import { needsPerson } from "../decide/decisions/override.ts";
import type { Migrated, Protocol } from "./protocol.ts";
import { ROOT } from "../state/state.ts";
import type { ProtocolRef, Workflow } from "../state/state.ts";
import { remedy } from "./remedy.ts";

/**
 * The definition of a running workflow may change: its file is edited, or another version is installed. The same
 * goes for repository settings that its gates depend on, such as checks. Then nothing moves until a person
 * accepts the change and `migrate` has carried over what it can.
 */

export function refOf({ name, version, digest, settings }: Protocol): ProtocolRef {
  return {
    name,
    version,
    ...(digest === undefined ? {} : { digest }),
    ...(settings === undefined ? {} : { settings }),
  };
}

/** Whether the workflow was started, or last migrated, under a different definition or different settings. */
export function isChanged(protocol: Protocol, state: Workflow): boolean {
  return isRedefined(protocol, state) || changedSettings(protocol, state).length > 0;
}

function changedSettings(
  { settings: now }: Protocol,
  { units, protocol: { settings: then } }: Workflow,
): readonly string[] {
  if (!(ROOT in units) || now === undefined || then === undefined) return [];
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return names.filter((name) => then[name] !== now[name]);
}

/** The same, for the definition alone. */
export function isRedefined(protocol: Protocol, { units, protocol: ref }: Workflow): boolean {
  if (!(ROOT in units)) return false;
  if (ref.version !== protocol.version) return true;
  return (
    ref.digest !== undefined && protocol.digest !== undefined && ref.digest !== protocol.digest
  );
}

/**
 * Commands refused while a changed definition waits to be accepted. Looking, noting, cancelling and leases still
 * work.
 */
const MOVES_ON: readonly Command["type"][] = [
  "unit.move",
  "unit.open",
  "dispatch.send",
  "dispatch.report",
  "dispatch.park",
  "decision.ask",
  "decision.answer",
  "effect.settle",
  "vars.set",
  "artifact.reseal",
  "gate.waive",
];

export function checkDefinition(draft: Draft): void {
  const { protocol, state, command } = draft;
  if (!MOVES_ON.includes(command.type) || !isChanged(protocol, state)) return;
  // Effects decided under the old settings are still carried out and recorded.
  if (command.type === "effect.settle" && !isRedefined(protocol, state)) return;
  refuse(draft, changedRefusal(protocol, state));
}

/** Says what has changed, and what a person can do about it. */
export function changedRefusal(protocol: Protocol, state: Workflow): Refusal {
  if (!isRedefined(protocol, state)) return settingsRefusal(protocol, state);
  const { name, version } = protocol;
  const before = state.protocol.version;
  const gone = goneOf(protocol, state);
  const message =
    before === version
      ? `The definition of ${name} is not the one that ${state.id} follows, although both are version ${version}`
      : `${state.id} follows version ${before} of ${name}, and this is version ${version}`;
  const fix =
    gone.length === 0 || (protocol.migrate !== undefined && before < version)
      ? remedy(
          "reconcile",
          { workflow: state.id, definition: true, reason: "..." },
          "Put back the definition it follows, or let a person accept this one with a reason",
        )
      : `${gone.join("; ")}. ${WAYS_OUT}`;
  return { code: "definition-changed", message, fix, rule: "core" };
}

function settingsRefusal(protocol: Protocol, state: Workflow): Refusal {
  const names = changedSettings(protocol, state);
  return {
    code: "settings-changed",
    message: `${state.id} was begun under other settings of the repository: ${names.join(", ")} ${names.length === 1 ? "is" : "are"} not what ${names.length === 1 ? "it was" : "they were"}`,
    fix: remedy(
      "reconcile",
      { workflow: state.id, settings: true, reason: "..." },
      "Put back and commit what it was begun under, or let a person accept the change with a reason",
    ),
    rule: "core",
  };
}

const WAYS_OUT =
  "Put back the old definition and finish with it, or raise the version and write a migrate that says what becomes of it.";

/** What the workflow uses and the definition no longer has, one sentence each. */
export function goneOf(protocol: Protocol, state: Workflow): readonly string[] {
  const { kinds, questions, work } = protocol;
  const units = Object.values(state.units).flatMap(({ id, kind, at }) => {
    const whose = id === ROOT ? state.id : id;
    if (!Object.hasOwn(kinds, kind)) return [`${whose} is of the kind "${kind}", which is gone`];
    return kinds[kind]?.states.includes(at) === true
      ? []
      : [`${whose} is at "${at}", and that state is gone`];
  });
  const open = Object.values(state.decisions).filter((one) => one.status === "open");
  const out = Object.values(state.dispatches).filter((one) => one.status !== "ended");
  return [
    ...units,
    ...open
      .filter((one) => !Object.hasOwn(questions, one.question))
      .map((one) => `${one.id} asks "${one.question}", and that question is gone`),
    ...out
      .filter((one) => !Object.hasOwn(work, one.spec))
      .map((one) => `${one.id} is work "${one.spec}", and that work is gone`),
  ];
}

export function acceptDefinition(
  draft: Draft,
  { reason }: Extract<Command, { type: "definition.accept" }>,
): void {
  const { protocol, state } = draft;
  if (!isChanged(protocol, state)) {
    refuse(draft, {
      code: "definition-unchanged",
      message: `${state.id} follows this definition of ${protocol.name} already, under these settings`,
      fix: remedy("next", { workflow: state.id }, "Go on with it"),
      rule: "core",
    });
    return;
  }
  if (!needsPerson(draft, reason, "accept another definition or other settings", "core")) return;
  const migrated = migrate(protocol, state);
  if (typeof migrated === "string") {
    refuse(draft, {
      code: "migration-failed",
      message: `Version ${protocol.version} of ${protocol.name} cannot carry over ${state.id}: ${migrated}`,
      fix: "Mend migrate in the definition, or put back the version the workflow follows; nothing was changed.",
      rule: "core",
    });
    return;
  }
  carry(draft, migrated, reason);
  for (const one of goneOf(protocol, draft.state))
    refuse(draft, { code: "definition-lacks", message: one, fix: WAYS_OUT, rule: "core" });
  emit(draft, { type: "definition.changed", protocol: refOf(protocol), by: who(draft), reason });
}

/** What the protocol's `migrate` says about a workflow. A sentence if it throws or returns nonsense. */
function migrate(protocol: Protocol, state: Workflow): Migrated | string {
  if (protocol.migrate === undefined || state.protocol.version >= protocol.version) return {};
  let said: unknown;
  try {
    said = protocol.migrate(state, state.protocol.version);
  } catch (error) {
    return `migrate throws "${error instanceof Error ? error.message : String(error)}"`;
  }
  return readMigrated(state, said);
}

function readMigrated(state: Workflow, said: unknown): Migrated | string {
  if (!isObject(said)) return 'migrate must answer an object, such as { at: { ".": "draft" } }';
  const known: readonly string[] = ["at", "vars", "closes", "voids", "cancels"];
  const odd = Object.keys(said).find((key) => !known.includes(key));
  if (odd !== undefined) return `migrate answers "${odd}"; it may answer ${known.join(", ")}`;
  const { at = {}, vars = {}, closes = [], voids = [], cancels = [] } = said;
  if (!isObject(at) || !Object.values(at).every(isText))
    return 'migrate\'s "at" names a state for each unit';
  if (!isJsonObject(vars)) return 'migrate\'s "vars" is no JSON object';
  if (!isTexts(closes) || !isTexts(voids) || !isTexts(cancels))
    return 'migrate\'s "closes", "voids" and "cancels" are lists of names';
  const unknown = [...Object.keys(at), ...closes].find((unit) => !Object.hasOwn(state.units, unit));
  if (unknown !== undefined) return `migrate names the unit "${unknown}", which is not there`;
  if (closes.includes(ROOT)) return "migrate cannot close the workflow itself";
  const states = Object.fromEntries(Object.entries(at).map(([unit, to]) => [unit, showJson(to)]));
  return { at: states, vars, closes, voids, cancels };
}

function isObject(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: Json): value is readonly string[] {
  return isJsonArray(value) && value.every(isText);
}

function carry(draft: Draft, migrated: Migrated, reason: string): void {
  const { at = {}, vars = {}, closes = [], voids = [], cancels = [] } = migrated;
  const { units, decisions, dispatches } = draft.state;
  for (const [unit, to] of Object.entries(at)) {
    const from = member(units, unit)?.at ?? "";
    emit(draft, { type: "unit.moved", unit, move: "migrate", from, to, back: [], reason });
  }
  if (Object.keys(vars).length > 0) emit(draft, { type: "vars.changed", vars });
  for (const { id: decision, question, status } of Object.values(decisions)) {
    if (status !== "open" || !voids.includes(question)) continue;
    const withdrawn = { status: "void", option: "", text: reason, by: who(draft) } as const;
    emit(draft, { type: "decision.settled", decision, ...withdrawn });
  }
  for (const { id: dispatch, spec, status } of Object.values(dispatches)) {
    if (status === "ended" || !cancels.includes(spec)) continue;
    const claim = { why: reason, by: who(draft) };
    emit(draft, { type: "dispatch.ended", dispatch, outcome: "cancelled", claim, notes: [] });
  }
  for (const unit of closes) emit(draft, { type: "unit.closed", unit });
}
