/** Git is asked in a way that neither the environment nor the user's configuration nor sheer numbers can bend. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  AT,
  done,
  planOf,
  prepared,
  ready,
  RECORD,
  repository,
  scratchDirectory,
} from "../../../test/conformance/git.ts";
import { createRunGit } from "./run/run.ts";

describe("what is read", () => {
  test("a replaced commit is read as it is stored", async () => {
    const scratch = repository();
    const head = scratch.git("rev-parse", "HEAD");
    scratch.write("PLUGINS.md", "forged\n");
    scratch.git("commit", "--quiet", "-am", "forged");
    scratch.git("replace", head, scratch.git("rev-parse", "HEAD"));
    scratch.git("reset", "--quiet", "--hard", head);
    expect(scratch.git("show", `${head}:PLUGINS.md`)).toBe("forged");
    const text = await scratch.open().show(head, "PLUGINS.md");
    expect(Buffer.from(text ?? "").toString()).toBe("registry 1\n");
  });

  test("no inherited variable and no file system monitor hides a change", async () => {
    const scratch = repository();
    const silent = join(scratch.top, "..", "says-nothing-changed");
    writeFileSync(silent, "#!/bin/sh\nprintf 'token\\0'\n", { mode: 0o755 });
    scratch.git("config", "core.fsmonitor", silent);
    scratch.git("status");
    scratch.write("other.txt", "changed\n");
    const env = {
      ...scratch.env,
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.worktree",
      GIT_CONFIG_VALUE_0: "/nowhere",
      GIT_CONFIG_PARAMETERS: "'core.bare'='true'",
      GIT_GLOB_PATHSPECS: "1",
    };
    const git = scratch.open({ env });
    expect(await git.changes(["other.txt"])).toEqual([{ path: "other.txt", change: "modified" }]);
    const { blobs } = await prepared(git, { paths: ["other.txt"] });
    expect(Object.keys(blobs)).toEqual(["other.txt"]);
  });

  test("a file whose name ends like the mark of a conflict is no conflict", async () => {
    const scratch = repository();
    scratch.write("after U", "x");
    scratch.git("add", ".");
    const savepoint = await prepared(scratch.open(), { views: { "PLUGINS.md": "registry 2\n" } });
    expect(Object.keys(savepoint.blobs)).toEqual(["PLUGINS.md"]);
  });
});

describe("how views get into a savepoint", () => {
  test("a filter's program is found from the worktree, and its views are in the savepoint", async () => {
    const scratch = repository();
    scratch.write("tools/turn.sh", "#!/bin/sh\ntr a-z n-za-m\n");
    chmodSync(join(scratch.top, "tools/turn.sh"), 0o755);
    scratch.git("config", "filter.turn.clean", "./tools/turn.sh");
    scratch.git("config", "filter.turn.smudge", "./tools/turn.sh");
    scratch.git("config", "filter.turn.required", "true");
    scratch.write(".gitattributes", "*.turned filter=turn\n");
    scratch.git("add", ".gitattributes");
    scratch.git("commit", "--quiet", "-m", "the attributes");
    const views = { "a.turned": "a\n", "PLUGINS.md": null };
    const { tree } = await prepared(scratch.open(), { paths: ["tools"], views });
    expect(scratch.git("show", `${tree}:a.turned`)).toBe("n");
    expect(scratch.git("ls-tree", "--name-only", tree)).not.toContain("PLUGINS.md");
  });

  test.each([
    ["does not give back what was shown", "tr a-z A-Z", "cat", true],
    ["is in no committed attributes", "tr a-z n-za-m", "tr a-z n-za-m", false],
  ])("a filter that %s is refused: the commit would hold something else", async (...row) => {
    const [, clean, smudge, isCommitted] = row;
    const scratch = repository();
    scratch.git("config", "filter.odd.clean", clean);
    scratch.git("config", "filter.odd.smudge", smudge);
    scratch.write(isCommitted ? ".gitattributes" : ".git/info/attributes", "*.odd filter=odd\n");
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "--allow-empty", "-m", "the attributes");
    scratch.write("code.odd", "code\n");
    for (const plan of [{ paths: ["code.odd"] }, { views: { "a.odd": "a\n" } }])
      expect(await scratch.open().prepare(planOf(plan))).toMatchObject({
        kind: "rejected",
        code: "commit-differs",
      });
  });

  test("a hook that stages something else than the files are, or takes it out again, is refused", async () => {
    const swap =
      "git update-index --cacheinfo 100644,$(echo evil | git hash-object -w --stdin),a.txt";
    const link = "git update-index --cacheinfo 160000,$(git rev-parse HEAD),a.txt";
    for (const script of [
      swap,
      link,
      "git rm --quiet --cached a.txt",
      "git reset --quiet -- other.txt",
    ]) {
      const scratch = repository();
      scratch.write("a.txt", "good\n");
      scratch.write("other.txt", "changed\n");
      scratch.hook("pre-commit", script);
      const answer = await scratch.open().prepare(planOf({ paths: ["a.txt", "other.txt"] }));
      expect(answer).toMatchObject({ kind: "rejected", code: "commit-differs" });
      expect(answer.kind === "rejected" && answer.message).toMatch(/a\.txt|other\.txt/);
    }
  });

  test("built at once or by step, a savepoint is the same", async () => {
    const scratch = repository();
    scratch.write("dir/new 'quoted' $(name).txt", "new\n");
    scratch.write("other.txt", "changed\n");
    const views = { "PLUGINS.md": "registry 2\n", "gone.md": null, "deep/er/view.md": "v\n" };
    const plan = { paths: ["dir", "other.txt"], views };
    const atOnce = await prepared(scratch.open(), plan);
    const answer = await scratch
      .open()
      .prepare(planOf({ ...plan, paths: [...plan.paths, "absent"] }));
    const byStep = ready(answer);
    expect(byStep.warnings).toHaveLength(1);
    expect(byStep.savepoint).toEqual(atOnce);
    expect(Object.keys(atOnce.blobs)).toContain("dir/new 'quoted' $(name).txt");
  });

  test("nothing of it is left in the private directory", async () => {
    const scratch = repository();
    scratch.write("other.txt", "changed\n");
    const plan = { paths: ["other.txt"], views: { "PLUGINS.md": "registry 2\n" } };
    done(await scratch.open().commit(await prepared(scratch.open(), plan), RECORD));
    expect(readdirSync(scratch.tmpDir)).toEqual([]);
  });
});

describe("many files", () => {
  test("ten thousand paths are asked about and saved with a few processes, few of them at once", async () => {
    const scratch = repository();
    const paths = Array.from({ length: 10_000 }, (_, at) => `many/file-${at}.txt`);
    for (const path of paths.slice(0, 50)) scratch.write(path, `${path}\n`);
    const log = join(scratchDirectory(), "log");
    const git = scratch.open({ gitBinary: counting(log) });
    const asked = await Promise.all(paths.map((path) => git.changes([path])));
    expect(asked.filter((changes) => changes.length === 1)).toHaveLength(50);
    const answer = ready(await git.prepare({ paths, views: {}, message: "many", at: AT }));
    expect(Object.keys(answer.savepoint.blobs)).toHaveLength(50);
    expect(answer.warnings).toHaveLength(9_950);
    expect(readFileSync(log, "utf8").split("\n").length).toBeLessThan(40);
  });

  test("no more than eight processes are started at once", async () => {
    const scratch = repository();
    const log = join(scratchDirectory(), "log");
    const run = createRunGit(counting(log, "sleep 0.05"), scratch.env);
    await Promise.all(Array.from({ length: 30 }, () => run(["version"], { cwd: scratch.top })));
    let now = 0;
    const most = readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .reduce((max, line) => Math.max(max, (now += line === "start" ? 1 : -1)), 0);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(8);
  });
});

/** A git that notes when it starts and when it ends. */
function counting(log: string, before = ":"): string {
  const file = join(scratchDirectory(), "git");
  const lines = ["#!/bin/sh", `echo start >>'${log}'`, before, 'git "$@"', "code=$?"];
  writeFileSync(file, [...lines, `echo end >>'${log}'`, "exit $code"].join("\n"), { mode: 0o755 });
  return file;
}
