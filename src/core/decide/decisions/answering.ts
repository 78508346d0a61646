import type { Command } from "../../state/commands.ts";
import { failParked, parkedDispatch, repeatLast, runConsequences } from "../consequence.ts";
import { refuseInvalid, takeAnswer } from "./decision.ts";
import { emit, fill } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { rootOf } from "../../state/evolve.ts";
import { member, showJson } from "../../values/json.ts";
import { endLease } from "../lease.ts";
import { sizeOf, spend } from "../move.ts";
import type { Option } from "../../table/protocol.ts";
import { takeReport } from "../work/report.ts";
import type { Decision } from "../../state/state.ts";
import { who } from "../who.ts";

/** Takes a person's answer and carries out what the chosen option says. */
export function answer(draft: Draft, command: Extract<Command, { type: "decision.answer" }>): void {
  const { decision, text, reason = "", nonce } = command;
  // Templates in an option's consequences may refer to what the question was about.
  draft.about = member(draft.state.decisions, decision)?.about ?? {};
  draft.input = { ...draft.about, reason, text };
  const answered = takeAnswer(draft, { decision, nonce, text, reason });
  if (answered.kind === "kept") return;
  if (answered.kind === "invalid") {
    const { question, decision: asked } = answered;
    const { within } = question;
    if (within === undefined) return refuseInvalid(draft, asked, question.rule);
    const unit = member(draft.state.units, asked.unit) ?? rootOf(draft.state);
    const { budget, times } = within;
    if (spend(draft, unit, { budget, times, else: asked.question }) === "spent") {
      const left =
        sizeOf(draft, times) - (member(draft.state.spent, fill(draft, unit, budget)) ?? 0);
      return remarkInvalid(draft, question.rule, left);
    }
    draft.asks = null;
    emit(draft, {
      type: "decision.settled",
      decision: asked.id,
      status: "cancelled",
      option: "",
      text: "no valid answer",
      by: who(draft),
    });
    return runConsequences(draft, within.else, asked.unit);
  }
  runConsequences(draft, answered.option.does, answered.decision.unit);
  reportAgain(draft, answered.option, answered.decision);
}

/** The question stays open, and whoever gave the invalid answer is told so. */
function remarkInvalid(draft: Draft, rule: string, left: number): void {
  const said = JSON.stringify(showJson(draft.input["text"] ?? "").slice(0, 80));
  const message = `${said} is none of the answers; the question is asked again, ${left} more ${left === 1 ? "time" : "times"} at most`;
  draft.notes.push({ code: "not-an-option", message, rule });
}

/** What the answer does with the report that waited for it. */
function reportAgain(draft: Draft, { report }: Option, decision: Decision): void {
  const { about, question, unit } = decision;
  // The work ends before it is sent out again, even if its report was the one waiting for this answer.
  if (report === "returned" || report === "repeated")
    failParked(draft, unit, showJson(about["code"] ?? question));
  if (report === "repeated") repeatLast(draft);
  // With a lease for each dispatch, an answer that sends nothing out must not leave a lease behind.
  endLease(draft, "released");
  if (report !== "taken" || draft.refusals.length > 0) return;
  draft.resubmits = parkedDispatch(draft, unit);
  const parked = member(draft.state.dispatches, draft.resubmits ?? "");
  const claim = parked?.claim;
  if (parked === undefined || claim === null || claim === undefined) return;
  const outcome = showJson(claim["outcome"]);
  takeReport(draft, parked.id, { ...claim, agent: parked.role, outcome });
}
