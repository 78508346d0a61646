/** Every signature of a journal, checked again; and every word of a person that the policy wanted signed and that is not. */
import { readStatement } from "../../core/decide/statement.ts";
import { policyIn, REPOSITORY, ruleOf } from "../../core/state/policy.ts";
import type { Policy } from "../../core/state/policy.ts";
import type { Event } from "../../core/state/events.ts";
import type { Workflow } from "../../core/state/state.ts";
import { emptyWorkflow, evolveAll } from "../../core/state/evolve.ts";
import { member, showJson } from "../../core/values/json.ts";
import { object } from "../../core/values/json-read.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import { eventsOf, idOf, openWorld, protocolOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { inForce, signersIn } from "../release/policy.ts";
import type { Found, Judged } from "./found.ts";

export async function judgeReleases(
  parts: Parts,
  { stream, records }: Judged,
  found: Found,
): Promise<void> {
  const protocol = protocolOf(stream);
  const agreed = await agreedSince(parts);
  let state = emptyWorkflow(idOf(stream));
  for (const record of records) {
    const events = eventsOf(record);
    const bad = (code: string, message: string): void =>
      void found.bad.push({ journal: stream, seq: record.seq, code, message });
    for (const event of events)
      if (event.type === "release.given" && event.strength === "signed") {
        found.signatures += 1;
        const wrong = await wrongSignature(parts, protocol, record, event);
        if (wrong !== undefined) bad(wrong.code, wrong.message);
      }
    const unsigned = missingSignature(state, { protocol, record, events, agreed });
    if (unsigned !== undefined) bad("signature-missing", unsigned);
    state = evolveAll(state, events, record);
  }
}

type GivenEvent = Extract<Event, { type: "release.given" }>;

/** By the keys that the protected branch lists now: a key that counts no more has a line that says until when it did. */
async function wrongSignature(
  parts: Parts,
  protocol: string,
  { prev, at }: JournalRecord,
  { proof, by, gate }: GivenEvent,
): Promise<{ readonly code: string; readonly message: string } | undefined> {
  const statement = readStatement(proof?.statement ?? "");
  if (statement === undefined || proof?.signature === undefined)
    return {
      code: "signature-bad",
      message: `${by} released "${gate}" with no statement that can be read`,
    };
  if (statement.head !== prev)
    return {
      code: "signature-bad",
      message: `${by} signed "${gate}" on record ${statement.head.slice(0, 12)}, and it stands behind ${prev.slice(0, 12)}`,
    };
  const bases = inForce(await openWorld(parts).bases(), protocol);
  const { statement: text, signature } = proof;
  const name = statement.by;
  const verified = await parts.signatures.verify({
    text,
    signature,
    by: name,
    ...signersIn(bases),
    at,
  });
  if (verified.kind === "good") return undefined;
  return {
    code: verified.code,
    message: `the signature of ${name} at "${gate}" does not hold: ${verified.message}`,
  };
}

interface Agreed {
  readonly at: string;
  readonly policy: Policy;
}

/** Which policies the repository has agreed on, and since when. */
async function agreedSince({ journal }: Parts): Promise<readonly Agreed[]> {
  const agreed: Agreed[] = [];
  let state = emptyWorkflow(REPOSITORY);
  for (const record of await journal.read(`${REPOSITORY}:${REPOSITORY}`)) {
    state = evolveAll(state, eventsOf(record), record);
    const policy = policyIn(object(state.vars["accepted"]));
    if (policy !== undefined && JSON.stringify(policy) !== JSON.stringify(agreed.at(-1)?.policy))
      agreed.push({ at: record.at, policy });
  }
  return agreed;
}

/** A word of a person that should have been signed, by the policy that was agreed on when it was given. */
function missingSignature(
  state: Workflow,
  {
    protocol,
    record,
    events,
    agreed,
  }: {
    readonly protocol: string;
    readonly record: JournalRecord;
    readonly events: readonly Event[];
    readonly agreed: readonly Agreed[];
  },
): string | undefined {
  const actor = showJson(record.body["actor"]);
  const policy = agreed.findLast((one) => one.at < record.at)?.policy;
  if (policy === undefined || !actor.startsWith("person:")) return undefined;
  if (events.some((event) => event.type === "release.given" && event.strength === "signed"))
    return undefined;
  const gates = events.flatMap((event) => gateOf(state, event, actor));
  const gate = gates.find((one) => ruleOf([policy], protocol, one).strength === "signed");
  return gate && `${actor} released "${gate}" without the signature that the policy asks for`;
}

/** What an event needed a person's word for, if anything. */
function gateOf(state: Workflow, event: Event, actor: string): readonly string[] {
  const { type } = event;
  if (type === "decision.settled" || type === "decision.joined")
    return event.by === actor ? [member(state.decisions, event.decision)?.question ?? ""] : [];
  if (type === "note.added") return event.list === "waivers" ? ["waive"] : [];
  if (type === "finding.recorded") return event.by === actor ? ["attest"] : [];
  return type === "definition.changed" ? ["accept"] : [];
}
