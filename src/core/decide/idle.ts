import { refuse } from "./draft.ts";
import type { Draft } from "./draft.ts";
import type { Json } from "../values/json.ts";
import type { Dispatch } from "../state/state.ts";
import { remedy } from "../table/remedy.ts";

export interface Idle {
  /** Whether open questions block. */
  readonly held: boolean;
  /** Which open dispatches block. */
  readonly work: (dispatch: Dispatch) => boolean;
}

/** Refuses to go on past an open question, a pending effect, or work that is still out. */
export function checkIdle(draft: Draft, { held, work }: Idle): void {
  const { decisions, effects, dispatches, id } = draft.state;
  for (const decision of Object.values(decisions).filter((one) => held && one.status === "open")) {
    refuse(draft, {
      code: "held",
      message: `${id} waits for a person: ${decision.prompt}`,
      fix: remedy("answer", { workflow: id, decision: decision.id }),
      rule: draft.protocol.questions[decision.question]?.rule ?? "core",
    });
  }
  for (const effect of Object.values(effects).filter((one) => one.status === "wanted")) {
    refuse(draft, {
      code: "effect-pending",
      message: `${effect.kind} of ${id} is not done yet${detail(effect.detail["message"])}`,
      fix: remedy("reconcile", { workflow: id }, "Try it again"),
      rule: "core",
    });
  }
  for (const dispatch of Object.values(dispatches).filter(
    (one) => one.status === "open" && work(one),
  )) {
    refuse(draft, {
      code: "dispatch-open",
      message: `${dispatch.role} is at work on ${id} (${dispatch.id})`,
      fix: remedy(
        "report",
        { workflow: id, dispatch: dispatch.id },
        "Give its report, or take the step cancel",
      ),
      rule: "core",
    });
  }
}

function detail(message: Json | undefined): string {
  return typeof message === "string" ? `: ${message}` : "";
}
