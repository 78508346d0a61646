import { is, variable } from "../../../../core/guards/guards.ts";
import type { Consequence, Work, RuledNeed, ValueRef } from "../../../../core/table/protocol.ts";
import { onceApproved } from "./make.ts";
import {
  CHANGES,
  FINISHED,
  FULL,
  accepts,
  approvalOnDisk,
  blocked,
  busy,
  contextGiven,
  fails,
  launched,
  small,
  stillApproved,
  strategyKnown,
} from "../rows.ts";
import { remedy } from "../../../../core/table/remedy.ts";

/** Work of those who build, check and repair. Verdicts are bound to what was looked at. */

/** What went wrong, for whoever repairs it and for a person who may be asked. */
const failure: Readonly<Record<string, ValueRef>> = {
  failure: { claim: "summary", or: "" },
  feedback: { claim: "feedback", or: [] },
};

const baseline: readonly string[] = ["sessions:{id}"];
const builds: readonly RuledNeed[] = [...accepts, busy];
const designStands: readonly RuledNeed[] = [stillApproved, approvalOnDisk()];

const code: Work = {
  role: "Coder",
  unit: "task",
  in: ["not-started", "in-progress"],
  rootIn: ["IMPLEMENT_LOOP"],
  needs: [
    ...designStands,
    {
      guard: "ready",
      code: "dependency-open",
      fix: "Tasks are done in the order of their dependencies.",
      rule: "TC-129",
    },
    {
      guard: "batch",
      code: "batch-open",
      fix: "Check the task that is implemented before the next one begins.",
      rule: "TC-145",
    },
    contextGiven("Coder"),
  ],
  accepts: builds,
  baseline,
  sent: [{ move: "take-up", on: "unit" }],
  outcomes: {
    OK: [launched, { move: "implement", on: "unit" }],
    BLOCKED: blocked,
    TOO_COMPLEX: [{ move: "too-complex" }],
    ...fails,
  },
  rule: "TC-123",
};

interface Checker {
  readonly role: string;
  readonly kind: string;
  readonly loop: string;
}

function verdict(kind: string, value: string): Consequence {
  return { finding: kind, value: { value }, binds: [CHANGES] };
}

/** A check of one task, of the whole session (`root`), or of changes made after that (`late`). */
type Checked = "task" | "root" | "late";

function checker({ role, kind, loop }: Checker, unit: Checked): Work {
  const late = unit === "late";
  const repair: readonly Consequence[] = [
    verdict(kind, "BLOCKED"),
    {
      set: {
        task: { claim: "task" },
        repair: { value: late ? "FIX_BUILD" : loop },
        ...failure,
      },
    },
  ];
  const turn: RuledNeed = {
    guard: late ? "late-turn" : "turn",
    args: { kind },
    code: "not-its-turn",
    fix: remedy("next", { workflow: "{id}" }, "Run the check that is missing"),
    rule: unit === "task" ? "TC-145" : "TC-146",
  };
  return {
    role,
    unit: unit === "task" ? unit : "root",
    in: late ? BEHIND : unit === "root" ? ["IMPLEMENT_LOOP"] : ["implemented"],
    ...(late ? {} : { rootIn: ["IMPLEMENT_LOOP"] }),
    ...(unit === "root" ? { when: [FULL] } : {}),
    needs: [
      ...(late ? [onceApproved()] : designStands),
      strategyKnown,
      turn,
      ...(kind === "review" ? [small] : []),
      contextGiven(role),
    ],
    accepts,
    baseline,
    outcomes: {
      // The next steps concern the task that was looked at last.
      OK: [launched, verdict(kind, "OK"), { set: { task: { claim: "task" } } }],
      BLOCKED: [launched, ...repair],
      ...fails,
    },
    judges: unit === "task" ? "unit" : "workflow",
    rule: "TC-153",
  };
}

/** States after the loop, in which the code may still change. */
const BEHIND: readonly string[] = ["INTEGRATE", "RELEASE"];

const REVIEW: Checker = { role: "Reviewer", kind: "review", loop: "FIX_REVIEW" };
const TEST: Checker = { role: "QA", kind: "qa", loop: "FIX_TESTS" };
const SECURITY: Checker = { role: "Security", kind: "security", loop: "FIX_SECURITY" };

const named: Consequence = { set: { task: { claim: "task" }, ...failure } };

function reviewer(unit: Checked): Work {
  const spec = checker(REVIEW, unit);
  const notes: readonly Consequence[] = [
    launched,
    verdict("review", "NOTES"),
    named,
    { ask: "review-notes" },
  ];
  return { ...spec, outcomes: { ...spec.outcomes, OK_WITH_NOTES: notes } };
}

function security(unit: Checked): Work {
  const spec = checker(SECURITY, unit);
  const decide: readonly Consequence[] = [
    launched,
    verdict("security", "NEEDS_DECISION"),
    named,
    { ask: "security-finding", each: "questions" },
  ];
  return { ...spec, outcomes: { ...spec.outcomes, NEEDS_DECISION: decide } };
}

/** A repair of one task, or of the session if the whole of it was blocked. */
function fix(role: string, loop: string, unit: "task" | "root"): Work {
  const task = unit === "task";
  return {
    role,
    unit,
    in: task ? ["implemented", "in-progress"] : [loop],
    rootIn: [loop],
    when: task ? [is("{unit}", ["{task}"])] : [variable("task", ["meta"])],
    needs: [...designStands, contextGiven(role)],
    accepts: builds,
    baseline,
    ...(task ? { sent: [{ move: "take-up", on: "unit" } as const] } : {}),
    outcomes: {
      OK: [
        launched,
        { set: { tried: { claim: "summary", or: "" } } },
        ...(task ? [{ move: "implement", on: "unit" } as const] : []),
        { move: "fixed" },
      ],
      BLOCKED: blocked,
      ...fails,
    },
    rule: "TC-153",
  };
}

const RED: readonly Consequence[] = [
  launched,
  { finding: "integrate", value: { value: "BLOCKED" } },
  {
    set: {
      task: { value: "meta" },
      repair: { value: "FIX_BUILD" },
      ...failure,
    },
  },
];

function rebuild(role: string): Work {
  return {
    role,
    unit: "root",
    in: ["FIX_BUILD"],
    ...(role === "Integrator" ? { when: [FULL] } : {}),
    needs: [onceApproved(), contextGiven(role)],
    accepts: builds,
    baseline,
    outcomes: {
      OK: [launched, { set: { tried: { claim: "summary", or: "" } } }, { move: "rebuilt" }],
      BLOCKED: blocked,
      ...fails,
    },
    rule: "TC-153",
  };
}

const productCode: RuledNeed = {
  guard: "product-code",
  code: "product-code-changed",
  fix: "",
  rule: "TC-170",
  soft: true,
  when: [FINISHED],
};

function integrator(
  state: "INTEGRATE" | "RELEASE",
  kind: string,
  first: readonly RuledNeed[],
): Work {
  return {
    role: "Integrator",
    unit: "root",
    in: [state],
    when: [FULL],
    needs: [...first, contextGiven("Integrator")],
    accepts: [...accepts, productCode],
    baseline,
    outcomes: {
      OK: [launched, { finding: kind, value: { value: "OK" } }],
      BLOCKED: RED,
      ...fails,
    },
    rule: "TC-170",
  };
}

const documented: RuledNeed = {
  guard: "finding",
  args: { kind: "docs", in: ["OK"], on: "root", since: "INTEGRATE" },
  code: "agent-missing",
  fix: "Docs goes first.",
  rule: "TC-150",
};

export const building: Readonly<Record<string, Work>> = {
  code,
  review: reviewer("task"),
  test: checker(TEST, "task"),
  secure: security("task"),
  "review-all": reviewer("root"),
  "test-all": checker(TEST, "root"),
  "secure-all": security("root"),
  "fix-review": fix("Coder", "FIX_REVIEW", "task"),
  "fix-review-all": fix("Coder", "FIX_REVIEW", "root"),
  "fix-tests": fix("Coder", "FIX_TESTS", "task"),
  "fix-tests-all": fix("Coder", "FIX_TESTS", "root"),
  "fix-tests-qa": { ...fix("QA", "FIX_TESTS", "task"), sent: [], outcomes: qaFix("task") },
  "fix-tests-qa-all": fix("QA", "FIX_TESTS", "root"),
  "fix-security": fix("Coder", "FIX_SECURITY", "task"),
  "fix-security-all": fix("Coder", "FIX_SECURITY", "root"),
  "fix-build": rebuild("Integrator"),
  "fix-build-coder": rebuild("Coder"),
  integrate: integrator("INTEGRATE", "integrate", designStands),
  release: integrator("RELEASE", "release", [onceApproved(), documented]),
  "review-late": reviewer("late"),
  "test-late": checker(TEST, "late"),
  "secure-late": security("late"),
};

/** QA fixes tests without taking the task over from the Coder. */
function qaFix(unit: "task"): Work["outcomes"] {
  return {
    ...fix("QA", "FIX_TESTS", unit).outcomes,
    OK: fix("QA", "FIX_TESTS", "root").outcomes["OK"] ?? [],
  };
}
