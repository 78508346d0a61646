/** The workflows under way here, for hooks that act for an agent. */
import { isJsonObject, showJson } from "../../core/values/json.ts";
import type { Dispatch, Workflow } from "../../core/state/state.ts";
import { find } from "../../engine/engine.ts";
import type { Found } from "../../engine/engine.ts";
import { protocolOf } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";

export interface Live {
  /** The most recent first. */
  readonly found: readonly Found[];
  /** How many were not opened because there are too many. */
  readonly more: number;
}

/** Opening each one costs time during which an agent waits. */
const OPENED_MAX = 24;

/** Workflows that have started and not ended. A workflow that always exists is left out. */
export async function liveWorkflows(parts: Parts): Promise<Live> {
  const listed = (await parts.journal.list()).toSorted((a, b) => (a.at < b.at ? 1 : -1));
  const streams: string[] = [];
  for (const { stream, summary } of listed) {
    const family = await parts.families.get(protocolOf(stream));
    if (family === undefined || family.names.standing !== null) continue;
    const at = isJsonObject(summary) ? showJson(summary["at"] ?? "") : "";
    if (family.protocol.kinds[family.protocol.root]?.ends.includes(at) !== true)
      streams.push(stream);
  }
  const found: Found[] = [];
  for (const stream of streams.slice(0, OPENED_MAX)) {
    const one = await find(parts, stream);
    if (one.kind === "refused") continue;
    const rests = isAtRest(one.state) && one.family.words.describe(one.state).finished;
    if (!rests) found.push(one);
  }
  return { found, more: Math.max(0, streams.length - OPENED_MAX) };
}

/** A workflow at an end may still have an open question or work that is out. */
function isAtRest({ decisions, dispatches }: Workflow): boolean {
  return (
    Object.values(decisions).every((one) => one.status !== "open") &&
    Object.values(dispatches).every((one) => one.status === "ended")
  );
}

export interface Out {
  readonly found: Found;
  readonly dispatch: Dispatch;
}

/** Work that is out and not reported. */
export function outIn({ found }: Live): readonly Out[] {
  return found.flatMap((one) =>
    Object.values(one.state.dispatches)
      .filter((dispatch) => dispatch.status === "open")
      .map((dispatch) => ({ found: one, dispatch })),
  );
}
