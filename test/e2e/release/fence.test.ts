// oxlint-disable vitest/expect-expect -- most cases check through helpers that throw
/** Every way in which an agent could move a protected branch itself, with the fence up: stopped, or noticed. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scratchDirectory, tamper } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { evilCommit, expectNoticed, expectStopped, fenced, problemsOf, tryGit } from "../fence.ts";
import { answer, finish, NAME } from "../plugin.ts";

const HOOK = ".git/hooks/reference-transaction";

describe("stopped", () => {
  test("git update-ref", () => {
    const scratch = fenced();
    const evil = evilCommit(scratch);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]));
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", "main~1"]));
    expect(problemsOf(scratch)).toEqual([]);
  });

  test("git push into this repository", () => {
    const scratch = fenced();
    const clone = join(scratchDirectory(), "clone");
    scratch.git("clone", "--quiet", scratch.top, clone);
    scratch.git("config", "receive.denyCurrentBranch", "ignore");
    const identity = ["-c", "user.name=Eve", "-c", "user.email=eve@example.org"];
    tryGit(scratch, [...identity, "commit", "--quiet", "--allow-empty", "-m", "evil"], clone);
    expectStopped(scratch, () =>
      tryGit(scratch, ["push", "--quiet", "origin", "HEAD:main"], clone),
    );
    expect(tryGit(scratch, ["push", "--quiet", "origin", "HEAD:other"], clone).exit).toBe(0);
  });

  test("git branch -f", () => {
    const scratch = fenced();
    scratch.git("switch", "--quiet", "--create", "work");
    const evil = evilCommit(scratch);
    expectStopped(scratch, () => tryGit(scratch, ["branch", "--force", "main", evil]));
  });

  test("git reset", () => {
    const scratch = fenced();
    expectStopped(scratch, () => tryGit(scratch, ["reset", "--soft", "main~1"]));
  });

  test("git rebase", () => {
    const scratch = fenced();
    // Another name: within one second a rebase by the same person makes the very commit that is there, and moves nothing.
    const rebase = ["-c", "user.name=Eve", "rebase", "--force-rebase", "main~1"];
    expectStopped(scratch, () => tryGit(scratch, rebase));
    expect(tryGit(scratch, ["rebase", "--abort"]).exit).toBe(0);
    expect(problemsOf(scratch)).toEqual([]);
  });

  test("git merge, fast-forward or not", () => {
    const scratch = fenced();
    scratch.git("branch", "evil", evilCommit(scratch));
    expectStopped(scratch, () => tryGit(scratch, ["merge", "--ff-only", "evil"]));
    expect(tryGit(scratch, ["reset", "--hard", "--quiet"])).toMatchObject({ exit: 0 });
    expectStopped(scratch, () => tryGit(scratch, ["merge", "--no-ff", "-m", "x", "evil"]));
  });

  test("git commit by hand, and git commit --amend", () => {
    const scratch = fenced();
    expectStopped(scratch, () => tryGit(scratch, ["commit", "--allow-empty", "-m", "evil"]));
    expectStopped(scratch, () =>
      tryGit(scratch, ["commit", "--amend", "--allow-empty", "-m", "x"]),
    );
    expectStopped(scratch, () =>
      tryGit(scratch, ["commit", "--no-verify", "--allow-empty", "-m", "x"]),
    );
  });

  test("from a worktree", () => {
    const scratch = fenced();
    const tree = join(scratchDirectory(), "tree");
    scratch.git("worktree", "add", "--quiet", "-b", "work", tree);
    expect(tryGit(scratch, ["commit", "--quiet", "--allow-empty", "-m", "fine"], tree).exit).toBe(
      0,
    );
    for (const name of ["refs/heads/main", "main-worktree/refs/heads/main"])
      expectStopped(scratch, () => tryGit(scratch, ["update-ref", name, "work"], tree));
  });

  test("packed refs: packing goes on, deleting what is packed does not", () => {
    const scratch = fenced();
    expect(tryGit(scratch, ["pack-refs", "--all", "--prune"])).toMatchObject({ exit: 0 });
    expect(existsSync(join(scratch.top, ".git/refs/heads/main"))).toBe(false);
    const evil = evilCommit(scratch);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]));
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "-d", "refs/heads/main"]));
    expect(tryGit(scratch, ["gc", "--quiet"])).toMatchObject({ exit: 0 });
    expect(problemsOf(scratch)).toEqual([]);
  });

  test("through a symbolic ref that stands for it", () => {
    const scratch = fenced();
    scratch.git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    const evil = evilCommit(scratch);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/alias", evil]));
  });

  test("deleting it, to make it anew", () => {
    const scratch = fenced();
    scratch.git("switch", "--quiet", "--detach");
    expectStopped(scratch, () => tryGit(scratch, ["branch", "-D", "main"]));
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "-d", "refs/heads/main"]));
  });

  test("git branch -m, away from it and onto it", () => {
    const scratch = fenced();
    expectStopped(scratch, () => tryGit(scratch, ["branch", "-m", "main", "old"]));
    scratch.git("switch", "--quiet", "--detach");
    scratch.git("branch", "evil", evilCommit(scratch));
    expectStopped(scratch, () => tryGit(scratch, ["branch", "-M", "evil", "main"]));
    expect(scratch.git("rev-parse", "main")).not.toBe("");
  });

  test("git replace", () => {
    const scratch = fenced();
    const evil = evilCommit(scratch);
    const says = /refs\/replace\/.* is not written/;
    expectStopped(scratch, () => tryGit(scratch, ["replace", "main", evil]), says);
    expect(scratch.git("log", "-1", "--format=%s", "main")).not.toBe("evil");
  });

  test("a copied trailer on another tree, and on another parent", () => {
    const scratch = fenced();
    const message = scratch.git("log", "-1", "--format=%B", "main");
    const evil = evilCommit(scratch, "main", message);
    const says = /its trailer names E-\d+ of TapeDelay, but/;
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]), says);
    const same = scratch.git("commit-tree", "main^{tree}", "-p", "main", "-m", message);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", same]), says);
  });

  test("a copied trailer while the savepoint is wanted and not made yet", () => {
    const scratch = fenced();
    answer(scratch, "1");
    const { parent, message } = diedBeforeMoving(scratch);
    const evil = evilCommit(scratch, parent, message);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]));
    expect(scratch.hold(["reconcile", NAME]).json).toMatchObject({ pending: [] });
    expect(scratch.git("rev-parse", "main~1")).toBe(parent);
    expect(problemsOf(scratch)).toEqual([]);
  });

  test("an old release once more, after the branch was set back", () => {
    const scratch = fenced();
    const [tip, before] = [scratch.git("rev-parse", "main"), scratch.git("rev-parse", "main~1")];
    const why = ["--reason", "started over"];
    expect(scratch.hold(["fence", "open", "main", before, ...why]).json).toMatchObject({
      up: true,
    });
    expect(tryGit(scratch, ["reset", "--soft", before])).toMatchObject({ exit: 0 });
    const says = /wanted it once, and that is over/;
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", tip]), says);
    expectStopped(
      scratch,
      () => tryGit(scratch, ["update-ref", "refs/heads/main", before + "~1"]),
      /./,
    );
    expect(problemsOf(scratch)).toEqual([]);
  });

  test("asking for an opening as an agent opens nothing", () => {
    const scratch = fenced();
    const evil = evilCommit(scratch);
    const asked = scratch.hold([
      "fence",
      "open",
      "main",
      evil,
      "--reason",
      "x",
      "--as",
      "agent:eve",
    ]);
    expect(asked.json.held?.map((one) => one.question)).toEqual(["open-fence"]);
    expect(scratch.hold(["answer", "repository", "open", "--as", "agent:eve"]).exit).toBe(10);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]));
    for (const action of ["install", "uninstall"])
      expect(scratch.hold(["fence", action, "--reason", "x", "--as", "agent:eve"]).exit).toBe(10);
    expect(existsSync(join(scratch.top, HOOK))).toBe(true);
  });

  test("a git, a node or a store of one's own in the environment", () => {
    const scratch = fenced();
    const room = scratchDirectory();
    const [evil, tip] = [evilCommit(scratch), scratch.git("rev-parse", "main")];
    for (const name of ["git", "cat", "node"])
      writeFileSync(join(room, name), "#!/bin/sh\ncat >/dev/null\nexit 0\n", { mode: 0o755 });
    writeFileSync(join(room, "yes.cjs"), "process.exit(0)");
    const environments: readonly Readonly<Record<string, string>>[] = [
      { PATH: `${room}:${scratch.env["PATH"] ?? ""}` },
      { NODE_OPTIONS: `--require ${join(room, "yes.cjs")}` },
      { HOLDPOINT_DIR: room },
      { HOLDPOINT_STORE: "postgres://127.0.0.1:1/evil" },
      { GIT_REFLOG_ACTION: "x", BASH_ENV: join(room, "git"), ENV: join(room, "git") },
    ];
    // Many at once, so that not every line is read in the same way.
    const many = Array.from({ length: 40 }, (_, at) => `update refs/heads/w${at} ${evil}\n`).join(
      "",
    );
    for (const more of environments)
      for (const before of ["", many]) {
        const run = spawnSync("/usr/bin/env", ["git", "update-ref", "--stdin"], {
          cwd: scratch.top,
          env: { ...scratch.env, ...more, PATH: scratch.env["PATH"] ?? "" },
          input: `${before}update refs/heads/main ${evil}\n`,
          encoding: "utf8",
        });
        expect([run.status, run.stderr]).toEqual([128, expect.stringMatching(/holdpoint: /)]);
        const own = spawnSync("/usr/bin/git", ["update-ref", "--stdin"], {
          cwd: scratch.top,
          env: { ...scratch.env, ...more },
          input: `${before}update refs/heads/main ${evil}\n`,
          encoding: "utf8",
        });
        expect(own.status).toBe(128);
        expect(scratch.git("rev-parse", "main")).toBe(tip);
      }
  });

  test("a copied session id", () => {
    const scratch = fenced();
    const evil = evilCommit(scratch);
    const env = { HOLDPOINT_SESSION: "s-1", HOLDPOINT_ACTOR: "agent:eve" };
    expect(scratch.hold(["fence", "uninstall", "--reason", "x"], { env }).exit).toBe(10);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]));
  });
});

/** A report that dies right before main moves: its savepoint is wanted, its commit is not there yet. */
function diedBeforeMoving(scratch: Scratch): { readonly parent: string; readonly message: string } {
  const parent = scratch.git("rev-parse", "main");
  const env = { HOLDPOINT_DIE_AT: "git.update-ref" };
  finishDying(scratch, env);
  expect(scratch.git("rev-parse", "main")).toBe(parent);
  const made = scratch
    .git("fsck", "--no-reflogs", "--unreachable", "--no-progress")
    .split("\n")
    .flatMap((line) => /^unreachable commit (\w+)$/.exec(line)?.[1] ?? [])
    .find((oid) => scratch.git("log", "-1", "--format=%P", oid) === parent);
  return { parent, message: scratch.git("log", "-1", "--format=%B", made ?? "") };
}

function finishDying(scratch: Scratch, env: Readonly<Record<string, string>>): void {
  const dying = {
    ...scratch,
    hold: (args: Parameters<Scratch["hold"]>[0], more = {}) => scratch.hold(args, { ...more, env }),
  };
  expect(finish(dying, "2", { outputs: { parameter_count: 3 } }).exit).toBe(-1);
}

describe("not stopped by a hook, and noticed", () => {
  test("git -c core.hooksPath=/dev/null", () => {
    const scratch = fenced();
    const [tip, evil] = [scratch.git("rev-parse", "main"), evilCommit(scratch)];
    const past = (to: string) =>
      tryGit(scratch, ["-c", "core.hooksPath=/dev/null", "update-ref", "refs/heads/main", to]);
    expect(past(evil).exit).toBe(0);
    expectNoticed(scratch, "branch-breached", "branch-strayed");
    // It is put back without anybody's leave, and that it was away stays known.
    expect(tryGit(scratch, ["update-ref", "refs/heads/main", tip])).toMatchObject({ exit: 0 });
    expectNoticed(scratch, "branch-strayed");
    past(evil);
    past(tip);
    expectNoticed(scratch, "branch-strayed");
  });

  test("an earlier release by setting the branch back", () => {
    const scratch = fenced();
    tryGit(scratch, ["-c", "core.hooksPath=/dev/null", "update-ref", "refs/heads/main", "main~1"]);
    rmSync(join(scratch.top, ".git/logs"), { recursive: true });
    expectNoticed(scratch, "branch-breached");
  });

  test("the hook deleted, replaced, or made not executable", () => {
    const scratch = fenced();
    const hook = join(scratch.top, HOOK);
    chmodSync(hook, 0o644);
    expectNoticed(scratch, "hook-replaced");
    writeFileSync(hook, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
    expectNoticed(scratch, "hook-replaced");
    rmSync(hook);
    expectNoticed(scratch, "hook-missing");
    // Whoever changes something is told as well.
    const told = answer(scratch, "1").json.warnings ?? [];
    expect(told.join()).toContain("The fence is down");
    const evil = evilCommit(scratch);
    scratch.git("update-ref", "refs/heads/main", evil);
    // Put up again it does not forget what came past it.
    expect(scratch.hold("fence install").json).toMatchObject({ ok: false });
    expectNoticed(scratch, "branch-breached");
  });

  test("core.hooksPath set in the repository, or for the user", () => {
    const scratch = fenced();
    scratch.git("config", "core.hooksPath", "/dev/null");
    expectNoticed(scratch, "hooks-elsewhere");
    scratch.git("config", "--unset", "core.hooksPath");
    expect(problemsOf(scratch)).toEqual([]);
    const global = join(scratchDirectory(), "gitconfig");
    writeFileSync(global, "[core]\n\thooksPath = /dev/null\n");
    const { json } = scratch.hold("fence status", { env: { GIT_CONFIG_GLOBAL: global } });
    expect(JSON.stringify(json)).toContain("hooks-elsewhere");
  });

  test("a symbolic ref in its place, and its file written by hand", () => {
    const scratch = fenced();
    const evil = evilCommit(scratch);
    scratch.git("branch", "evil", evil);
    scratch.git("symbolic-ref", "refs/heads/main", "refs/heads/evil");
    expectNoticed(scratch, "branch-symbolic");
    writeFileSync(join(scratch.top, ".git/refs/heads/main"), `${evil}\n`);
    expectNoticed(scratch, "branch-breached");
  });

  test("git branch -C, which asks no hook", () => {
    const scratch = fenced();
    scratch.git("switch", "--quiet", "--detach");
    scratch.git("branch", "evil", evilCommit(scratch));
    const { exit } = tryGit(scratch, ["branch", "-C", "evil", "main"]);
    if (exit === 0) expectNoticed(scratch, "branch-breached");
    expect([0, 128]).toContain(exit);
  });

  test("the journal that knows of the fence taken away, with its hook", () => {
    const scratch = fenced();
    scratch.hold("list");
    tamper(scratch);
    const store = join(scratch.top, ".git/holdpoint");
    for (const place of [
      "journals/repository%3arepository.jsonl",
      "snapshots/repository%3arepository.json",
    ])
      rmSync(join(store, place), { force: true });
    rmSync(join(scratch.top, HOOK));
    expect(scratch.hold("list").stderr).toContain("A fence was put up here");
  });

  test("grafts, and a replacement made past the hook", () => {
    const scratch = fenced();
    const evil = evilCommit(scratch);
    tryGit(scratch, ["-c", "core.hooksPath=/dev/null", "replace", "main", evil]);
    expectNoticed(scratch, "objects-replaced");
  });
});

describe("a fence that is broken", () => {
  test("does not open when its program or its node is gone, and says how to mend it", () => {
    const scratch = fenced();
    const hook = join(scratch.top, HOOK);
    const text = readFileSync(hook, "utf8");
    const evil = evilCommit(scratch);
    for (const part of ["program", "node"]) {
      writeFileSync(hook, text.replace(new RegExp(`^${part}=.*$`, "m"), `${part}='/gone'`));
      const says = /cannot judge this, so nothing moves: \/gone is gone/;
      const said = expectStopped(
        scratch,
        () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]),
        says,
      );
      expect(said).toContain("holdpoint fence install");
      expect(tryGit(scratch, ["branch", `free-${part}`])).toMatchObject({ exit: 0 });
    }
  });

  test("does not open when the journals are gone, or cannot be read", () => {
    const scratch = fenced();
    tamper(scratch);
    const evil = evilCommit(scratch);
    const journals = join(scratch.top, ".git/holdpoint/journals");
    const away = join(scratchDirectory(), "journals");
    cpSync(journals, away, { recursive: true });
    const move = () => tryGit(scratch, ["update-ref", "refs/heads/main", evil]);
    rmSync(journals, { recursive: true });
    expectStopped(
      scratch,
      move,
      /no journal says which branches it protects|cannot be read|is damaged|not known/,
    );
    mkdirSync(journals);
    cpSync(away, journals, { recursive: true });
    writeFileSync(join(journals, "repository%3Arepository.jsonl"), "\n{}\n");
    expectStopped(scratch, move, /holdpoint: /);
  });
});
