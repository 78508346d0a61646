import { appendFileSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scratchDirectory } from "../../../../test/conformance/git.ts";
import {
  adding,
  CODE,
  done,
  forest,
  TASK,
  type Forest,
} from "../../../../test/conformance/worktrees.ts";
import { findPlace, type Repository } from "./place.ts";
import {
  isPlainBranch,
  readPlainCommit,
  readPlainEntries,
  readPlainHead,
  readPlainPlace,
} from "./plain.ts";
import { createRunGit } from "../run/run.ts";
import { askEntries } from "../worktree/list.ts";

interface Answers {
  readonly place: unknown;
  readonly entries: unknown;
  /** The branch that HEAD is on, and the commits of HEAD and of some branches. */
  readonly heads: unknown;
}

/** What is read from the files, and what git says, of the repository around a directory. */
async function both(one: Forest, path = "."): Promise<{ read: Answers; git: Answers }> {
  const start = realpathSync(join(one.top, path));
  const run = createRunGit("git", one.env);
  const place = await findPlace(run, start);
  const onStep = (): void => undefined;
  const repo = { ...place, run, tmpDir: one.tmpDir, hookMsMax: 1, onStep } as Repository;
  const entries = place.kind === "none" ? undefined : await askEntries(repo);
  const heads = place.kind === "none" ? undefined : await askHeads(repo);
  const read = {
    place: readPlainPlace(start, one.env),
    entries: readPlainEntries(repo),
    heads: [
      readPlainHead(repo)?.ref,
      ...NAMES.map((name) => (readPlainCommit(repo, name) ?? { oid: "git is asked" }).oid),
    ],
  };
  return { read, git: { place, entries, heads } };
}

const NAMES = ["HEAD", "refs/heads/main", "refs/heads/t-1a", "refs/heads/none/such"];

async function askHeads(repo: Repository): Promise<readonly (string | undefined)[]> {
  const ask = async (...args: readonly string[]): Promise<string | undefined> => {
    const { code, stdout } = await repo.run(args, { cwd: repo.top });
    return code === 0 ? stdout.toString("utf8").trim() : undefined;
  };
  const commits = NAMES.map((name) => ask("rev-parse", "--verify", "--quiet", `${name}^{commit}`));
  return await Promise.all([ask("symbolic-ref", "--quiet", "HEAD"), ...commits]);
}

test("a branch that is taken for a plain name is one that git allows", () => {
  const { git } = forest();
  const part = fc.string({
    unit: fc.constantFrom(..."aZ0_+-./@~^: é".split(""), ".lock"),
    maxLength: 8,
  });
  const plain = fc
    .sample(part, { numRuns: 3_000, seed: 8 })
    .filter((name) => isPlainBranch(`refs/heads/${name}`));
  expect(plain.length).toBeGreaterThan(50);
  for (const name of new Set(plain)) git("check-ref-format", `refs/heads/${name}`);
}, 60_000);

describe("a plain repository is read as git tells it", () => {
  const cases: Record<string, (one: Forest) => string | undefined | Promise<string | undefined>> = {
    "at its top": () => undefined,
    "in a directory": (one) => {
      mkdirSync(join(one.top, "a/b c"), { recursive: true });
      return "a/b c";
    },
    "in a linked worktree": async (one) => {
      done(await one.worktrees.add(adding()));
      return CODE;
    },
    "with several worktrees, one of them gone, one locked with no reason": async (one) => {
      for (const name of ["z", "é ü", "a"]) {
        const [path, branch] = [`.holdpoint/tasks/${name}/code`, `t-${name.length}${name.at(0)}`];
        done(await one.worktrees.add(adding({ path, branch })));
      }
      rmSync(join(one.top, ".holdpoint/tasks/z/code"), { recursive: true });
      one.git("worktree", "unlock", ".holdpoint/tasks/a/code");
      one.git("worktree", "lock", ".holdpoint/tasks/a/code");
      return undefined;
    },
    "with packed refs and a detached HEAD in a worktree": async (one) => {
      done(await one.worktrees.add(adding()));
      one.at(CODE, "checkout", "--quiet", "--detach");
      one.git("pack-refs", "--all");
      one.git("branch", "--force", TASK, "HEAD");
      return undefined;
    },
    "on a branch that has no commit": (one) => {
      one.git("checkout", "--quiet", "--orphan", "nothing/yet");
      return undefined;
    },
  };

  test.each(Object.entries(cases))("%s", async (_, prepare) => {
    const one = forest();
    const { read, git } = await both(one, await prepare(one));
    expect(read).toEqual(git);
    expect(read.place).toMatchObject({ kind: "repository" });
  });
});

describe("git is asked where a repository is not plain", () => {
  const cases: Record<string, (one: Forest) => string | undefined> = {
    "its files are elsewhere": (one) => void one.git("config", "core.worktree", one.top),
    "it has extensions": (one) => void one.git("config", "extensions.worktreeConfig", "true"),
    "it is of a version that does not exist yet": (one) =>
      void one.write(".git/config", "[core]\n\trepositoryformatversion = 7\n"),
    "it is bare": (one) => void one.git("config", "core.bare", "true"),
    "its HEAD is damaged": (one) => void one.write(".git/HEAD", ""),
    "in the git directory itself": () => ".git/refs",
    "in a bare one inside it": (one) => {
      one.git("init", "--quiet", "--bare", "inner.git");
      return "inner.git";
    },
    "in a submodule": (one) => {
      const other = forest();
      const args = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
      one.git(...args, other.top, "sub");
      return "sub";
    },
  };

  test.each(Object.entries(cases))("%s", (_, prepare) => {
    const one = forest();
    const start = realpathSync(join(one.top, prepare(one) ?? "."));
    expect(readPlainPlace(start, one.env)).toBeUndefined();
  });

  test("without git, and where its configuration has a bad line", () => {
    const one = forest();
    expect(readPlainPlace(one.top, { ...one.env, PATH: "/nowhere" })).toBeUndefined();
    expect(readPlainPlace(one.top, one.env)).toBeDefined();
    appendFileSync(join(one.top, ".git/config"), "[core\n");
    expect(readPlainPlace(one.top, one.env)).toBeUndefined();
  });

  test("outside a repository it says what git says", async () => {
    const one = forest();
    const outside = realpathSync(scratchDirectory());
    const asked = await findPlace(createRunGit("git", one.env), outside);
    expect(readPlainPlace(outside, one.env)).toEqual(asked);
  });

  test.each([
    ["a worktree that is half made", "gitdir", ""],
    ["a worktree whose HEAD is damaged", "HEAD", "ref: elsewhere\n"],
    ["a worktree with a relative path", "gitdir", "../../../x/.git\n"],
  ])("the list, with %s", async (_, file, text) => {
    const one = forest();
    done(await one.worktrees.add(adding()));
    writeFileSync(join(one.top, ".git/worktrees/code", file), text);
    const repo = { commonDir: join(one.top, ".git") } as Repository;
    expect(readPlainEntries(repo)).toBeUndefined();
  });
});
