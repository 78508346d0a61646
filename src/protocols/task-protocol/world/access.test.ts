import { describe, expect, test } from "vitest";
import { story } from "../../../../test/story.ts";
import { repository, worldOf } from "../../../../test/fixtures/task-protocol/places.ts";
import { AGENT, atApproval, codes, PERSON } from "../../../../test/fixtures/task-protocol/world.ts";
import { parseMainLock } from "../files/main-lock.ts";
import { GUARDED_PATHS, judgeAccess, judgeGit } from "./access.ts";
import type { Access, AccessRules, GitCall } from "./access.ts";
import { mainFamily, mainOwner } from "../main-family.ts";
import { mainProtocol } from "../table/main-protocol.ts";

const RULES: AccessRules = {
  root: "tasks",
  tasks: [
    { id: "mine", state: "IMPLEMENTATION", session: "s-1" },
    { id: "theirs", state: "REVIEW", session: "s-2" },
  ],
  mainSession: undefined,
  guarded: GUARDED_PATHS,
};

const rule = (access: Partial<Access>, rules: Partial<AccessRules> = {}): string => {
  const verdict = judgeAccess(
    { path: "", writes: true, session: "s-1", ...access },
    { ...RULES, ...rules },
  );
  return verdict.allowed ? "allowed" : verdict.rule;
};

const git = (
  args: string,
  call: Partial<GitCall> = {},
  rules: Partial<AccessRules> = {},
): string => {
  const verdict = judgeGit(
    { args: args.split(" "), session: "s-1", onMain: true, ...call },
    { ...RULES, ...rules },
  );
  return verdict.allowed ? "allowed" : verdict.rule;
};

describe("files", () => {
  test("[TP-022] nothing of a foreign task is read or written, and the owner is named", () => {
    expect(rule({ path: "tasks/theirs/task.md", writes: false })).toBe("TP-022");
    const verdict = judgeAccess(
      { path: "tasks/theirs/code/src/A.java", writes: true, session: "s-1" },
      RULES,
    );
    expect(verdict.allowed ? "" : verdict.message).toContain("s-2");
  });

  test("[TP-153] the coordinator writes no source while agents implement", () => {
    expect(rule({ path: "tasks/mine/code/src/A.java" })).toBe("TP-153");
    expect(rule({ path: "tasks/mine/code/pom.xml" })).toBe("TP-153");
    expect(rule({ path: "tasks/mine/code/todo.md" })).toBe("allowed");
    expect(rule({ path: "tasks/mine/task.md" })).toBe("allowed");
  });

  test("[TP-154] an agent writes in its own worktree only", () => {
    const agent = "style";
    expect(rule({ agent, path: "tasks/mine/agents/style/code/src/A.java" })).toBe("allowed");
    expect(rule({ agent, path: "tasks/mine/agents/test/code/src/A.java" })).toBe("TP-154");
    expect(rule({ agent, path: "tasks/mine/code/src/A.java" })).toBe("TP-154");
    expect(rule({ agent, path: "src/A.java" })).toBe("TP-154");
  });

  test("[TP-092] in requirements mode only the report is written", () => {
    const tasks = [{ id: "mine", state: "REQUIREMENTS", session: "s-1" }];
    const agent = "style";
    const code = "tasks/mine/agents/style/code/src/A.java";
    expect(rule({ agent, path: code }, { tasks })).toBe("TP-092");
    expect(rule({ agent, path: "tasks/mine/mine-style-requirements.md" }, { tasks })).toBe(
      "allowed",
    );
    expect(rule({ agent, path: "tasks/mine/mine-test-requirements.md" }, { tasks })).toBe("TP-092");
  });

  test("[TP-228] source needs a task, documentation does not", () => {
    const stranger = { session: "s-3" };
    expect(rule({ ...stranger, path: "src/A.java" })).toBe("TP-228");
    expect(rule({ ...stranger, path: "docs/a.md" })).toBe("allowed");
    expect(rule({ ...stranger, path: "src/A.java", writes: false })).toBe("allowed");
  });

  test("[TP-037] [TP-043] a task's lock is no licence for main; the main lock is", () => {
    expect(rule({ path: "src/A.java" })).toBe("TP-043");
    expect(rule({ path: "src/A.java" }, { mainSession: "s-1" })).toBe("allowed");
  });
});

describe("git on main", () => {
  const mainSession = "s-1";

  test("[TP-037] moving main needs its lock", () => {
    expect(git("merge --ff-only mine")).toBe("TP-037");
    expect(git("merge --ff-only mine", {}, { mainSession })).toBe("allowed");
  });

  test("[TP-046] only atomic steps, even with the lock", () => {
    for (const verb of [
      "cherry-pick abc",
      "rebase x",
      "reset --hard x",
      "commit -m x",
      "merge mine",
    ])
      expect(git(verb, {}, { mainSession })).toBe("TP-046");
    for (const verb of ["status", "log -1", "worktree remove x"]) expect(git(verb)).toBe("allowed");
  });

  test("[TP-045] main stays on its branch; elsewhere one may change it", () => {
    expect(git("checkout mine", {}, { mainSession })).toBe("TP-045");
    expect(git("checkout mine", { onMain: false })).toBe("allowed");
  });

  test("[TP-193] no branch is moved by force", () => {
    expect(git("branch -f main abc")).toBe("TP-193");
  });

  test("[TP-035] [TP-197] another session's branches and worktrees stay; names are compared whole", () => {
    expect(git("branch -D theirs")).toBe("TP-035");
    expect(git("worktree remove tasks/theirs/code")).toBe("TP-035");
    expect(git("branch -D theirs-docs")).toBe("allowed");
  });
});

describe("the main worktree's lease", () => {
  const taken = (owner: string | null = null) =>
    story(mainProtocol, { workflow: "main", facts: { "main-lock-file": owner } }).when(
      { type: "workflow.start", workflow: "main", vars: {} },
      AGENT,
    );
  const use = (operation: string) =>
    ({ type: "unit.move", unit: ".", move: "use", input: { operation } }) as const;

  test("[TP-038] [TP-039] the first one has it; an operation nobody knows is refused", () => {
    const one = taken();
    expect(one.state.lease?.session).toBe("s-1");
    expect(codes(one.when(use("hotfix"), AGENT))).toEqual(["operation-unknown"]);
    expect(codes(one.when(use("git-operation"), AGENT))).toEqual(["accepted"]);
    expect(one.state.vars["operation_type"]).toBe("git-operation");
  });

  test("[TP-037] [TP-038] [TP-041] its file is there while somebody has it; a lock of another program counts", async () => {
    const one = taken();
    const [view] = mainFamily.views({ ...one.state, vars: { ...one.state.vars, root: "tasks" } });
    const shown = view?.render(null);
    expect(parseMainLock(shown?.kind === "text" ? shown.text : "").problems).toEqual([]);
    one.when({ type: "lease.release" }, AGENT);
    expect(mainFamily.views(one.state)[0]?.render("{}")).toEqual({ kind: "absent" });
    expect(codes(taken("s-9"))).toEqual(["lease-held"]);

    const repo = repository();
    expect(await mainOwner(worldOf(repo))).toBeNull();
    repo.files.set(".holdpoint/tasks/main/task.json", '{"session_id": "s-9"}');
    expect(await mainOwner(worldOf(repo))).toBe("s-9");
    repo.files.set(".holdpoint/tasks/main/task.json", "{");
    expect(await mainOwner(worldOf(repo))).toContain("somebody");
    repo.summaries = [{ protocol: "main-worktree", id: "main", session: "s-3" }];
    expect(await mainOwner(worldOf(repo))).toBe("s-3");
  });

  test("[TP-043] a task is not merged into a main worktree that another session has taken", () => {
    const one = atApproval().reply("change", "approve").given({ "main-lock": "s-9" });
    expect(codes(one.move("complete", AGENT))).toEqual(["lease-held"]);
    one.given({ "main-lock": "s-1" });
    expect(codes(one.move("complete", AGENT))).toEqual(["accepted"]);
  });

  test("[TP-040] [TP-041] taking it twice is fine, another session is turned away with advice", () => {
    const one = taken();
    const take = { type: "lease.take", previous: "none", why: "merge" } as const;
    const before = one.state.lease;
    expect(codes(one.when(take, AGENT))).toEqual(["accepted"]);
    expect(one.state.lease).toEqual(before);
    one.when(take, { ...AGENT, session: "s-2" });
    expect(codes(one)).toEqual(["lease-held"]);
    expect(one.refusals[0]?.fix).toMatch(/\S/);
  });

  test("[TP-042] only its owner gives it back, and then it is free", () => {
    const one = taken();
    const release = { type: "lease.release" } as const;
    expect(codes(one.when(release, { ...AGENT, session: "s-2" }))).toEqual(["lease-held"]);
    one.when(release, AGENT);
    one.when({ type: "lease.take", previous: "none", why: "merge" }, { ...AGENT, session: "s-2" });
    expect(one.state.lease?.session).toBe("s-2");
    expect(codes(one.when({ type: "lease.break", reason: "gone" }, PERSON))).toEqual(["accepted"]);
  });
});
