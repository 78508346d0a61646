import { describe, expect, test } from "vitest";
import { repository } from "../../../test/conformance/git.ts";

describe("the files of a worktree", () => {
  test("are tracked or new; only a .gitignore that is a file of the worktree leaves any out", async () => {
    const scratch = repository();
    scratch.write(".gitignore", "build/\n");
    scratch.write("build/out.txt", "x\n");
    scratch.write("new file.txt", "x\n");
    scratch.write("hidden.txt", "x\n");
    scratch.write(".git/info/exclude", "hidden.txt\n");
    const files = await scratch.open().files();
    expect(files).toEqual(expect.arrayContaining([".gitignore", "PLUGINS.md", "new file.txt"]));
    expect(files).toContain("hidden.txt");
    expect(files).not.toContain("build/out.txt");
  });
});
