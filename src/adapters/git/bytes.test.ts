/** Git's opinion is no evidence: whatever it was told, cleanliness and differences are what the bytes say. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CODE,
  done,
  forest,
  planted,
  refusal,
  ripe,
  type Forest,
} from "../../../test/conformance/worktrees.ts";

const FILE = "other.txt";

/** Each hides a change of other.txt, or the new file new.txt, from `git status` in the task's worktree. */
const HIDING: Readonly<Record<string, (one: Forest) => void>> = {
  "assume-unchanged": (one) => one.at(CODE, "update-index", "--assume-unchanged", FILE),
  "skip-worktree": (one) => one.at(CODE, "update-index", "--skip-worktree", FILE),
  "a sparse checkout": (one) => {
    one.at(CODE, "sparse-checkout", "set", "--no-cone", "/PLUGINS.md");
  },
  "trustctime and checkStat": (one) => {
    one.at(CODE, "config", "core.trustctime", "false");
    one.at(CODE, "config", "core.checkStat", "minimal");
  },
  "a file system monitor": (one) => {
    const silent = join(one.top, "../silent");
    writeFileSync(silent, "#!/bin/sh\nprintf 'token\\0'\n", { mode: 0o755 });
    one.at(CODE, "config", "core.fsmonitor", silent);
    one.at(CODE, "update-index", "--fsmonitor");
    one.at(CODE, "status");
  },
  "the untracked cache": (one) => {
    one.at(CODE, "config", "core.untrackedCache", "true");
    one.at(CODE, "update-index", "--force-untracked-cache");
    one.at(CODE, "status");
  },
  "a split index": (one) =>
    one.at(CODE, "update-index", "--split-index", "--assume-unchanged", FILE),
  "a filter in info/attributes": (one) => {
    writeFileSync(join(one.top, ".git/info/attributes"), "* filter=evil\n");
    one.git("config", "filter.evil.clean", "git show HEAD:%f");
    one.git("config", "filter.evil.smudge", "cat other.txt");
  },
  "a filter in core.attributesFile": (one) => {
    writeFileSync(join(one.top, "../attributes"), "* filter=evil\n");
    one.git("config", "core.attributesFile", join(one.top, "../attributes"));
    one.git("config", "filter.evil.clean", "git show HEAD:%f");
    one.git("config", "filter.evil.smudge", "cat other.txt");
  },
  "info/exclude": (one) => {
    appendFileSync(join(one.top, ".git/info/exclude"), "*\n");
  },
  "core.excludesFile": (one) => {
    writeFileSync(join(one.top, "../excludes"), "*\n");
    one.git("config", "core.excludesFile", join(one.top, "../excludes"));
  },
  "a letter case that does not count": (one) => one.git("config", "core.ignoreCase", "true"),
  "an intention to add": (one) => {
    one.write(`${CODE}/new.txt`, "new\n");
    one.at(CODE, "add", "--intent-to-add", "new.txt");
  },
  "a replaced blob": (one) => {
    const evil = execFileSync("git", ["hash-object", "-w", "--stdin"], {
      cwd: one.top,
      env: one.env,
      input: changed(one),
      encoding: "utf8",
    }).trim();
    one.git("replace", one.oid(`HEAD:${FILE}`), evil);
  },
  "a commit that is replaced": (one) => {
    const tip = one.at(CODE, "rev-parse", "HEAD");
    one.write(`${CODE}/${FILE}`, changed(one));
    one.at(CODE, "commit", "--quiet", "-am", "forged");
    one.git("replace", tip, one.at(CODE, "rev-parse", "HEAD"));
    one.at(CODE, "reset", "--quiet", "--soft", tip);
  },
};

/** As long as the text it stands for, so that the size tells nothing. */
function changed(one: Forest): string {
  return readFileSync(join(one.top, FILE), "utf8").replaceAll("line", "LINE");
}

/** The times it had: only ctime, and the bytes, are others. */
function changeUnseen(one: Forest): void {
  const place = join(one.top, CODE, FILE);
  const text = changed(one);
  rmSync(place, { force: true });
  writeFileSync(place, text);
  utimesSync(place, 1_700_000_000, 1_700_000_000);
  one.write(`${CODE}/new.txt`, "new\n");
}

describe("a change that git was told not to see", () => {
  test.each(Object.entries(HIDING))("%s", async (_, hide) => {
    const one = await planted();
    const base = one.oid("HEAD");
    utimesSync(join(one.top, CODE, FILE), 1_700_000_000, 1_700_000_000);
    one.at(CODE, "status");
    hide(one);
    changeUnseen(one);
    const status = await one.worktrees.status({ path: CODE });
    expect(status?.clean).toBe(false);
    expect(status?.dirty).toEqual(expect.arrayContaining([FILE, "new.txt"]));
    const git = one.open({ cwd: join(one.top, CODE) });
    const paths = (await git.changes(["."])).map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining([FILE, "new.txt"]));
    expect(await git.changes([FILE])).toMatchObject([{ path: FILE }]);
    const since = (await git.changesSince(base))?.map(({ path }) => path);
    expect(since).toEqual(expect.arrayContaining([FILE, "new.txt"]));
  });

  test("an index whose times were forged", async () => {
    const one = await planted();
    const place = join(one.top, CODE, FILE);
    one.at(CODE, "status");
    writeFileSync(place, changed(one));
    // As the file is now: the index believes to have seen it so.
    const head = one.oid(`HEAD:${FILE}`);
    one.at(CODE, "update-index", "--add", "--cacheinfo", `100644,${head},${FILE}`);
    forgeTimes(join(one.top, ".git/worktrees/code/index"), place, head);
    expect(one.at(CODE, "status", "--porcelain"), "git itself is deceived").toBe("");
    expect((await one.worktrees.status({ path: CODE }))?.dirty).toEqual([FILE]);
  });

  test("a file that a sparse checkout leaves out is missing, in a task's worktree", async () => {
    const one = await planted();
    one.at(CODE, "sparse-checkout", "set", "--no-cone", "/PLUGINS.md");
    expect((await one.worktrees.status({ path: CODE }))?.dirty).toEqual([FILE]);
    const main = forest();
    main.git("sparse-checkout", "set", "--no-cone", "/PLUGINS.md");
    expect((await main.worktrees.status({ path: "." }))?.dirty, "the user's own").toEqual([]);
  });

  test("a file that became a link, a folder, executable, or lies below a link", async () => {
    for (const [path, spoil] of [
      [FILE, (at: string) => (rmSync(at), symlinkSync("/etc/hostname", at))],
      [FILE, (at: string) => (rmSync(at), mkdirSync(at))],
      [FILE, (at: string) => chmodSync(at, 0o755)],
      [
        "folder/in.txt",
        (at: string) => {
          renameSync(join(at, ".."), join(at, "../../../away"));
          symlinkSync("../away", join(at, ".."));
        },
      ],
    ] as const) {
      const one = await planted();
      one.commit(CODE, "folder/in.txt", "in\n");
      spoil(join(one.top, CODE, path));
      expect((await one.worktrees.status({ path: CODE }))?.dirty).toContain(path);
    }
  });

  test("any byte of any file", async () => {
    const one = await planted();
    const place = join(one.top, CODE, FILE);
    const text = readFileSync(place);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(text.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, by) => {
          const bytes = Buffer.from(text);
          bytes[at] = ((bytes[at] ?? 0) + by) % 256;
          writeFileSync(place, bytes);
          expect((await one.worktrees.status({ path: CODE }))?.dirty).toEqual([FILE]);
          writeFileSync(place, text);
          expect((await one.worktrees.status({ path: CODE }))?.dirty).toEqual([]);
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe("what is no change", () => {
  test("line ends that the committed attributes ask for, a pointer of LFS, a committed filter", async () => {
    const one = await planted();
    const attributes = "*.crlf text eol=crlf\n*.bin filter=lfs\n*.rot filter=rot\n";
    one.commit(".", ".gitattributes", attributes);
    one.at(CODE, "merge", "--quiet", "--ff-only", "main");
    one.at(CODE, "config", "filter.rot.clean", "tr a-z n-za-m");
    one.at(CODE, "config", "filter.rot.smudge", "tr a-z n-za-m");
    one.write(`${CODE}/a.crlf`, "a\r\nb\r\n");
    one.write(`${CODE}/a.rot`, "secret\n");
    const sha = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha}\nsize 5\n`;
    one.write(`${CODE}/a.bin`, pointer);
    one.at(CODE, "add", ".");
    one.at(CODE, "commit", "--quiet", "-m", "converted");
    one.write(`${CODE}/a.bin`, "hello");
    expect((await one.worktrees.status({ path: CODE }))?.dirty).toEqual([]);
    one.write(`${CODE}/a.bin`, "hellO");
    one.write(`${CODE}/a.rot`, "Secret\n");
    one.write(`${CODE}/a.crlf`, "a\nb\r\n");
    const dirty = (await one.worktrees.status({ path: CODE }))?.dirty;
    expect(dirty).toEqual(["a.bin", "a.crlf", "a.rot"]);
  });

  test("but not what a change asks for itself, nor a pointer that nothing turns into its file", async () => {
    const one = await planted();
    one.at(CODE, "config", "filter.rot.clean", "tr a-z n-za-m");
    one.at(CODE, "config", "filter.rot.smudge", "tr a-z n-za-m");
    const sha = createHash("sha256").update("hello").digest("hex");
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha}\nsize 5\n`;
    one.commit(CODE, "a.bin", pointer);
    one.write(`${CODE}/a.bin`, "hello");
    expect((await one.worktrees.status({ path: CODE }))?.dirty).toEqual(["a.bin"]);
    one.write(`${CODE}/a.bin`, pointer);
    one.commit(CODE, ".gitattributes", "*.rot filter=rot\n");
    one.commit(CODE, "a.rot", "secret\n");
    expect((await one.worktrees.status({ path: CODE }))?.dirty).toEqual(["a.rot"]);
  });
});

describe("a replaced object", () => {
  test("is not what is merged, squashed or looked at", async () => {
    const { one, from, expected } = await ripe();
    const seen = await one.branches.head("add-parser");
    const evil = one.commit(CODE, "evil.txt", "evil\n");
    one.at(CODE, "reset", "--quiet", "--hard", from);
    one.git("replace", from, evil);
    one.git("replace", one.oid("HEAD^{tree}"), `${evil}^{tree}`);
    expect(await one.branches.head("add-parser")).toEqual(seen);
    const ahead = await one.branches.ahead("add-parser", "main");
    expect(ahead.files).toEqual(["new.txt"]);
    expect(await one.branches.file("add-parser", "evil.txt")).toBeUndefined();
    const plan = { branch: "add-parser", base: "main", message: "m", at: "2026-01-01T00:00:00Z" };
    const squashed = done(await one.branches.squash({ ...plan, task: "add-parser" }));
    done(await one.branches.fastForward({ into: "main", from: squashed.commit, expected }));
    expect(() => readFileSync(join(one.top, "evil.txt"))).toThrow("ENOENT");
    const tree = one.git("--no-replace-objects", "ls-tree", "--name-only", "main");
    expect(tree.split("\n")).not.toContain("evil.txt");
  });

  test("a filter of the machine does not put other bytes beside the commit that is merged", async () => {
    const { one, from, expected } = await ripe();
    one.write(".git/info/attributes", "* filter=evil\n");
    one.git("config", "filter.evil.smudge", "echo evil");
    one.git("config", "filter.evil.clean", "git show HEAD:%f");
    const answer = await one.branches.fastForward({ into: "main", from, expected });
    expect(refusal(answer)).toMatchObject({ code: "checkout-differs", paths: ["new.txt"] });
    expect(one.oid("main")).toBe(expected);
    expect(() => one.read("new.txt")).toThrow("ENOENT");
    rmSync(join(one.top, ".git/info/attributes"));
    done(await one.branches.fastForward({ into: "main", from, expected }));
    expect(one.read("new.txt")).toBe("new\n");
  });

  test("an edit that git was told not to see is not overwritten by a merge", async () => {
    const { one, expected } = await ripe();
    const from = one.commit(CODE, FILE, "theirs\n");
    one.git("update-index", "--assume-unchanged", FILE);
    one.write(FILE, "mine\n");
    const answer = await one.branches.fastForward({ into: "main", from, expected });
    expect(refusal(answer)).toMatchObject({ paths: [FILE] });
    expect(one.read(FILE)).toBe("mine\n");
  });
});

/** Writes what `lstat` says of the file into the entry that the index has of it, and the checksum anew. */
function forgeTimes(index: string, file: string, oid: string): void {
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  const stats = lstatSync(file, { bigint: true });
  const data = readFileSync(index).subarray(0, -20);
  const at = data.indexOf(Buffer.from(oid, "hex")) - 40;
  const { ctimeNs, mtimeNs, dev, ino, uid, gid, size } = stats;
  const second = 1_000_000_000n;
  const times = [ctimeNs / second, ctimeNs % second, mtimeNs / second, mtimeNs % second];
  const fields = [...times, dev, ino, BigInt(0o100644), uid, gid, size];
  for (const [field, value] of fields.entries())
    data.writeUInt32BE(Number(value & 0xffffffffn), at + field * 4);
  writeFileSync(index, Buffer.concat([data, createHash("sha1").update(data).digest()]));
}
