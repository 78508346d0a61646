/** What a program may use: write a protocol, open an engine, put commands to it. Everything else may change. */
export { compose } from "./compose.ts";
export type { Composed, ComposeOptions } from "./compose.ts";
export type { Answer, Evidence, Refusal } from "./core/answer.ts";
export type { Actor, Claim, Command, Envelope } from "./core/commands.ts";
export { decide } from "./core/decide.ts";
export type {
  Definition,
  MachineRow,
  MoveRow,
  Need,
  OptionRow,
  QuestionRow,
  Says,
  Then,
  WorkRow,
} from "./core/authoring.ts";
export { defineProtocol, machine, protocolMistakes } from "./core/define.ts";
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
} from "./core/guards.ts";
export { drawMachine } from "./core/draw.ts";
export type { Event } from "./core/events.ts";
export { emptyWorkflow, evolve } from "./core/evolve.ts";
export type { Json, JsonObject } from "./core/json.ts";
export { next } from "./core/next.ts";
export type {
  Consequence,
  DispatchSpec,
  EffectRow,
  Guard,
  GuardRow,
  Machine,
  Move,
  Option,
  Protocol,
  Question,
  Scope,
  Test,
} from "./core/protocol.ts";
export type { Decision, Dispatch, Finding, Unit, Workflow } from "./core/state.ts";
export { act, find, inspect, start } from "./engine/engine.ts";
export type { Caller } from "./engine/engine.ts";
export type { Outcome } from "./engine/outcome.ts";
export { defineFamily, familyMistakes } from "./family/define.ts";
export { stateFile } from "./family/state-file.ts";
export type { StateFileOptions } from "./family/state-file.ts";
export type { Capabilities, Family, View, World } from "./ports/family.ts";
export type { Journal } from "./ports/journal.ts";
export { pluginFamily } from "./protocols/plugin-workflow/index.ts";
