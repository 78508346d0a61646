import type { JsonObject } from "../../../core/values/json.ts";
import type { Answered } from "../../../operations/answers.ts";
import type { Listed } from "../../../operations/list.ts";
import { flag } from "../../../operations/operation.ts";
import type { Answer } from "../../../operations/operation.ts";
import { status } from "../../../operations/status.ts";
import type { OpenDispatch, StatusAnswer, StatusInput } from "../../../operations/status.ts";
import { usage } from "../../../operations/answers.ts";
import { ageOf } from "../age.ts";
import { adviceLines, closingLines, questionLines, said, withShown } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, Verb } from "../verb.ts";
import { listText, warningLines } from "./list.ts";
import { watch } from "./watch.ts";

export const statusVerb: Verb<StatusInput, Answered<StatusAnswer | Listed>> = {
  operation: status,
  args: ["workflow"],
  options: { watch: flag("follow it as it moves, until Ctrl-C; with --json one object a line") },
  prepare: async (call, typed) =>
    call.flags["watch"] === true ? await follow(call, typed) : typed,
  text: (answer) => {
    if ("workflows" in answer) return listText(answer);
    // Whoever followed it has seen everything.
    return "details" in answer ? statusText(answer) : "";
  },
};

async function follow(call: Call, { workflow }: JsonObject): Promise<Answer> {
  return typeof workflow === "string"
    ? await watch(call, workflow)
    : usage("--watch needs a name.", "Say which workflow.");
}

function statusText(answer: StatusAnswer): string {
  const { bold, dim, warn } = style();
  const { workflow, state, details, lease, pending, drift } = answer;
  const now = new Date().toISOString();
  const text = [
    `${bold(workflow)}  ${answer.headline}  ${dim(state)}`,
    ...closingLines(answer.closing),
    dim(`${answer.title}, record ${answer.seq}, ${ageOf(answer.updatedAt, now)}`),
    ...Object.entries(details).map(
      ([name, value]) =>
        `  ${name.padEnd(14)} ${safe(value).replaceAll("\n", `\n${" ".repeat(17)}`)}`,
    ),
    ...answer.dispatches.map((one) => dispatchLine(one, workflow, now)),
    ...(lease === null ? [] : [`  lease: ${safe(lease.session)} since ${lease.takenAt}`]),
    ...pending.map((one) => warn(`! ${safe(one.message)}: ${safe(said(one.fix))}`)),
    ...warningLines([...(answer.unchecked ?? []), ...(answer.warnings ?? [])]),
    ...drift.map((one) => warn(`! ${safe(one)}`)),
    ...(drift.length === 0 ? [] : [dim(`  holdpoint reconcile ${workflow}`)]),
    ...questionLines(answer),
  ].join("\n");
  return [withShown(answer.shown, text), ...adviceLines(answer.advice)].join("\n");
}

function dispatchLine(one: OpenDispatch, workflow: string, now: string): string {
  const what = one.status === "parked" ? "report kept" : "at work";
  const unit = one.unit === "." ? workflow : one.unit;
  return `  ${what}: ${one.role} on ${unit} (${one.id}, ${ageOf(one.sentAt, now)})`;
}
