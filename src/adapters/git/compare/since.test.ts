import { describe, expect, test } from "vitest";
import { emptyRepository, repository } from "../../../../test/conformance/git.ts";

describe("what changed since a commit", () => {
  test("[TC-010] [TC-011] committed or not, staged or not, moved or new: each path once, the index untouched", async () => {
    const scratch = repository();
    const base = scratch.git("rev-parse", "HEAD");
    scratch.git("mv", "other.txt", "moved.txt");
    scratch.git("commit", "--quiet", "-m", "move");
    scratch.write("PLUGINS.md", "registry 2\n");
    scratch.write("new file.txt", "new\n");
    scratch.write("build/ignored.txt", "x\n");
    scratch.write(".gitignore", "build/\n");
    const before = scratch.git("status", "--porcelain");
    expect(await scratch.open().changesSince(base)).toEqual(
      [
        { path: ".gitignore", change: "added" },
        { path: "PLUGINS.md", change: "modified" },
        { path: "new file.txt", change: "added" },
        { path: "moved.txt", change: "renamed", from: "other.txt" },
      ].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    );
    expect(scratch.git("status", "--porcelain")).toBe(before);
  });

  test("[TC-011] a moved file is known before it is staged; a deleted one is deleted", async () => {
    const scratch = repository();
    const base = scratch.git("rev-parse", "HEAD");
    scratch.write("elsewhere.txt", scratch.read("other.txt"));
    scratch.git("rm", "--quiet", "--cached", "other.txt");
    scratch.git("clean", "--quiet", "--force", "other.txt");
    scratch.git("rm", "--quiet", "PLUGINS.md");
    expect(await scratch.open().changesSince(base)).toEqual([
      { path: "PLUGINS.md", change: "deleted" },
      { path: "elsewhere.txt", change: "renamed", from: "other.txt" },
    ]);
  });

  test("[TC-012] nobody can tell without the commit; before the first one everything is new", async () => {
    const scratch = emptyRepository();
    scratch.write("a.txt", "a\n");
    expect(await scratch.open().changesSince("")).toEqual([{ path: "a.txt", change: "added" }]);
    expect(await scratch.open().changesSince("ab".repeat(20))).toBeUndefined();
  });

  test("[TC-014] the branch has a name, also before its first commit; a detached HEAD has none", async () => {
    expect(await emptyRepository().open().branch()).toBe("main");
    const scratch = repository();
    scratch.git("checkout", "--quiet", "-b", "feature/x");
    expect(await scratch.open().branch()).toBe("feature/x");
    scratch.git("checkout", "--quiet", "--detach");
    expect(await scratch.open().branch()).toBeUndefined();
  });
});
