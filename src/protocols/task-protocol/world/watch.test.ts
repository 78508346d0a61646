import { describe, expect, test } from "vitest";
import {
  atImplementation,
  atRequirements,
  atReview,
  atValidation,
  TASK,
} from "../../../../test/fixtures/task-protocol/world.ts";
import { evolveAll } from "../../../core/state/evolve.ts";
import type { Workflow } from "../../../core/state/state.ts";
import type { HookCall, ToolUse } from "../../../watch/call.ts";
import { judge } from "../../../watch/judge.ts";
import { merged } from "../../../watch/merge.ts";
import type { Watch } from "../../../watch/watch.ts";
import { mainFamily } from "../main-family.ts";
import { taskProtocol } from "../table/protocol.ts";
import { AGENTS } from "../words/agents.ts";
import { watchTask } from "./watch.ts";

const ROOT = ".holdpoint/tasks";
const OWN = `${ROOT}/${TASK}`;

interface Scene {
  readonly tasks?: readonly Workflow[];
  readonly lock?: string;
  /** The session that acts. */
  readonly session?: string;
  readonly agent?: string;
  readonly cwd?: string;
}

const MINE: Workflow = atImplementation().state;
const theirs = atReview().state;
const THEIRS: Workflow = {
  ...theirs,
  id: "theirs",
  lease: { session: "s-2", holder: "x", fence: 1, takenAt: "" },
};

function watchFor({ tasks = [MINE, THEIRS], lock }: Scene): Watch {
  const empty = evolveAll({ ...MINE, id: "main", vars: { root: ROOT } }, [], { seq: 1, at: "" });
  const lease = { session: lock ?? "", holder: "x", fence: 1, takenAt: "" };
  const watched = [
    ...tasks.flatMap((one) => watchTask(one)),
    ...(lock === undefined ? [] : mainFamily.watch({ ...empty, lease })),
  ];
  return merged({
    format: 1,
    made: {},
    listed: 0,
    own: ["/repo/.git"],
    roles: AGENTS.map((one) => one.name),
    cites: taskProtocol.rules ?? {},
    places: watched.map(({ place, ...held }) => ({
      ...held,
      from: "",
      root: place === "" ? "/repo" : `/repo/${place}`,
    })),
  });
}

function use(tool: ToolUse, scene: Scene): string {
  const { session = "s-1", agent, cwd = "/repo" } = scene;
  const call: HookCall = {
    client: "claude",
    event: "before-tool",
    name: "PreToolUse",
    cwd,
    session: "x",
    tool,
    ...(agent === undefined ? {} : { agent: { id: "a", type: agent } }),
  };
  const facts = { home: "/home/dev", program: "", session, resolve: (path: string) => path };
  const verdict = judge(watchFor(scene), call, facts);
  return verdict.kind === "allow" ? "allowed" : `${verdict.reasons[0]?.rule}`;
}

function edit(path: string, scene: Scene = {}): string {
  return use({ kind: "edit", name: "Edit", paths: [path] }, scene);
}

function shell(command: string, scene: Scene = {}): string {
  return use({ kind: "shell", name: "Bash", command }, scene);
}

describe("files", () => {
  test("[TP-022] nothing of a foreign task is written, and the owner is named", () => {
    const file = `${ROOT}/theirs/task.md`;
    expect(edit(file)).toBe("TP-022");
    expect(shell(`echo x > ${file}`)).toBe("TP-022");
    expect(edit(`${ROOT}/theirs/code/src/A.java`)).toBe("TP-022");
    expect(use({ kind: "read", name: "Read" }, {})).toBe("allowed");
    const call: HookCall = {
      client: "claude",
      event: "before-tool",
      name: "",
      cwd: "/repo",
      session: "x",
      tool: { kind: "edit", name: "Edit", paths: [file] },
    };
    const verdict = judge(watchFor({}), call, {
      home: "",
      program: "",
      session: "s-1",
      resolve: (path) => path,
    });
    expect(JSON.stringify(verdict)).toContain("session s-2");
  });

  test("[TP-153] the coordinator writes no source while agents implement", () => {
    for (const file of ["src/A.java", "pom.xml", "module-info.java"]) {
      expect(edit(`${OWN}/code/${file}`)).toBe("TP-153");
      expect(shell(`sed -i s/a/b/ ${file}`, { cwd: `/repo/${OWN}/code` })).toBe("TP-153");
    }
    expect(edit(`${OWN}/code/todo.md`)).toBe("allowed");
    expect(edit(`${OWN}/task.md`)).toBe("allowed");
    expect(edit(`${OWN}/code/src/A.java`, { tasks: [atValidation().state] })).toBe("allowed");
  });

  test("[TP-154] an agent writes in its own worktree only, also through the shell", () => {
    const agent = "architect";
    const places: readonly (readonly [string, string])[] = [
      [`${OWN}/agents/architect/code/src/A.java`, "allowed"],
      [`${OWN}/agents/architect/status.json`, "allowed"],
      [`${OWN}/agents/quality/code/src/A.java`, "TP-154"],
      [`${OWN}/agents/quality/status.json`, "TP-154"],
      [`${OWN}/code/src/A.java`, "TP-154"],
      ["src/A.java", "TP-154"],
    ];
    for (const [file, verdict] of places) {
      expect(edit(file, { agent })).toBe(verdict);
      expect(shell(`cat > /repo/${file} <<EOF\nx\nEOF`, { agent })).toBe(verdict);
    }
  });

  test("[TP-092] in requirements mode only the report is written", () => {
    const tasks = [atRequirements().state];
    const scene = { agent: "architect", tasks };
    expect(edit(`${OWN}/agents/architect/code/src/A.java`, scene)).toBe("TP-092");
    expect(edit(`${OWN}/${TASK}-architect-requirements.md`, scene)).toBe("allowed");
    expect(edit(`${OWN}/${TASK}-quality-requirements.md`, scene)).toBe("TP-092");
  });

  test("[TP-067] [TP-229] what the engine writes is nobody's to edit, whichever way", () => {
    for (const file of ["task.json", "state.json", "audit-trail.json"]) {
      expect(edit(`${OWN}/${file}`)).toBe("TP-067");
      expect(shell(`echo '{}' > ${OWN}/${file}`)).toBe("TP-067");
      expect(shell(`python3 -c "open('${OWN}/${file}','w')"`)).toBe("TP-067");
    }
  });

  test("[TP-228] source needs a task, documentation does not", () => {
    const stranger = { session: "s-3" };
    expect(edit("src/A.java", stranger)).toBe("TP-228");
    expect(edit("docs/a.md", stranger)).toBe("allowed");
    expect(shell("cat src/A.java", stranger)).toBe("allowed");
  });

  test("[TP-037] [TP-043] a task's lock is no licence for main; the main lock is, but not for tasks", () => {
    expect(edit("src/A.java")).toBe("TP-043");
    expect(edit("src/A.java", { lock: "s-1" })).toBe("allowed");
    expect(edit(`${ROOT}/theirs/task.md`, { lock: "s-1" })).toBe("TP-022");
  });
});

describe("git", () => {
  test("[TP-037] moving main needs its lock", () => {
    expect(shell(`git merge --ff-only ${TASK}`)).toBe("TP-037");
    expect(shell("git pull")).toBe("TP-037");
    expect(shell(`git merge --ff-only ${TASK}`, { lock: "s-1" })).toBe("allowed");
  });

  test("[TP-046] only atomic steps, even with the lock", () => {
    for (const verb of ["cherry-pick abc", "rebase x", "reset --hard x", "commit -m x", "merge x"])
      expect(shell(`git ${verb}`, { lock: "s-1" })).toBe("TP-046");
    for (const verb of ["status", "log -1", "worktree remove x"])
      expect(shell(`git ${verb}`)).toBe("allowed");
  });

  test("[TP-045] main stays on its branch; elsewhere one may change it", () => {
    expect(shell(`git checkout ${TASK}`, { lock: "s-1" })).toBe("TP-045");
    expect(shell(`git checkout ${TASK}-architect`, { lock: "s-1" })).toBe("TP-045");
    const inside = { agent: "architect", cwd: `/repo/${OWN}/agents/architect/code` };
    expect(shell(`git checkout -b x && git commit --amend`, inside)).toBe("allowed");
  });

  test("[TP-193] no branch is moved by force", () => {
    expect(shell("git branch -f main abc")).toBe("TP-193");
    expect(shell("git update-ref refs/heads/main abc", { lock: "s-1" })).toBe("TP-193");
  });

  test("[TP-035] [TP-197] another's branches and worktrees stay; names are compared whole", () => {
    expect(shell("git branch -D theirs")).toBe("TP-035");
    expect(shell(`git worktree remove ${ROOT}/theirs/code`)).toBe("TP-035");
    expect(shell(`rm -rf ${ROOT}/theirs`)).toBe("TP-022");
    expect(shell("git branch -D theirs-docs")).toBe("allowed");
    expect(shell(`git -C ${ROOT}/theirs/code commit -am x`)).toBe("TP-022");
  });
});

test("a task that is over holds nothing", () => {
  expect(watchTask({ ...MINE, lease: null })).toEqual([]);
});
