import type { Lease } from "../../../core/state/state.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Answered } from "../../../operations/parts/answers.ts";
import type { Listed } from "../../../operations/list.ts";
import { flag } from "../../../operations/operation.ts";
import type { Answer } from "../../../operations/operation.ts";
import { status } from "../../../operations/status.ts";
import type { StatusAnswer, StatusInput } from "../../../operations/status.ts";
import { lastsFor } from "../text/age.ts";
import { adviceLines, closingLines, questionLines, withShown } from "../text/reply.ts";
import { said } from "../text/said.ts";
import { blankBefore, overviewLines } from "../text/overview.ts";
import { stepLines, waysOn } from "../text/steps.ts";
import { safe, style } from "../terminal/style.ts";
import { whereLine } from "../text/where.ts";
import type { Call, More, Verb } from "../verb.ts";
import { listText, waitingFirst, warningLines } from "./list.ts";
import { watchAll } from "./watch-all.ts";
import { watch } from "./watch.ts";
import { watchScreen } from "./watch-screen.ts";

export const statusVerb: Verb<StatusInput, Answered<StatusAnswer | Listed>> = {
  operation: status,
  args: ["workflow"],
  options: { watch: flag("follow it as it moves, until Ctrl-C; with --json one object a line") },
  prepare: async (call, typed) =>
    call.flags["watch"] === true ? await follow(call, typed) : typed,
  text: (answer, more) => {
    if ("workflows" in answer) return listText(waitingFirst(answer));
    // With --watch, everything has already been shown.
    return "details" in answer ? statusText(answer, more) : "";
  },
};

async function follow(call: Call, { workflow }: JsonObject): Promise<Answer> {
  if (typeof workflow !== "string") return await watchAll(call);
  if (!call.terminal.interactive) return await watch(call, workflow);
  return await watchScreen(call, workflow, (answer) =>
    statusText(call.phrase(answer), { flags: {} }),
  );
}

function statusText(answer: StatusAnswer, { ahead, card }: More): string {
  const { dim, warn } = style();
  const { workflow, lease, pending, drift } = answer;
  const now = new Date().toISOString();
  const text = [
    whereLine(answer),
    dim(`${answer.title}, ${lastsFor(answer.since, now)}, record ${answer.seq}`),
    ...closingLines(answer.closing),
    ...detailLines(answer),
    ...(lease === null
      ? []
      : [row("held by", `${holderOf(lease)}, ${lastsFor(lease.takenAt, now)}`)]),
    ...overviewLines(answer, now),
    ...blankBefore([
      ...pending.map((one) => warn(`! ${safe(one.message)}: ${safe(said(one.fix))}`)),
      ...warningLines([...(answer.unchecked ?? []), ...(answer.warnings ?? [])]),
      ...drift.map((one) => warn(`! ${safe(one)}`)),
      ...(drift.length === 0 ? [] : [`    holdpoint reconcile ${workflow}`]),
    ]),
    ...(ahead === undefined ? [] : stepLines(waysOn(ahead))),
    ...questionLines(answer, card),
  ].join("\n");
  return [withShown(answer.shown, text, answer.workflow), ...adviceLines(answer.advice)].join("\n");
}

/** A person's session is named after them, so it is not repeated. */
function holderOf({ session, holder }: Lease): string {
  return session.replace(/^human:/, "person:") === holder ? holder : `${holder} (${session})`;
}

/** Leaves out a line that lists the units, because there is a table of them. */
function detailLines({ details, units }: StatusAnswer): readonly string[] {
  const isList = (value: string): boolean =>
    units.length > 0 && units.every(({ unit }) => value.includes(unit));
  return Object.entries(details)
    .filter(([, value]) => value !== "-" && !isList(value))
    .map(([name, value]) => row(name, value));
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(14)} ${safe(value).replaceAll("\n", `\n${" ".repeat(17)}`)}`;
}
