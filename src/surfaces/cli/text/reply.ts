/** What the answers of all verbs share: questions, refusals, failures, and the result of a command. */
import type { Refusal } from "../../../core/decide/answer.ts";
import type {
  Closing,
  FailedAnswer,
  Held,
  RefusedAnswer,
  Standing,
  Taken,
} from "../../../operations/parts/answers.ts";
import type { Answer } from "../../../operations/operation.ts";
import type { Advice } from "../../../ports/family.ts";
import type { Brief } from "../../../operations/parts/brief.ts";
import { againLines } from "./again.ts";
import { folded } from "../terminal/fold.ts";
import { formatMenu } from "./menu.ts";
import { stepLines, waysOn } from "./steps.ts";
import { refusalText, said } from "./said.ts";
import { safe, style } from "../terminal/style.ts";
import { whereLine } from "./where.ts";
import type { ExitCode, More } from "../verb.ts";

export function isFailed(answer: Answer): answer is FailedAnswer {
  return "error" in answer;
}

/** True if nothing was done. An accepted command, or a report on many workflows, may contain refusals too. */
export function isRefused(answer: Answer): answer is RefusedAnswer {
  const told = ["events", "workflows", "chain"].some((name) => name in answer);
  return "refusals" in answer && !told && !isFailed(answer);
}

/** The exit code for an answer, the same for every verb. */
export function exitOf(answer: Answer): ExitCode {
  if (isFailed(answer)) return FAILED_EXITS[answer.error.code] ?? 1;
  if (isRefused(answer)) return refusedExit(answer.refusals);
  if (isTaken(answer)) return takenExit(answer);
  return answer.ok ? 0 : 1;
}

/** A command left in the inbox is neither done nor refused. */
const FAILED_EXITS: Readonly<Record<string, ExitCode>> = { usage: 2, "left-in-inbox": 13 };

export function isTaken(answer: Answer): answer is Taken {
  return "events" in answer;
}

function refusedExit(refusals: readonly Refusal[]): ExitCode {
  const codes = refusals.map((one) => one.code);
  if (codes.some((code) => code.startsWith("journal-"))) return 1;
  if (codes.some((code) => ANOTHERS.includes(code))) return 12;
  return codes.length > 0 && codes.every((code) => code === "held") ? 11 : 10;
}

/** Another session has the workflow, or must carry out something first. */
const ANOTHERS: readonly string[] = ["lease-held", "fence-stale", "effect-held"];

/** An unwritable state file is a failure of the machine, even if a question is open as well. */
function takenExit({ pending, refusals = [], held }: Taken): ExitCode {
  if (pending.some((one) => one.effect === "show")) return 1;
  if (held.length > 0) return 11;
  // The step is recorded, but its effect cannot be done. Scripts that check the exit code must not continue.
  if (refusals.length > 0) return 10;
  return pending.length > 0 ? 1 : 0;
}

export function failedText({ error, choices = [], shown }: FailedAnswer): string {
  const lines = choices.map((one) => `  ${safe(said(one))}`);
  const body = [safe(error.message), safe(said(error.fix)), ...lines];
  if (error.code !== "usage") body[0] = `${style().bad("✗")} ${body[0] ?? ""}`;
  if (error.code !== "usage") body[1] = `  ${body[1] ?? ""}`;
  return withShown(shown, body.join("\n"));
}

export function refusedText({
  refusals,
  gate = [],
  closing,
  warnings = [],
}: RefusedAnswer): string {
  const rest = closing === undefined ? [] : [closing.message, said(closing.fix)];
  return [
    ...gate.map(safe),
    ...warnings.map((warning) => style().warn(`! ${safe(warning)}`)),
    ...refusals.map(refusalText),
    ...rest.map((line) => `  ${safe(line)}`),
  ].join("\n");
}

/** The result of a command. */
export function takenText(answer: Taken, { ahead, card }: Pick<More, "ahead" | "card">): string {
  const { good, warn, bold, dim } = style();
  const { state, settled = [], vouched = [], gate = [], order } = answer;
  const orders = answer.orders ?? (order === undefined ? [] : [order]);
  const text = [
    ...settled.map(({ decision, status, said: words, by }) => {
      const line = `${decision} ${status}: ${safe(words)}`;
      return status === "answered" ? `${good("✓")} ${line} ${dim(`(${by})`)}` : warn(`! ${line}`);
    }),
    ...vouched.map((line) => `${good("✓")} ${safe(line)}`),
    ...remarkLines(answer),
    ...answer.warnings.map((warning) => warn(`! ${safe(warning)}`)),
    ...answer.pending.map((one) => warn(`! ${safe(one.message)}\n  ${safe(said(one.fix))}`)),
    ...answer.commits.map((commit) => good(`✓ Committed: ${commit.short} - ${state} (atomic)`)),
    ...deedLines(answer),
    whereLine(answer),
    ...closingLines(answer.closing),
    ...orders.flatMap(({ role, dispatch, prompt }) => [
      "",
      bold(`Order for ${role} (${dispatch})`),
      safe(prompt.trimEnd()),
    ]),
    ...(ahead === undefined ? [] : stepLines(waysOn(ahead), { told: orders.length > 0 })),
    ...questionLines(answer, card),
  ].join("\n");
  return withShown(answer.shown, [...gate.map(safe), text].join("\n"), answer.workflow);
}

/** What was done, if the rest of the answer does not say so. */
function deedLines({ events, workflow, lease }: Taken): readonly string[] {
  const tick = style().good("✓");
  if (events.includes("workflow.started")) return [`${tick} Started ${workflow}`];
  if (events.includes("lease.ended") && lease === null)
    return [`${tick} ${workflow} is given back`];
  if (lease === undefined) return [];
  if (lease !== null && events.includes("lease.taken"))
    return [`${tick} ${workflow} is yours (${safe(lease.session)})`];
  if (events.length > 0) return [];
  return [
    lease === null
      ? `Nobody has ${workflow}: there is nothing to give back`
      : `${workflow} is yours already (${safe(lease.session)})`,
  ];
}

function remarkLines({ remarks = [] }: Taken): readonly string[] {
  const tones = { ...style(), plain: (text: string): string => text };
  return remarks.map(({ tone, text }) => tones[tone](safe(text)));
}

export function closingLines(closing: Closing | undefined): readonly string[] {
  if (closing === undefined) return [];
  return [`  ${safe(closing.message)}`, style().dim(`  ${safe(said(closing.fix))}`)];
}

/** The oldest question in full, the others by name so that they are not overlooked. */
export function questionLines(
  { workflow, held, again = [] }: Pick<Standing, "workflow" | "held"> & Pick<Brief, "again">,
  card?: string,
): readonly string[] {
  const { dim, warn } = style();
  const [decision, ...others] = held;
  if (decision === undefined) return [];
  const recommended = decision.options.findIndex((one) => one.recommended === true);
  return [
    "",
    ...againOf(decision, again, workflow),
    formatMenu(decision, workflow),
    ...(card === undefined ? [] : [safe(card), dim(`(holdpoint hold ${workflow} shows it all)`)]),
    dim(`(holdpoint answer ${workflow} ${recommended < 0 ? "<choice>" : recommended + 1})`),
    ...others.map((one: Held) => warn(`! ${one.id} waits too: ${safe(one.prompt)}`)),
    ...(others.length === 0
      ? []
      : [dim(`(holdpoint answer ${workflow} <choice> --decision <id>)`)]),
  ];
}

/** If a question was asked before, what has changed since comes first. */
export function againOf(
  { id }: Pick<Held, "id">,
  again: Brief["again"],
  workflow: string,
): readonly string[] {
  const known = again?.find((one) => one.decision === id);
  return known === undefined ? [] : [...againLines(known, `holdpoint next ${workflow} --full`), ""];
}

/** What a person must see in order to answer comes before the question. */
export function withShown(
  shown: readonly string[] | undefined,
  text: string,
  workflow?: string,
): string {
  if (shown === undefined || shown.length === 0) return text;
  const lines = shown.map(safe);
  const how = `holdpoint next ${workflow ?? ""} --full`;
  return [...(workflow === undefined ? lines : folded(lines, how)), "", text].join("\n");
}

export function adviceLines(advice: readonly Advice[] | undefined): readonly string[] {
  const { bold, dim } = style();
  return (advice ?? []).flatMap(({ action, why, run }) => [
    `${bold(`» ${safe(action)}`)} ${safe(why)}`,
    ...run.map((line) => dim(`    ${safe(said(line))}`)),
  ]);
}
