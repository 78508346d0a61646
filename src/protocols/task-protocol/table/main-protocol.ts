import { input } from "../../../core/guards/guards.ts";
import type { Protocol } from "../../../core/table/protocol.ts";
import { OPERATION_TYPES } from "../files/main-lock.ts";
import { remedy } from "../../../core/table/remedy.ts";
import { row } from "./rows.ts";

/*
 * The main worktree as something that one session at a time may use: IN_PROGRESS ──use──▶ IN_PROGRESS.
 * Its lease is the lock, taken for one operation and released right after it, whether done or failed. It is
 * independent of any task's lease.
 */
export const MAIN = "main";

export const mainProtocol: Protocol = {
  name: "main-worktree",
  version: 1,
  title: "Main worktree",
  root: "main",
  kinds: {
    main: {
      states: ["IN_PROGRESS"],
      start: "IN_PROGRESS",
      starts: [
        {
          id: "start",
          needs: [
            row("nobody-else", {
              code: "lease-held",
              fix: "Wait, or choose other work; a person removes a lock whose program is gone.",
              rule: "TP-041",
            }),
          ],
          rule: "TP-041",
        },
      ],
      ends: [],
      moves: [
        {
          id: "use",
          from: ["IN_PROGRESS"],
          to: "IN_PROGRESS",
          needs: [
            {
              ...input("operation", OPERATION_TYPES),
              code: "operation-unknown",
              fix: remedy(
                "advance",
                { workflow: "{id}", step: "use", input: { operation: OPERATION_TYPES[0] ?? "" } },
                "Say what it is for",
              ),
              rule: "TP-038",
            },
          ],
          set: { operation_type: { input: "operation" } },
          label: "say what the main worktree is used for",
          rule: "TP-038",
        },
      ],
    },
  },
  questions: {},
  work: {},
  guards: {
    "nobody-else": (scope) => {
      const owner = scope.fact("main-lock-file");
      return typeof owner !== "string" || owner === scope.envelope.session
        ? undefined
        : `the main worktree is locked by ${owner}`;
    },
  },
  vars: { operation_type: "git-operation", root: "" },
  looks: ["main-lock-file"],
  lease: "owner",
};
