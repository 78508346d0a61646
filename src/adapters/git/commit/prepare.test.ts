import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  emptyRepository,
  planOf,
  prepared,
  ready,
  repository,
  scratchAt,
  scratchDirectory,
  type Scratch,
} from "../../../../test/conformance/git.ts";

describe("building the tree", () => {
  test("takes paths from the worktree and views as given; nothing a person sees changes", async () => {
    const scratch = repository();
    scratch.write("Source/a.cpp", "int a;\n");
    scratch.write("other.txt", "not ours\n");
    const before = snapshot(scratch);
    const plan = { paths: ["Source"], views: { "PLUGINS.md": "registry 2\n" } };
    const { ref, base, tree, blobs, author } = await prepared(scratch.open(), plan);
    expect(snapshot(scratch)).toEqual(before);
    expect({ ref, base }).toEqual({
      ref: "refs/heads/main",
      base: scratch.git("rev-parse", "HEAD"),
    });
    expect(Object.keys(blobs).sort()).toEqual(["PLUGINS.md", "Source/a.cpp"]);
    expect(scratch.git("show", `${tree}:PLUGINS.md`)).toBe("registry 2");
    expect(scratch.git("show", `${tree}:other.txt`)).toContain("line 1");
    expect(author).toEqual({ name: "Ada", email: "ada@example.org" });
    expect(readdirSync(scratch.tmpDir)).toEqual([]);
  });

  test("[PW-158] [PW-198] a path that is not there yet is left out with a warning", async () => {
    const scratch = repository();
    scratch.write("a.txt", "a");
    const answer = ready(await scratch.open().prepare(planOf({ paths: ["Source", "a.txt"] })));
    expect(Object.keys(answer.savepoint.blobs)).toEqual(["a.txt"]);
    expect(answer.warnings).toEqual([
      "Source is not there yet, so the savepoint does not have it.",
    ]);
  });

  test("[PW-158] a path git will not stage does not keep out the others; .gitignore is respected", async () => {
    const scratch = repository();
    scratch.write(".gitignore", "build/\n*.o\n");
    scratch.write("build/out", "x");
    scratch.write("Source/a.cpp", "a");
    scratch.write("Source/a.o", "binary");
    const paths = ["build", "Source"];
    const answer = ready(await scratch.open().prepare(planOf({ paths })));
    expect(Object.keys(answer.savepoint.blobs)).toEqual(["Source/a.cpp"]);
    expect(answer.warnings.join()).toMatch(/^build could not be staged whole: .*ignored/s);
  });

  test("a tracked path that was deleted is saved as deleted, and so is a view given as null", async () => {
    const scratch = repository();
    scratch.write("dir/x", "x");
    scratch.write("handoff.md", "h");
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "second");
    rmSync(join(scratch.top, "dir"), { recursive: true });
    const plan = { paths: ["dir"], views: { "handoff.md": null } };
    const { blobs } = await prepared(scratch.open(), plan);
    expect(blobs).toEqual({ "dir/x": null, "handoff.md": null });
  });

  test("[PW-168] names with spaces, umlauts, dashes, globs and colons are literal", async () => {
    const scratch = repository();
    const names = ["a b.txt", "Größe.txt", "-rf", "*", ":(glob)**", "line\nbreak", "a[b]?"];
    for (const name of names) scratch.write(name, name);
    scratch.write("untouched", "u");
    const views = { "-view *.md": "v", "dir ü/:x": "v" };
    const { blobs } = await prepared(scratch.open(), { paths: names, views });
    expect(Object.keys(blobs).sort()).toEqual([...names, ...Object.keys(views)].sort());
  });

  test.each(["../x", "/etc/passwd", "a/../../x", ".git/hooks/x", "a/.GIT/x", "", "a//b"])(
    "[PW-168] %j is refused as a path and as a view",
    async (path) => {
      const git = repository().open();
      const refusal = { kind: "rejected", code: "path-outside" };
      expect(await git.prepare(planOf({ paths: [path] }))).toMatchObject(refusal);
      expect(await git.prepare(planOf({ views: { [path]: "x" } }))).toMatchObject(refusal);
    },
  );

  test("the executable bit of a view stays, and its filters run", async () => {
    const scratch = repository();
    scratch.write("run.sh", "1\n");
    chmodSync(join(scratch.top, "run.sh"), 0o755);
    scratch.write(".gitattributes", "*.txt eol=crlf\n");
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", "second");
    const views = { "run.sh": "2\n", "crlf.txt": "a\r\nb\r\n" };
    const { tree } = await prepared(scratch.open(), { views });
    expect(scratch.git("ls-tree", tree, "run.sh")).toMatch(/^100755 /);
    expect(scratch.git("show", `${tree}:crlf.txt`)).toBe("a\nb");
  });

  test("an unborn branch works: the base is empty", async () => {
    const scratch = emptyRepository();
    scratch.write("a.txt", "a");
    const savepoint = await prepared(scratch.open(), { paths: ["a.txt"] });
    expect(savepoint).toMatchObject({ ref: "refs/heads/main", base: "" });
  });

  test("[PW-205] a tree that HEAD has already is empty, and no hook is asked", async () => {
    const scratch = repository();
    scratch.hook("pre-commit", "exit 1");
    const plan = planOf({ paths: ["other.txt"], views: { "PLUGINS.md": "registry 1\n" } });
    const oid = scratch.git("rev-parse", "HEAD");
    expect(await scratch.open().prepare(plan)).toEqual({ kind: "empty", oid });
  });

  test("[PW-207] without a configured identity the committer is Holdpoint", async () => {
    const scratch = repository();
    scratch.git("config", "--unset", "user.email");
    const { author } = await prepared(scratch.open(), { views: { a: "a" } });
    expect(author).toEqual({ name: "Holdpoint", email: "holdpoint@localhost" });
  });

  test("a held index.lock does not matter while preparing", async () => {
    const scratch = repository();
    writeFileSync(join(scratch.top, ".git/index.lock"), "");
    expect((await scratch.open().prepare(planOf({ views: { a: "a" } }))).kind).toBe("ready");
  });
});

describe("refusing before anything happens", () => {
  test.each([
    ["MERGE_HEAD", "a merge"],
    ["CHERRY_PICK_HEAD", "a cherry-pick"],
    ["REVERT_HEAD", "a revert"],
    ["rebase-merge/", "a rebase"],
    ["rebase-apply/", "a rebase or `git am`"],
  ])("%s", async (name, what) => {
    const scratch = repository();
    const place = join(scratch.top, ".git", name);
    if (name.endsWith("/")) mkdirSync(place);
    else writeFileSync(place, `${scratch.git("rev-parse", "HEAD")}\n`);
    const answer = await scratch.open().prepare(planOf({ views: { a: "a" } }));
    expect(answer).toMatchObject({ kind: "rejected", code: "git-unfinished" });
    expect(answer.kind === "rejected" && answer.message).toContain(`${what} is in progress`);
  });

  test("unmerged entries, as after `stash pop`", async () => {
    const scratch = repository();
    scratch.write("PLUGINS.md", "registry stash\n");
    scratch.git("stash");
    scratch.write("PLUGINS.md", "registry main\n");
    scratch.git("commit", "--quiet", "-am", "main");
    expect(() => scratch.git("stash", "pop")).toThrow("stash pop");
    const answer = await scratch.open().prepare(planOf({ views: { a: "a" } }));
    expect(answer).toMatchObject({ kind: "rejected", code: "git-unfinished" });
  });

  test("[PW-144] a full disk is named", async ({ skip }) => {
    const home = scratchDirectory();
    const top = join(home, "small");
    mkdirSync(top);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", top], { stdio: "ignore" });
    } catch {
      skip("no right to mount a small file system");
    }
    onTestFinished(() => void execFileSync("umount", [top]));
    const scratch = scratchAt(home, top);
    scratch.git("init", "--quiet");
    scratch.git("config", "core.compression", "0");
    const plan = planOf({ views: { big: "x".repeat(1_500_000) } });
    const answer = await scratch.open().prepare(plan);
    expect(answer).toMatchObject({ kind: "rejected", code: "disk-full" });
  });

  test("a detached HEAD", async () => {
    const scratch = repository();
    scratch.git("switch", "--quiet", "--detach");
    const answer = await scratch.open().prepare(planOf({ views: { a: "a" } }));
    expect(answer).toMatchObject({ kind: "rejected", code: "git-detached" });
    expect(answer.kind === "rejected" && answer.fix).toContain("git switch -c");
  });
});

describe("hooks", () => {
  test("[PW-203] a failing pre-commit hook rejects, says why, and leaves everything as it was", async () => {
    const scratch = repository();
    scratch.hook("pre-commit", "printf '\\033[31mno tabs, please: ü\\033[0m\\n'; exit 3");
    const before = snapshot(scratch);
    const answer = await scratch.open().prepare(planOf({ views: { a: "a" } }));
    expect(answer).toMatchObject({ kind: "rejected", code: "commit-rejected" });
    expect(answer.kind === "rejected" && answer.message).toBe(
      "The pre-commit hook failed with exit 3, so nothing was committed.\nno tabs, please: ü",
    );
    expect(snapshot(scratch)).toEqual(before);
  });

  test("a hook that talks without end gives its last lines only", async () => {
    const scratch = repository();
    scratch.hook("pre-commit", "seq 1 200000; echo the reason; exit 1");
    const answer = await scratch.open().prepare(planOf({ views: { a: "a" } }));
    const message = answer.kind === "rejected" ? answer.message : "";
    expect(message.endsWith("the reason")).toBe(true);
    expect(message.length).toBeLessThan(2_200);
  });

  test("the hook sees exactly our paths, and what it adds to the index is in the tree", async () => {
    const scratch = repository();
    scratch.write("unrelated.txt", "u");
    scratch.git("add", "unrelated.txt");
    const log = join(scratch.top, "..", "seen");
    scratch.hook(
      "pre-commit",
      `git diff --cached --name-only > '${log}'; echo formatted > a.txt; git add a.txt`,
    );
    scratch.write("a.txt", "raw");
    const { tree } = await prepared(scratch.open(), { paths: ["a.txt"] });
    expect(scratch.read("../seen")).toBe("a.txt\n");
    expect(scratch.git("show", `${tree}:a.txt`)).toBe("formatted");
    expect(scratch.git("diff", "--cached", "--name-only")).toBe("unrelated.txt");
  });

  test("[PW-206] a hook that rewrites a view does not get its text into the savepoint", async () => {
    const scratch = repository();
    scratch.hook("pre-commit", "echo formatted > PLUGINS.md; git add PLUGINS.md");
    const plan = planOf({ views: { "PLUGINS.md": "registry 2\n" } });
    const { savepoint, warnings } = ready(await scratch.open().prepare(plan));
    expect(scratch.git("show", `${savepoint.tree}:PLUGINS.md`)).toBe("registry 2");
    expect(warnings.join()).toContain("The pre-commit hook changed PLUGINS.md");
  });

  test("commit-msg may rewrite the message, or reject it", async () => {
    const scratch = repository();
    scratch.hook("commit-msg", 'echo "Change-Id: I1" >> "$1"');
    const { message } = await prepared(scratch.open(), { views: { a: "a" } });
    expect(message).toBe("feat: stage 1\nChange-Id: I1\n");
    scratch.hook("commit-msg", "echo too long >&2; exit 1");
    const answer = await scratch.open().prepare(planOf({ views: { a: "a" } }));
    expect(answer).toMatchObject({ kind: "rejected", code: "commit-rejected" });
    expect(answer.kind === "rejected" && answer.message).toContain("commit-msg hook");
    expect(readdirSync(scratch.tmpDir)).toEqual([]);
  });

  test("core.hooksPath is respected", async () => {
    const scratch = repository();
    const hooks = scratchDirectory();
    scratch.git("config", "core.hooksPath", hooks);
    writeFileSync(join(hooks, "pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    const answer = await scratch.open().prepare(planOf({ views: { a: "a" } }));
    expect(answer).toMatchObject({ kind: "rejected", code: "commit-rejected" });
  });

  test("a git without `git hook` runs them all the same", async () => {
    const scratch = repository();
    const old = join(scratchDirectory(), "git");
    const script = `#!/bin/sh
case "$1" in
  version) echo "git version 2.31.0";;
  hook) echo "git: 'hook' is not a git command." >&2; exit 1;;
  *) exec git "$@";;
esac`;
    writeFileSync(old, script, { mode: 0o755 });
    const git = scratch.open({ gitBinary: old });
    expect((await git.prepare(planOf({ views: { a: "a" } }))).kind).toBe("ready");
    scratch.hook("pre-commit", "echo seen; exit 1");
    const answer = await git.prepare(planOf({ views: { a: "a" } }));
    expect(answer.kind === "rejected" && answer.message).toContain("seen");
  });

  test("a hook that never ends is ended with its children", async () => {
    const scratch = repository();
    const mark = join(scratch.top, "..", "survived");
    scratch.hook("pre-commit", `(sleep 1; touch '${mark}') & sleep 60`);
    const git = scratch.open({ hookMsMax: 300 });
    const answer = await git.prepare(planOf({ views: { a: "a" } }));
    expect(answer.kind === "rejected" && answer.message).toContain("did not end in time");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(existsSync(mark)).toBe(false);
  });

  test("a daemon left by a hook is not waited for", async () => {
    const scratch = repository();
    scratch.hook("pre-commit", "sleep 60 & echo $! > ../daemon");
    const answer = await scratch.open().prepare(planOf({ views: { a: "a" } }));
    process.kill(Number(scratch.read("../daemon")));
    expect(answer.kind).toBe("ready");
  });
});

/** What a person could notice: branch, index, worktree. */
function snapshot(scratch: Scratch): readonly string[] {
  return [
    scratch.git("rev-parse", "HEAD"),
    scratch.git("ls-files", "--stage"),
    scratch.git("status", "--porcelain", "--untracked-files=all"),
  ];
}
