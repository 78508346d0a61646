import { fact, passed } from "../../../core/guards/guards.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { EffectRow, RuledNeed, Move, Counted } from "../../../core/table/protocol.ts";
import { remedy, step } from "../../../core/table/remedy.ts";

/** Rows and paths shared by several tables. */

export const TASK_DIR: string = "{root}/{id}";
export const TASK_MD: string = `${TASK_DIR}/task.md`;
export const TASK_WORKTREE: string = `${TASK_DIR}/code`;
export const AGENT_WORKTREE: string = `${TASK_DIR}/agents/{unit}/code`;
export const REPORT: string = `${TASK_DIR}/{id}-{unit}-requirements.md`;

export type RowText = Pick<RuledNeed, "code" | "fix" | "rule">;

export function row(guard: string, text: RowText, args?: JsonObject): RuledNeed {
  return { guard, ...text, ...(args === undefined ? {} : { args }) };
}

export const LEASED: RuledNeed = row("leased", {
  code: "lease-missing",
  fix: remedy("lock", { workflow: "{id}" }, "Take the task first"),
  rule: "TP-052",
});

/** Paths and limits belong to the workflow. Values in a command or a report must not replace them. */
export const OWN_NAMES: RuledNeed = row("own-names", {
  code: "input-reserved",
  fix: "Leave these names out: they belong to the workflow.",
  rule: "TP-225",
});

/** Passes if a fact that lists problems is empty. */
export function none(fact: string, says: string, text: RowText): RuledNeed {
  return row("none", text, { fact, says });
}

/**
 * A check must have passed for this very tree, on a worktree with nothing else in it, because it runs on the
 * files. Or the repository's configuration says why there is no such check.
 */
export function passedHere(check: string, text: RowText): RuledNeed {
  return {
    ...passed(check, ["tree:{id}", "clean:{id}"]),
    ...text,
    // With uncommitted files another row refuses, and running the check would be useless.
    when: [fact("clean:{id}", [[]])],
  };
}

export const CLEAN: RuledNeed = none("clean:{id}", "the task worktree has uncommitted changes", {
  code: "tree-dirty",
  fix: `Commit or remove them in ${TASK_WORKTREE}; a rule that ignores them counts once it is committed there.`,
  rule: "TP-165",
});

const ON_BRANCH: RuledNeed = row("on-branch", {
  code: "worktree-off-branch",
  fix: `Bring it back: git -C ${TASK_WORKTREE} switch {id}. Where that changes nothing, {id} is only another name for that branch: git update-ref --no-deref refs/heads/{id} <its own commit>.`,
  rule: "TP-048",
});

const THERE: RuledNeed = row(
  "known",
  {
    code: "worktree-missing",
    fix: step("worktree-lost", "A person decides whether it is made again"),
    rule: "TP-048",
  },
  { fact: "worktree:.", says: `${TASK_WORKTREE} is not a worktree of this repository` },
);

const WITH_BRANCH: RuledNeed = row(
  "known",
  {
    code: "branch-gone",
    fix: `Make it again where it stood: git update-ref refs/heads/{id} <commit>. The last line of the file that git -C ${TASK_WORKTREE} rev-parse --git-path logs/HEAD names has its commit.`,
    rule: "TP-048",
  },
  { fact: "head:{id}", says: "the branch {id} is not there any more" },
);

/** The task's worktree exists and is on the task's own branch. */
export const IN_PLACE: readonly RuledNeed[] = [THERE, WITH_BRANCH, ON_BRANCH];

/** Settings must come from the main branch, even if another branch is checked out in the main worktree. */
export const SETTINGS_OF_MAIN: RuledNeed = none("other-settings", "{main} has other settings", {
  code: "main-elsewhere",
  fix: "Bring the main worktree back to its branch: git switch {main}.",
  rule: "TP-045",
});

/** The configured checks count as committed; an uncommitted edit does not. */
export const CONFIG_KEPT: readonly RuledNeed[] = [
  none("config", "checks count as they are committed", {
    code: "config-uncommitted",
    fix: "Commit it on {main} or take it back: git checkout -- :/holdpoint.config.json.",
    rule: "TP-163",
  }),
  SETTINGS_OF_MAIN,
];

/** If the change is riskier than it was when classified, the way chosen for it is no longer valid. */
export function riskKept(way: RowText["fix"]): RuledNeed {
  return row("risk-kept", { code: "risk-higher", fix: way, rule: "TP-074" });
}

/** What is built must be exactly what was planned. */
export const AS_PLANNED: readonly RuledNeed[] = [
  row(
    "approved",
    {
      code: "plan-changed",
      fix: "Put the plan back as it was released, or have the new one released.",
      rule: "TP-139",
    },
    { question: "plan", since: ["SYNTHESIS"] },
  ),
  none("deviations:{id}", "not in the released plan", {
    code: "plan-deviation",
    fix: "Take it out of the branch, or have a plan released that names it.",
    rule: "TP-141",
  }),
  none("undelivered:{id}", "in the released plan, but not on the task branch", {
    code: "plan-undelivered",
    fix: "Let it be done, or have a plan released without it.",
    rule: "TP-161",
  }),
  none("lost:{id}", "agents brought this, and the task branch has lost it", {
    code: "agent-work-lost",
    fix: "Bring it back from the commits in git reflog {id}, or have a plan released without it.",
    rule: "TP-161",
  }),
];

/**
 * If source changed, every check of the repository must have passed for this very tree, however it came about.
 */
const GATES: readonly RuledNeed[] = ["tests", "quality"].map((check) => {
  const gate = passedHere(check, {
    code: `${check}-missing`,
    fix: `Make ${check} pass for this very tree, then give the same command again: Holdpoint runs it.`,
    rule: "TP-163",
  });
  return { ...gate, when: [{ guard: "source" }] };
});

/** What a person is shown must be what is merged: one commit, with the task already closed in the list. */
export const PRESENTABLE: readonly RuledNeed[] = [
  ...IN_PLACE,
  CLEAN,
  ...CONFIG_KEPT,
  row(
    "fact",
    {
      code: "commits-unsquashed",
      fix: step("close", "Make it one commit on top of {main}"),
      rule: "TP-176",
    },
    { fact: "commits:{id}", in: [1], says: "the task branch is not exactly one commit ahead" },
  ),
  none("late-source:{id}", "no agent has brought this to the task branch since REVIEW began", {
    code: "coordinator-implemented",
    fix: "Take it out of the branch. What is still to be written is the agents' work: a rejection, or a person's wish, leads back to it.",
    rule: "TP-162",
  }),
  none("archived:{id}", "the commit lacks", {
    code: "archival-missing",
    fix: step("close", "Close it in the same commit"),
    rule: "TP-187",
  }),
  row("merged", {
    code: "agent-work-unmerged",
    fix: remedy("agents", { workflow: "{id}" }, "Merge it to the task branch, or drop it"),
    rule: "TP-176",
  }),
  passedHere("build", {
    code: "build-missing",
    fix: "Make the build pass for this very tree, then give the same command again: Holdpoint runs it.",
    rule: "TP-163",
  }),
  ...GATES,
  ...AS_PLANNED,
];

/** Agents' worktrees are removed before a person is asked, and restored when work starts again. */
export const REMOVE_AGENTS: EffectRow = {
  kind: "worktree-remove",
  args: { scope: "agents", path: `${TASK_DIR}/agents` },
  when: [{ guard: "agent-places" }],
  failed: "effect-failed",
};

export const MAKE_AGENTS: EffectRow = {
  kind: "worktree",
  args: { scope: "agents", path: `${TASK_DIR}/agents`, base: "{id}" },
  when: [{ guard: "agent-places" }],
  failed: "effect-failed",
};

export const PUSH: EffectRow = {
  kind: "push",
  args: { branch: "{id}" },
  when: [fact("remote", [true])],
  otherwise: "No remote: the branch was not pushed",
  failed: "effect-failed",
};

/** Commits that others brought to main meanwhile are recorded with the step. */
export const TELLS_FOREIGN: NonNullable<Move["set"]> = { foreign: { fact: "foreign:{id}" } };

/** Shared by all steps that lead to the final release. */
export const SHOWS_CHANGE: Pick<Move, "effects" | "set"> = {
  effects: [REMOVE_AGENTS, PUSH],
  set: TELLS_FOREIGN,
};

/** Every loop is limited; at the limit, a person decides how to go on. */
export const ROUND: Counted = {
  budget: "rounds",
  called: "ways back",
  times: "rounds_max",
  else: "rounds-exhausted",
};
