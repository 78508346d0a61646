/** A server that has no journals: what people signed comes along with the push, and nothing else vouches for it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../../src/core/values/json.ts";
import { commitFile, repository, scratchAt, scratchDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { evilCommit, install, problemsOf, tryGit } from "../fence.ts";
import type { GitRun } from "../fence.ts";
import { codesOf, finish, NAME } from "../plugin.ts";
import { ADA, commitPolicy, lineOf, makeKey, signedPlugin } from "../release.ts";

const RELEASES = "refs/holdpoint/releases/*:refs/holdpoint/releases/*";

interface Pushing {
  readonly scratch: Scratch;
  readonly server: Scratch;
  readonly ada: string;
  readonly bob: string;
  /** Where the server's main stands. */
  readonly base: string;
  readonly push: (...what: readonly string[]) => GitRun;
}

/** A clone with the fence up, and a bare repository with the fence and no journal of any work. */
function pushing(policy: object = {}): Pushing {
  const { scratch, ada, bob } = signedPlugin(policy);
  const bare = join(scratchDirectory(), "server.git");
  scratch.git("clone", "--quiet", "--bare", scratch.top, bare);
  const server = scratchAt(bare);
  install(server);
  const up = scratch.hold(["fence", "install", "--sign", "--key", ada]);
  expect(up.json).toMatchObject({ ok: true, up: true });
  const base = scratch.git("rev-parse", "main");
  const push = (...what: readonly string[]): GitRun =>
    tryGit(scratch, ["push", "--atomic", bare, ...what]);
  return { scratch, server, ada, bob, base, push };
}

/** The work of a stage, released by Ada and committed. */
function work({ scratch, ada }: Pushing): string {
  const answered = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
  expect(codesOf(answered)).toEqual([]);
  finish(scratch, "2", { outputs: { parameter_count: 3 } });
  return scratch.git("rev-parse", "main");
}

function release(of: Pushing, to: string, key: string = of.ada, from: string = of.base): void {
  const args = ["fence", "open", "main", to, "--from", from, "--reason", "looked at"];
  of.scratch.hold([...args, "--sign", "--key", key]);
}

function expectRefused({ server, base }: Pushing, run: GitRun, says: RegExp): void {
  expect(run.stderr).toMatch(/holdpoint: main does not move/);
  expect(run.stderr.replaceAll(/\nremote: +/g, " ")).toMatch(says);
  expect(run.exit).not.toBe(0);
  expect(server.git("rev-parse", "main")).toBe(base);
}

describe("a push to a server without journals", () => {
  test("is taken with its signed release, and the fence there knows why; a job in a fresh clone as well", () => {
    const of = pushing();
    const tip = work(of);
    release(of, tip);
    expect(of.push("main", RELEASES)).toMatchObject({ exit: 0 });
    expect(of.server.git("rev-parse", "main")).toBe(tip);
    expect(problemsOf(of.server)).toEqual([]);
    const job = scratchAt(join(scratchDirectory(), "job"));
    of.scratch.git("clone", "--quiet", of.server.top, job.top);
    const range = ["fence", "check", `${of.base}..main`];
    expect(job.hold(range).stdout).toContain("cannot be vouched for here");
    job.git("fetch", "--quiet", "origin", RELEASES);
    expect(job.hold(range)).toMatchObject({ exit: 0, json: { ok: true } });
    expect(job.hold(["fence", "check", `${of.base}~1..main`]).exit).toBe(10);
  });

  test("is refused without one, and with one that does not arrive in the same transaction", () => {
    const of = pushing();
    const tip = work(of);
    expectRefused(of, of.push("main"), /no signed release of it came along/);
    release(of, tip);
    expectRefused(of, of.push("main"), /no signed release of it came along/);
  });

  test("is refused for a commit that nobody released, whatever else was", () => {
    const of = pushing();
    release(of, work(of));
    const evil = evilCommit(of.scratch, "main");
    expectRefused(of, of.push(`${evil}:refs/heads/main`, RELEASES), /no signed release of it/);
  });

  test("is refused with a release of another commit, another branch or another base", () => {
    const of = pushing();
    const tip = work(of);
    release(of, tip);
    const evil = evilCommit(of.scratch, of.base);
    const [ref = ""] = of.scratch
      .git("for-each-ref", "--format=%(refname)", "refs/holdpoint")
      .split("\n");
    const copied = `refs/holdpoint/releases/${evil}/copied`;
    const run = of.push(`${evil}:refs/heads/main`, `${ref}:${copied}`);
    expectRefused(of, run, /what was released is main from \w+ to \w+/);
    // Nor does what was shown change under the signature.
    const text = of.scratch.git("cat-file", "blob", ref).replaceAll(tip, evil);
    const forged = blob(of.scratch, text);
    of.scratch.git("update-ref", copied, forged);
    const other = of.push(`${evil}:refs/heads/main`, `${copied}:${copied}`);
    expectRefused(of, other, /is not what was signed/);
    for (const junk of [
      "",
      "{}",
      "null",
      "x".repeat(300_000),
      '{"card":{},"statement":"{}","signature":1}',
    ]) {
      of.scratch.git("update-ref", copied, blob(of.scratch, junk));
      expect(of.push(`${evil}:refs/heads/main`, `+${copied}:${copied}`).exit).not.toBe(0);
    }
  });

  test("is refused with a release by somebody whose key does not count, and with signers that the push brings itself", () => {
    const of = pushing();
    const own = makeKey(of.scratch, "own");
    of.scratch.git("switch", "--quiet", "-c", "agent");
    commitFile(of.scratch, "allowed_signers", lineOf(own, ADA));
    const tip = of.scratch.git("rev-parse", "HEAD");
    release(of, tip);
    const [ref = ""] = of.scratch
      .git("for-each-ref", "--format=%(refname)", "refs/holdpoint")
      .split("\n");
    const carried = JSON.parse(of.scratch.git("cat-file", "blob", ref)) as { statement: string };
    const signature = signed(own, carried.statement);
    of.scratch.git("update-ref", ref, blob(of.scratch, JSON.stringify({ ...carried, signature })));
    const run = of.push(`${tip}:refs/heads/main`, RELEASES);
    expectRefused(of, run, /none of those that count here/);
    commitPolicy(of.scratch, { strength: "word" });
    const weak = of.scratch.git("rev-parse", "HEAD");
    expectRefused(of, of.push(`${weak}:refs/heads/main`, RELEASES), /no signed release of it/);
  });

  test("waits for as many people as the policy asks for", () => {
    const of = pushing({ gates: { "repository/open-fence": { people: 2 } } });
    of.scratch.git("switch", "--quiet", "-c", "agent");
    commitFile(of.scratch, "notes.md", "work\n");
    const tip = of.scratch.git("rev-parse", "HEAD");
    release(of, tip);
    expectRefused(of, of.push(`${tip}:refs/heads/main`, RELEASES), /1 of 2 people/);
    of.scratch.hold(["answer", "repository", "open", "--sign", "--key", of.bob]);
    expect(of.push(`${tip}:refs/heads/main`, RELEASES)).toMatchObject({ exit: 0 });
  });

  test("is refused where an author released it, and where the base asks for no signature", () => {
    const of = pushing({ gates: { "repository/open-fence": { notAuthor: true } } });
    of.scratch.git("switch", "--quiet", "-c", "agent");
    commitFile(of.scratch, "notes.md", "work\n");
    const tip = of.scratch.git("rev-parse", "HEAD");
    release(of, tip);
    expectRefused(
      of,
      of.push(`${tip}:refs/heads/main`, RELEASES),
      /ada@example.org made some of it/,
    );
    release(of, tip, of.bob);
    of.scratch.hold(["answer", "repository", "open", "--sign", "--key", of.bob]);
    expect(of.push(`${tip}:refs/heads/main`, RELEASES)).toMatchObject({ exit: 0 });
    const plain = repository();
    const bare = join(scratchDirectory(), "plain.git");
    plain.git("clone", "--quiet", "--bare", plain.top, bare);
    install(scratchAt(bare));
    const evil = evilCommit(plain);
    const run = tryGit(plain, ["push", bare, `${evil}:refs/heads/main`]);
    expect(run.stderr).toMatch(/no policy that asks for signatures/);
  });

  test("is refused when the release is over, or older than its commit", () => {
    const of = pushing();
    of.scratch.git("switch", "--quiet", "-c", "agent");
    commitFile(of.scratch, "notes.md", "work\n");
    const soon = { GIT_COMMITTER_DATE: new Date(Date.now() + 600_000).toISOString() };
    const tree = of.scratch.git("rev-parse", "HEAD^{tree}");
    const later = execFileSync("git", ["commit-tree", tree, "-p", of.base, "-m", "later"], {
      cwd: of.scratch.top,
      env: { ...of.scratch.env, ...soon },
      encoding: "utf8",
    }).trim();
    release(of, later);
    expectRefused(of, of.push(`${later}:refs/heads/main`, RELEASES), /older than the commit/);
    const tip = of.scratch.git("rev-parse", "HEAD");
    release(of, tip);
    const hour = new Date(Date.now() + 3_600_000).toISOString();
    const [ref = ""] = of.scratch
      .git("for-each-ref", "--format=%(refname)", `refs/holdpoint/releases/${tip}`)
      .split("\n");
    const carried = JSON.parse(of.scratch.git("cat-file", "blob", ref)) as { statement: string };
    for (const change of [
      { expires: hour },
      { at: "2020-01-01T00:00:00.000Z" },
      { expires: "never" },
    ]) {
      const statement = canonicalJson({ ...JSON.parse(carried.statement), ...change });
      const signature = signed(of.ada, statement);
      of.scratch.git(
        "update-ref",
        ref,
        blob(of.scratch, JSON.stringify({ ...carried, statement, signature })),
      );
      expectRefused(of, of.push(`${tip}:refs/heads/main`, RELEASES), /minutes are allowed/);
    }
    const past = {
      at: new Date(Date.now() - 90_000).toISOString(),
      expires: new Date(Date.now() - 30_000).toISOString(),
    };
    const statement = canonicalJson({ ...JSON.parse(carried.statement), ...past });
    const signature = signed(of.ada, statement);
    of.scratch.git(
      "update-ref",
      ref,
      blob(of.scratch, JSON.stringify({ ...carried, statement, signature })),
    );
    expectRefused(of, of.push(`${tip}:refs/heads/main`, RELEASES), /its release counted from/);
  });
});

function blob(scratch: Scratch, text: string): string {
  const options = {
    cwd: scratch.top,
    env: { ...scratch.env },
    input: text,
    encoding: "utf8",
  } as const;
  return execFileSync("git", ["hash-object", "-w", "--stdin"], options).trim();
}

function signed(key: string, text: string): string {
  return execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", key, "-n", "release@holdpoint"], {
    input: text,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
}
