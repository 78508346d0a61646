/** What is under way here, for whoever asks in the name of an agent. */
import { isJsonObject, showJson } from "../../core/values/json.ts";
import type { Dispatch, Workflow } from "../../core/state/state.ts";
import { find } from "../../engine/engine.ts";
import type { Found } from "../../engine/engine.ts";
import { protocolOf } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";

export interface Live {
  /** The latest first. */
  readonly found: readonly Found[];
  /** Those that were not opened because there are too many. */
  readonly more: number;
}

/** Opening each costs time that an agent waits. */
const OPENED_MAX = 24;

/** Workflows that have begun and not ended; what is always there is not among them. */
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

/** What is finished for now may still be asked about or be at work. */
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

/** Work that is handed out and not reported. */
export function outIn({ found }: Live): readonly Out[] {
  return found.flatMap((one) =>
    Object.values(one.state.dispatches)
      .filter((dispatch) => dispatch.status === "open")
      .map((dispatch) => ({ found: one, dispatch })),
  );
}
