/** Pushes that delete, force, bring tags or many references, and names that stand for other commits than they seem to. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFile, scratchAt, scratchDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { evilCommit, fenced, install, problemsOf, tryGit } from "../fence.ts";
import type { GitRun } from "../fence.ts";
import { signedPlugin } from "../release.ts";

const RELEASES = "refs/holdpoint/releases/*:refs/holdpoint/releases/*";

interface Served {
  readonly scratch: Scratch;
  readonly server: Scratch;
  readonly base: string;
  /** Where the server's main stands by a release that came along. */
  readonly tip: string;
  readonly push: (...what: readonly string[]) => GitRun;
}

/** A bare repository whose main has made one move that Ada signed. */
function served(): Served {
  const { scratch, ada } = signedPlugin();
  const bare = join(scratchDirectory(), "server.git");
  scratch.git("clone", "--quiet", "--bare", scratch.top, bare);
  const server = scratchAt(bare);
  install(server);
  expect(scratch.hold(["fence", "install", "--sign", "--key", ada]).json).toMatchObject({
    up: true,
  });
  const base = scratch.git("rev-parse", "main");
  scratch.git("switch", "-q", "-c", "side");
  commitFile(scratch, "more.txt", "more\n");
  const tip = scratch.git("rev-parse", "side");
  const open = ["fence", "open", "main", tip, "--reason", "looked at"];
  expect(scratch.hold([...open, "--sign", "--key", ada]).json.ok).toBe(true);
  const push = (...what: readonly string[]): GitRun => tryGit(scratch, ["push", bare, ...what]);
  expect(push("--atomic", `${tip}:refs/heads/main`, RELEASES)).toMatchObject({ exit: 0 });
  for (const name of ["receive.denyDeletes", "receive.denyNonFastForwards"])
    server.git("config", name, "false");
  server.git("config", "receive.denyDeleteCurrent", "ignore");
  return { scratch, server, base, tip, push };
}

function expectStays({ server, tip }: Served, run: GitRun, says: RegExp): void {
  expect(run.exit, run.stderr).not.toBe(0);
  expect(run.stderr.replaceAll(/\nremote: +/g, " ")).toMatch(says);
  expect(server.git("rev-parse", "refs/heads/main")).toBe(tip);
  expect(problemsOf(server)).toEqual([]);
}

describe("a push", () => {
  test("deletes and forces nothing that is protected, alone or among others", () => {
    const of = served();
    const evil = evilCommit(of.scratch, "side");
    expectStays(of, of.push(":refs/heads/main"), /main does not move/);
    expectStays(of, of.push("--force", `${of.base}:refs/heads/main`), /main does not move/);
    const many = Array.from({ length: 40 }, (_, at) => `${of.tip}:refs/tags/v${String(at)}`);
    expectStays(of, of.push(...many, `+${evil}:refs/heads/main`, "side"), /main does not move/);
    expectStays(of, of.push(...many, ":refs/heads/main"), /main does not move/);
    expect(of.server.git("tag", "--list")).toBe("");
    expect(of.push(...many, `${evil}:refs/heads/elsewhere`)).toMatchObject({ exit: 0 });
  });

  test("takes no release away, and puts none in the place of another", () => {
    const of = served();
    const [ref = ""] = of.server
      .git("for-each-ref", "--format=%(refname)", "refs/holdpoint/releases")
      .split("\n");
    expect(ref).toContain(of.tip);
    expectStays(of, of.push(`:${ref}`), /releases stay/);
    of.scratch.write("other", "other");
    const other = of.scratch.git("hash-object", "-w", "other");
    expectStays(of, of.push(`+${other}:${ref}`), /releases stay/);
    expect(of.push(RELEASES)).toMatchObject({ exit: 0 });
  });
});

describe("a name that a person types", () => {
  test("is the branch and not a tag of that name, the commit and not a branch that is called like it", () => {
    const scratch = fenced();
    scratch.git("switch", "-q", "-c", "side");
    commitFile(scratch, "more.txt", "more\n");
    const honest = scratch.git("rev-parse", "side");
    const evil = evilCommit(scratch);
    scratch.git("tag", "side", evil);
    scratch.git("update-ref", `refs/heads/${honest.slice(0, 12)}`, evil);
    for (const name of ["side", honest.slice(0, 12), honest]) {
      scratch.hold(["fence", "open", "main", name, "--reason", "looked at"]);
      const move = (to: string): number =>
        tryGit(scratch, [
          "update-ref",
          "refs/heads/main",
          to,
          scratch.git("rev-parse", "refs/heads/main"),
        ]).exit;
      expect(move(evil), name).not.toBe(0);
    }
    expect(tryGit(scratch, ["update-ref", "refs/heads/main", honest])).toMatchObject({ exit: 0 });
  });
});
