import { variable } from "../../../../core/guards/guards.ts";
import type { Move } from "../../../../core/table/protocol.ts";
import { FULL, LEAN } from "../rows.ts";
import { pair, runs } from "./end.ts";
import { remedy } from "../../../../core/table/remedy.ts";

/** Moves that leave the main line and return to it: repairs, questions, BLOCKED, and leaving lean mode. */

const WORKING: readonly string[] = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "PLAN",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "FIX_BUILD",
];

const LOOPS: readonly string[] = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"];

/**
 * Enters a repair, automatically when a checker has blocked, as often as the budget allows. After the loop, a
 * single repair handles whatever was found.
 */
function repair(id: string, loop: string, from: readonly string[]): Move {
  const due = loop === "FIX_BUILD" ? LOOPS : [loop];
  const out = loop === "FIX_SECURITY" ? "retry-exhausted-security" : "retry-exhausted";
  return {
    id,
    from,
    to: loop,
    auto: true,
    when: [variable("repair", due)],
    within: { budget: `${loop}/{task}`, called: `${loop} of {1}`, times: 3, else: out },
    set: { repair: { value: null } },
    rule: "TC-154",
  };
}

/** Records which check fails in the current state; the repair then starts like any other. */
function red(state: string): Move {
  return {
    id: "red",
    runs,
    from: [state],
    to: state,
    inside: true,
    by: ["engine", "agent", "person"],
    needs: [
      {
        guard: "some-red",
        code: "nothing-red",
        fix: "There is nothing to repair: ask for the next step instead.",
        rule: "TC-149",
      },
    ],
    set: {
      task: { value: "meta" },
      repair: { value: "FIX_BUILD" },
      failure: { fact: "failed:{id}" },
      feedback: { value: [] },
    },
    label: "repair the red build",
    rule: "TC-153",
  };
}

const repairs: readonly Move[] = [
  repair("fix-review", "FIX_REVIEW", ["IMPLEMENT_LOOP"]),
  repair("fix-tests", "FIX_TESTS", ["IMPLEMENT_LOOP"]),
  repair("fix-security", "FIX_SECURITY", ["IMPLEMENT_LOOP"]),
  repair("fix-build", "FIX_BUILD", ["INTEGRATE", "RELEASE"]),
  red("INTEGRATE"),
  red("RELEASE"),
  {
    id: "fixed",
    from: ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY"],
    to: "IMPLEMENT_LOOP",
    by: [],
    rule: "TC-153",
  },
  { id: "rebuilt", from: ["FIX_BUILD"], to: "INTEGRATE", by: [], rule: "TC-153" },
];

/** A session that starts over has no repair left to do. */
const NO_REPAIR = {
  repair: { value: null },
  task: { value: null },
  checked: { value: null },
} as const;

const leaveLean: Omit<Move, "id"> = {
  from: ["IMPLEMENT_LOOP"],
  to: "INTAKE",
  when: [LEAN],
  set: {
    mode: { value: "full" },
    lean: { value: null },
    ...NO_REPAIR,
  },
  closes: "task",
  effects: [{ kind: "archive", args: { paths: ["tasks.yaml", "spec.md"], suffix: ".lean" } }],
  rule: "TC-142",
};

export const aside: readonly Move[] = [
  ...repairs,
  { id: "too-complex", by: [], ...leaveLean },
  {
    id: "leave-lean",
    by: ["agent", "engine", "person"],
    why: true,
    label: "leave lean mode and start again at INTAKE",
    ...leaveLean,
  },
  { id: "ask-user", from: WORKING, to: "ASK_USER", by: [], detour: true, rule: "TC-083" },
  ...pair({
    id: "return",
    from: ["ASK_USER"],
    to: "@back",
    needs: [
      {
        guard: "quiet",
        code: "decision-pending",
        fix: remedy("next", { workflow: "{id}" }, "Settle every open question first"),
        rule: "TC-081",
      },
    ],
    label: "go back to where the question arose",
    rule: "TC-082",
  }),
  {
    id: "block",
    from: [...WORKING, "ASK_USER", "APPROVE_DESIGN", "REVIEW_STRATEGY"],
    to: "BLOCKED",
    by: ["agent", "engine", "person"],
    detour: true,
    why: true,
    whileHeld: true,
    whileOut: true,
    set: {
      blocker: { input: "blocker", or: "no_progress" },
      blocker_detail: { input: "reason", or: "" },
    },
    label: "stop the session with a reason",
    rule: "TC-180",
  },
  {
    id: "stop",
    from: [...WORKING, "ASK_USER", "APPROVE_DESIGN", "REVIEW_STRATEGY"],
    to: "BLOCKED",
    by: [],
    detour: true,
    rule: "TC-180",
  },
  {
    id: "unshown",
    from: [...WORKING, "ASK_USER", "APPROVE_DESIGN", "REVIEW_STRATEGY"],
    to: "BLOCKED",
    by: ["engine"],
    detour: true,
    whileHeld: true,
    whileOut: true,
    set: {
      blocker: { value: "decision_persistence_failed" },
      blocker_detail: { input: "reason", or: "" },
    },
    rule: "TC-080",
  },
  {
    id: "unblock",
    from: ["BLOCKED"],
    to: "@back",
    by: ["person"],
    why: true,
    whileHeld: true,
    set: { blocker: { value: null }, blocker_detail: { value: null } },
    label: "go on, the cause is gone",
    rule: "TC-103",
  },
  {
    id: "reopen",
    from: ["DONE"],
    to: "INTAKE",
    by: ["person"],
    why: true,
    when: [FULL],
    closes: "task",
    set: { strategy: { value: null }, correction: { value: "none" }, ...NO_REPAIR },
    label: "reopen the session",
    rule: "TC-029",
  },
  {
    id: "reopen",
    from: ["DONE"],
    to: "INTAKE_LEAN",
    by: ["person"],
    why: true,
    when: [LEAN],
    closes: "task",
    set: NO_REPAIR,
    label: "reopen the session",
    rule: "TC-029",
  },
];
