import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { planOf, repository, type Scratch } from "../../../../test/conformance/git.ts";

/** All that a scratch repository has below `Source`, as the engine would have read it. */
const READ: readonly string[] = ["Source/a.cpp"];

describe("a savepoint without something that stands below its paths", () => {
  const lacks: Readonly<
    Record<string, readonly [string, (scratch: Scratch) => readonly string[]]>
  > = {
    "a repository with a commit": [
      "Source/lib/ (a repository of its own)",
      (scratch) => nested(scratch, { committed: true }),
    ],
    "a repository without one": ["Source/lib/ (a repository of its own)", nested],
    "a file that a rule of this clone leaves out": [
      "Source/b.log (left out by git)",
      (scratch) => {
        scratch.write("Source/b.log", "hidden\n");
        scratch.write(".git/info/exclude", "*.log\n");
        return ["Source/b.log"];
      },
    ],
    "the file behind a link out of the worktree": [
      "Source/host (a link to what it does not have)",
      (scratch) => {
        scratch.write("../beside.h", "x\n");
        return link(scratch, "Source/host", "../../beside.h");
      },
    ],
    "the file behind a link to what git ignores": [
      "Source/gen (a link to what it does not have)",
      (scratch) => {
        scratch.write(".gitignore", "build/\n");
        scratch.write("build/gen.h", "x\n");
        return link(scratch, "Source/gen", "../build/gen.h");
      },
    ],
  };

  test.each(Object.entries(lacks))("%s: refused, and named", async (_, [named, plant]) => {
    const scratch = repository();
    scratch.write("Source/a.cpp", "int a;\n");
    const standing = [...READ, ...plant(scratch)];
    const answer = await scratch.open().prepare(planOf({ paths: ["Source"], standing }));
    expect(answer).toMatchObject({ kind: "rejected", code: "savepoint-lacks" });
    expect(answer.kind === "rejected" && answer.message).toContain(named);
  });

  test("also where it would change nothing", async () => {
    const scratch = repository();
    const standing = nested(scratch);
    const answer = await scratch.open().prepare(planOf({ paths: ["Source"], standing }));
    expect(answer).toMatchObject({ kind: "rejected", code: "savepoint-lacks" });
  });

  test("also what a pre-commit hook has taken out of it", async () => {
    const scratch = repository();
    scratch.write("Source/a.cpp", "int a;\n");
    scratch.write("Source/b.cpp", "int b;\n");
    scratch.hook("pre-commit", "git rm --quiet --cached Source/b.cpp");
    const standing = [...READ, "Source/b.cpp"];
    const answer = await scratch.open().prepare(planOf({ paths: ["Source"], standing }));
    expect(answer.kind).toBe("rejected");
  });
});

describe("a savepoint that has it all", () => {
  test("links to files and folders in it, and one that leads nowhere", async () => {
    const scratch = repository();
    scratch.write("Source/a.cpp", "int a;\n");
    const standing = [
      ...READ,
      ...link(scratch, "Source/file", "a.cpp"),
      ...link(scratch, "Source/folder", "../Source"),
      ...link(scratch, "Source/top", ".."),
      ...link(scratch, "Source/other", "../other.txt"),
      ...link(scratch, "Source/nowhere", "gone"),
    ];
    const answer = await scratch.open().prepare(planOf({ paths: ["Source"], standing }));
    expect(answer.kind).toBe("ready");
  });

  test("a state file that an effect will have taken away", async () => {
    const scratch = repository();
    scratch.write("Source/a.cpp", "int a;\n");
    const views = { "Source/gone": null };
    const standing = [...READ, "Source/gone"];
    const answer = await scratch.open().prepare(planOf({ paths: ["Source"], standing, views }));
    expect(answer.kind).toBe("ready");
  });

  test("a submodule whose commits are on its remote, until somebody writes into it", async () => {
    const scratch = repository();
    const lib = repository();
    const allow = ["-c", "protocol.file.allow=always"];
    scratch.git(...allow, "submodule", "--quiet", "add", lib.top, "Source/lib");
    const standing = ["Source/lib/.git", "Source/lib/PLUGINS.md", "Source/lib/other.txt"];
    const plan = planOf({ paths: [".gitmodules", "Source"], standing });
    expect((await scratch.open().prepare(plan)).kind).toBe("ready");
    scratch.git("commit", "--quiet", "-m", "a submodule");
    scratch.write("Source/a.cpp", "int a;\n");
    expect((await scratch.open().prepare(plan)).kind).toBe("ready");
    scratch.write("Source/lib/more.cpp", "int more;\n");
    const more = { ...plan, standing: [...standing, "Source/lib/more.cpp"] };
    expect(await scratch.open().prepare(more)).toMatchObject({ code: "savepoint-lacks" });
    const inner = join(scratch.top, "Source/lib");
    scratch.git("-C", inner, "add", ".");
    scratch.git("-C", inner, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "here");
    expect(await scratch.open().prepare(more)).toMatchObject({ code: "savepoint-lacks" });
  });
});

function nested(scratch: Scratch, { committed = false } = {}): readonly string[] {
  scratch.write("Source/lib/b.cpp", "int b;\n");
  const inner = ["-C", join(scratch.top, "Source/lib")];
  scratch.git(...inner, "init", "--quiet");
  const who = ["-c", "user.name=A", "-c", "user.email=a@b"];
  if (committed) {
    scratch.git(...inner, "add", ".");
    scratch.git(...inner, ...who, "commit", "--quiet", "-m", "inside");
  }
  return ["Source/lib/b.cpp", "Source/lib/.git/config"];
}

function link(scratch: Scratch, path: string, target: string): readonly string[] {
  mkdirSync(dirname(join(scratch.top, path)), { recursive: true });
  symlinkSync(target, join(scratch.top, path));
  return [path];
}
