import type { Event } from "./events.ts";
import type { Ledgers } from "./ledgers.ts";
import type { Workflow } from "./state.ts";

/** The state keeps who released what; the signed text and the signature stay in the journal. */
export function evolveReleases(
  state: Workflow,
  event: Extract<Event, { type: "release.given" | "policy.agreed" }>,
  { seq, at }: { readonly seq: number; readonly at: string },
  { put }: Ledgers,
): Pick<Workflow, "given"> | Pick<Workflow, "agreed"> {
  if (event.type === "policy.agreed") {
    const { type: _, ...agreed } = event;
    return { agreed: { ...agreed, at } };
  }
  const { type: _, nonce, proof: _proof, ...given } = event;
  return { given: put(state.given, nonce, { ...given, seq }) };
}

export function evolveFindings(
  state: Workflow,
  event: Extract<Event, { type: "finding.recorded" }>,
  { seq, at }: { readonly seq: number; readonly at: string },
  { put }: Ledgers,
): Workflow["findings"] {
  const { type: _, ...finding } = event;
  return put(state.findings, `${event.unit} ${event.kind} ${event.by}`, { ...finding, seq, at });
}
