import type { Refusal } from "../../core/decide/answer.ts";
import type { Command } from "../../core/state/commands.ts";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Workflow } from "../../core/state/state.ts";
import { parseHandoff } from "./files/handoff/handoff.ts";
import { parseStatus } from "./files/plugin-status.ts";
import {
  checkPluginName,
  findPlugin,
  isTableOnly,
  parseRegistry,
} from "./files/plugins-md/plugins-md.ts";
import { defineFamily } from "../../family/define.ts";
import type { Family, StartOptions, Started, VerifyFinding, World } from "../../ports/family.ts";
import { adopt } from "./world/adopt.ts";
import { claimOfFiles, readReport } from "./world/claim.ts";
import { AGENTS, COMMANDS } from "./words/agents.ts";
import { CALLED, describe } from "./words/describe.ts";
import { remarks } from "./words/remarks.ts";
import { handoffView } from "./world/handoff-view.ts";
import { looks } from "./world/looks.ts";
import { orderOf } from "./words/order.ts";
import { overridesView } from "./world/overrides-view.ts";
import { REGISTRY, handoffOf } from "./table/paths.ts";
import { performShelve, shelvedFiles } from "./world/shelve.ts";
import { pluginWorkflow } from "./table/protocol.ts";
import { PREFERENCES, pluginRoots } from "./roots.ts";
import { notesView, registryView } from "./world/registry-view.ts";
import { remedy } from "../../core/table/remedy.ts";
import { handoffDone } from "./files/verify/plugin-tree.ts";
import { pluginDirectories, verifyFiles } from "./world/verify.ts";

const TYPES: readonly string[] = ["Audio Effect", "MIDI Instrument", "Synth"];

const MODES: readonly string[] = ["express", "manual"];

/** The plugin workflow, connected to its files. */
export const pluginFamily: Family = defineFamily(pluginWorkflow, {
  names: { check: checkName },
  starting: {
    options: {
      type: { type: "string", about: "what kind of plugin it is", values: TYPES },
      brief: { type: "string", about: "what it is to be, in a sentence" },
      mode: { type: "string", about: "whether every step is asked for", values: MODES },
    },
    vars: start,
  },
  views: [handoffView, notesView, overridesView, registryView],
  looks,
  work: { order: orderOf, read: readReport, claimOfFiles },
  effects: { shelve: { perform: performShelve, removes: shelvedFiles } },
  edits: { commands: edits },
  adopt: { discover, read: adopt },
  verify: {
    judge: verifyFiles,
    headings: {
      0: "sound",
      1: "NO HANDOFF",
      2: "STATE MISMATCH",
      3: "CONTRACT DRIFT DETECTED",
      4: "STALE HANDOFF DETECTED",
    },
    ended: noHandoff,
  },
  audit: { keepsRefusals: true },
  words: {
    describe,
    remarks,
    called: CALLED,
    aliases: {
      plan: ["research"],
      implement: [
        "foundation",
        "dsp-phase",
        "dsp",
        "gui-phase",
        "gui",
        "editor",
        "begin-validation",
        "validate",
      ],
    },
    agents: AGENTS,
    commands: COMMANDS,
  },
  roots: pluginRoots,
});

function checkName(id: string): Refusal | undefined {
  const problem = checkPluginName(id);
  if (problem === undefined) return undefined;
  const { message, fix, rule } = problem;
  return { code: "name-illegal", message, fix, rule };
}

async function start(world: World, id: string, options: StartOptions): Promise<Started> {
  const type = options["type"] ?? "Audio Effect";
  if (typeof type !== "string" || !TYPES.includes(type)) {
    const message = `"${String(type)}" is not a type of plugin`;
    return {
      kind: "refused",
      refusals: [
        { code: "type-unknown", message, fix: `Use one of ${TYPES.join(", ")}.`, rule: "PW-036" },
      ],
    };
  }
  const mode = options["mode"] ?? "manual";
  if (typeof mode !== "string" || !MODES.includes(mode)) {
    const message = "The mode is express or manual";
    const fix = "Use --mode express or --mode manual.";
    return {
      kind: "refused",
      refusals: [{ code: "mode-unknown", message, fix, rule: "PW-312" }],
    };
  }
  const registry = await world.workspace.read(REGISTRY);
  const text = registry.kind === "text" ? registry.text : "";
  if (findPlugin(text, id).entry !== undefined) {
    const message = `${id} is already in ${REGISTRY}`;
    return {
      kind: "refused",
      refusals: [
        {
          code: "workflow-exists",
          message,
          fix: remedy("adopt", { workflow: id }, "Take it over as it is"),
          rule: "PW-034",
        },
      ],
    };
  }
  const brief = typeof options["brief"] === "string" ? options["brief"] : "";
  const express = await isExpress(world, options);
  return { kind: "ready", vars: { type, brief, express, entry: !isTableOnly(text) } };
}

/** A flag wins over the repository's preference, which wins over the default: ask. */
async function isExpress({ settings }: World, options: StartOptions): Promise<boolean> {
  if (typeof options["mode"] === "string") return options["mode"] === "express";
  // Only a person can give this grant. An agent may have written the preference file itself.
  if (options["by"] !== "person") return false;
  const file = await settings.read(PREFERENCES);
  const parsed = file.kind === "text" ? parseJson(file.text) : undefined;
  const workflow = isJsonObject(parsed) ? parsed["workflow"] : undefined;
  return isJsonObject(workflow) && workflow["mode"] === "express";
}

/** Edits by hand that stand for commands: the draft parameters, and the choice of interface. */
async function edits({ workspace }: World, state: Workflow): Promise<readonly Command[]> {
  const commands: Command[] = [];
  const registry = await workspace.read(REGISTRY);
  const entry = registry.kind === "text" ? findPlugin(registry.text, state.id).entry : undefined;
  if (
    state.units[ROOT]?.at === "ideated" &&
    parseStatus(entry?.status ?? "").id === "ideated-draft"
  ) {
    commands.push({ type: "unit.move", unit: ROOT, move: "draft" });
  }
  const file = await workspace.read(handoffOf(state.id));
  const handoff =
    file.kind === "text" ? parseHandoff(file.text, { plugin: state.id }).value : undefined;
  const chosen = handoff?.keys.includes("gui_type") === true ? handoff.guiType : null;
  if (chosen !== null && state.vars["gui_type"] === null)
    commands.push({ type: "vars.set", name: "gui_type", value: chosen });
  return commands;
}

async function discover(world: World): Promise<readonly string[]> {
  const file = await world.workspace.read(REGISTRY);
  const { rows, entries } =
    file.kind === "text" ? parseRegistry(file.text).value : { rows: [], entries: [] };
  const named = [...rows, ...entries].map((one) => one.name);
  const directories = await pluginDirectories(world);
  const withHandoff = await Promise.all(
    directories.map(async (name) =>
      (await world.workspace.digest(handoffOf(name))) === undefined ? [] : [name],
    ),
  );
  return [...new Set([...named, ...withHandoff.flat()])].filter(
    (name) => checkPluginName(name) === undefined,
  );
}

function noHandoff(state: Workflow): VerifyFinding | undefined {
  const ended = describe(state).finished && handoffView(state).render(null).kind !== "text";
  return ended ? handoffDone(state.id) : undefined;
}
