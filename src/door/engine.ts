/**
 * The door for programs: what a person or agent can ask of Holdpoint, as methods. Each calls the operation that
 * the command line calls too, so that both mean the same.
 */
import { compose } from "../compose/compose.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Caller } from "../engine/engine.ts";
import type { Failed } from "../engine/outcome.ts";
import type { Parts } from "../engine/parts.ts";
import { cursorNow, subscribe } from "../engine/subscribe.ts";
import type { Cursor, Recorded, SubscribeOptions } from "../engine/subscribe.ts";
import { defineFamily } from "../family/define.ts";
import type { Answered } from "../operations/parts/answers.ts";
import { usage } from "../operations/parts/answers.ts";
import { invoke, operations } from "../operations/index.ts";
import { list } from "../operations/list.ts";
import type { Listed } from "../operations/list.ts";
import type { Answer, Operation } from "../operations/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Family } from "../ports/family.ts";
import type { Fold, Journal } from "../ports/journal.ts";
import { workflowAt } from "./workflow.ts";
import type { WorkflowHandle } from "./workflow.ts";

export interface EngineOptions {
  /** Any directory of the repository. */
  readonly cwd: string;
  /**
   * Shipped protocols by name, others as they are defined. Without it, all that ship and all that the
   * repository's configuration names.
   */
  readonly families?: readonly (string | Protocol | Family)[];
  /** Another journal than the embedded one; it must pass the conformance suite. */
  readonly journal?: (fold: Fold<Workflow>) => Promise<Journal<Workflow>>;
  readonly clock?: Pick<Clock, "now">;
  /** In whose name commands are given, unless a command says otherwise. */
  readonly as?: Caller;
}

export interface Engine {
  readonly kind: "open";
  /** A workflow by its name, or by `<protocol>:<name>` where two protocols have it. It need not exist yet. */
  readonly workflow: (id: string) => WorkflowHandle;
  readonly list: () => Promise<Listed>;
  /** Every record after a cursor, and every one that comes; without a cursor, from the first one on. */
  readonly subscribe: (
    cursor?: Json,
    options?: SubscribeOptions,
  ) => AsyncIterableIterator<Recorded>;
  /** Where a subscriber stands who has seen everything up to now. */
  readonly cursor: () => Promise<Cursor>;
  /** What can be asked, with the schemas of inputs and answers: for tools, routes and forms. */
  readonly operations: readonly Operation[];
  /** Any operation by its name, with input from outside: what does not fit its schema is answered, not run. */
  readonly invoke: (operation: string, input: JsonObject, as?: Caller) => Promise<Answered<Answer>>;
  /** Ends subscriptions and gives back what is open. Commands that are still running fail. */
  readonly close: () => Promise<void>;
}

const PROGRAM: Caller = { actor: { kind: "agent", name: "program" }, session: "program" };

/** Open the engine of the repository around a directory, or say why there can be none. */
export async function openEngine(options: EngineOptions): Promise<Engine | Failed> {
  const { cwd, families, journal, clock, as = PROGRAM } = options;
  const composed = await compose({
    cwd,
    ...(families === undefined ? {} : { families: families.map(toFamily) }),
    ...(journal === undefined ? {} : { journal }),
    ...(clock === undefined ? {} : { clock }),
  });
  return composed.kind === "failed" ? composed : engineOn(composed.parts, as);
}

function toFamily(given: string | Protocol | Family): string | Family {
  return typeof given === "string" || "protocol" in given ? given : defineFamily(given);
}

function engineOn(parts: Parts, as: Caller): Engine {
  const stop = new AbortController();
  return {
    kind: "open",
    workflow: (id) => workflowAt(parts, as, id),
    list: async () => await list.run({ parts, caller: as }, {}),
    subscribe: (cursor, given = {}) => {
      const signals = given.signal === undefined ? [] : [given.signal];
      const signal = AbortSignal.any([stop.signal, ...signals]);
      return subscribe(parts, cursor, { ...given, signal });
    },
    operations,
    cursor: async () => await cursorNow(parts),
    invoke: async (name, input, caller = as) => {
      const operation = operations.find((one) => one.name === name);
      const names = operations.map((one) => one.name).join(", ");
      if (operation === undefined)
        return usage(`There is no operation "${name}".`, `Operations: ${names}.`);
      return await invoke(operation, { parts, caller }, input);
    },
    close: async () => {
      stop.abort();
      await parts.journal.close();
    },
  };
}
