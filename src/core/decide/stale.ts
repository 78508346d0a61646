import { refuse } from "./draft.ts";
import type { Draft } from "./draft.ts";
import type { Dispatch } from "../state/state.ts";
import { remedy } from "../table/remedy.ts";

/** Work that was never handed out, or that is over. */
export function refuseStale(draft: Draft, id: string, dispatch: Dispatch | undefined): void {
  const { id: workflow } = draft.state;
  refuse(draft, {
    code: dispatch === undefined ? "dispatch-unknown" : "report-stale",
    message:
      dispatch === undefined
        ? `${workflow} never handed out "${id}"`
        : `${id} ended at ${dispatch.endedAt ?? "an earlier time"} (${dispatch.outcome ?? "no outcome"}); a late report changes nothing`,
    fix: remedy("next", { workflow }, "See what is open"),
    rule: "core",
  });
}
