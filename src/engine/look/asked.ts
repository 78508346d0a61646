import type { Evidence } from "../../core/decide/answer.ts";
import type { Event } from "../../core/state/events.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Workflow } from "../../core/state/state.ts";
import { canonicalJson, member } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import { changeKey, readMeasured } from "../../core/values/measured.ts";
import type { Change } from "../../core/values/measured.ts";
import type { Family } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";

/** How many files are kept; nobody compares more. */
const FILES_MAX = 40;
export const ASKED_BYTES_MAX = 200_000;

/**
 * Keeps the texts that people are asked about and that no commit contains. If the question is asked again, the
 * files are compared with them.
 */
export async function keepAsked(
  parts: Pick<Parts, "workspace" | "blobs">,
  of: { readonly family: Family; readonly state: Workflow },
  { events, used }: { readonly events: readonly Event[]; readonly used: Evidence },
): Promise<void> {
  if (!events.some(({ type }) => type === "decision.asked")) return;
  const commits = events.some((one) => one.type === "effect.wanted" && one.kind === "commit");
  const paths = events.flatMap((event) => {
    if (event.type === "decision.asked") return boundPaths(event.bound);
    const change = reportOf(event, used);
    return commits || change === undefined ? [] : Object.keys(reportedIn(of, event, change));
  });
  // The record holds only the digest of a long fact, so the fact itself is kept as well.
  const changes = events.flatMap((event) => {
    const change = event.type === "dispatch.parked" ? reportOf(event, used) : undefined;
    return change === undefined ? [] : [parts.blobs.put(canonicalJson(change))];
  });
  const files = [...new Set(paths)].slice(0, FILES_MAX).map(async (path) => {
    const file = await parts.workspace.bytes(path);
    if (file.kind === "bytes" && file.bytes.length <= ASKED_BYTES_MAX)
      await parts.blobs.put(file.bytes);
  });
  await Promise.all([...changes, ...files]);
}

/** Files whose exact bytes a question is bound to. */
export function boundPaths(bound: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(bound).flatMap((key) => (key.startsWith(DIGEST) ? [key.slice(7)] : []));
}

const DIGEST = "digest:";

/** The measured change of a report, including one that is still parked. */
export function reportOf(event: Event, used: Evidence): Json | undefined {
  if (event.type === "dispatch.ended") return event.measured;
  return event.type === "dispatch.parked" ? used[changeKey(event.dispatch)] : undefined;
}

/** The same, with paths relative to the top of the worktree. */
export function reportedIn(
  { family, state }: { readonly family: Family; readonly state: Workflow },
  event: Event,
  change: Json,
): Readonly<Record<string, Change>> {
  const known = readMeasured(change);
  const dispatch = "dispatch" in event ? event.dispatch : "";
  if (known === undefined || typeof known === "string") return {};
  const at = family.checks.at(state, member(state.dispatches, dispatch)?.unit ?? ROOT);
  return Object.fromEntries(
    Object.entries(known.files).map(([path, change]) => [
      at === "" ? path : `${at}/${path}`,
      change,
    ]),
  );
}
