import { expect, test } from "vitest";
import { adopted } from "../../../../test/plugin.ts";
import type { Json } from "../../../core/values/json.ts";
import { requireUnit } from "../../../core/state/evolve.ts";
import type { Scope } from "../../../core/table/protocol.ts";
import { ROOT } from "../../../core/state/state.ts";
import { checkWritten } from "./guards.ts";

const BARE: Json = {
  kind: "read",
  stage: null,
  phase: "9.9",
  status: "done",
  lastUpdated: "2001-01-01",
  checksums: 0,
  missing: ["plugin"],
  missingSections: ["Next Steps"],
  completed: [],
};

/** The names of the failed checks, for an agent that left the files like this after its stage. */
function failed(handoff: Json, registry: Json): readonly string[] {
  const { state } = adopted("s3");
  const note = { tag: "Stage 3", text: "done", at: "2026-03-01T10:00:00.000Z" };
  const workflow = {
    ...state,
    notes: [...state.notes, { list: "timeline", ...note }, { list: "completed", ...note }],
  };
  const scope: Scope = {
    workflow,
    before: state,
    unit: requireUnit(state, ROOT),
    envelope: { id: "1", at: note.at, actor: { kind: "engine", name: "test" }, session: "test" },
    command: { type: "lease.release" },
    claim: { agent: "dsp-agent", outcome: "success", stateUpdated: true },
    input: {},
    dispatch: undefined,
    fact: (key) => (key.startsWith("handoff:") ? handoff : registry),
    fill: (text) => text,
    run: () => undefined,
  };
  return checkWritten(scope).map((one) => one.check);
}

test("[PW-118][PW-130][PW-131] every failed check is named, and the names are these", () => {
  const registry = { row: "🚧 Stage 2", entry: "🚧 Stage 1", timeline: [] };
  expect(failed({ kind: "absent" }, registry)[0]).toBe("file exists");
  expect(failed({ kind: "unreadable", why: "broken" }, registry)[0]).toBe("valid YAML");
  expect([...new Set(failed(BARE, registry))]).toEqual([
    "required fields",
    "stage matches",
    "status valid",
    "date current",
    "checksums present",
    "sections present",
    "completed section updated",
    "table updated",
    "entry updated",
    "consistency",
    "timeline updated",
  ]);
});
