import { variable } from "../../../../core/guards/guards.ts";
import type { Test, Work, RuledNeed } from "../../../../core/table/protocol.ts";
import {
  ACCEPTANCE,
  ARCHITECTURE,
  DESIGN,
  FINISHED,
  FULL,
  REPORT,
  SPEC,
  TASKS,
  accepts,
  approvalOnDisk,
  approved,
  blocked,
  content,
  contextGiven,
  fails,
  launched,
  planFresh,
  planRemarks,
  wrote,
} from "../rows.ts";
import { remedy } from "../../../../core/table/remedy.ts";

/** Work of those who make artifacts: what they get, and what must exist before their report counts. */

const baseline: readonly string[] = ["sessions:{id}"];

interface Maker {
  readonly role: string;
  readonly in: readonly string[];
  /** The kind of finding that a finished report leaves. */
  readonly kind: string;
  readonly made: readonly RuledNeed[];
  /** Facts that show what it has written. */
  readonly writes: readonly string[];
  readonly needs?: readonly RuledNeed[];
  readonly when?: readonly Test[];
  readonly binds?: readonly string[];
  readonly rule: string;
}

function maker({ role, kind, made, writes, needs = [], binds = [], ...rest }: Maker): Work {
  return {
    ...rest,
    role,
    unit: "root",
    needs: [...needs, contextGiven(role)],
    accepts: [...accepts, ...made.map((row) => ({ ...row, when: [FINISHED] })), wrote(writes)],
    baseline: [...baseline, ...writes],
    outcomes: {
      OK: [launched, { finding: kind, value: { value: "OK" }, binds }],
      BLOCKED: blocked,
      ...fails,
    },
  };
}

function folder(fact: string, what: string): RuledNeed {
  return {
    guard: "folder",
    args: { fact, what },
    code: "artifact-invalid",
    fix: `Write the ${what} with its sections.`,
    rule: "TC-138",
  };
}

const researched: RuledNeed = {
  guard: "finding",
  args: { kind: "research", in: ["OK"], on: "root", since: "DONE" },
  when: [variable("research", [true])],
  code: "agent-missing",
  fix: "Let the Researcher answer first.",
  rule: "TC-152",
};

const research: Work = maker({
  role: "Researcher",
  in: ["INTAKE", "DESIGN"],
  kind: "research",
  made: [folder("research:{id}", "research report")],
  writes: ["research:{id}"],
  rule: "TC-152",
});

/** A correction after "changes-requested": the same agent as before, while the gate's state is kept. */
function correction(role: string, artifact: RuledNeed, changes: readonly string[]): Work {
  return {
    role,
    unit: "root",
    in: ["APPROVE_DESIGN"],
    when: [variable("correction", ["queued", "dispatched"])],
    needs: [contextGiven(role)],
    accepts: [
      ...accepts,
      { ...artifact, when: [FINISHED] },
      {
        guard: "artifact-changed",
        args: { keys: changes },
        when: [FINISHED],
        code: "correction-empty",
        fix: "Change what the user asked to be changed.",
        rule: "TC-116",
      },
    ],
    baseline: [...baseline, ...changes],
    sent: [{ set: { correction: { value: "dispatched" } } }],
    outcomes: {
      OK: [
        launched,
        { set: { correction: { value: "completed" }, correction_note: { value: "" } } },
        { move: "corrected" },
      ],
      BLOCKED: [
        {
          set: {
            correction: { value: "completed" },
            correction_note: { claim: "summary", or: "The correction could not be made." },
          },
        },
        { move: "corrected" },
      ],
      ...fails,
    },
    rule: "TC-096",
  };
}

export const making: Readonly<Record<string, Work>> = {
  specify: maker({
    role: "SpecAgent",
    in: ["INTAKE"],
    kind: "spec",
    made: [content([SPEC, ACCEPTANCE], "TC-132")],
    writes: [`digest:${SPEC}`, `digest:${ACCEPTANCE}`],
    rule: "TC-138",
  }),
  "specify-lean": maker({
    role: "SpecAgent",
    in: ["INTAKE_LEAN"],
    kind: "spec-lean",
    made: [content([SPEC, ACCEPTANCE, TASKS], "TC-025"), planFresh, planRemarks],
    writes: [`digest:${SPEC}`, `digest:${ACCEPTANCE}`, `digest:${TASKS}`],
    rule: "TC-139",
  }),
  research: {
    ...research,
    outcomes: { ...research.outcomes, NEEDS_INFO: [{ ask: "research-info" }] },
  },
  architect: maker({
    role: "Architect",
    in: ["DESIGN"],
    kind: "architecture",
    needs: [researched],
    made: [content([ARCHITECTURE], "TC-134")],
    writes: [`digest:${ARCHITECTURE}`],
    rule: "TC-138",
  }),
  design: maker({
    role: "Designer",
    in: ["DESIGN"],
    kind: "design",
    made: [folder("designs:{id}", "design spec")],
    writes: ["designs:{id}"],
    rule: "TC-152",
  }),
  plan: maker({
    role: "Planner",
    in: ["PLAN"],
    kind: "plan",
    needs: [approved, approvalOnDisk("approve-design")],
    made: [content([TASKS], "TC-138"), planFresh, planRemarks],
    writes: [`digest:${TASKS}`],
    binds: DESIGN,
    rule: "TC-138",
  }),
  "correct-spec": correction("SpecAgent", content([SPEC, ACCEPTANCE], "TC-132"), [
    `digest:${SPEC}`,
    `digest:${ACCEPTANCE}`,
  ]),
  "correct-architecture": correction("Architect", content([ARCHITECTURE], "TC-134"), [
    `digest:${ARCHITECTURE}`,
  ]),
  "correct-design": correction("Designer", folder("designs:{id}", "design spec"), ["designs:{id}"]),
  document: {
    ...maker({
      role: "Docs",
      in: ["RELEASE"],
      kind: "docs",
      when: [FULL],
      needs: [onceApproved()],
      made: [content([REPORT], "TC-178")],
      writes: [`digest:${REPORT}`],
      rule: "TC-150",
    }),
  },
};

/** At the release, Docs may adapt the spec to what was built, so it is enough that there was an approval. */
export function onceApproved(): RuledNeed {
  return {
    guard: "approved-once",
    when: [FULL],
    code: "design-not-approved",
    fix: remedy("answer", { workflow: "{id}" }, "Let a person approve the design"),
    rule: "TC-042",
    ask: "design-changed",
  };
}
