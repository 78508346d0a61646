/** What a guard of the library says, asked by itself. */
import type { JsonObject } from "../src/core/values/json.ts";
import { LIBRARY } from "../src/core/guards/library.ts";
import type { Scope } from "../src/core/table/row.ts";
import type { Workflow } from "../src/core/state/state.ts";
import { planned } from "./toy.ts";

export interface Asked {
  readonly facts?: JsonObject;
  readonly claim?: JsonObject;
  readonly dispatch?: string;
  readonly unit?: string;
  readonly has?: Partial<Workflow>;
}

/** What a guard says of a planned toy that also has these. */
export function says(guard: string, args: JsonObject, world: Asked = {}): string | undefined {
  const { state } = planned();
  const workflow = { ...state, ...world.has };
  const { facts = {}, claim, dispatch, unit = "." } = world;
  const at = workflow.units[unit];
  if (at === undefined) throw new Error(`the toy has no ${unit}`);
  const scope: Scope = {
    workflow,
    before: workflow,
    unit: at,
    envelope: { id: "c", at: "", session: "s-1", actor: { kind: "person", name: "ada" } },
    command: { type: "lease.release" },
    claim: claim === undefined ? undefined : { agent: "writer", outcome: "success", ...claim },
    input: {},
    dispatch,
    fact: (key) => facts[key],
    fill: (template) => template.replaceAll("{id}", workflow.id),
    run: () => undefined,
  };
  return LIBRARY[guard]?.check(scope, args);
}
