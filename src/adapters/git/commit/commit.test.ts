import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  AT,
  done,
  emptyRepository,
  prepared,
  RECORD,
  repository,
  scratchDirectory,
  type Scratch,
} from "../../../../test/conformance/git.ts";

const HANDOFF = "plugins/A b/.continue-here.md";

describe("one savepoint, one commit", () => {
  test("[PW-195] [PW-196] [PW-197] code and views are in one commit and the worktree is clean", async () => {
    const scratch = repository();
    const { git, savepoint } = await wanted(scratch);
    const { oid, short, warnings } = done(await git.commit(savepoint, RECORD));
    expect(scratch.git("rev-parse", "main")).toBe(oid);
    expect(oid.startsWith(short)).toBe(true);
    expect(warnings).toEqual([]);
    expect(scratch.git("show", "--format=", "--name-only", "-z").split("\0").sort()).toEqual(
      ["", "PLUGINS.md", "Source/a.cpp", HANDOFF].sort(),
    );
    expect(scratch.git("status", "--porcelain")).toBe("");
    expect(scratch.git("rev-list", "--count", "main")).toBe("2");
    expect(scratch.git("fsck", "--strict")).toBe("");
    expect(readdirSync(scratch.tmpDir)).toEqual([]);
  });

  test("[PW-202] [PW-207] author, dates and reflog come from the savepoint; the short hash is git's", async () => {
    const scratch = repository();
    const { git, savepoint } = await wanted(scratch);
    const { short } = done(await git.commit(savepoint, RECORD));
    const format = "--format=%an <%ae> %cn %at %ct";
    const seconds = Date.parse(AT) / 1000;
    expect(scratch.git("log", "-1", format)).toBe(
      `Ada <ada@example.org> Ada ${seconds} ${seconds}`,
    );
    expect(scratch.git("reflog", "-1", "--format=%h %gs")).toBe(
      `${short} holdpoint: feat: stage 1`,
    );
  });

  test("[PW-201] quotes, dollars, backticks and lines are stored literally, then the trailer", async () => {
    const scratch = repository();
    const message = "feat: `$(touch x)` \"q\" 'q' ${HOME}\n\n# not a comment\n\n  body ü \\n\n";
    const { git, savepoint } = await wanted(scratch, message);
    done(await git.commit(savepoint, RECORD));
    expect(scratch.git("log", "-1", "--format=%B")).toBe(
      `${message}\nHoldpoint-Record: ${RECORD}\n`,
    );
    const trailer = "--format=%(trailers:key=Holdpoint-Record,valueonly,separator=)";
    expect(scratch.git("log", "-1", trailer)).toBe(RECORD);
  });

  test("an unborn branch gets its first commit", async () => {
    const scratch = emptyRepository();
    const { git, savepoint } = await wanted(scratch);
    const { oid } = done(await git.commit(savepoint, RECORD));
    expect(scratch.git("rev-list", "main")).toBe(oid);
    expect(scratch.git("status", "--porcelain")).toBe("");
    expect(done(await git.commit(savepoint, RECORD)).oid).toBe(oid);
  });

  test("a linked worktree commits on its own branch with its own index", async () => {
    const scratch = repository();
    const other = join(scratch.top, "..", "second");
    scratch.git("worktree", "add", "--quiet", "-b", "side", other);
    writeFileSync(join(other, "new.txt"), "n");
    const git = scratch.open({ cwd: other });
    const savepoint = await prepared(git, { paths: ["new.txt"] });
    const { oid } = done(await git.commit(savepoint, RECORD));
    expect(scratch.git("rev-parse", "side")).toBe(oid);
    expect(scratch.git("rev-parse", "main")).not.toBe(oid);
    expect(scratch.git("-C", other, "status", "--porcelain")).toBe("");
  });

  test("removed views and deleted files are gone from HEAD and index", async () => {
    const scratch = repository();
    rmSync(join(scratch.top, "other.txt"));
    const git = scratch.open();
    const plan = { paths: ["other.txt"], views: { "PLUGINS.md": null } };
    const savepoint = await prepared(git, plan);
    rmSync(join(scratch.top, "PLUGINS.md"));
    done(await git.commit(savepoint, RECORD));
    expect(scratch.git("ls-tree", "-r", "HEAD")).toBe("");
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("commit.gpgSign is respected, and a failing signer blocks", async () => {
    const scratch = repository();
    const gpg = join(scratchDirectory(), "gpg");
    const sign = `#!/bin/sh\ncat >/dev/null\nprintf '\\n[GNUPG:] SIG_CREATED \\n' >&2\necho SIGNED`;
    writeFileSync(gpg, sign, { mode: 0o755 });
    scratch.git("config", "commit.gpgSign", "true");
    scratch.git("config", "gpg.program", gpg);
    const { git, savepoint } = await wanted(scratch);
    const { oid } = done(await git.commit(savepoint, RECORD));
    expect(scratch.git("cat-file", "commit", oid)).toContain("gpgsig SIGNED");
    expect(done(await git.commit(savepoint, RECORD)).oid).toBe(oid);
    writeFileSync(gpg, "#!/bin/sh\necho no secret key >&2\nexit 2", { mode: 0o755 });
    const next = await prepared(git, { views: { "PLUGINS.md": "registry 3\n" } });
    const answer = await git.commit(next, "cd".repeat(32));
    expect(answer).toMatchObject({ kind: "blocked", code: "signing-failed" });
    expect(answer.kind === "blocked" && answer.message).toContain("failed to sign");
  });
});

describe("the user's own staging", () => {
  test("[PW-199] what he staged for something else stays staged and out of the commit", async () => {
    const scratch = repository();
    scratch.write("unrelated.txt", "u");
    scratch.write("other.txt", "changed\n");
    scratch.git("add", "unrelated.txt", "other.txt");
    const staged = scratch.git("ls-files", "--stage", "unrelated.txt", "other.txt");
    const { git, savepoint } = await wanted(scratch);
    done(await git.commit(savepoint, RECORD));
    expect(scratch.git("show", "--format=", "--name-only", "HEAD")).not.toMatch(/unrelated|other/);
    expect(scratch.git("ls-files", "--stage", "unrelated.txt", "other.txt")).toBe(staged);
    expect(scratch.git("status", "--porcelain")).toBe("M  other.txt\nA  unrelated.txt");
  });

  test("[PW-199] a hunk he staged in one of our files stays staged, with a warning", async () => {
    const scratch = repository();
    scratch.write("PLUGINS.md", "registry by hand\n");
    scratch.git("add", "PLUGINS.md");
    const staged = scratch.git("ls-files", "--stage", "PLUGINS.md");
    const { git, savepoint } = await wanted(scratch);
    const { warnings } = done(await git.commit(savepoint, RECORD));
    expect(scratch.git("ls-files", "--stage", "PLUGINS.md")).toBe(staged);
    expect(scratch.git("show", "HEAD:PLUGINS.md")).toBe("registry 2");
    expect(warnings).toEqual([
      "PLUGINS.md has changes you staged yourself; they stay staged as they are.",
    ]);
  });

  test("a file he only announced with `add -N` is ours to stage", async () => {
    const scratch = repository();
    scratch.write("Source/a.cpp", "int a;\n");
    scratch.git("add", "-N", "Source/a.cpp");
    const { git, savepoint } = await wanted(scratch);
    expect(done(await git.commit(savepoint, RECORD)).warnings).toEqual([]);
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("[PW-144] an index.lock that stays blocks with its name; afterwards it goes through", async () => {
    const scratch = repository();
    const { git, savepoint } = await wanted(scratch);
    const lock = join(scratch.top, ".git/index.lock");
    writeFileSync(lock, "");
    const answer = await git.commit(savepoint, RECORD);
    expect(answer).toMatchObject({ kind: "blocked", code: "index-locked" });
    expect(answer.kind === "blocked" && answer.message).toContain(lock);
    expect(existsSync(lock)).toBe(true);
    expect(scratch.git("rev-parse", "main")).toBe(savepoint.base);
    rmSync(lock);
    done(await git.commit(savepoint, RECORD));
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("an index.lock that goes away in time is waited for", async () => {
    const scratch = repository();
    const { git, savepoint } = await wanted(scratch);
    const lock = join(scratch.top, ".git/index.lock");
    writeFileSync(lock, "");
    setTimeout(() => rmSync(lock), 300);
    expect((await git.commit(savepoint, RECORD)).kind).toBe("committed");
  });
});

describe("blocked after the record", () => {
  test("[PW-203] a reference-transaction hook that refuses leaves the savepoint wanted", async () => {
    const scratch = repository();
    const { git, savepoint } = await wanted(scratch);
    const refuse =
      '[ "$1" = prepared ] && grep -q refs/heads/ && { echo protected; exit 1; }; exit 0';
    scratch.hook("reference-transaction", refuse);
    const answer = await git.commit(savepoint, RECORD);
    expect(answer).toMatchObject({ kind: "blocked", code: "ref-refused" });
    expect(answer.kind === "blocked" && answer.message).toContain("protected");
    expect(scratch.git("rev-parse", "main")).toBe(savepoint.base);
    rmSync(join(scratch.top, ".git/hooks/reference-transaction"));
    done(await git.commit(savepoint, RECORD));
  });

  test("a lock on the branch blocks after a bounded number of tries", async () => {
    const scratch = repository();
    const { git, savepoint } = await wanted(scratch);
    const lock = join(scratch.top, ".git/refs/heads/main.lock");
    writeFileSync(lock, "");
    expect(await git.commit(savepoint, RECORD)).toMatchObject({
      kind: "blocked",
      code: "ref-busy",
    });
    rmSync(lock);
    done(await git.commit(savepoint, RECORD));
  });

  test("nothing is written onto another branch, nor into a merge", async () => {
    const scratch = repository();
    const { git, savepoint } = await wanted(scratch);
    const base = scratch.git("rev-parse", "main");
    scratch.git("switch", "--quiet", "-c", "elsewhere");
    expect(await git.commit(savepoint, RECORD)).toMatchObject({ code: "branch-changed" });
    scratch.git("branch", "-D", "main");
    expect(await git.commit(savepoint, RECORD)).toMatchObject({ code: "branch-gone" });
    scratch.git("branch", "main", base);
    scratch.git("switch", "--quiet", "main");
    writeFileSync(join(scratch.top, ".git/MERGE_HEAD"), `${base}\n`);
    expect(await git.commit(savepoint, RECORD)).toMatchObject({ code: "git-unfinished" });
    expect(scratch.git("rev-parse", "main", "elsewhere")).toBe(`${base}\n${base}`);
  });

  test("objects that are gone block instead of committing something else", async () => {
    const scratch = repository();
    const { git, savepoint } = await wanted(scratch);
    scratch.git("prune", "--expire=now");
    expect(await git.commit(savepoint, RECORD)).toMatchObject({
      kind: "blocked",
      code: "git-failed",
    });
    expect(scratch.git("rev-parse", "main")).toBe(savepoint.base);
  });
});

/** A stage's work: one source file, the handoff, the registry; views installed as the engine does. */
async function wanted(scratch: Scratch, message = "feat: stage 1") {
  const git = scratch.open();
  scratch.write("Source/a.cpp", "int a;\n");
  const views = { "PLUGINS.md": "registry 2\n", [HANDOFF]: "stage 1\n" };
  const savepoint = await prepared(git, { paths: ["Source"], views, message });
  for (const [path, text] of Object.entries(views)) scratch.write(path, text);
  return { git, savepoint };
}
