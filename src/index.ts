import type { Engine, EngineOptions } from "./door/engine.ts";
import type { Failed } from "./engine/outcome.ts";

/** What a program may use: write a protocol, open an engine, put commands to it. Everything else may change. */
export type { Act, Refusal, Remedy } from "./core/decide/answer.ts";
export type { Actor, Claim, Command } from "./core/state/commands.ts";
export type {
  Definition,
  MachineRow,
  MoveRow,
  OptionRow,
  QuestionRow,
  WorkRow,
} from "./core/table/authoring.ts";
export { defineProtocol, machine, protocolMistakes } from "./core/table/define.ts";
export {
  anyOf,
  changed,
  claim,
  distinctPeople,
  exists,
  fact,
  finding,
  input,
  is,
  own,
  passed,
  quiet,
  released,
  sealed,
  units,
  variable,
} from "./core/guards/guards.ts";
export { readProtocolYaml } from "./authoring/yaml.ts";
export type { ReadProtocol, YamlProblem } from "./authoring/yaml.ts";
export { checkProtocol } from "./core/check/check.ts";
export type { CheckFinding, Checked, Step } from "./core/check/check.ts";
export { drawMachine } from "./core/table/draw.ts";
export type { Event } from "./core/state/events.ts";
export type { Json, JsonObject } from "./core/values/json.ts";
export type {
  Consequence,
  EffectRow,
  Guard,
  Machine,
  Migrated,
  Move,
  Need,
  Option,
  Protocol,
  Question,
  Says,
  Scope,
  Test,
  Work,
} from "./core/table/protocol.ts";
export type { Decision, Dispatch, Finding, Unit, Workflow } from "./core/state/state.ts";
export type { Engine, EngineOptions } from "./door/engine.ts";
export type { CommandOptions, WorkflowHandle } from "./door/workflow.ts";
export type { Caller } from "./engine/engine.ts";
export type { Failed } from "./engine/outcome.ts";
export type { Cursor, Recorded, StoreSign, SubscribeOptions } from "./engine/subscribe.ts";
export { defineFamily, familyMistakes } from "./family/define.ts";
export { stateFile } from "./family/state-file.ts";
export type { StateFileOptions } from "./family/state-file.ts";
export type { Capabilities, Family, View, World } from "./ports/family.ts";
export type { Answered, FailedAnswer, RefusedAnswer, Taken } from "./operations/parts/answers.ts";
export type { Answer, Operation } from "./operations/operation.ts";
export { remedy } from "./core/table/remedy.ts";
export type {
  Appended,
  Entry,
  Fold,
  Head,
  Journal,
  JournalRecord,
  JournalReport,
  Loaded,
  StreamSummary,
} from "./ports/journal.ts";

/**
 * Opens the engine for the repository around a directory, or says why that is not possible. Loaded on demand, so
 * that programs that only define a protocol start faster.
 */
export async function openEngine(options: EngineOptions): Promise<Engine | Failed> {
  return await (await import("./door/engine.ts")).openEngine(options);
}
