/** An agent with a shell, and what git itself offers it: each line is stopped by the fence, or named by its status afterwards. */
import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyOf, preparedOnce } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { evilCommit, problemsOf } from "../fence.ts";
import { homeOf, signedPlugin } from "../release.ts";

/** Under `signed`, the fence up, and a branch `evil` that nobody released. */
function prepared(): Scratch {
  return preparedOnce("fence-shell", () => {
    const { scratch, ada } = signedPlugin();
    const up = scratch.hold(["fence", "install", "--sign", "--key", ada]);
    expect(up.json).toMatchObject({ ok: true, up: true });
    scratch.git("branch", "evil", evilCommit(scratch));
    return scratch;
  });
}

const MOVE = "git update-ref refs/heads/main evil";
const NO_HOOKS = String.raw`printf '[core]\n\thooksPath = /dev/null\n'`;
/** A git directory of its own whose branches are those of the repository. */
const COPY =
  'mkdir ../own && cp -r .git/. ../own/ && rm -rf ../own/hooks ../own/refs ../own/logs && ln -s "$PWD/.git/refs" ../own/refs';

test.each([
  ["git fetch into it", "git fetch -u --force . evil:main"],
  ["git fetch by a refspec of a remote", "git remote add o . && git fetch -u o +evil:main"],
  ["git pull --rebase", "git pull --rebase . evil"],
  [
    "git stash branch",
    "echo x >> PLUGINS.md; git stash; git switch -q --detach; git branch -D main",
  ],
  ["git switch -C", "git switch -q -f -C main evil"],
  ["git checkout -B", "git checkout -q -f -B main evil"],
  [
    "git fast-import",
    String.raw`printf 'reset refs/heads/main\nfrom evil\n' | git fast-import --force`,
  ],
  ["git am", "git format-patch -1 --stdout evil > ../patch; git am ../patch"],
  ["git cherry-pick", "git cherry-pick -X theirs evil"],
  [
    "a symbolic ref to it",
    "git symbolic-ref refs/heads/two refs/heads/main; git update-ref refs/heads/two evil",
  ],
  [
    "a worktree whose HEAD is written by hand",
    "git worktree add -q ../wt evil; echo 'ref: refs/heads/main' > .git/worktrees/wt/HEAD; cd ../wt && git reset -q --hard evil",
  ],
  [
    "a gitfile as submodules have it",
    'mkdir ../sub; echo "gitdir: $PWD/.git" > ../sub/.git; cd ../sub && git update-ref refs/heads/main evil',
  ],
  [
    "a link to the git directory",
    'mkdir ../link; ln -s "$PWD/.git" ../link/.git; cd ../link && git update-ref refs/heads/main evil',
  ],
  [
    "GIT_DIR and GIT_COMMON_DIR as they are",
    `GIT_COMMON_DIR="$PWD/.git" GIT_DIR="$PWD/.git" ${MOVE}`,
  ],
  [
    "a push, whatever receive.* says",
    "git config receive.denyCurrentBranch ignore; git push . evil:main",
  ],
  [
    "many references at once",
    "(for i in $(seq 40); do echo create refs/heads/n$i evil; done; echo update refs/heads/main evil) | git update-ref --stdin",
  ],
  [
    "programs of its own in PATH",
    `mkdir ../bin; for p in node git ssh-keygen cat; do printf '#!/bin/sh\\nexit 0\\n' > ../bin/$p; chmod +x ../bin/$p; done; PATH="$PWD/../bin:$PATH" /usr/bin/${MOVE}`,
  ],
  [
    "NODE_OPTIONS",
    `echo 'process.exit(0)' > /tmp/holdpoint-exit-$$.cjs; NODE_OPTIONS="--require /tmp/holdpoint-exit-$$.cjs" ${MOVE}; code=$?; rm /tmp/holdpoint-exit-$$.cjs; exit $code`,
  ],
  [
    "ENV, BASH_ENV and functions",
    `echo 'exit 0' > ../env; printf() { :; }; export -f printf; IFS=x ENV="$PWD/../env" BASH_ENV="$PWD/../env" ${MOVE}`,
  ],
  [
    "TMPDIR, TZ and HOME that are odd",
    `TMPDIR=/nonexistent TZ=:/dev/zero HOME=/nonexistent ${MOVE}`,
  ],
  [
    "another way to keep references, by a setting",
    `git -c extensions.refStorage=reftable ${MOVE.slice(4)}`,
  ],
])("stopped: %s", (_, line) => {
  const scratch = copyOf(prepared());
  const tip = scratch.git("rev-parse", "refs/heads/main");
  const { stderr } = spawnSync("bash", ["-c", line], {
    cwd: scratch.top,
    env: scratch.env,
    encoding: "utf8",
  });
  expect(stderr).toMatch(/holdpoint: (?:main does not move|main is protected)/);
  expect(scratch.git("rev-parse", "refs/heads/main")).toBe(tip);
  expect(problemsOf(scratch)).toEqual([]);
});

test.each([
  [
    "packed references edited",
    'git pack-refs --all; sed -i "s#^[0-9a-f]* refs/heads/main#$(git rev-parse evil) refs/heads/main#" .git/packed-refs',
    "branch-breached",
  ],
  [
    "its file and its reflog",
    "git rev-parse evil > .git/refs/heads/main; rm -f .git/logs/refs/heads/main",
    "branch-breached",
  ],
  [
    "a push through a receive-pack without hooks",
    "git push --receive-pack='git -c core.hooksPath=/dev/null -c receive.denyCurrentBranch=ignore receive-pack' . evil:main",
    "branch-strayed",
  ],
  [
    "GIT_CONFIG_COUNT",
    `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null ${MOVE}`,
    "branch-strayed",
  ],
  [
    "settings that are included",
    `${NO_HOOKS} > ../inc; git config include.path ../../inc; ${MOVE}`,
    "hooks-elsewhere",
  ],
  [
    "settings of the worktree",
    `git config extensions.worktreeConfig true; git config --worktree core.hooksPath /dev/null; ${MOVE}`,
    "hooks-elsewhere",
  ],
  [
    "settings of another worktree",
    `git config extensions.worktreeConfig true; git worktree add -q ../wt evil; cd ../wt; git config --worktree core.hooksPath /dev/null; ${MOVE}`,
    "branch-strayed",
  ],
  [
    "settings of a HOME of its own",
    `mkdir ../h; ${NO_HOOKS} > ../h/.gitconfig; env -u GIT_CONFIG_GLOBAL HOME="$PWD/../h" ${MOVE}`,
    "branch-strayed",
  ],
  [
    "a git directory of its own with these branches",
    `${COPY}; GIT_DIR=../own ${MOVE}`,
    "branch-breached",
  ],
  [
    "a common directory of its own with these branches",
    `${COPY}; GIT_COMMON_DIR="$PWD/../own" GIT_DIR="$PWD/.git" ${MOVE}`,
    "branch-breached",
  ],
  [
    "the hook replaced and put back",
    `cp -p .git/hooks/reference-transaction ../kept; printf '#!/bin/sh\\n' > .git/hooks/reference-transaction; ${MOVE}; cp -p ../kept .git/hooks/reference-transaction`,
    "branch-strayed",
  ],
])("seen: %s", (_, line, code) => {
  const scratch = copyOf(prepared());
  const tip = scratch.git("rev-parse", "refs/heads/main");
  const { stderr } = spawnSync("bash", ["-c", line], {
    cwd: scratch.top,
    env: scratch.env,
    encoding: "utf8",
  });
  expect(scratch.git("rev-parse", "refs/heads/main"), stderr).not.toBe(tip);
  expect(problemsOf(scratch)).toContain(code);
  expect(scratch.hold("list").stderr).toContain("nobody released that");
});

/** As on machines where `sh` is bash, which takes functions and options from whoever calls it. */
test.each([
  ["a function of its own for read", "BASH_FUNC_read%%", "() { return 1; }"],
  ["a function of its own for printf", "BASH_FUNC_printf%%", "() { return 1; }"],
  ["a function of its own for [", "BASH_FUNC_[%%", "() { return 1; }"],
  ["SHELLOPTS", "SHELLOPTS", "noexec"],
])("stopped where sh is bash: %s", (_, variable, value) => {
  const scratch = copyOf(prepared());
  const shell = join(homeOf(scratch), "sh");
  symlinkSync("/bin/bash", shell);
  const hook = join(scratch.top, ".git/hooks/reference-transaction");
  const [, flags = ""] = /^#!\/bin\/sh(.*)\n/.exec(readFileSync(hook, "utf8")) ?? [];
  const [from, to] = ["main", "evil"].map((name) => scratch.git("rev-parse", name));
  const { status, stderr } = spawnSync(shell, [...flags.trim().split(" "), hook, "prepared"], {
    cwd: scratch.top,
    env: { ...scratch.env, [variable]: value },
    input: `${from} ${to} refs/heads/main\n`,
    encoding: "utf8",
  });
  expect(stderr).toMatch(/holdpoint: main does not move/);
  expect(status).toBe(1);
});
