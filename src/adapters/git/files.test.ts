import { describe, expect, test } from "vitest";
import { repository } from "../../../test/conformance/git.ts";

describe("files that are tracked although they are left out", () => {
  test("are named, and no other; only a .gitignore that is a file of the worktree leaves any out", async () => {
    const scratch = repository();
    scratch.write(".gitignore", "build/\n");
    scratch.write("build/out.txt", "x\n");
    scratch.write("build/kept.txt", "x\n");
    scratch.write("hidden.txt", "x\n");
    scratch.write(".git/info/exclude", "hidden.txt\n");
    scratch.git("add", "-f", "build/kept.txt", "hidden.txt");
    expect(await scratch.open().trackedAnyway(".")).toEqual(["build/kept.txt"]);
    expect(await scratch.open().trackedAnyway("build")).toEqual(["build/kept.txt"]);
    scratch.git("commit", "--quiet", "-m", "kept");
    scratch.git("rm", "--quiet", "--cached", "build/kept.txt");
    expect(await scratch.open().trackedAnyway(".")).toEqual(["build/kept.txt"]);
  });
});

describe("commits since", () => {
  const NOW = "2100-01-01T00:00:00.000Z";

  test("are named with the record they say they were made for", async () => {
    const scratch = repository();
    const base = scratch.git("rev-parse", "HEAD").trim();
    scratch.git("commit", "--allow-empty", "-m", "mine");
    scratch.git("commit", "--allow-empty", "-m", "ours\n\nHoldpoint-Record: abc");
    const commits = await scratch.open().commitsSince(base, NOW);
    expect(commits?.map(({ subject, record }) => [subject, record])).toEqual([
      ["ours", "abc"],
      ["mine", ""],
    ]);
    expect(await scratch.open().commitsSince("0".repeat(40), NOW)).toBeUndefined();
  });
});
