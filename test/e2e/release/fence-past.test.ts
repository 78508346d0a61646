/** What comes past the fence and leaves few traces: how much of it is seen, and, honestly, what is not. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compose } from "../../../src/compose/compose.ts";
import { fenceOf, REPOSITORY_STREAM } from "../../../src/engine/fence/state.ts";
import type { Scratch } from "../cli.ts";
import { evilCommit, expectNoticed, fenced, problemsOf, tryGit } from "../fence.ts";
import type { GitRun } from "../fence.ts";
import { forgedSavepoint } from "../forged.ts";
import { answer, finish, NAME } from "../plugin.ts";

function past(scratch: Scratch, to: string): GitRun {
  return tryGit(scratch, ["-c", "core.hooksPath=/dev/null", "update-ref", "refs/heads/main", to]);
}

/** A savepoint that a person has taken back. */
function takenBack(): { readonly scratch: Scratch; readonly old: string } {
  const scratch = fenced();
  answer(scratch, "1");
  finish(scratch, "2", { outputs: { parameter_count: 3 } });
  const [old, before] = [scratch.git("rev-parse", "main"), scratch.git("rev-parse", "main~1")];
  const opened = scratch.hold(["fence", "open", "main", before, "--reason", "it was wrong"]);
  expect(opened.json).toMatchObject({ ok: true });
  expect(tryGit(scratch, ["update-ref", "refs/heads/main", before])).toMatchObject({ exit: 0 });
  expect(problemsOf(scratch)).toEqual([]);
  return { scratch, old };
}

test("a commit that a person took back is brought forward again without hooks: seen, it was released once", () => {
  const { scratch, old } = takenBack();
  expect(past(scratch, old).exit).toBe(0);
  expectNoticed(scratch, "branch-strayed");
});

test("the same, and the reflog removed: nobody sees it", () => {
  const { scratch, old } = takenBack();
  past(scratch, old);
  rmSync(join(scratch.top, ".git/logs"), { recursive: true });
  expect(problemsOf(scratch)).toEqual([]);
});

test("there and back, and the reflog removed: nobody sees that it was away", () => {
  const scratch = fenced();
  const tip = scratch.git("rev-parse", "main");
  past(scratch, evilCommit(scratch));
  past(scratch, tip);
  rmSync(join(scratch.top, ".git/logs"), { recursive: true });
  expect(problemsOf(scratch)).toEqual([]);
});

test("the cache that says all is well hides it from other commands, and not from the status nor from a check", async () => {
  const scratch = fenced();
  const tip = scratch.git("rev-parse", "main");
  past(scratch, evilCommit(scratch));
  const composed = await compose({ cwd: scratch.top, env: scratch.env });
  if (composed.kind !== "open") throw new Error(composed.message);
  const { fencing, journal } = composed.parts;
  const fence = fenceOf((await journal.load(REPOSITORY_STREAM)).state);
  if (fence === undefined) throw new Error("no fence");
  fencing.keep(fencing.stamp(fence.hook, Object.keys(fence.refs)));
  await journal.close();
  expect(scratch.hold("list").stderr).toBe("");
  expect(problemsOf(scratch)).toContain("branch-breached");
  expect(scratch.hold(["fence", "check", `${tip}..main`]).json.ok).toBe(false);
});

test("past it, with a forged line that wants the commit: the status does not believe the journal", () => {
  const scratch = fenced();
  answer(scratch, "1");
  expect(past(scratch, forgedSavepoint(scratch, `plugin-workflow:${NAME}`)).exit).toBe(0);
  expect(problemsOf(scratch)).toContain("fence-journal");
  expect(scratch.hold("audit --chain").exit).toBe(1);
});
