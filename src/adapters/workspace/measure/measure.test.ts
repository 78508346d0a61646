import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { createMeasure } from "./measure.ts";

const made: string[] = [];
afterEach(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

function tree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "holdpoint-measure-"));
  made.push(root);
  for (const [path, text] of Object.entries(files)) put(root, path, text);
  return root;
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const names = async (root: string, at = "."): Promise<readonly string[]> => [
  ...(await createMeasure(root)(at)).files.keys(),
];

describe("what is measured", () => {
  test("is every file, link and odd thing, but nothing of git, of ours, or left out by a .gitignore", async () => {
    const root = tree({
      ".gitignore": "build/\n*.log\n!kept.log\n",
      "src/.gitignore": "/gen\n",
      "src/a.ts": "a",
      "src/gen/x.ts": "x",
      "lib/gen/x.ts": "x",
      "build/out": "o",
      "debug.log": "l",
      "src/kept.log": "k",
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/info/exclude": "src/\n",
      ".holdpoint/tmp/x": "x",
    });
    symlinkSync("a.ts", join(root, "src/link"));
    expect(await names(root)).toEqual([
      ".gitignore",
      "lib/gen/x.ts",
      "src/.gitignore",
      "src/a.ts",
      "src/kept.log",
      "src/link",
    ]);
    expect(await names(root, "src")).toEqual([
      "src/.gitignore",
      "src/a.ts",
      "src/kept.log",
      "src/link",
    ]);
  });

  test("leaves out another worktree of the repository, but no directory that only says it is one", async () => {
    const root = tree({ "a.txt": "a" });
    const git = (...args: readonly string[]): void => {
      execFileSync("git", [...args], { cwd: root, stdio: "ignore" });
    };
    git("init", "-q");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x");
    git("worktree", "add", "-q", "work/one");
    put(root, "work/one/b.txt", "b");
    put(root, "fake/.git", `gitdir: ${root}/.git/worktrees/none\n`);
    put(root, "fake/c.txt", "c");
    expect(await names(root)).toEqual(["a.txt", "fake/.git", "fake/c.txt"]);
    expect(await names(root, "work/one")).toEqual(["work/one/b.txt"]);
    expect((await createMeasure(root)(".")).left).toEqual(["work/one/"]);
  });

  test("leaves out of git's and our own places only what git and we write there", async () => {
    const root = tree({
      "src/.git/i.sh": "echo hidden",
      "sub/.git/HEAD": "ref: refs/heads/main\n",
      "sub/.git/objects/aa/bb": "o",
      "sub/.git/hooks/run.sh": "echo hidden",
      ".holdpoint/run.sh": "echo hidden",
      ".holdpoint/aside/x": "x",
      ".holdpoint/blobs/x.sh": "echo hidden",
    });
    expect(await names(root)).toEqual([
      ".holdpoint/run.sh",
      "src/.git/i.sh",
      "sub/.git/hooks/run.sh",
    ]);
    // In a repository the store is git's neighbour: here is nothing of it.
    put(root, ".git/HEAD", "ref: refs/heads/main\n");
    expect(await names(root)).toContain(".holdpoint/blobs/x.sh");
    expect(await names(root)).not.toContain(".holdpoint/aside/x");
  });

  test("a rule that was not there before hides nothing", async () => {
    const root = tree({ "src/a.ts": "a" });
    const before = await createMeasure(root)(".");
    put(root, ".gitignore", "new/\n");
    put(root, "new/hidden.ts", "x");
    expect(await names(root)).toEqual([".gitignore", "src/a.ts"]);
    const now = await createMeasure(root)(".", { rules: before.rules });
    expect([...now.files.keys()]).toEqual([".gitignore", "new/hidden.ts", "src/a.ts"]);
  });

  test("a directory may begin with a dot, and be written with one before it", async () => {
    const root = tree({ ".hidden/a": "1", "hidden/b": "1" });
    for (const at of [".hidden", "./.hidden", ".hidden/"])
      expect(await names(root, at)).toEqual([".hidden/a"]);
    expect(await names(root, "./hidden")).toEqual(["hidden/b"]);
  });

  test("what git tracks is read although rules leave it out", async () => {
    const root = tree({ ".gitignore": "gen/\n", "gen/a.ts": "a" });
    const reading = await createMeasure(root)(".", { also: ["gen/a.ts", "gen/gone.ts"] });
    expect([...reading.files.keys()]).toEqual([".gitignore", "gen/a.ts"]);
  });
});

describe("what ignore rules leave out", () => {
  test("is named, a folder for all that is in it, and without what git tracks", async () => {
    const root = tree({
      ".gitignore": "build/\n*.log\n",
      "build/a": "1",
      "src/build/b": "1",
      "src/c.log": "1",
      "d.log": "1",
      "src/e": "1",
    });
    const measure = createMeasure(root);
    expect((await measure(".")).left).toEqual(["build/", "d.log", "src/build/", "src/c.log"]);
    const { left } = await measure(".", { also: ["d.log"] });
    expect(left).toEqual(["build/", "src/build/", "src/c.log"]);
  });

  test("is read where it is asked for, or lies in what is asked for", async () => {
    const root = tree({ ".gitignore": "out/\n*.o\n", "out/a/b.txt": "1", "out/a/c.o": "1" });
    expect(await names(root, "out/a")).toEqual(["out/a/b.txt", "out/a/c.o"]);
    expect(await names(root, "out")).toEqual(["out/a/b.txt", "out/a/c.o"]);
    const before = await createMeasure(root)("out/a");
    put(root, ".gitignore", "");
    const now = await createMeasure(root)("out/a", { rules: before.rules });
    expect([...now.files.keys()]).toEqual(["out/a/b.txt", "out/a/c.o"]);
  });
});

describe("what cannot be read in full", () => {
  test("is named: a directory behind a link that leaves the tree, a name that is no text", async () => {
    const other = tree({ "x.txt": "x" });
    const root = tree({ "a.txt": "a" });
    symlinkSync(other, join(root, "away"));
    writeFileSync(Buffer.from(`${root}/\xff.txt`, "latin1"), "odd");
    const { problems } = await createMeasure(root)(".");
    expect(problems.get("away")).toContain("outside of the tree");
    expect([...problems.values()].join()).toContain("not UTF-8");
  });

  test("is named: a file larger than the limit, without reading it", async () => {
    const root = tree({ "a.txt": "a" });
    execFileSync("truncate", ["-s", "100G", join(root, "hole")]);
    expect((await createMeasure(root)(".")).problems.get("hole")).toContain("larger than");
  });

  // Root reads it all the same, so as root there is nothing to show.
  test.skipIf(process.getuid?.() === 0)("is named: a file nobody may read", async () => {
    const root = tree({ "a.txt": "a" });
    chmodSync(join(root, "a.txt"), 0);
    expect((await createMeasure(root)(".")).problems.get("a.txt")).toContain("EACCES");
  });

  test("a file behind a link that leaves the tree is read", async () => {
    const other = tree({ "x.txt": "x" });
    const root = tree({ "a.txt": "a" });
    symlinkSync(join(other, "x.txt"), join(root, "away"));
    const before = (await createMeasure(root)(".")).files.get("away");
    put(other, "x.txt", "y");
    expect((await createMeasure(root)(".")).files.get("away")).not.toBe(before);
  });
});

describe("every change is seen", () => {
  const CHANGES: Readonly<Record<string, (root: string) => void>> = {
    "a byte": (root) => put(root, "src/a.ts", "b"),
    "a byte, with the times put back": (root) => {
      put(root, "src/a.ts", "b");
      utimesSync(join(root, "src/a.ts"), 1, 1);
    },
    "the mode": (root) => chmodSync(join(root, "src/a.ts"), 0o755),
    "the name": (root) => renameSync(join(root, "src/a.ts"), join(root, "src/b.ts")),
    "a file that is gone": (root) => rmSync(join(root, "src/a.ts")),
    "a link in its place": (root) => {
      rmSync(join(root, "src/a.ts"));
      symlinkSync("c.ts", join(root, "src/a.ts"));
    },
    "a directory in its place": (root) => {
      rmSync(join(root, "src/a.ts"));
      put(root, "src/a.ts/x", "a");
    },
    "a pipe in its place": (root) => {
      rmSync(join(root, "src/a.ts"));
      execFileSync("mkfifo", [join(root, "src/a.ts")]);
    },
    "a file that is new": (root) => put(root, "deep/down/new.ts", "n"),
    "where a link points": (root) => {
      rmSync(join(root, "src/link"));
      symlinkSync("b.ts", join(root, "src/link"));
    },
  };

  test.each(Object.entries(CHANGES))("%s", async (_, change) => {
    const root = tree({ "src/a.ts": "a", "src/c.ts": "a" });
    symlinkSync("a.ts", join(root, "src/link"));
    utimesSync(join(root, "src/a.ts"), 1, 1);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const measure = createMeasure(root, { freshMs: 100 });
    const before = await measure(".");
    expect([...(await measure(".")).files]).toEqual([...before.files]);
    change(root);
    expect([...(await measure(".")).files]).not.toEqual([...before.files]);
  });

  test("whatever is kept from earlier readings, it reads as if nothing were", async () => {
    const edit = fc.record({
      path: fc.constantFrom("a", "b", "d/a", "d/e/a"),
      text: fc.constantFrom("1", "2", "33", null),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 12 }), async (edits) => {
        const root = tree({ keep: "k" });
        const kept = createMeasure(root, { freshMs: 5 });
        for (const { path, text } of edits) {
          if (text === null) rmSync(join(root, path), { force: true });
          else put(root, path, text);
          expect([...(await kept(".")).files]).toEqual([...(await createMeasure(root)(".")).files]);
        }
      }),
      { numRuns: 40 },
    );
  });
});
