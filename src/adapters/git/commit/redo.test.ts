import { spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  done,
  planOf,
  prepared,
  RECORD,
  repository,
  type Scratch,
} from "../../../../test/conformance/git.ts";
import type { Git, Savepoint } from "../../../ports/git.ts";

const PREPARE_STEPS = ["git.stage", "git.pre-commit", "git.write-tree", "git.commit-msg"];
const COMMIT_STEPS = ["git.index", "git.commit-tree", "git.update-ref", "git.done"];

describe("crashes", () => {
  test.each(PREPARE_STEPS)("[PW-208] a crash before %s leaves nothing", async (at) => {
    const scratch = repository();
    const before = scratch.git("rev-parse", "HEAD");
    const crashing = scratch.open({ onStep: crashAt(at) });
    const plan = planOf({ views: { "PLUGINS.md": "registry 2\n" } });
    await expect(crashing.prepare(plan)).rejects.toThrow("crash");
    expect(scratch.git("rev-parse", "HEAD")).toBe(before);
    expect(scratch.git("status", "--porcelain")).toBe("");
    const [one, two] = [await prepared(scratch.open(), plan), await prepared(scratch.open(), plan)];
    expect(one).toEqual(two);
  });

  test("[PW-208] a crash before any step of the commit is finished by repeating it, with the same id", async () => {
    const oids = new Set<string>();
    for (const at of COMMIT_STEPS) {
      const { scratch, savepoint } = await wanted();
      const crashing = scratch.open({ onStep: crashAt(at) });
      await expect(crashing.commit(savepoint, RECORD)).rejects.toThrow("crash");
      const git = scratch.open();
      const { oid } = done(await git.commit(savepoint, RECORD));
      expect(done(await git.commit(savepoint, RECORD)).oid).toBe(oid);
      expect(scratch.git("rev-list", "--count", "main")).toBe("2");
      expect(scratch.git("status", "--porcelain")).toBe("");
      oids.add(`${savepoint.tree} ${scratch.git("log", "-1", "--format=%at %ct %B")}`);
    }
    expect(oids.size).toBe(1);
  });

  test("the id is the same whether a crash came between or not", async () => {
    const { scratch, savepoint } = await wanted();
    const { oid } = done(await scratch.open().commit(savepoint, RECORD));
    scratch.git("update-ref", "refs/heads/main", savepoint.base);
    expect(done(await scratch.open().commit(savepoint, RECORD)).oid).toBe(oid);
  });

  test.each([
    ["git.index", /^ M PLUGINS.md$/],
    // Beside this one the index is being written, by a git that goes on.
    ["git.commit-tree", /^( M|M ) PLUGINS.md$/],
    // The index comes before the branch: the other order would leave the savepoint's reversal staged.
    ["git.update-ref", /^M {2}PLUGINS.md$/],
  ])("[PW-208] kill -9 before %s: the next process finishes", async (at, left) => {
    const { scratch, savepoint } = await wanted();
    const code = `git.onStep = (step) => step === "${at}" && process.kill(process.pid, "SIGKILL");
      await open().commit(${JSON.stringify(savepoint)}, ${JSON.stringify(RECORD)});`;
    expect(await inChild(scratch, code)).toBe("SIGKILL");
    expect(scratch.git("rev-parse", "HEAD")).toBe(savepoint.base);
    expect(scratch.git("status", "--porcelain")).toMatch(left);
    done(await scratch.open().commit(savepoint, RECORD));
    expect(scratch.git("status", "--porcelain")).toBe("");
  });
});

describe("a branch that moved", () => {
  test("[PW-205] repeating after success answers the same commit, whatever came after it", async () => {
    const { scratch, savepoint } = await wanted();
    const git = scratch.open();
    const { oid } = done(await git.commit(savepoint, RECORD));
    commitFile(scratch, "later.txt", "l");
    expect(done(await git.commit(savepoint, RECORD))).toMatchObject({ oid, warnings: [] });
  });

  test("a commit the user rebased is found under its new id", async () => {
    const { scratch, savepoint } = await wanted();
    const git = scratch.open();
    const { oid } = done(await git.commit(savepoint, RECORD));
    scratch.git("switch", "--quiet", "-c", "upstream", "main~1");
    commitFile(scratch, "upstream.txt", "u");
    scratch.git("switch", "--quiet", "main");
    scratch.git("rebase", "--quiet", "upstream");
    const again = done(await git.commit(savepoint, RECORD));
    expect(again.oid).not.toBe(oid);
    expect(again).toMatchObject({ oid: scratch.git("rev-parse", "main"), warnings: [] });
  });

  test("a commit with our trailer and another content is accepted, but named", async () => {
    const { scratch, savepoint } = await wanted();
    const git = scratch.open();
    done(await git.commit(savepoint, RECORD));
    scratch.write("PLUGINS.md", "amended\n");
    scratch.git("commit", "--quiet", "--amend", "--no-edit", "-a");
    const { warnings } = done(await git.commit(savepoint, RECORD));
    expect(warnings.join()).toContain("differs from the savepoint at PLUGINS.md");
  });

  test("the hash in the text of a message is not a trailer", async () => {
    const { scratch, savepoint } = await wanted();
    scratch.git(
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      `x\n\nHoldpoint-Record: ${RECORD}\n\nnot it`,
    );
    done(await scratch.open().commit(savepoint, RECORD));
    expect(scratch.git("show", "HEAD:PLUGINS.md")).toBe("registry 2");
  });

  test("the user's commits of other paths are kept: the savepoint is rebuilt on them", async () => {
    const { scratch, savepoint } = await wanted();
    const theirs = commitFile(scratch, "later.txt", "l");
    const { oid } = done(await scratch.open().commit(savepoint, RECORD));
    expect(scratch.git("rev-parse", `${oid}^`)).toBe(theirs);
    expect(scratch.git("show", `${oid}:later.txt`)).toBe("l");
    expect(scratch.git("show", `${oid}:PLUGINS.md`)).toBe("registry 2");
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("what it has become is said before the branch moves, and kept from moving where that fails", async () => {
    const { scratch, savepoint } = await wanted();
    const theirs = commitFile(scratch, "later.txt", "l");
    const no = { code: "no", message: "no", fix: "" };
    const kept = await scratch.open().commit(savepoint, RECORD, { aim: async () => no });
    expect(kept).toMatchObject({ kind: "blocked", code: "no" });
    expect(scratch.git("rev-parse", "main")).toBe(theirs);
    const said: unknown[] = [];
    const aim = async (to: object) => void said.push(to, scratch.git("rev-parse", "main"));
    const { oid } = done(await scratch.open().commit(savepoint, RECORD, { aim }));
    expect(said).toEqual([{ ref: "refs/heads/main", from: theirs, to: oid }, theirs]);
  });

  test("his commit of the same path with other content blocks and names the path", async () => {
    const { scratch, savepoint } = await wanted();
    const theirs = commitFile(scratch, "PLUGINS.md", "his registry\n");
    const answer = await scratch.open().commit(savepoint, RECORD);
    expect(answer).toMatchObject({ kind: "blocked", code: "savepoint-conflict" });
    expect(answer.kind === "blocked" && answer.message).toContain("PLUGINS.md");
    expect(scratch.git("rev-parse", "main")).toBe(theirs);
    expect(scratch.git("diff", "--cached", "--name-only")).toBe("");
  });

  test("his file where we have a directory blocks, and is not taken out", async () => {
    const scratch = repository();
    const git = scratch.open();
    const savepoint = await prepared(git, { views: { "dir/a.md": "a" } });
    commitFile(scratch, "dir", "a file");
    expect(await git.commit(savepoint, RECORD)).toMatchObject({ code: "savepoint-conflict" });
    expect(scratch.git("show", "HEAD:dir")).toBe("a file");
  });

  test("[PW-205] when he committed our files himself, HEAD is the savepoint", async () => {
    const { scratch, savepoint } = await wanted();
    const theirs = commitFile(scratch, "PLUGINS.md", "registry 2\n");
    const answer = done(await scratch.open().commit(savepoint, RECORD));
    expect(answer.oid).toBe(theirs);
    expect(answer.warnings).toHaveLength(1);
  });

  test("a race lost at the last moment is tried again", async () => {
    const { scratch, savepoint } = await wanted();
    let moved = false;
    const git = scratch.open({
      onStep: (step) => {
        if (step !== "git.update-ref" || moved) return;
        moved = true;
        const tree = scratch.git("rev-parse", "main^{tree}");
        const oid = scratch.git("commit-tree", tree, "-p", "main", "-m", "faster");
        scratch.git("update-ref", "refs/heads/main", oid);
      },
    });
    done(await git.commit(savepoint, RECORD));
    expect(scratch.git("log", "--format=%s")).toBe("feat: stage 1\nfaster\nfirst");
  });

  test("four processes with five savepoints each on one branch: nothing is lost", async () => {
    const scratch = repository();
    const code = (name: string): string => `
      for (let n = 0; n < 5; n++) {
        const path = ${JSON.stringify(name)} + n + ".txt";
        await writeFile(join(${JSON.stringify(scratch.top)}, path), path);
        const record = ${JSON.stringify(name)}.repeat(32) + n;
        let savepoint, answer;
        for (let i = 0; i < 40 && answer?.kind !== "committed"; i++) {
          savepoint ??= (await open().prepare({ paths: [path], views: {}, message: path,
            at: "2026-01-01T00:00:00Z" })).savepoint;
          if (savepoint) answer = await open().commit(savepoint, record);
        }
        if (answer?.kind !== "committed") throw new Error(JSON.stringify(answer));
      }`;
    const names = ["a", "b", "c", "d"];
    const ends = await Promise.all(names.map((name) => inChild(scratch, code(name))));
    expect(ends).toEqual([0, 0, 0, 0]);
    expect(scratch.git("rev-list", "--count", "main")).toBe("21");
    expect(scratch.git("ls-tree", "-r", "--name-only", "main").split("\n")).toHaveLength(22);
    expect(scratch.git("rev-list", "--merges", "main")).toBe("");
    expect(scratch.git("status", "--porcelain")).toBe("");
  });
});

function crashAt(wanted: string): (step: string) => void {
  return (step) => {
    if (step === wanted) throw new Error(`crash before ${step}`);
  };
}

async function wanted(): Promise<{ scratch: Scratch; savepoint: Savepoint; git: Git }> {
  const scratch = repository();
  const git = scratch.open();
  const savepoint = await prepared(git, { views: { "PLUGINS.md": "registry 2\n" } });
  scratch.write("PLUGINS.md", "registry 2\n");
  return { scratch, savepoint, git };
}

function commitFile(scratch: Scratch, path: string, text: string): string {
  scratch.write(path, text);
  scratch.git("add", path);
  scratch.git("commit", "--quiet", "-m", `his ${path}`, "--", path);
  return scratch.git("rev-parse", "HEAD");
}

/** Run code with `open()` in another process; answers its exit code or the signal that ended it. */
async function inChild(scratch: Scratch, code: string): Promise<number | string> {
  const source = `
    import { createGit } from ${JSON.stringify(join(import.meta.dirname, "../git.ts"))};
    import { writeFile } from "node:fs/promises";
    import { join } from "node:path";
    const git = ${JSON.stringify({ cwd: scratch.top, tmpDir: scratch.tmpDir })};
    const open = () => createGit(git);
    ${code}`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", source];
  const child = spawn(process.execPath, args, {
    env: scratch.env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return await new Promise((resolve) => {
    child.on("exit", (exit, signal) => resolve(exit ?? signal ?? -1));
  });
}
