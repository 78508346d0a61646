import { variable } from "../../../../core/guards/guards.ts";
import type { RuledNeed, Move } from "../../../../core/table/protocol.ts";
import { end, pair } from "./end.ts";
import {
  ACCEPTANCE,
  ARCHITECTURE,
  FULL,
  SPEC,
  STATUS,
  TASKS,
  approved,
  content,
  planFresh,
  vouched,
} from "../rows.ts";

/** The main line, full and lean: from the request to DONE. */

const sown: Pick<Move, "sows" | "set"> = {
  sows: { kind: "task", fact: "tasks:{id}" },
  set: {
    criteria: { fact: `digest:${ACCEPTANCE}` },
    plan_summary: { fact: "plan:{id}", at: "summary" },
    recommended: { fact: "plan:{id}", at: "recommended" },
  },
};

const needed = (flag: string, kind: string, agent: string): RuledNeed => ({
  guard: "finding",
  any: [
    vouched(kind, agent, "TC-152"),
    {
      guard: "finding",
      args: { kind: `waiver:${agent}`, in: ["waived"], on: "root" },
      code: "",
      fix: "",
      rule: "TC-152",
    },
  ],
  when: [variable(flag, [true])],
  code: "agent-missing",
  fix: `Hand it to ${agent}, or let a person waive it with a reason.`,
  rule: "TC-152",
});

const intake: readonly Move[] = [
  ...pair({
    id: "to-design",
    from: ["INTAKE"],
    to: "DESIGN",
    needs: [vouched("spec", "SpecAgent", "TC-138"), content([SPEC, ACCEPTANCE, STATUS], "TC-138")],
    label: "go on to the design",
    rule: "TC-138",
  }),
  ...pair({
    id: "begin",
    from: ["INTAKE_LEAN"],
    to: "IMPLEMENT_LOOP",
    needs: [
      vouched("spec-lean", "SpecAgent", "TC-050"),
      content([SPEC, ACCEPTANCE, TASKS, STATUS], "TC-025"),
      planFresh,
    ],
    ...sown,
    label: "begin the one task",
    rule: "TC-139",
  }),
  {
    id: "begin-alone",
    from: ["INTAKE_LEAN"],
    to: "IMPLEMENT_LOOP",
    by: ["engine", "role:Orchestrator"],
    why: true,
    needs: [content([SPEC, ACCEPTANCE, TASKS, STATUS], "TC-173"), planFresh],
    ...sown,
    label: "begin without SpecAgent, which is not available",
    rule: "TC-173",
  },
];

const design: readonly Move[] = [
  ...pair({
    id: "to-approval",
    from: ["DESIGN"],
    to: "APPROVE_DESIGN",
    needs: [
      vouched("architecture", "Architect", "TC-138"),
      content([SPEC, ACCEPTANCE, ARCHITECTURE], "TC-134"),
      needed("research", "research", "Researcher"),
      needed("ui", "design", "Designer"),
    ],
    set: { design_summary: { fact: "design:{id}", at: "summary" }, correction: { value: "none" } },
    label: "ask for approval of the design",
    rule: "TC-087",
  }),
  { id: "approve", from: ["APPROVE_DESIGN"], to: "PLAN", by: [], rule: "TC-089" },
  {
    id: "reapprove",
    from: ["PLAN"],
    to: "APPROVE_DESIGN",
    by: ["person", "engine"],
    set: { design_summary: { fact: "design:{id}", at: "summary" } },
    label: "ask for approval again",
    rule: "TC-042",
  },
  {
    id: "corrected",
    from: ["APPROVE_DESIGN"],
    to: "APPROVE_DESIGN",
    by: [],
    set: { design_summary: { fact: "design:{id}", at: "summary" } },
    rule: "TC-095",
  },
];

const plan: readonly Move[] = [
  ...pair({
    id: "to-strategy",
    from: ["PLAN"],
    to: "REVIEW_STRATEGY",
    needs: [vouched("plan", "Planner", "TC-138"), approved, content([TASKS], "TC-138"), planFresh],
    ...sown,
    label: "ask how the work shall be checked",
    rule: "TC-104",
  }),
  { id: "choose", from: ["REVIEW_STRATEGY"], to: "IMPLEMENT_LOOP", by: [], rule: "TC-109" },
  {
    id: "rechoose",
    from: ["IMPLEMENT_LOOP"],
    to: "REVIEW_STRATEGY",
    by: ["person"],
    when: [FULL],
    needs: [
      {
        guard: "units",
        args: { kind: "task", in: ["not-started", "completed", "implemented", "blocked"] },
        code: "task-underway",
        fix: "Change the strategy between two tasks.",
        rule: "TC-109",
      },
    ],
    label: "choose the review strategy again",
    rule: "TC-043",
  },
];

export const line: readonly Move[] = [...intake, ...design, ...plan, ...end];
