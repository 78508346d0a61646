/** A repository that was made to say something else than its bytes do, and one that git will not work with. */
import { appendFileSync, chownSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { NOBODY } from "../../nobody.ts";
import { scratchDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { FAILED, aboutToReport, commits } from "../hostile.ts";
import { NAME, reportText } from "../plugin.ts";
import {
  SCOPES,
  archived,
  classified,
  gathered,
  planned,
  started,
  taskRepository,
  write,
} from "../task.ts";
import type { Task } from "../task.ts";

const CHANGING: readonly (readonly string[])[] = [
  ["start", "Other", "--protocol", "plugin-workflow"],
  ["start", "add-parser", "--protocol", "task-protocol", "--feasibility", "yes"],
  ["start", "--protocol", "team-contract", "--goal", "x", "--project-type", "web"],
  ["advance", NAME],
  ["report", NAME, "-"],
  ["reconcile", NAME],
  ["adopt", "--all"],
  ["lock", NAME],
];
const LOOKING: readonly (readonly string[])[] = [
  ["status", NAME],
  ["next", NAME],
  ["list"],
  ["verify", "--all"],
  ["audit", NAME],
  ["agents", NAME],
  ["order", NAME],
];

describe("a repository that git will not work with", () => {
  const cases: Readonly<Record<string, (scratch: Scratch) => string>> = {
    "a broken configuration": ({ top }) => {
      appendFileSync(join(top, ".git/config"), "[core\n");
      return "bad config";
    },
    "core.worktree elsewhere": ({ top, git }) => {
      const other = join(top, "../other");
      mkdirSync(other);
      git("config", "core.worktree", other);
      return "core.worktree";
    },
    "core.worktree above": ({ top, git }) => {
      git("config", "core.worktree", join(top, ".."));
      return "core.worktree";
    },
    "core.worktree nowhere": ({ git }) => {
      git("config", "core.worktree", "/nowhere");
      return "nowhere";
    },
    "no HEAD": ({ remove }) => {
      remove(".git/HEAD");
      return "not";
    },
    "an extension of tomorrow": ({ git }) => {
      git("config", "core.repositoryFormatVersion", "1");
      git("config", "extensions.tomorrow", "1");
      return "tomorrow";
    },
    "an owner who is another user": ({ top }) => {
      if (process.getuid?.() !== 0) return "";
      for (const path of [".", ".git"]) chownSync(join(top, path), NOBODY, NOBODY);
      return "dubious ownership";
    },
  };

  test.each(Object.entries(cases))("%s: a code and a fix, and nothing is done", (_, spoil) => {
    const scratch = aboutToReport();
    const words = spoil(scratch);
    if (words === "") return;
    for (const args of CHANGING) {
      const reply = scratch.hold(args, { stdin: reportText("0") });
      expect(reply.exit, reply.stdout).toBe(FAILED);
      expect(reply.json.error, args.join(" ")).toMatchObject({ code: "git-unusable" });
      expect(reply.json.error?.message).toContain(words);
    }
    for (const args of LOOKING) {
      const { json, stdout } = scratch.hold(args);
      expect(["internal", "io"], stdout).not.toContain(json.error?.code);
    }
    expect(scratch.has("../other/PLUGINS.md")).toBe(false);
  });
});

describe("what git is told by its environment", () => {
  test("neither another repository nor a ceiling counts", () => {
    const elsewhere = aboutToReport();
    const scratch = aboutToReport();
    const env = {
      GIT_DIR: join(elsewhere.top, ".git"),
      GIT_WORK_TREE: elsewhere.top,
      GIT_CEILING_DIRECTORIES: join(scratch.top, ".."),
      GIT_INDEX_FILE: "/nowhere/index",
      GIT_OBJECT_DIRECTORY: "/nowhere",
    };
    mkdirSync(join(scratch.top, "below/it"), { recursive: true });
    for (const cwd of [scratch.top, join(scratch.top, "below/it")]) {
      const status = scratch.hold(["status", NAME], { env, cwd });
      expect(status.json.dispatches).toHaveLength(1);
    }
    scratch.hold(["report", NAME, "-"], { env, stdin: reportText("0") });
    expect(commits(scratch)).toBe(2);
    expect(commits(elsewhere)).toBe(1);
  });
});

describe("a task whose check is green on bytes that no commit has", () => {
  test.each([
    ["skip-worktree", (task: Task) => task.git("update-index", "--skip-worktree", SCOPES.LOW)],
    [
      "assume-unchanged",
      (task: Task) => task.git("update-index", "--assume-unchanged", SCOPES.LOW),
    ],
    [
      "a filter outside of the tree",
      (task: Task) => {
        task.scratch.write(".git/info/attributes", "* filter=evil\n");
        task.git("config", "filter.evil.clean", "git show HEAD:%f");
      },
    ],
  ])("%s: it is not clean, and goes no further", (_, hide) => {
    const scratch = taskRepository(
      { "add-parser": SCOPES.LOW },
      { checks: { build: { run: ["grep", "good", SCOPES.LOW] } } },
    );
    const task = planned(gathered(classified(started(scratch, "add-parser"), SCOPES.LOW)), [
      SCOPES.LOW,
    ]);
    write(task.code, SCOPES.LOW, "bad!\n");
    archived(task);
    hide(task);
    write(task.code, SCOPES.LOW, "good\n");
    expect(task.git("status", "--porcelain"), "git itself is deceived").toBe("");
    const reply = task.run(["advance", task.id, "skip"]);
    expect(reply.exit, reply.stdout).toBe(10);
    expect(reply.json.refusals?.map(({ code }) => code)).toContain("tree-dirty");
    expect(reply.stdout).toContain(SCOPES.LOW);
  });
});

describe("without git", () => {
  test("a task that needs it says so: what cannot be asked is not clean", () => {
    const scratch = taskRepository({ "add-parser": "docs/guide.md" });
    const task = started(scratch, "add-parser");
    const bin = scratchDirectory();
    symlinkSync(process.execPath, join(bin, "node"));
    const env = { PATH: bin };
    const reply = task.run(["advance", task.id, "begin"], { env, cwd: scratch.top });
    expect(reply.exit, reply.stdout).not.toBe(0);
    expect(reply.stdout).not.toContain('"internal"');
    for (const args of [["status", task.id], ["verify", "--all"], ["list"]])
      expect(scratch.hold(args, { env }).json.error?.code).not.toBe("internal");
  });
});
