import { describe, expect, test } from "vitest";
import { rootOf } from "../../../core/state/evolve.ts";
import type { Json } from "../../../core/values/json.ts";
import {
  AGENT,
  ENGINE,
  PERSON,
  TASK,
  atApproval,
  atComplete,
  atRequirements,
  atReview,
  atSynthesis,
  codes,
  everyAgent,
  implemented,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Story } from "../../../../test/story.ts";
import { taskProtocol } from "./protocol.ts";
import { checkpointOf } from "../world/render.ts";
import { targetOf } from "./states.ts";

const at = (one: Story): string => rootOf(one.state).at;
const because = { ...AGENT, reason: "it must be so" };

describe("AWAITING_USER_APPROVAL", () => {
  const unready: readonly (readonly [string, Readonly<Record<string, Json>>])[] = [
    ["commits-unsquashed", { [`commits:${TASK}`]: 2 }],
    ["archival-missing", { [`archived:${TASK}`]: ["todo.md"] }],
    ["agent-work-unmerged", { "merged:quality": false }],
    ["coordinator-implemented", { [`late-source:${TASK}`]: ["src/Mine.java"] }],
  ];

  test("[TP-048] [TP-176] a worktree or a branch that is gone is said first, before what follows from it", () => {
    for (const [code, fact] of [
      ["worktree-missing", "worktree:."],
      ["branch-gone", `head:${TASK}`],
    ] as const) {
      const dirt = { [`clean:${TASK}`]: ["docs/guide.md"] };
      const one = everyAgent(atReview(), "review", "APPROVED").given({ [fact]: null, ...dirt });
      const refused = codes(one.move("present", AGENT));
      expect(refused.indexOf(code)).toBeGreaterThanOrEqual(0);
      expect(refused.indexOf(code)).toBeLessThan(refused.indexOf("tree-dirty"));
    }
  });

  test.each(unready)("[TP-176] [TP-187] [TP-188] nothing is shown with %s", (code, given) => {
    const one = everyAgent(atReview(), "review", "APPROVED").given(given);
    expect(codes(one.move("present", AGENT))).toEqual([code]);
  });

  test("[TP-176] [TP-177] agents' places go and the branch is pushed before a person is asked", () => {
    const one = everyAgent(atReview(), "review", "APPROVED").given({ remote: true });
    one.move("present", AGENT);
    const wanted = Object.values(one.state.effects).filter((effect) => effect.status === "wanted");
    expect(wanted.map((effect) => effect.kind)).toEqual(["worktree-remove", "push"]);
    expect(one.open).toEqual([]);
    one.settle();
    expect(one.open[0]?.bound).toEqual({
      [`head:${TASK}`]: "commit-1",
      [`patch:${TASK}`]: "patch-1",
    });
    expect(checkpointOf(one.state)).toEqual({
      type: "USER_APPROVAL_POST_REVIEW",
      commit_sha: "commit-1",
      presented_at: one.open[0]?.askedAt,
      approved: false,
    });
  });

  test("[TP-177] without a remote the push is recorded as skipped", () => {
    expect(atApproval().history).toContainEqual(
      expect.objectContaining({ type: "warned", about: "push" }),
    );
  });

  test("[TP-177] a push that fails takes the step back, and the reviews still count", () => {
    const one = everyAgent(atReview(), "review", "APPROVED").given({ remote: true });
    one.move("present", AGENT).settle("failed");
    expect(at(one)).toBe("REVIEW");
    expect(codes(one.move("present", AGENT))).toEqual(["accepted"]);
  });

  test("[TP-179] nothing is merged without a release", () => {
    const one = atApproval().move("complete", AGENT);
    expect(codes(one)).toEqual(["held", "checkpoint-violation"]);
    expect(one.refusals[1]?.message).toBe("CHECKPOINT VIOLATION: User approval not obtained");
  });

  test("[TP-180] an agent's word is none, and neither is one for another commit", () => {
    const one = atApproval();
    expect(codes(one.reply("change", "approved", AGENT))).toEqual(["person-required"]);
    const before = one.open[0]?.nonce;
    one.given({ [`head:${TASK}`]: "commit-2" }).reply("change", "approved");
    expect(one.open[0]?.nonce).not.toBe(before);
    expect(codes(one.move("complete", AGENT))).toContain("checkpoint-violation");
  });

  test("[TP-181] another commit after the release is shown again; the same patch counts where policy says so", () => {
    const moved = { [`head:${TASK}`]: "commit-2" };
    const strict = atApproval().reply("change", "approved").given(moved).move("complete", AGENT);
    expect(codes(strict)).toEqual(["held"]);
    expect(strict.open[0]?.question).toBe("change");
    const loose = atApproval();
    loose.when({ type: "vars.set", name: "merge_policy", value: "same-patch" }, PERSON);
    loose.reply("change", "approved").given(moved).move("complete", AGENT);
    expect(codes(loose)).toEqual(["accepted"]);
    const other = atApproval();
    other.when({ type: "vars.set", name: "merge_policy", value: "same-patch" }, PERSON);
    other.reply("change", "approved").given({ ...moved, [`patch:${TASK}`]: "patch-2" });
    expect(codes(other.move("complete", AGENT))).toEqual(["held"]);
  });

  test("[TP-182] [TP-183] a wish for changes is one step to IMPLEMENTATION, logged, and closes the checkpoint", () => {
    const one = atApproval().reply("change", "changes", { ...PERSON, reason: "rename it" });
    expect(at(one)).toBe("IMPLEMENTATION");
    expect(one.open).toEqual([]);
    expect(checkpointOf(one.state)).toBeUndefined();
    expect(one.state.notes.findLast((note) => note.list === "log")).toMatchObject({
      tag: "AWAITING_USER_APPROVAL IMPLEMENTATION",
      text: "rename it",
    });
    expect(Object.values(one.state.effects).at(-1)).toMatchObject({
      kind: "worktree",
      args: { scope: "agents" },
    });
  });

  test("[TP-184] [TP-183] the whole way follows again; the old release is of no use", () => {
    const one = atApproval().reply("change", "approved");
    one.move("rework", { ...PERSON, reason: "one more thing" }).settle();
    const again = implemented(one).move("validate", AGENT).move("review", AGENT);
    everyAgent(again, "review", "APPROVED").given({ [`head:${TASK}`]: "commit-2" });
    again.move("present", AGENT).settle();
    expect(checkpointOf(again.state)).toMatchObject({ commit_sha: "commit-2", approved: false });
    expect(codes(again.move("complete", AGENT))).toContain("checkpoint-violation");
  });

  test("[TP-186] what was shown is in the journal, to be shown again", () => {
    expect(checkpointOf(atApproval().fork().state)).toMatchObject({ commit_sha: "commit-1" });
  });
});

describe("COMPLETE and CLEANUP", () => {
  test("[TP-191] main that moved on refuses; rebased, it is tried again", () => {
    const one = atApproval()
      .reply("change", "approved")
      .given({ [`ff:${TASK}`]: false });
    expect(codes(one.move("complete", AGENT))).toEqual(["main-diverged"]);
    one.given({ [`ff:${TASK}`]: true }).move("complete", AGENT);
    expect(Object.values(one.state.effects).at(-1)).toMatchObject({
      kind: "merge-ff",
      args: { from: TASK, to: "main", check: "build" },
    });
  });

  test("[TP-192] a merge that fails, or breaks main, leaves the task where it was, and its release valid", () => {
    const one = atApproval().reply("change", "approved").move("complete", AGENT).settle("failed");
    expect(at(one)).toBe("AWAITING_USER_APPROVAL");
    expect(codes(one.move("complete", AGENT))).toEqual(["accepted"]);
  });

  test.each([
    ["not-on-main", { [`on-main:${TASK}`]: false }],
    ["dependants-blocked", { [`on-main:${TASK}`]: true, [`dependants:${TASK}`]: ["add-printer"] }],
    [
      "wrong-directory",
      {
        [`on-main:${TASK}`]: true,
        [`cwd:${TASK}`]: { current: "/r/code", required: "/r/code", same: true, inside: true },
      },
    ],
  ] as const)("[TP-190] [TP-195] cleaning up is refused with %s", (code, given) => {
    const one = atComplete().given(given).move("clean-up", AGENT);
    expect(codes(one)).toEqual([code]);
  });

  test("[TP-196] [TP-198] [TP-201] archive first, then worktrees, the lease last; no other effect", () => {
    const one = atComplete()
      .given({ [`on-main:${TASK}`]: true })
      .move("clean-up", AGENT);
    const wanted = Object.values(one.state.effects).filter((effect) => effect.status === "wanted");
    expect(wanted.map((effect) => effect.kind)).toEqual(["archive", "worktree-remove"]);
    expect(one.state.lease).not.toBeNull();
    const [first, second] = wanted.map((effect) => effect.id);
    const settle = (effect = "", status: "done" | "failed" = "done") =>
      one.when({ type: "effect.settle", effect, status, detail: { message: "busy" } }, ENGINE);
    settle(first);
    settle(second, "failed");
    expect(one.state.lease).not.toBeNull();
    settle(second);
    expect(one.state.lease).toBeNull();
    expect(codes(one.move("clean-up", PERSON))).toEqual(["transition-illegal"]);
  });

  test("[TP-200] what is cleaned up is over: neither the step nor its effects happen twice", () => {
    const one = atComplete()
      .given({ [`on-main:${TASK}`]: true })
      .move("clean-up", AGENT);
    const effect = Object.values(one.state.effects).at(-1)?.id ?? "";
    one.settle();
    const again = { type: "effect.settle", effect, status: "done", detail: {} } as const;
    expect(codes(one.when(again, ENGINE))).toEqual(["effect-settled"]);
    const moves = taskProtocol.kinds["task"]?.moves ?? [];
    expect(targetOf("CLEANUP", "CLEANUP", moves).kind).toBe("here");
  });

  test("[TP-210] an invocation that never ended stops the cleaning up", () => {
    const one = atReview().send("review", "architect", AGENT);
    expect(codes(one.move("present", AGENT))).toContain("dispatch-open");
  });

  test("[TP-216] a person abandons from anywhere, with a reason; main is left alone", () => {
    for (const get of [atRequirements, atSynthesis, atReview, atApproval]) {
      const one = get();
      expect(codes(one.fork().move("abandon", because))).toContain("person-required");
      one.move("abandon", { ...PERSON, reason: "not needed" });
      expect(at(one)).toBe("CLEANUP");
      expect(one.state.vars["ended"]).toBe("abandoned");
      const kinds = Object.values(one.state.effects).filter((effect) => effect.status === "wanted");
      expect(kinds.map((effect) => effect.kind)).toEqual(["archive", "worktree-remove"]);
    }
  });
});
