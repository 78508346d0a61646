import { readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  emptyRepository,
  repository,
  scratchAt,
  scratchDirectory,
} from "../../../test/conformance/git.ts";
import { createGit } from "./git.ts";

describe("locate", () => {
  test("[PW-193] without a git binary the answer is no-git", async () => {
    const { top, tmpDir } = repository();
    const git = createGit({ cwd: top, tmpDir, env: { PATH: "/nowhere" } });
    expect(await git.locate()).toMatchObject({ kind: "none", why: "no-git" });
  });

  test("[PW-193] [PW-194] without a repository reads answer nothing and savepoints say the fix", async () => {
    const home = scratchDirectory();
    const git = scratchAt(home, home).open();
    expect(await git.locate()).toMatchObject({ kind: "none", why: "no-repository" });
    expect(await git.changes(["a"])).toEqual([]);
    expect(await git.resolve("HEAD")).toBeUndefined();
    const plan = { paths: ["a"], views: {}, message: "x", at: "2026-01-01T00:00:00Z" };
    const refused = await git.prepare(plan);
    expect(refused).toMatchObject({ kind: "rejected", code: "no-repository" });
    expect(refused.kind === "rejected" && refused.fix).toContain("git init");
  });

  test("a directory that is missing is not taken for a missing git", async () => {
    const home = scratchDirectory();
    const place = await scratchAt(home, join(home, "gone")).open().locate();
    expect(place).toMatchObject({ kind: "none", why: "no-repository" });
  });

  test("a repository created after the first look is found", async () => {
    const home = scratchDirectory();
    const scratch = scratchAt(home, home);
    const git = scratch.open();
    expect((await git.locate()).kind).toBe("none");
    scratch.git("init", "--quiet");
    expect((await git.locate()).kind).toBe("repository");
  });

  test("a bare repository has no files to work with", async () => {
    const home = scratchDirectory();
    const scratch = scratchAt(home, home);
    scratch.git("init", "--quiet", "--bare");
    expect(await scratch.open().locate()).toMatchObject({ kind: "none", why: "bare" });
  });

  test("from a subdirectory the top is found, from a worktree the shared common directory", async () => {
    const scratch = repository();
    scratch.write("deep/er/x", "");
    const commonDir = join(scratch.top, ".git");
    const below = scratch.open({ cwd: join(scratch.top, "deep/er") });
    expect(await below.locate()).toEqual({ kind: "repository", top: scratch.top, commonDir });
    const other = join(scratch.top, "..", "second");
    scratch.git("worktree", "add", "--quiet", "-b", "side", other);
    const linked = scratch.open({ cwd: other });
    expect(await linked.locate()).toEqual({ kind: "repository", top: other, commonDir });
  });

  test("variables inherited from a git hook do not point at that hook's repository", async () => {
    const scratch = repository();
    const foreign = repository();
    const env = {
      ...scratch.env,
      GIT_DIR: join(foreign.top, ".git"),
      GIT_WORK_TREE: foreign.top,
      GIT_INDEX_FILE: "/nowhere/index",
    };
    const git = scratch.open({ env });
    expect(await git.locate()).toMatchObject({ top: scratch.top });
    expect(await git.changes(["."])).toEqual([]);
  });
});

describe("changes", () => {
  test("names what differs from HEAD, untracked files included, and nothing else", async () => {
    const scratch = repository();
    scratch.write("gone.txt", "x");
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "second");
    scratch.write("PLUGINS.md", "registry 2\n");
    scratch.write("new/a.txt", "a");
    scratch.write("staged.txt", "s");
    scratch.git("add", "staged.txt");
    scratch.git("rm", "--quiet", "gone.txt");
    const paths = ["PLUGINS.md", "new", "staged.txt", "gone.txt", "absent"];
    const changes = await scratch.open().changes(paths);
    expect(new Map(changes.map(({ path, change }) => [path, change]))).toEqual(
      new Map([
        ["PLUGINS.md", "modified"],
        ["new/a.txt", "untracked"],
        ["staged.txt", "added"],
        ["gone.txt", "deleted"],
      ]),
    );
    expect(await scratch.open().changes([])).toEqual([]);
    expect(await scratch.open().changes(["other.txt"])).toEqual([]);
  });

  test("an unresolved conflict is unmerged", async () => {
    const scratch = repository();
    conflict(scratch);
    const changes = await scratch.open().changes(["PLUGINS.md"]);
    expect(changes).toEqual([{ path: "PLUGINS.md", change: "unmerged" }]);
  });

  test("looking neither needs nor writes the user's index", async () => {
    const scratch = repository();
    // Same content, new time: a `status` that takes its optional lock would refresh the entry.
    utimesSync(join(scratch.top, "PLUGINS.md"), 1_000_000_000, 1_000_000_000);
    const index = join(scratch.top, ".git/index");
    const before = readFileSync(index);
    expect(await scratch.open().changes(["PLUGINS.md"])).toEqual([]);
    expect(readFileSync(index).equals(before)).toBe(true);
    writeFileSync(`${index}.lock`, "");
    scratch.write("PLUGINS.md", "registry 2\n");
    expect(await scratch.open().changes(["PLUGINS.md"])).toHaveLength(1);
  });

  test("[PW-168] names with glob and magic characters are taken literally", async () => {
    const scratch = repository();
    scratch.write("*", "star");
    scratch.write(":(top)x", "magic");
    scratch.write("-n", "dash");
    const git = scratch.open();
    expect(await git.changes(["*"])).toEqual([{ path: "*", change: "untracked" }]);
    expect(await git.changes([":(top)x"])).toEqual([{ path: ":(top)x", change: "untracked" }]);
    expect(await git.changes(["-n"])).toEqual([{ path: "-n", change: "untracked" }]);
  });
});

describe("show, log, resolve", () => {
  test("show gives the exact bytes of a revision, and undefined for what is no file", async () => {
    const scratch = repository();
    scratch.write("dir/Größe *.md", "ä\r\n\0");
    symlinkSync("PLUGINS.md", join(scratch.top, "link"));
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "second");
    const git = scratch.open();
    expect(Buffer.from((await git.show("HEAD", "dir/Größe *.md")) ?? "").toString()).toBe(
      "ä\r\n\0",
    );
    expect(await git.show("HEAD~1", "dir/Größe *.md")).toBeUndefined();
    expect(await git.show("HEAD", "dir")).toBeUndefined();
    expect(await git.show("HEAD", "link")).toBeUndefined();
    expect(await git.show("nonsense", "PLUGINS.md")).toBeUndefined();
    expect(await git.show("--help", "PLUGINS.md")).toBeUndefined();
  });

  test("log names the commits of one path, newest first and limited", async () => {
    const scratch = repository();
    for (const n of [2, 3]) {
      scratch.write("PLUGINS.md", `registry ${n}\n`);
      scratch.git("commit", "--quiet", "-am", `change ${n}: ü`);
    }
    scratch.write("other.txt", "");
    scratch.git("commit", "--quiet", "-am", "another");
    const git = scratch.open();
    const log = await git.log("PLUGINS.md", 2);
    expect(log.map(({ subject }) => subject)).toEqual(["change 3: ü", "change 2: ü"]);
    expect(log[0]?.oid).toBe(scratch.git("rev-parse", "HEAD~1"));
    expect(log[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
    expect(await git.log("absent", 5)).toEqual([]);
  });

  test("before the first commit there is nothing to resolve and no log", async () => {
    const git = emptyRepository().open();
    expect(await git.resolve("HEAD")).toBeUndefined();
    expect(await git.log("x", 5)).toEqual([]);
  });

  test("resolve gives the commit, and undefined for an option in disguise", async () => {
    const scratch = repository();
    const git = scratch.open();
    expect(await git.resolve("main")).toBe(scratch.git("rev-parse", "HEAD"));
    expect(await git.resolve("--all")).toBeUndefined();
  });

  test("an unreadable repository configuration is said, not taken for a missing one", async () => {
    const scratch = repository();
    writeFileSync(join(scratch.top, ".git/config"), "[broken");
    const place = await scratch.open().locate();
    expect(place).toMatchObject({ kind: "none", why: "unusable" });
    expect(place.kind === "none" && place.message).toContain("bad config");
  });
});

function conflict(scratch: ReturnType<typeof repository>): void {
  scratch.git("switch", "--quiet", "-c", "side");
  scratch.write("PLUGINS.md", "registry side\n");
  scratch.git("commit", "--quiet", "-am", "side");
  scratch.git("switch", "--quiet", "main");
  scratch.write("PLUGINS.md", "registry main\n");
  scratch.git("commit", "--quiet", "-am", "main");
  expect(() => scratch.git("merge", "--quiet", "side")).toThrow("merge");
}
