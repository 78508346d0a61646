/** A fence that is put up again: for one more branch, or by somebody who may not. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../cli.ts";
import { evilCommit, expectStopped, fenced, install, problemsOf, tryGit } from "../fence.ts";
import { codesOf } from "../plugin.ts";

const AGENT = { CLAUDECODE: "1" };

test("one more branch is protected besides those that were", () => {
  const scratch = fenced();
  install(scratch, "later");
  for (const name of ["main", "later"]) {
    const move = ["update-ref", `refs/heads/${name}`, evilCommit(scratch)];
    expectStopped(scratch, () => tryGit(scratch, move), new RegExp(`${name} does not move`));
  }
});

test("an agent that puts it up changes no hook, whatever store it names", () => {
  const scratch = fenced();
  scratch.git("branch", "side");
  const store = join(scratchDirectory(), "own");
  for (const env of [AGENT, { ...AGENT, HOLDPOINT_DIR: store }]) {
    expect(codesOf(scratch.hold(["fence", "install", "side"], { env }))).toEqual([
      "person-required",
    ]);
    expect(problemsOf(scratch)).toEqual([]);
    const move = ["update-ref", "refs/heads/main", evilCommit(scratch)];
    expectStopped(scratch, () => tryGit(scratch, move));
  }
  expect(tryGit(scratch, ["branch", "-f", "side", evilCommit(scratch)])).toMatchObject({ exit: 0 });
});
