import { describe, expect, test } from "vitest";
import { repository } from "../../../test/conformance/git.ts";

describe("tracked files", () => {
  test("are those of the index and of the commit, whatever rules say of them", async () => {
    const scratch = repository();
    const before = await scratch.open().tracked(".");
    scratch.write(".gitignore", "build/\n");
    scratch.write("build/out.txt", "x\n");
    scratch.write("build/kept \u00e9.txt", "x\n");
    scratch.write("hidden.txt", "x\n");
    scratch.write(".git/info/exclude", "hidden.txt\n");
    scratch.git("add", "-f", "build/kept \u00e9.txt", "hidden.txt");
    const added = ["build/kept \u00e9.txt", "hidden.txt"];
    const names = async (directory: string): Promise<readonly string[]> =>
      (await scratch.open().tracked(directory)).filter((path) => !before.includes(path));
    expect(await names(".")).toEqual(added);
    expect(await names("build")).toEqual(["build/kept \u00e9.txt"]);
    expect(await names("none")).toEqual([]);
    scratch.git("commit", "--quiet", "-m", "kept");
    expect(await names(".")).toEqual(added);
    scratch.git("rm", "--quiet", "--cached", "build/kept \u00e9.txt");
    expect((await names(".")).toSorted()).toEqual(added);
    scratch.git("gc", "--quiet");
    expect((await names(".")).toSorted()).toEqual(added);
    expect(await names("build")).toEqual(["build/kept \u00e9.txt"]);
    scratch.git("update-index", "--index-version", "4");
    expect((await names(".")).toSorted()).toEqual(added);
    expect(await names("build")).toEqual(["build/kept \u00e9.txt"]);
  });

  test("of another worktree are that worktree's own", async () => {
    const scratch = repository();
    scratch.git("worktree", "add", "--quiet", "work/one");
    scratch.write("work/one/new.txt", "x\n");
    scratch.git("-C", "work/one", "add", "new.txt");
    expect(await scratch.open().tracked("work/one")).toContain("work/one/new.txt");
    expect(await scratch.open().tracked(".")).not.toContain("work/one/new.txt");
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
