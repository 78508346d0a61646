import fc from "fast-check";
import { expect, test } from "vitest";
import {
  AGENT,
  ENGINE,
  JUSTIFICATION,
  PERSON,
  TASK,
  atApproval,
  atComplete,
  atImplementation,
  atReview,
  atScope,
  atSynthesis,
  atValidation,
  begun,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Story } from "../../../../test/story.ts";
import { rootOf } from "../../../core/state/evolve.ts";
import { parseStateJson } from "../files/state-json.ts";
import { parseTaskJson } from "../files/task-json.ts";
import { taskProtocol } from "./protocol.ts";
import { stateFields, taskFields } from "../world/render.ts";
import { STATES } from "./states.ts";

/** Agents and people who do anything at all, in any order. */

const MOVES = (taskProtocol.kinds["task"]?.moves ?? []).filter((move) => move.id !== "abandon");
const SPECS = Object.entries(taskProtocol.work);

/** Where walks begin: deep enough that together they get everywhere. */
const BEGINNINGS = [
  atValidation,
  begun,
  atSynthesis,
  atImplementation,
  atReview,
  atScope,
  atApproval,
  atComplete,
];

function beginAt(index: number): Story {
  const begin = BEGINNINGS[index % BEGINNINGS.length] ?? begun;
  return begin().given({ [`on-main:${TASK}`]: true });
}

/** One step: a number picks among everything that could be tried. */
function step(one: Story, kind: number, choice: number): void {
  const pick = <T>(list: readonly T[]): T | undefined => list[choice % list.length];
  const { at } = rootOf(one.state);
  const agents = Object.values(one.state.units).filter((unit) => unit.kind === "agent");
  switch (kind % 8) {
    case 0:
    case 1: {
      const input = { acknowledged: true };
      const here = MOVES.filter((row) => row.from.includes(at));
      const move = pick(choice % 10 === 0 ? MOVES : here)?.id ?? "";
      one.when({ type: "unit.move", unit: ".", move, reason: "walk", input }, AGENT);
      return;
    }
    case 2:
      for (const agent of agents)
        one.send(
          pick(SPECS.filter(([, spec]) => spec.rootIn?.includes(at)))?.[0] ?? "",
          agent.id,
          AGENT,
        );
      return;
    case 3:
      return report(one, choice);
    case 4: {
      const asked = one.open.at(-1);
      const option = asked === undefined ? undefined : pick(asked.options);
      if (asked !== undefined && option?.id !== "abandon")
        one.reply(asked.question, option?.id ?? "", { ...PERSON, reason: "walk" });
      return;
    }
    case 5:
      one.settle(choice % 5 === 0 ? "failed" : "done");
      return;
    case 6: {
      const value = choice % 3 === 0 ? "failed" : "passed";
      const bound = {
        [`tree:${TASK}`]: "tree-1",
        [`clean:${TASK}`]: [],
        "command:build": "as configured",
      };
      one.when(
        { type: "finding.record", unit: ".", kind: "build", by: "engine", value, bound },
        ENGINE,
      );
      return;
    }
    default: {
      const unit = pick(["security", "test", "quality-2"]) ?? "";
      const data = { justification: JUSTIFICATION };
      if (choice % 4 === 0) one.when({ type: "unit.open", kind: "agent", unit, data }, AGENT);
    }
  }
}

/** Everybody who is at work ends it, well more often than not. */
function report(one: Story, choice: number): void {
  for (const open of Object.values(one.state.dispatches)) {
    if (open.status === "ended") continue;
    const outcomes = Object.keys(taskProtocol.work[open.spec]?.outcomes ?? {});
    const outcome = outcomes[choice % 3 === 0 ? choice % outcomes.length : 0] ?? "";
    const claim = {
      agent: open.unit,
      outcome,
      work_remaining: "none",
      error_message: "x",
      feedback: "x",
      blocked_by: "x",
      justification: "x",
      effort: choice % 4,
    };
    one.when({ type: "dispatch.report", dispatch: open.id, claim }, AGENT);
  }
}

const AFTER_PLAN = ["IMPLEMENTATION", "VALIDATION", "REVIEW", "SCOPE_NEGOTIATION", "COMPLETE"];

function check(one: Story): void {
  const { at } = rootOf(one.state);
  const released = (question: string): boolean =>
    one.history.some(
      (event) =>
        event.type === "decision.settled" &&
        event.option === "approve" &&
        event.by.startsWith("person:") &&
        one.state.decisions[event.decision]?.question === question,
    );
  expect(!AFTER_PLAN.includes(at) || released("plan")).toBe(true);
  expect(at !== "COMPLETE" || released("change")).toBe(true);
  if (one.state.lease === null) return;
  const lock = parseTaskJson(JSON.stringify(taskFields(one.state)), { task: TASK });
  expect(lock.problems).toEqual([]);
  expect(parseStateJson(JSON.stringify(stateFields(one.state)), lock.value).problems).toEqual([]);
}

/** Whatever happened, a person can end it: work is called back, effects are settled, the task abandoned. */
function leave(one: Story): void {
  for (const open of Object.values(one.state.dispatches))
    if (open.status !== "ended")
      one.when({ type: "dispatch.cancel", dispatch: open.id, reason: "leaving" }, PERSON);
  one.settle();
  if (rootOf(one.state).at !== "CLEANUP") one.move("abandon", { ...PERSON, reason: "leaving" });
  one.settle();
  expect(rootOf(one.state).at).toBe("CLEANUP");
  expect(one.state.lease).toBeNull();
}

test("[TP-059] [TP-060] [TP-063] [TP-132] [TP-179] [TP-216] no order of steps gets past a person, breaks the log, or wedges", () => {
  const steps = fc.array(fc.tuple(fc.nat(7), fc.nat(59)), { minLength: 20, maxLength: 60 });
  const reached = new Set<string>();
  fc.assert(
    fc.property(fc.nat(7), steps, (beginning, walk) => {
      const one = beginAt(beginning);
      for (const [kind, choice] of walk) {
        step(one, kind, choice);
        check(one);
        reached.add(rootOf(one.state).at);
      }
      leave(one);
    }),
    { numRuns: 40, seed: 20_260_301, endOnFailure: true },
  );
  // The walks are worth something only because they get everywhere.
  expect(STATES.filter((state) => !reached.has(state))).toEqual([]);
}, 60_000);
