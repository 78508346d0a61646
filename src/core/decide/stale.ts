import { refuse } from "./draft.ts";
import type { Draft } from "./draft.ts";
import type { Claim } from "../state/commands.ts";
import type { Dispatch } from "../state/state.ts";
import { remedy } from "../table/remedy.ts";
import { showJson } from "../values/json.ts";

/** Refuses a report for work that was never sent out, or that has ended. */
export function refuseStale(
  draft: Draft,
  id: string,
  dispatch: Dispatch | undefined,
  claim?: Claim,
): void {
  const { id: workflow } = draft.state;
  const before = saidOtherwise(dispatch, claim);
  if (before !== undefined && claim !== undefined) {
    refuse(draft, {
      code: "report-contradicts",
      message: `${id} was reported as ${before}, and that counted; this report says ${claim.outcome}, and changes nothing`,
      fix: remedy(
        "next",
        { workflow },
        "Tell a person, who can take back what followed from the first; see what is open",
      ),
      rule: "core",
    });
    return;
  }
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

/** How the work was reported earlier, if differently. Cancelled work was not reported. */
function saidOtherwise(
  dispatch: Dispatch | undefined,
  claim: Claim | undefined,
): string | undefined {
  if (dispatch?.status !== "ended" || claim === undefined) return undefined;
  const before = dispatch.claim?.["outcome"];
  return before === undefined || before === claim.outcome ? undefined : showJson(before);
}
