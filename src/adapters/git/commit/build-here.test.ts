import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  done,
  emptyRepository,
  planOf,
  prepared,
  RECORD,
  ready,
  repository,
  type Scratch,
} from "../../../../test/conformance/git.ts";
import { encodeIndex, readIndex } from "../index/index-file.ts";
import { treesOf } from "../index/trees.ts";

describe("a savepoint without most of git", () => {
  test("starts git twice: to add, and to move the branch", async () => {
    const scratch = repository();
    const { started, gitBinary } = counted(scratch);
    scratch.write("Source/a.cpp", "int a;\n");
    const git = scratch.open({ gitBinary });
    await git.locate();
    rmSync(join(scratch.top, "../log"));
    const savepoint = await prepared(git, plan());
    done(await git.commit(savepoint, RECORD));
    expect(started()).toEqual(["add", "update-ref"]);
    scratch.write("PLUGINS.md", "registry 2\n");
    expect(scratch.git("status", "--porcelain")).toBe("");
    expect(scratch.git("fsck", "--strict")).toBe("");
  });

  test("a setting that is only named means yes, and is asked for", async () => {
    const scratch = repository();
    scratch.git("config", "gpg.program", "/bin/false");
    appendFileSync(join(scratch.top, ".git/config"), "[commit]\n\tgpgsign\n");
    scratch.write("Source/a.cpp", "int a;\n");
    expect((await prepared(scratch.open(), plan())).sign).toBe(true);
  });

  test("with something staged or attributes it asks git for what it does not know", async () => {
    const scratch = repository();
    scratch.write("other.txt", "staged\n");
    scratch.git("add", "other.txt");
    scratch.write("Source/a.cpp", "int a;\n");
    scratch.write("PLUGINS.md", "one\r\ntwo\r\n");
    scratch.write(".gitattributes", "*.md text eol=crlf\n");
    const git = scratch.open();
    const { savepoint } = ready(
      await git.prepare(planOf({ ...plan(), views: { "PLUGINS.md": "one\r\ntwo\r\n" } })),
    );
    done(await git.commit(savepoint, RECORD));
    expect(scratch.git("show", "HEAD:PLUGINS.md")).toBe("one\ntwo");
    expect(scratch.git("status", "--porcelain").split("\n")).toEqual([
      "M  other.txt",
      "?? .gitattributes",
    ]);
  });

  test("an index whose entries are not the base's, whatever it says of its trees, is not taken for it", async () => {
    const scratch = repository();
    scratch.write("Source/a.cpp", "int a;\n");
    scratch.write("Source/b.cpp", "int b;\n");
    scratch.git("add", "Source");
    scratch.git("commit", "--quiet", "-m", "second");
    const file = join(scratch.top, ".git/index");
    const index = readIndex(file);
    if (index === undefined) throw new Error("not read");
    expect(index.trees).toBeDefined();
    const forged = index.entries.map((entry) =>
      entry.path === "Source/b.cpp"
        ? { ...entry, oid: index.entries[0]?.oid ?? "", raw: undefined }
        : entry,
    );
    writeFileSync(file, encodeIndex({ ...index, entries: forged }));
    scratch.write("Source/a.cpp", "int other;\n");
    const git = scratch.open();
    const savepoint = await prepared(git, { paths: ["Source/a.cpp"] });
    expect(Object.keys(savepoint.blobs)).toEqual(["Source/a.cpp"]);
    done(await git.commit(savepoint, RECORD));
    expect(scratch.git("show", "HEAD:Source/b.cpp")).toBe("int b;");
  });

  test("the lock of one of us who died while he held it is taken away, nobody else's is", async () => {
    const scratch = repository();
    scratch.write("Source/a.cpp", "int a;\n");
    const git = scratch.open();
    const savepoint = await prepared(git, plan());
    const lock = join(scratch.top, ".git/index.lock");
    const left = join(scratch.tmpDir, "lock-999999999-x");
    mkdirSync(scratch.tmpDir, { recursive: true });
    writeFileSync(left, "half");
    linkSync(left, lock);
    done(await git.commit(savepoint, RECORD));
    scratch.write("Source/a.cpp", "int b;\n");
    const next = await prepared(git, { paths: ["Source"] });
    writeFileSync(left, "half");
    writeFileSync(lock, "git's own");
    expect(await git.commit(next, RECORD)).toMatchObject({ code: "index-locked" });
    expect(readFileSync(lock, "utf8")).toBe("git's own");
  });

  test.each([" Ada  <x>", "Ada, Countess.", "'Ada \"the\" first'", "Ää.", "a\tb"])(
    "the commit of %j is the one git would have written",
    async (name) => {
      const scratch = repository();
      scratch.git("config", "user.name", name);
      scratch.write("Source/a.cpp", "int a;\n");
      const ids = await Promise.all(
        [undefined, "x"].map(async (marked) => {
          // Another way to store objects is git's own business, so git writes this one.
          if (marked !== undefined) scratch.git("config", "core.fsync", "all");
          const git = scratch.open();
          return done(await git.commit(await prepared(git, plan()), RECORD)).oid;
        }),
      );
      expect(new Set(ids).size).toBe(1);
      expect(scratch.git("fsck", "--strict")).toBe("");
    },
  );

  test("any files, changes and leftovers: the same tree and index as by git", async () => {
    await fc.assert(
      fc.asyncProperty(FILES, FILES, async (before, after) => {
        const scratch = emptyRepository();
        scratch.write("seed", "seed\n");
        layOut(scratch, before);
        scratch.git("add", ".");
        scratch.git("commit", "--quiet", "-m", "first");
        for (const path of Object.keys(before)) rmSync(join(scratch.top, path), { force: true });
        rmSync(join(scratch.top, "d"), { recursive: true, force: true });
        layOut(scratch, after);
        const git = scratch.open();
        const answer = await git.prepare(planOf({ paths: ["."], views: { "d/state": "s\n" } }));
        const { savepoint } = ready(answer);
        const { oid } = done(await git.commit(savepoint, RECORD));
        scratch.write("d/state", "s\n");
        expect(scratch.git("status", "--porcelain")).toBe("");
        // The user's own index, with the trees git keeps in it, comes to the same tree.
        const tree = scratch.git("rev-parse", `${oid}^{tree}`);
        expect(scratch.git("write-tree")).toBe(tree);
        scratch.git("read-tree", "--empty");
        scratch.git("add", ".");
        expect(scratch.git("write-tree")).toBe(tree);
        expect(treesOf(readIndex(join(scratch.top, ".git/index"))?.entries ?? []).root).toBe(tree);
      }),
      { numRuns: 25 },
    );
  });
});

/** Names that sort otherwise as files than as folders, and folders where files were. */
const NAMES = ["d", "d-e", "d/f", "d/f.g", "d/f/h", "d0", "x y", "ü", "d/ü/z", "z"];
const FILES = fc
  .uniqueArray(fc.constantFrom(...NAMES), { maxLength: 7 })
  .map((names) => names.filter((name) => !names.some((one) => one.startsWith(`${name}/`))))
  .map((names) => names.filter((name) => name !== "d"))
  .chain((names) =>
    fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom("1\n", "2\n", "x")]))),
  );

function layOut(scratch: Scratch, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    scratch.write(path, text);
    if (text === "x") chmodSync(join(scratch.top, path), 0o755);
  }
}

function plan(): { readonly paths: readonly string[]; readonly views: Record<string, string> } {
  return { paths: ["Source"], views: { "PLUGINS.md": "registry 2\n" } };
}

/** A git that writes down which of its commands was started. */
function counted(scratch: Scratch): {
  readonly gitBinary: string;
  started: () => readonly string[];
} {
  const [gitBinary, log] = [join(scratch.top, "../counted"), join(scratch.top, "../log")];
  const lines = ['for w; do case "$w" in -*) ;; *) break;; esac; done', `echo "$w" >>'${log}'`];
  writeFileSync(gitBinary, ["#!/bin/sh", ...lines, 'exec git "$@"', ""].join("\n"), {
    mode: 0o755,
  });
  return { gitBinary, started: () => readFileSync(log, "utf8").trim().split("\n").sort() };
}
