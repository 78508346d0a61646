import type { Event } from "../../core/state/events.ts";
import { showJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { tellMeasured, tellUnordered } from "../../core/values/measured.ts";
import type { Compliance } from "../../ports/family.ts";
import type { JournalReport } from "../../ports/journal.ts";
import type { RefusalEntry } from "../../ports/refusals.ts";
import type { Found } from "../engine.ts";
import { eventsOf, streamOf } from "../parts.ts";
import { checkEnd, prove } from "./prove.ts";
import { commitWitnesses } from "./witnesses.ts";
import type { Forged } from "./prove.ts";
import type { Parts } from "../parts.ts";

/** Who did what, and when. Complete by construction, because it is the journal in words. */
export interface Audit {
  readonly chain: JournalReport;
  readonly forged: readonly Forged[];
  readonly doubts: readonly string[];
  readonly entries: readonly AuditEntry[];
  readonly refusals: readonly RefusalEntry[];
  /** The family's judgement of it, if it has one. */
  readonly compliance?: Compliance;
}

export interface AuditEntry {
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  /** The agent, as stated by its client. */
  readonly agent?: string;
  readonly session: string;
  readonly command: string;
  readonly hash: string;
  readonly events: readonly Event[];
}

export async function audit(parts: Parts, { family, state: found }: Found): Promise<Audit> {
  const stream = streamOf(family, found.id);
  const proof = await prove(parts, stream, family);
  const { forged, doubts, state } = proof;
  const commits = await commitWitnesses(parts, [proof]);
  const chain = checkEnd(proof.chain, proof.seen, commits.get(stream) ?? []);
  const records = (await parts.journal.read(stream)).filter(({ seq }) => seq <= chain.head.seq);
  const entries = records.map((record) => ({
    seq: record.seq,
    at: record.at,
    actor: showJson(record.body["actor"]),
    ...(typeof record.body["agent"] === "string" ? { agent: record.body["agent"] } : {}),
    session: showJson(record.body["session"]),
    command: showJson(record.body["command"]),
    hash: record.hash,
    events: eventsOf(record),
  }));
  const refusals = await parts.refusals.read(stream);
  const chainWhole = chain.damage === undefined && forged.length === 0;
  const compliance = family.audit.compliance(state, {
    records: entries,
    refused: refusals,
    chainWhole,
  });
  return {
    chain,
    forged,
    doubts,
    entries,
    refusals,
    ...(compliance === undefined ? {} : { compliance }),
  };
}

/** Describes one event in a person's words. */
export function tell(event: Event): string {
  switch (event.type) {
    case "workflow.started":
      return `started under ${event.protocol.name} version ${event.protocol.version}`;
    case "definition.changed":
      return `goes on under ${event.protocol.name} version ${event.protocol.version} (${event.by}: ${event.reason})`;
    case "workflow.adopted":
      return `adopted from files (${event.why})`;
    case "unit.opened":
      return `${event.unit === "." ? "workflow" : event.unit} opened at ${event.at}`;
    case "unit.moved":
      return `${event.unit === "." ? "" : `${event.unit}: `}${event.from} → ${event.to}${event.reason === "" ? "" : ` (${event.reason})`}`;
    case "unit.closed":
      return `${event.unit} closed`;
    case "decision.asked":
    case "decision.settled":
    case "decision.joined":
    case "release.given":
    case "policy.agreed":
    case "option.looked":
    case "answer.kept":
    case "answer.dropped":
      return tellDecision(event);
    case "dispatch.sent":
      return `${event.dispatch} handed to ${event.role}${event.unit === "." ? "" : ` for ${event.unit}`}`;
    case "dispatch.taken":
      return `${event.dispatch} ${event.agent === null ? "given free" : `taken by ${event.agent}`}`;
    case "dispatch.parked":
      return `${event.dispatch} reported; the report waits${saidBy(event.claim)}`;
    case "dispatch.ended":
      return `${event.dispatch} ended: ${event.outcome}${event.notes.length === 0 ? "" : ` (${event.notes.map((note) => note.code).join(", ")})`}${saidBy(event.claim)}${measuredIn(event)}`;
    case "work.left":
      return event.changed === undefined
        ? `files as ${event.unit === "." ? "the step" : event.unit} left them are kept`
        : tellUnordered(event.changed);
    case "finding.recorded":
      return `${event.kind} ${showJson(event.value)} by ${event.by}`;
    case "effect.wanted":
    case "effect.aimed":
    case "effect.settled":
      return tellEffect(event);
    case "artifact.sealed":
      return `sealed ${event.artifact} as ${event.digest ?? "absent"} (${event.why})`;
    case "artifact.unsealed":
      return `unsealed ${event.artifact}`;
    case "budget.spent":
      return `one more attempt counted: ${event.budget.replaceAll("/", " ")}`;
    case "budget.reset":
      return `attempts counted anew: ${event.budget.replaceAll("/", " ")}`;
    case "lease.taken":
      return `lease taken by ${event.session}`;
    case "lease.ended":
      return `lease of ${event.session} ended (${event.why})`;
    case "vars.changed":
      return `set ${Object.entries(event.vars)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
        .join(", ")}`;
    case "note.added":
      return `${event.list}${event.tag === "" ? "" : ` ${event.tag}`}: ${event.text}`;
    case "warned":
      return `warning: ${event.text}`;
    case "refusal.noted":
      return `refused before: ${event.command} ${event.step} by ${event.by} (${event.codes.join(", ")})`;
    case "edit.refused":
      return `edit of ${event.view} refused; the text is kept as ${event.blob}`;
  }
}

function tellEffect(event: Extract<Event, { type: `effect.${string}` }>): string {
  if (event.type === "effect.wanted") return `${event.kind} wanted (${event.effect})`;
  if (event.type === "effect.aimed")
    return `${event.effect} moves ${event.aim.ref} to ${event.aim.to.slice(0, 7)}`;
  const { oid } = event.detail;
  return `${event.effect} ${event.status}${typeof oid === "string" ? ` ${oid.slice(0, 7)}` : ""}`;
}

type OfDecisions =
  | `decision.${string}`
  | `answer.${string}`
  | "option.looked"
  | "release.given"
  | "policy.agreed";

function tellDecision(event: Extract<Event, { type: OfDecisions }>): string {
  switch (event.type) {
    case "decision.asked":
      return `${event.decision} asked: ${event.prompt}`;
    case "decision.settled":
      return `${event.decision} ${event.status} by ${event.by}${event.option === "" ? "" : `: ${event.option}`}`;
    case "decision.joined":
      return `${event.decision}: ${event.option} chosen by ${event.by}; more people must choose it`;
    case "release.given":
      return `"${event.choice}" released at ${event.gate} by ${event.by} (${event.strength}${event.key === undefined ? "" : `, key ${event.key}`})`;
    case "policy.agreed":
      return `the repository's policy is that of its record ${event.seq}`;
    case "option.looked":
      return `${event.decision}: ${event.option} looked at by ${event.by}`;
    case "answer.kept":
      return `${event.decision}: the answer "${event.text}" of ${event.name} waits for the files`;
    case "answer.dropped":
      return `${event.decision}: the answer that waited was refused (${event.why})`;
  }
}

/** What Holdpoint measured, beside what was claimed. */
function measuredIn({ measured }: Extract<Event, { type: "dispatch.ended" }>): string {
  return measured === undefined ? "" : `; measured: ${tellMeasured(measured)}`;
}

/** The agent's own words, whoever typed the command. */
function saidBy({ agent, summary }: JsonObject): string {
  if (typeof agent !== "string" || typeof summary !== "string" || summary.trim() === "") return "";
  return `; ${agent} said: ${summary.trim().replaceAll(/\s+/g, " ").slice(0, SAID_CHARS_MAX)}`;
}

const SAID_CHARS_MAX = 300;
