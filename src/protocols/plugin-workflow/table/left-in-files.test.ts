/** What an agent wrote into the state files, held against where its report leads: each check by itself. */
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Scope } from "../../../core/table/protocol.ts";
import { emptyWorkflow } from "../../../core/state/evolve.ts";
import type { Dispatch, Unit, Workflow } from "../../../core/state/state.ts";
import { checkWritten, guards } from "./guards.ts";
import { artifactsOf } from "./paths.ts";

const ID = "TapeDelay";
const TODAY = "2026-03-01";

interface Stands {
  /** The state of the plugin, before and after. */
  readonly at?: string;
  /** What was handed out: a stage, or a phase of it. */
  readonly phase?: string | null;
  /** The phases of the plan, and how far each is. */
  readonly phases?: Readonly<Record<string, "todo" | "done">>;
  /** What this very report adds to the lists, as [list, tag]. */
  readonly notes?: readonly (readonly [list: string, tag: string])[];
  readonly claim?: JsonObject;
  readonly handoff?: Json | undefined;
  readonly registry?: Json | undefined;
}

const HANDOFF: JsonObject = {
  kind: "read",
  stage: 3,
  phase: null,
  status: "complete",
  lastUpdated: TODAY,
  checksums: 4,
  missing: [],
  missingSections: [],
  completed: ["Stage 3"],
};
const REGISTRY: JsonObject = { row: "🚧 Stage 3", entry: "🚧 Stage 3", timeline: ["Stage 3"] };

function scopeOf(stands: Stands = {}): Scope {
  const { at = "s3", phase = null, phases = {}, claim = { stateUpdated: true } } = stands;
  const {
    notes = [
      ["timeline", "Stage 3"],
      ["completed", "Stage 3"],
    ],
  } = stands;
  const unit = (id: string, kind: string, where: string): Unit =>
    ({ id, kind, at: where, data: { stage: 3 } }) as unknown as Unit;
  const dispatch = { spec: phase === null ? "dsp" : "dsp-phase", unit: phase ?? "." };
  const before: Workflow = {
    ...emptyWorkflow(ID),
    units: {
      ".": unit(".", "plugin", at),
      ...Object.fromEntries(Object.entries(phases).map(([id, is]) => [id, unit(id, "phase", is)])),
    },
    dispatches: { "W-1": { ...dispatch, sentAt: `${TODAY}T08:00:00.000Z` } as unknown as Dispatch },
  };
  const workflow = {
    ...before,
    notes: notes.map(([list, tag]) => ({ list, tag, text: "" })),
  } as unknown as Workflow;
  const facts: Readonly<Record<string, Json | undefined>> = {
    [`handoff:${ID}`]: "handoff" in stands ? stands.handoff : HANDOFF,
    [`registry:${ID}`]: "registry" in stands ? stands.registry : REGISTRY,
  };
  return {
    workflow,
    before,
    claim,
    dispatch: "W-1",
    envelope: { at: `${TODAY}T09:00:00.000Z` },
    fact: (key: string) => facts[key],
  } as unknown as Scope;
}

/** Which checks failed. */
function failed(stands: Stands = {}): readonly string[] {
  return checkWritten(scopeOf(stands)).map(({ code, check }) => `${code}: ${check}`);
}

describe("the validity test", () => {
  test("[PW-109][PW-112] finds nothing where both files say it, and asks nothing of what is not known yet", () => {
    expect(failed()).toEqual([]);
    expect(failed({ handoff: undefined, claim: {} })).toEqual([]);
    expect(failed({ registry: undefined, claim: {} })).toEqual([]);
    expect(failed({ at: "installed", claim: {} })).toEqual([]);
  });

  test("[PW-105] an error that is no error is none", () => {
    expect(failed({ claim: { stateUpdated: true, stateError: "" } })).toEqual([]);
    expect(failed({ claim: { stateUpdated: true, stateError: "full" } })).toEqual([
      "state_update_error: state flag",
    ]);
  });

  test("[PW-115] a handoff that is nothing is missing", () => {
    expect(failed({ handoff: null })).toEqual(["handoff_missing: file exists"]);
    expect(failed({ handoff: { kind: "absent" } })).toEqual(["handoff_missing: file exists"]);
  });

  test("[PW-107] a date is a text", () => {
    expect(failed({ handoff: { ...HANDOFF, lastUpdated: [TODAY] } })).toEqual([
      "date_not_current: date current",
    ]);
  });

  test("[PW-108][PW-112] row and entry are each compared, and with what really is", () => {
    expect(failed({ registry: { ...REGISTRY, row: "🚧 Stage 2" } })).toEqual([
      "plugins_md_not_updated: table updated",
      "registry_drift: consistency",
    ]);
    expect(failed({ registry: { ...REGISTRY, entry: "🚧 Stage 2" } })).toEqual([
      "plugins_md_not_updated: entry updated",
      "registry_drift: consistency",
    ]);
    // Where no phase was the last one, none is written in place of its stage.
    const odd = "🚧 Stage undefined";
    expect(failed({ registry: { ...REGISTRY, row: odd, entry: odd } })).toEqual([
      "plugins_md_not_updated: table updated",
      "plugins_md_not_updated: entry updated",
    ]);
  });
});

describe("lines for what was finished", () => {
  const TIMELINE = "timeline_missing: timeline updated";

  test("[PW-112][PW-116] are looked for in their own list", () => {
    const notes = [
      ["timeline", "Stage 3"],
      ["completed", "Stage 3 bullet"],
    ] as const;
    expect(failed({ notes, handoff: { ...HANDOFF, completed: ["Stage 3 bullet"] } })).toEqual([]);
  });

  test("[PW-116] are all there", () => {
    const notes = [
      ["timeline", "Stage 3"],
      ["timeline", "Tests"],
    ] as const;
    expect(failed({ notes })).toEqual([TIMELINE]);
    expect(failed({ notes, registry: { ...REGISTRY, timeline: ["Tests", "Stage 3"] } })).toEqual(
      [],
    );
  });

  test("[PW-085][PW-112] of a phase that others follow are all there, of the last one any", () => {
    const notes = [
      ["timeline", "Stage 3.1"],
      ["timeline", "Stage 3"],
      ["completed", "Stage 3"],
    ] as const;
    const status = "🚧 Stage 3.1";
    const registry = { row: status, entry: status, timeline: ["Stage 3.1"] };
    const handoff = { ...HANDOFF, phase: "3.1" };
    const phases = { "3.1": "done", "3.2": "todo" } as const;
    expect(failed({ at: "s2", phase: "3.1", phases, notes, registry, handoff })).toEqual([
      TIMELINE,
    ]);
    const last = { "3.1": "done" } as const;
    expect(failed({ at: "s3", phase: "3.1", phases: last, notes, registry, handoff })).toEqual([]);
  });
});

describe("a handoff before the report", () => {
  const says = (stands: Stands): string | undefined => {
    const guard = guards["files-at-predecessor"];
    return typeof guard === "function" ? guard(scopeOf(stands), {}) : "no guard";
  };
  const at = (stage: number, phase: string | null): JsonObject => ({ kind: "read", stage, phase });

  test("[PW-096] stands at the stage before or at the one that was handed out", () => {
    expect(says({ at: "s2", handoff: at(2, null) })).toBeUndefined();
    expect(says({ at: "s2", handoff: at(3, null) })).toBeUndefined();
    expect(says({ at: "s2", handoff: at(5, null) })).toBe(
      ".continue-here.md says stage 5; expected stage 2 or stage 3",
    );
  });

  test("[PW-096][PW-111] stands at the phase before or at the one that was handed out", () => {
    const phases = { "3.1": "done", "3.2": "todo", "3.3": "todo" } as const;
    const ordered = { at: "s2", phase: "3.2", phases };
    for (const phase of ["3.1", "3.2", null])
      expect(says({ ...ordered, handoff: at(3, phase) }), phase ?? "none").toBeUndefined();
    expect(says({ ...ordered, handoff: at(3, "3.3") })).toBe(
      ".continue-here.md says stage 3, phase 3.3; expected phase 3.1 or phase 3.2",
    );
  });

  test("[PW-024] of a plugin that has none says nothing against it", () => {
    expect(says({ at: "installed", handoff: at(5, null) })).toBeUndefined();
  });
});

test("[PW-309] a build is looked for in each of its formats", () => {
  const base = "build/Gain/plugins/Gain/Gain_artefacts";
  expect(artifactsOf("Gain")).toEqual([
    { format: "VST3", path: `${base}/VST3/Gain.vst3` },
    { format: "AU", path: `${base}/AU/Gain.component` },
    { format: "Standalone", path: `${base}/Standalone/Gain.app` },
  ]);
});
