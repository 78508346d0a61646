import type { Refusal } from "../../core/answer.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Decision, Workflow } from "../../core/state.ts";
import { tell } from "../../engine/audit.ts";
import type { Found } from "../../engine/engine.ts";
import type { Accepted, Failed, Outcome } from "../../engine/outcome.ts";
import type { Description, Family, Order } from "../../ports/family.ts";
import { formatMenu } from "./menu.ts";
import { safe, style } from "./style.ts";
import type { ExitCode, Reply } from "./verb.ts";

/** Translate what the engine answered into one object, one text and one exit code. */
export function replyTo(
  outcome: Outcome,
  family: Family,
  extra: { readonly order?: Order | undefined; readonly json?: JsonObject } = {},
): Reply {
  if (outcome.kind === "failed") return failedReply(outcome);
  if (outcome.kind === "refused") return refusedReply(outcome.refusals);
  const { state } = outcome;
  const open = openDecisions(state);
  const failed = (outcome.failed ?? []).map(({ code, message, fix }) => ({
    code,
    message,
    fix,
    rule: family.protocol.name,
  }));
  return {
    exit: acceptedExit(outcome, open.length),
    json: {
      ok: outcome.pending.length === 0 && failed.length === 0,
      workflow: state.id,
      ...stateJson({ family, state }),
      events: outcome.events.map((event) => event.type),
      notes: outcome.notes.map((note) => ({ ...note })),
      warnings: [...outcome.warnings],
      commits: outcome.commits.map((commit) => ({ ...commit })),
      pending: outcome.pending.map((one) => ({ ...one })),
      ...(failed.length === 0 ? {} : { refusals: failed }),
      ...(extra.order === undefined ? {} : { order: orderJson(extra.order) }),
      ...extra.json,
    },
    text: acceptedText(outcome, family, extra.order),
  };
}

/** A state file that cannot be written is the machine's failure, whatever else waits. */
function acceptedExit({ pending, failed = [] }: Accepted, open: number): ExitCode {
  if (pending.some((one) => one.effect === "show")) return 1;
  if (open > 0) return 11;
  // Recorded, and yet what it was for did not happen: whoever goes by the code must not go on.
  if (failed.length > 0) return 10;
  return pending.length > 0 ? 1 : 0;
}

export function stateJson({ family, state }: Found): JsonObject {
  const { headline, state: at } = family.words.describe(state);
  return {
    protocol: family.protocol.name,
    state: at,
    headline,
    seq: state.seq,
    held: openDecisions(state).map(decisionJson),
  };
}

export function orderJson({ dispatch, role, prompt, files, data }: Order): JsonObject {
  return { dispatch, role, prompt, files: [...files], ...data };
}

export function decisionJson(decision: Decision): JsonObject {
  const { id, question, prompt, options, nonce, askedAt, about } = decision;
  return {
    id,
    question,
    prompt,
    nonce,
    askedAt,
    about,
    options: options.map((option, index) => ({ number: index + 1, ...option })),
  };
}

export function openDecisions(state: Workflow): readonly Decision[] {
  return Object.values(state.decisions).filter((one) => one.status === "open");
}

function acceptedText(outcome: Accepted, family: Family, order: Order | undefined): string {
  const { good, warn, bold, dim } = style();
  const { state } = outcome;
  const { headline, state: at } = family.words.describe(state);
  return [
    ...outcome.events.flatMap((event) => {
      if (event.type === "decision.settled") return [settledLine(state, event.decision)];
      // A person's word is said back to them: it counts under their name.
      const word = event.type === "finding.recorded" && event.by.startsWith("person:");
      return word ? [`${good("✓")} ${safe(tell(event))}`] : [];
    }),
    ...remarkLines(outcome, family),
    ...outcome.warnings.map((warning) => warn(`! ${safe(warning)}`)),
    ...outcome.pending.map((one) => warn(`! ${safe(one.message)}\n  ${safe(one.fix)}`)),
    ...outcome.commits.map((commit) => good(`✓ Committed: ${commit.short} - ${at} (atomic)`)),
    `${bold(state.id)}  ${headline}  ${dim(at)}`,
    ...closingLines(family.words.describe(state)),
    ...(order === undefined
      ? []
      : ["", bold(`Order for ${order.role} (${order.dispatch})`), safe(order.prompt)]),
    ...questionLines(state),
  ].join("\n");
}

/** What was recorded, so that a number typed by mistake is seen at once. */
function settledLine({ decisions }: Workflow, id: string): string {
  const { good, dim } = style();
  const decision = decisions[id];
  const { option = "", text = "", by = "" } = decision?.settled ?? {};
  const said = decision?.status === "answered" ? text.trim() || option : `${option} ${text}`.trim();
  return `${good("✓")} ${id} ${decision?.status ?? ""}: ${safe(said)} ${dim(`(${by})`)}`;
}

export function closingLines({ closing }: Description): readonly string[] {
  if (closing === undefined) return [];
  return [`  ${safe(closing.message)}`, style().dim(`  ${safe(closing.fix)}`)];
}

/** The oldest question in full; the others by name, or nobody would know that they wait. */
export function questionLines(state: Workflow): readonly string[] {
  const { dim, warn } = style();
  const [decision, ...others] = openDecisions(state);
  if (decision === undefined) return [];
  return [
    "",
    formatMenu(decision),
    dim(`(holdpoint answer ${state.id} <choice>)`),
    ...others.map((one) => warn(`! ${one.id} waits too: ${safe(one.prompt)}`)),
    ...(others.length === 0
      ? []
      : [dim(`(holdpoint answer ${state.id} <choice> --decision <id>)`)]),
  ];
}

function remarkLines({ notes }: Accepted, family: Family): readonly string[] {
  const tones = { ...style(), plain: (text: string): string => text };
  return family.words.remarks(notes).map(({ tone, text }) => tones[tone](safe(text)));
}

export function refusedReply(refusals: readonly Refusal[], json: JsonObject = {}): Reply {
  return {
    exit: exitOf(refusals),
    json: { ok: false, refusals: refusals.map((one) => ({ ...one })), ...json },
    text: refusals.map(refusalText).join("\n"),
  };
}

function refusalText({ code, message, fix, rule }: Refusal): string {
  const { bad, dim } = style();
  return `${bad("✗")} ${safe(message)}\n  ${safe(fix)} ${dim(`(${code}, ${rule})`)}`;
}

function exitOf(refusals: readonly Refusal[]): ExitCode {
  const codes = refusals.map((one) => one.code);
  if (codes.some((code) => code.startsWith("journal-"))) return 1;
  if (codes.includes("lease-held") || codes.includes("fence-stale")) return 12;
  return codes.length > 0 && codes.every((code) => code === "held") ? 11 : 10;
}

export function failedReply({ code, message, fix }: Omit<Failed, "kind">): Reply {
  const { bad } = style();
  const refusal: Json = { code, message, fix, rule: "core" };
  return {
    exit: 1,
    json: { ok: false, error: { code, message, fix }, refusals: [refusal] },
    text: `${bad("✗")} ${safe(message)}\n  ${safe(fix)}`,
  };
}

export function usageReply(message: string, usage: string): Reply {
  return {
    exit: 2,
    json: { ok: false, error: { code: "usage", message, fix: usage } },
    text: `${safe(message)}\n${usage}`,
  };
}
