import { remedy } from "../core/table/remedy.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Appended, Loaded } from "../ports/journal.ts";
import type { Failed } from "./outcome.ts";

/** Why a journal takes nothing. */

export function failed(appended: Extract<Appended<Workflow>, { kind: "failed" }>): Failed {
  const fix =
    appended.code === "disk"
      ? "Make room or make the directory writable, then try again; nothing was recorded."
      : remedy("verify", { all: true }, "See what is wrong");
  return { kind: "failed", code: `journal-${appended.code}`, message: appended.message, fix };
}

export function damaged(stream: string, { damage }: Loaded<Workflow>): Failed {
  return {
    kind: "failed",
    code: damage?.code ?? "journal-broken",
    message: `The journal of ${stream} is damaged: ${damage?.message ?? ""}`,
    fix: remedy("verify", { all: true }, "Restore the journal from a backup; see what is readable"),
  };
}
