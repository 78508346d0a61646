import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  adding,
  CODE,
  done,
  forest,
  planted,
  refusal,
  removing,
  TASK,
  type Forest,
} from "../../../../test/conformance/worktrees.ts";

/** Content of a file in the only salvage ref. */
function saved(one: Forest, path: string): string {
  const [ref = ""] = one.salvaged();
  return one.git("cat-file", "blob", `${ref}:${path}`);
}

describe("remove", () => {
  test("[TP-196] [TP-200] a clean, merged one goes with its branch and needs no saving; twice is once", async () => {
    const one = await planted();
    const all = { removed: true, saved: [], branch: "deleted" };
    expect(done(await one.worktrees.remove(removing()))).toMatchObject(all);
    expect(existsSync(join(one.top, CODE))).toBe(false);
    expect(readdirSync(dirname(join(one.top, CODE)))).toEqual([]);
    expect(await one.worktrees.list()).toHaveLength(1);
    const again = { removed: false, saved: [], branch: "absent" };
    expect(done(await one.worktrees.remove(removing()))).toMatchObject(again);
  });

  test("changed, staged, untracked, deleted and hidden files are saved as they are", async () => {
    const one = await planted();
    one.write(`${CODE}/.gitattributes`, "*.txt text\n");
    one.write(`${CODE}/other.txt`, "a\r\nb\n");
    one.write(`${CODE}/both.txt`, "staged\n");
    one.at(CODE, "add", "both.txt");
    one.write(`${CODE}/both.txt`, "then changed\n");
    one.write(`${CODE}/-ü "new"/x y`, "new");
    rmSync(join(one.top, CODE, "PLUGINS.md"));
    symlinkSync("other.txt", join(one.top, CODE, "link"));
    const { saved: refs, branch } = done(await one.worktrees.remove(removing()));
    expect(refs).toEqual([`refs/holdpoint/salvage/${TASK}/code/1`]);
    expect(branch).toBe("deleted");
    expect(saved(one, "other.txt")).toBe("a\r\nb");
    expect(saved(one, '-ü "new"/x y')).toBe("new");
    expect(saved(one, "link")).toBe("other.txt");
    expect(saved(one, "both.txt")).toBe("then changed");
    expect(one.git("show", `${refs[0] ?? ""}^2:both.txt`)).toBe("staged");
    expect(() => saved(one, "PLUGINS.md")).toThrow("PLUGINS.md");
  });

  test("a change git was told not to look at is saved too", async () => {
    const one = await planted();
    one.at(CODE, "update-index", "--assume-unchanged", "other.txt");
    one.at(CODE, "update-index", "--skip-worktree", "PLUGINS.md");
    one.write(`${CODE}/other.txt`, "hidden 1");
    one.write(`${CODE}/PLUGINS.md`, "hidden 2");
    done(await one.worktrees.remove(removing()));
    expect([saved(one, "other.txt"), saved(one, "PLUGINS.md")]).toEqual(["hidden 1", "hidden 2"]);
  });

  test("commits that were not merged are saved, also those of a detached HEAD", async () => {
    const one = await planted();
    const work = one.commit(CODE, "a.txt", "a");
    one.at(CODE, "checkout", "--quiet", "--detach");
    const lonely = one.commit(CODE, "b.txt", "b");
    one.at(CODE, "reset", "--quiet", "--hard", work);
    one.at(CODE, "checkout", "--quiet", lonely);
    const [ref = ""] = done(await one.worktrees.remove(removing())).saved;
    const kept = one.git("rev-list", ref);
    expect(kept).toContain(work);
    expect(kept).toContain(lonely);
  });

  test("a merge half-way: the conflict in the files and the other side are saved", async () => {
    const one = await planted();
    one.commit(CODE, "other.txt", "ours");
    one.git("checkout", "--quiet", "-b", "side");
    const theirs = one.commit(".", "other.txt", "theirs");
    one.git("checkout", "--quiet", "main");
    expect(() => one.at(CODE, "merge", "side")).toThrow("merge");
    one.git("branch", "--quiet", "-D", "side");
    const [ref = ""] = done(await one.worktrees.remove(removing())).saved;
    expect(saved(one, "other.txt")).toContain("<<<<<<<");
    expect(one.git("rev-list", ref)).toContain(theirs);
  });

  test("[TP-197] only what is called recorded is deleted; a branch with the same beginning survives", async () => {
    const one = await planted();
    one.git("branch", `${TASK}-docs`);
    const kept = done(await one.worktrees.remove(removing({ recorded: false })));
    expect(kept.branch).toBe("kept");
    expect(done(await one.worktrees.remove(removing())).branch).toBe("deleted");
    expect(one.git("branch", "--format=%(refname:short)").split("\n")).toEqual([
      `${TASK}-docs`,
      "main",
    ]);
  });

  test("[TP-035] what is not what was made here is refused and left alone", async () => {
    const one = await planted();
    one.at(CODE, "checkout", "--quiet", "-b", "other");
    const foreign = await one.worktrees.remove(removing({ recorded: false }));
    expect(refusal(foreign).code).toBe("worktree-foreign");
    one.write("plain/x", "x");
    const plain = await one.worktrees.remove(removing({ path: "plain" }));
    expect(refusal(plain).code).toBe("not-a-worktree");
    expect(refusal(await one.worktrees.remove(removing({ path: "." }))).code).toBe("main-worktree");
    expect(one.read("plain/x")).toBe("x");
  });

  test("deleted by hand: only its own entry goes, and what its branch holds is saved", async () => {
    const one = await planted();
    const other = join(one.top, "..", "gone");
    one.git("worktree", "add", "--quiet", "-b", "foreign", other);
    const work = one.commit(CODE, "a.txt", "a");
    for (const place of [dirname(join(one.top, CODE)), other]) rmSync(place, { recursive: true });
    const [ref = ""] = done(await one.worktrees.remove(removing())).saved;
    expect(one.oid(ref)).toBe(work);
    expect((await one.worktrees.list()).map(({ branch }) => branch)).toEqual(["main", "foreign"]);
  });

  test("a repository inside that holds work of its own stops it, before anything is moved", async () => {
    const one = await planted();
    mkdirSync(join(one.top, CODE, "inner"));
    one.at(`${CODE}/inner`, "init", "--quiet");
    one.write(`${CODE}/inner/x`, "x");
    const answer = refusal(await one.worktrees.remove(removing()));
    expect(answer).toMatchObject({ code: "nested-repository", paths: ["inner/"] });
    expect(one.read(`${CODE}/inner/x`)).toBe("x");
  });

  test("[TP-196] one that cannot be taken away stops and is reported; a second try succeeds", async () => {
    const one = await planted();
    one.write(`${CODE}/cache/new.txt`, "new");
    const parent = dirname(join(one.top, CODE));
    const aside = join(parent, ".code.holdpoint-removing");
    writeFileSync(aside, "in the way");
    expect(refusal(await one.worktrees.remove(removing())).code).toBe("worktree-busy");
    expect(readFileSync(aside, "utf8")).toBe("in the way");
    rmSync(aside);
    expect(one.read(`${CODE}/cache/new.txt`)).toBe("new");
    chmodSync(join(one.top, CODE, "cache"), 0o500);
    expect(done(await one.worktrees.remove(removing())).saved).toHaveLength(1);
    expect(existsSync(join(one.top, CODE))).toBe(false);
  });

  // Root may move it all the same, so as root there is nothing to show.
  test.skipIf(process.getuid?.() === 0)(
    "a directory that may not be moved is reported",
    async () => {
      const one = await planted();
      const parent = dirname(join(one.top, CODE));
      chmodSync(parent, 0o500);
      const answer = await one.worktrees.remove(removing());
      chmodSync(parent, 0o700);
      expect(refusal(answer)).toMatchObject({ code: "worktree-busy", paths: [CODE] });
      done(await one.worktrees.remove(removing()));
    },
  );

  test("[TP-201] objects nobody refers to any more survive", async () => {
    const one = await planted();
    const lost = one.git("hash-object", "-w", "PLUGINS.md", "--no-filters");
    const loose = one.git("commit-tree", "-m", "nobody's", "HEAD^{tree}");
    done(await one.worktrees.remove(removing()));
    expect(one.git("cat-file", "-t", lost)).toBe("blob");
    expect(one.git("cat-file", "-t", loose)).toBe("commit");
  });
});

const name = fc
  .array(fc.constantFrom("a", "B", "é", " ", "-", "#", "ß", "'", "$", "日", "x.txt"), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join("").trim())
  .filter((text) => text !== "");
const change = fc.record({
  dir: fc.option(fc.constantFrom("d", "d/e", "-f"), { nil: undefined }),
  name,
  text: fc.string({ unit: "binary", maxLength: 30 }),
  how: fc.constantFrom("untracked", "staged", "committed", "staged-then-changed"),
});

test("whatever lies in a worktree can be found again, byte for byte, after it is gone", async () => {
  const one = forest();
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      round += 1;
      const branch = `t-${round}`;
      done(await one.worktrees.add(adding({ branch })));
      for (const { dir, name: file, text, how } of changes) {
        const path = dir === undefined ? file : `${dir}/${file}`;
        try {
          one.write(`${CODE}/${path}`, text);
        } catch {
          // A file where a directory is wanted.
          continue;
        }
        if (how !== "untracked") one.at(CODE, "add", "--all");
        if (how === "committed") one.at(CODE, "commit", "--quiet", "--allow-empty", "-m", "x");
        if (how === "staged-then-changed") one.write(`${CODE}/${path}`, `${text}!`);
      }
      const held = blobsIn(one);
      done(await one.worktrees.remove(removing({ branch, name: branch })));
      const refs = one.salvaged().filter((ref) => ref.includes(`/${branch}/`));
      const known = new Set(one.git("rev-list", "--objects", "main", ...refs).match(/^\w+/gm));
      expect(held.filter((oid) => !known.has(oid))).toEqual([]);
    }),
    { numRuns: 4, endOnFailure: true },
  );
});

/** Ids of everything in the files, the index and the commits of the worktree. */
function blobsIn(one: Forest): readonly string[] {
  const top = join(one.top, CODE);
  const files = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".git")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .map((bytes) => {
      const blob = Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]);
      return createHash("sha1").update(blob).digest("hex");
    });
  const index = one.at(CODE, "ls-files", "--stage").match(/\b[0-9a-f]{40}\b/g) ?? [];
  const commits = one.at(CODE, "rev-list", "--objects", "HEAD").match(/^\w+/gm) ?? [];
  return [...files, ...index, ...commits];
}
