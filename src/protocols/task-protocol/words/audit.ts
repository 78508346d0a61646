import { canonicalJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Effect, Workflow } from "../../../core/state/state.ts";
import { agentChecks } from "./audit-agents.ts";
import { text, texts } from "../../../core/values/json-read.ts";
import { foreignTold } from "../world/foreign.ts";
import { commitsOf, refusedOf, trailFields } from "../world/render-audit.ts";
import { transitionId } from "../table/states.ts";
import { judge, movesOf } from "./verdict.ts";
import type { AuditInput, Verdict } from "./verdict.ts";

/**
 * The compliance report: yes or no, with evidence, for every rule that the journal can show. One no makes the
 * whole FAILED and is listed as a gap.
 */
export interface ComplianceReport {
  readonly verdict: "PASSED" | "FAILED";
  readonly verdicts: readonly Verdict[];
  readonly gaps: readonly Verdict[];
  readonly markdown: string;
  readonly json: JsonObject;
}

export function auditTask(input: AuditInput): ComplianceReport {
  const verdicts = [
    ...pathChecks(input),
    ...releaseChecks(input),
    ...agentChecks(input),
    ...traceChecks(input),
  ];
  const gaps = verdicts.filter((one) => !one.passed);
  const verdict = gaps.length === 0 ? "PASSED" : "FAILED";
  const remarks = remarksOf(input);
  return {
    verdict,
    verdicts,
    gaps,
    markdown: renderMarkdown(input.state, { verdict, verdicts, remarks }),
    json: {
      task: input.state.id,
      verdict,
      checks: verdicts.map((one) => ({ ...one })),
      gaps: gaps.map((one) => ({ ...one })),
      remarks,
      trail: trailFields(input.state, input.refused),
    },
  };
}

const OUT: readonly string[] = ["abandon", "roll-back", "leave", "undo"];

function pathChecks({ records, chainWhole }: AuditInput): readonly Verdict[] {
  const moves = movesOf(records);
  const illegal = moves
    .filter((one) => transitionId(one.from, one.to) === undefined && !OUT.includes(one.move))
    .map((one) => `record ${one.seq}: ${one.from} to ${one.to}`);
  const broken = moves.flatMap((one, index) => {
    const before = index === 0 ? "INIT" : moves[index - 1]?.to;
    return one.from === before ? [] : [`record ${one.seq}: ${one.from} after ${before ?? ""}`];
  });
  const silent = moves
    .filter((one) => /^[BS]/.test(transitionId(one.from, one.to) ?? "") && one.reason.trim() === "")
    .map((one) => `record ${one.seq}: ${one.from} to ${one.to}`);
  const times = records.flatMap((one, index) =>
    index > 0 && one.at < (records[index - 1]?.at ?? "") ? [`record ${one.seq} at ${one.at}`] : [],
  );
  const numbers = records.flatMap((one, index) =>
    one.seq === (records[0]?.seq ?? 1) + index ? [] : [`record ${one.seq}`],
  );
  const path = moves.map((one) => one.to);
  return [
    judge("1.1", illegal, path),
    judge("1.2", broken),
    judge("1.3", silent),
    judge("1.4", times),
    judge(
      "1.6",
      records.flatMap(({ seq, events }) =>
        events.some((event) => event.type === "workflow.adopted")
          ? [`record ${seq}: adopted from files; nobody vouches for what was before`]
          : [],
      ),
    ),
    judge("1.5", [...numbers, ...(chainWhole === false ? ["the journal's chain is broken"] : [])]),
  ];
}

/** A person's release must come after its question and before the move that it allows. */
function releaseChecks({ records }: AuditInput): readonly Verdict[] {
  const settled = records.flatMap(({ seq, events }) =>
    events.flatMap((event) => (event.type === "decision.settled" ? [{ ...event, seq }] : [])),
  );
  const asked = new Map(
    records.flatMap(({ events }) =>
      events.flatMap((event) =>
        event.type === "decision.asked" ? [[event.decision, event.question] as const] : [],
      ),
    ),
  );
  const lacking = (question: string, targets: readonly string[]): readonly string[] =>
    movesOf(records)
      .filter((move) => targets.includes(transitionId(move.from, move.to) ?? ""))
      .filter(
        (move) =>
          !settled.some(
            (one) =>
              asked.get(one.decision) === question &&
              one.option === "approve" &&
              one.by.startsWith("person:") &&
              one.seq < move.seq,
          ),
      )
      .map((move) => `record ${move.seq}: ${move.from} to ${move.to}`);
  const who = settled
    .filter((one) => one.option === "approve")
    .map((one) => `${asked.get(one.decision) ?? ""} by ${one.by}`);
  return [
    judge("2.1", lacking("plan", ["T5", "K1"]), who),
    judge("2.3", lacking("change", ["T9"]), who),
  ];
}

function traceChecks({ state, records }: AuditInput): readonly Verdict[] {
  const merged = state.vars["ended"] === "merged";
  const open = undoneOf(state).map((one) => `${one.kind} ${one.id} ${one.status}`);
  const builds = Object.values(state.findings).filter((one) => one.kind === "build");
  const failed = builds.filter((one) => one.value !== "passed").map((one) => `build ${one.at}`);
  const waived = state.notes
    .filter((one) => one.list === "waivers")
    .map((one) => `${one.tag}: ${one.text}`);
  const edits = records.flatMap(({ seq, events }) =>
    events.flatMap((event) =>
      event.type === "edit.refused" ? [`record ${seq}: ${event.view}`] : [],
    ),
  );
  const commits = merged && commitsOf(state).length === 0 ? ["no commit is recorded"] : [];
  return [
    judge("4.1", commits),
    judge(
      "4.2",
      failed,
      builds.map((one) => one.at),
    ),
    judge("4.3", merged ? open : []),
    judge("4.4", edits),
    judge("4.5", waived),
  ];
}

/** Effects still wanted, or failed and never done later. A conflict that was resolved is not a gap. */
function undoneOf(state: Workflow): readonly Effect[] {
  const all = Object.values(state.effects);
  const goal = ({ kind, args }: Effect): string => canonicalJson([kind, args]);
  return all.filter(
    (one, index) =>
      one.status === "wanted" ||
      (one.status === "failed" &&
        !all
          .slice(index + 1)
          .some((later) => later.status === "done" && goal(later) === goal(one))),
  );
}

/** Allowed, but of interest to an auditor: interventions by people, refusals, failures. */
function remarksOf({ state, records, refused }: AuditInput): readonly string[] {
  const { risk_override: override } = state.vars;
  const stepped = records.flatMap(({ seq, actor, events }) =>
    events.flatMap((event) => {
      if (event.type === "lease.ended" && !["released", "finished"].includes(event.why))
        return [`record ${seq}: ${actor} ended the lease of ${event.session} (${event.why})`];
      if (event.type === "effect.settled" && event.status === "failed")
        return [`record ${seq}: ${event.effect} failed (${text(event.detail["code"])})`];
      return event.type === "unit.moved" && event.unit === "." && OUT.includes(event.move)
        ? [
            `record ${seq}: ${event.move} by ${actor}${event.reason === "" ? "" : `: ${event.reason}`}`,
          ]
        : [];
    }),
  );
  const saved = Object.values(state.effects)
    .flatMap((one) => texts(one.detail["saved"]))
    .map((ref) => `saved before it was removed: ${ref}`);
  const count = refusedOf(state, refused).length;
  return [
    ...(override === null || override === undefined
      ? []
      : [`the risk was set to ${text(override)} by hand`]),
    ...foreignTold(state.vars["foreign"]).map(
      (one) => `on ${text(state.vars["main"])} meanwhile, and not made by Holdpoint: ${one}`,
    ),
    ...stepped,
    ...saved,
    ...(count === 0 ? [] : [`refused commands, all in the trail: ${count}`]),
  ];
}

interface Judged {
  readonly verdict: string;
  readonly verdicts: readonly Verdict[];
  readonly remarks: readonly string[];
}

function renderMarkdown(state: Workflow, { verdict, verdicts, remarks }: Judged): string {
  const rows = verdicts.map(
    (one) =>
      `| ${one.check} | ${one.passed ? "pass" : "**FAIL**"} | ${one.severity} | ${one.rule} | ${cell(one.says)} | ${cell(one.actual)} |`,
  );
  const gaps = verdicts.filter((one) => !one.passed);
  return [
    `# Compliance of \`${state.id}\`: ${verdict}`,
    "",
    "| check | verdict | severity | rule | requirement | actual |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    "## Gaps",
    "",
    ...(gaps.length === 0
      ? ["None."]
      : gaps.map((one) => `- ${one.check} (${one.rule}): ${cell(one.actual)}`)),
    "",
    "## Remarks",
    "",
    ...(remarks.length === 0 ? ["None."] : remarks.map((one) => `- ${cell(one)}`)),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
}
