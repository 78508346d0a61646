import { variable } from "../../../../core/guards/guards.ts";
import type { Move } from "../../../../core/table/protocol.ts";
import {
  AGENTS_READY,
  ENTRY_GUARDS,
  EXIT_CHECKS,
  HEARD,
  IN_WORKTREE,
  PLAN_RELEASED,
  PLAN_ROWS,
  SECTIONS,
} from "../gates.ts";
import { finish, work } from "./work.ts";
import {
  LEASED,
  MAKE_AGENTS,
  IN_PLACE,
  PRESENTABLE,
  SHOWS_CHANGE,
  ROUND,
  none,
  riskKept,
  row,
} from "../rows.ts";
import { remedy, step } from "../../../../core/table/remedy.ts";

/** The way from INIT to the released plan: T2 to T5, the short way K1, and the steps inside a state. */

const start: readonly Move[] = [
  {
    // T2
    id: "begin",
    from: ["INIT"],
    to: "CLASSIFIED",
    needs: [
      LEASED,
      row("todo-entry", {
        code: "todo-entry",
        fix: "The entry of {id} must stay in {todo} while the task runs.",
        rule: "TP-001",
      }),
      ...IN_PLACE,
      IN_WORKTREE,
    ],
    label: "leave INIT: everything is in place",
    rule: "TP-052",
  },
  {
    id: "select",
    from: ["CLASSIFIED"],
    to: "CLASSIFIED",
    needs: [
      row("classified", {
        code: "risk-unknown",
        fix: "List the files in scope in task.md, or give a level: --risk-level HIGH.",
        rule: "TP-072",
      }),
    ],
    sows: { kind: "agent", fact: "agents:{id}" },
    set: {
      risk: { fact: "classification:{id}" },
      risk_level: { fact: "classification:{id}", at: "level" },
      risk_reason: { fact: "classification:{id}", at: "reason" },
      change_type: { fact: "classification:{id}", at: "change_type" },
    },
    within: { ...ROUND, budget: "selections", called: "selections of agents" },
    effects: [MAKE_AGENTS],
    label: "classify the risk, select agents and make their places",
    rule: "TP-073",
  },
  {
    // T3
    id: "gather",
    from: ["CLASSIFIED"],
    to: "REQUIREMENTS",
    needs: [
      row("risk-recorded", {
        code: "risk-missing",
        fix: step("select", "Classify it first"),
        rule: "TP-072",
      }),
      row("agents-chosen", {
        code: "agents-missing",
        fix: step("select", "Select agents first"),
        rule: "TP-073",
      }),
      { ...IN_WORKTREE, rule: "TP-088" },
      { ...AGENTS_READY, rule: "TP-088" },
      SECTIONS,
      riskKept(step("select", "Classify it again")),
    ],
    label: "start gathering requirements",
    rule: "TP-083",
  },
];

const RISK_KEPT = riskKept(
  step(
    "clarify",
    "Take out what makes it so, or classify it again, by the steps clarify, reclassify and select",
    "riskier than classified",
  ),
);

const plan: readonly Move[] = [
  {
    // T4
    id: "synthesize",
    from: ["REQUIREMENTS"],
    to: "SYNTHESIS",
    needs: EXIT_CHECKS,
    label: "leave REQUIREMENTS: the nine checks",
    rule: "TP-114",
  },
  {
    id: "present-plan",
    from: ["SYNTHESIS"],
    to: "SYNTHESIS",
    needs: [HEARD, ...PLAN_ROWS, RISK_KEPT],
    ask: "plan",
    label: "show the plan to a person",
    rule: "TP-132",
  },
  {
    // T5
    id: "implement",
    from: ["SYNTHESIS"],
    to: "IMPLEMENTATION",
    needs: [
      ...ENTRY_GUARDS,
      RISK_KEPT,
      row("agents-some", {
        code: "agents-missing",
        fix: step("skip", "A task without agents takes the short way"),
        rule: "TP-081",
      }),
    ],
    label: "start implementing: the seven guards",
    rule: "TP-152",
  },
  ...short({ risk_level: ["LOW"] }),
  ...short({ risk_level: ["MEDIUM"], change_type: ["documentation_only", "config_only"] }),
];

/** K1: small changes skip agents and rounds, but never a person's two releases. */
function short(when: Readonly<Record<string, readonly string[]>>): readonly Move[] {
  return [
    {
      id: "skip",
      from: ["SYNTHESIS"],
      to: "AWAITING_USER_APPROVAL",
      when: Object.entries(when).map(([name, values]) => variable(name, values)),
      needs: [
        HEARD,
        ...PLAN_ROWS,
        PLAN_RELEASED,
        RISK_KEPT,
        row("short-way", {
          code: "short-way-closed",
          fix: remedy(
            "advance",
            { workflow: "{id}", step: "implement", input: { acknowledged: true } },
            "Go the whole way, with the agents that were selected",
          ),
          rule: "TP-081",
        }),
        none("safety:{id}", "the short way is not safe here", {
          code: "safety-gate",
          fix: step(
            "clarify",
            "Classified again it goes up, by the steps clarify, reclassify and select",
            "unsafe",
          ),
          rule: "TP-082",
        }),
        ...PRESENTABLE,
      ],
      ...SHOWS_CHANGE,
      label: "take the short way to the last answer",
      rule: "TP-081",
    },
  ];
}

export const forward: readonly Move[] = [...start, ...plan, ...work, ...finish];
