import type { Machine } from "../../../core/table/protocol.ts";
import { AGENT_WORKTREE, OWN_NAMES, row } from "./rows.ts";

/**
 * A required agent. It counts from the moment its worktree exists; what it vouches for is recorded as findings
 * on the root in its name, so going back and forth needs no bookkeeping here.
 *
 *   preparing ──(worktree made)──▶ ready
 */
export const agent: Machine = {
  states: ["preparing", "ready"],
  start: "preparing",
  ends: ["ready"],
  moves: [
    {
      id: "prepared",
      from: ["preparing"],
      to: "ready",
      auto: true,
      needs: [row("worktree-made", { code: "worktree-missing", fix: "", rule: "TP-049" })],
      rule: "TP-049",
    },
    // Its worktree could not be made, and a person decides to go on without this agent.
    ...["preparing", "ready"].map((state) => ({
      id: "drop",
      from: [state],
      to: state,
      inside: true,
      by: [],
      closes: "@unit",
      rule: "TP-219",
    })),
  ],
  starts: [
    {
      id: "add",
      from: ["REQUIREMENTS", "SYNTHESIS", "IMPLEMENTATION"],
      needs: [
        OWN_NAMES,
        row("selectable", {
          code: "agent-unknown",
          fix: "Add a stakeholder agent under its own name, such as quality, security or test.",
          rule: "TP-079",
        }),
        row("justified", {
          code: "justification-missing",
          fix: "Say which expertise is missing, which requirement is unmet, why it was not chosen first, and the evidence.",
          rule: "TP-218",
        }),
        row("no-outvoting", {
          code: "outvotes-rejection",
          fix: "Resolve the rejection; another agent of its kind cannot outvote it.",
          rule: "TP-220",
        }),
      ],
      effects: [
        {
          kind: "worktree",
          args: { scope: "agent", path: AGENT_WORKTREE, branch: "{id}-{unit}", base: "{id}" },
          failed: "agent-failed",
        },
      ],
      voids: ["plan"],
      rule: "TP-217",
    },
  ],
};
