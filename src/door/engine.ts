/** The API for programs. Each method calls the same operation as the command line, so that both mean the same. */
import { compose } from "../compose/compose.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Caller } from "../engine/engine.ts";
import type { Failed } from "../engine/outcome.ts";
import type { Parts } from "../engine/parts.ts";
import { cursorNow, subscribe } from "../engine/subscribe.ts";
import type { Cursor, Recorded, SubscribeOptions } from "../engine/subscribe.ts";
import type { Answered } from "../operations/parts/answers.ts";
import { usage } from "../operations/parts/answers.ts";
import { operations } from "../operations/index.ts";
import { list } from "../operations/list.ts";
import type { Listed } from "../operations/list.ts";
import type { Answer, Operation } from "../operations/operation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Family } from "../ports/family.ts";
import type { Fold, Journal } from "../ports/journal.ts";
import { callerProblem, checkedInput, engineProblem } from "./misfits.ts";
import { familyOf } from "./protocols.ts";
import { workflowAt } from "./workflow.ts";
import type { WorkflowHandle } from "./workflow.ts";

export interface EngineOptions {
  /** Any directory of the repository. */
  readonly cwd: string;
  /**
   * Shipped protocols by name, others as objects. Without it, all shipped ones and all that the repository's
   * configuration names.
   */
  readonly families?: readonly (string | Protocol | Family)[];
  /** A journal to use instead of the embedded one. It must pass the conformance suite. */
  readonly journal?: (fold: Fold<Workflow>) => Promise<Journal<Workflow>>;
  readonly clock?: Pick<Clock, "now">;
  /** The caller for commands that do not name one. */
  readonly as?: Caller;
}

export interface Engine {
  readonly kind: "open";
  /** A workflow by its name, or by `<protocol>:<name>` if two protocols have that name. It need not exist yet. */
  readonly workflow: (id: string) => WorkflowHandle;
  readonly list: () => Promise<Listed>;
  /** Every record after a cursor, and every new one. Without a cursor, from the first record on. */
  readonly subscribe: (
    cursor?: Json,
    options?: SubscribeOptions,
  ) => AsyncIterableIterator<Recorded>;
  /** The position of a subscriber that has seen everything so far. */
  readonly cursor: () => Promise<Cursor>;
  /** All operations, with the schemas of their inputs and answers: for tools, routes and forms. */
  readonly operations: readonly Operation[];
  /**
   * Runs any operation by name on input from outside. Input that does not fit its schema is refused and not run.
   */
  readonly invoke: (operation: string, input: JsonObject, as?: Caller) => Promise<Answered<Answer>>;
  /** Ends subscriptions and closes the store. Commands still running will fail. */
  readonly close: () => Promise<void>;
}

const PROGRAM: Caller = { actor: { kind: "agent", name: "program" }, session: "program" };

/** Opens the engine for the repository around a directory, or says why that is not possible. */
export async function openEngine(options: EngineOptions): Promise<Engine | Failed> {
  const wrong = engineProblem(options);
  if (wrong !== undefined) return wrong;
  const { cwd, families, journal, clock, as = PROGRAM } = options;
  const read = readFamilies(families ?? []);
  if ("kind" in read) return read;
  const composed = await compose({
    cwd,
    ...(families === undefined ? {} : { families: read }),
    ...(journal === undefined ? {} : { journal }),
    ...(clock === undefined ? {} : { clock }),
  });
  return composed.kind === "failed" ? composed : engineOn(composed.parts, as);
}

function readFamilies(
  given: readonly (string | Protocol | Family)[],
): readonly (string | Family)[] | Failed {
  const families: (string | Family)[] = [];
  for (const [index, one] of given.entries()) {
    const read = typeof one === "string" ? one : familyOf(`families[${index}]`, one);
    if (typeof read === "object" && "code" in read) {
      const { code, message, fix } = read;
      return { kind: "failed", code, message, fix };
    }
    families.push(read);
  }
  return families;
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
      const checked = callerProblem("as", caller) ?? checkedInput(operation, input);
      return "ok" in checked ? checked : await operation.run({ parts, caller }, checked.input);
    },
    close: async () => {
      stop.abort();
      await parts.journal.close();
    },
  };
}
