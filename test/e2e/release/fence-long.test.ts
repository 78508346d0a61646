/** A long journal: the hook judges what came since the last commit on the branch, and a forger gains nothing by that. */
import { expect, test } from "vitest";
import { compose } from "../../../src/compose/compose.ts";
import { lock } from "../../../src/operations/lock.ts";
import { expectStopped, fenced, problemsOf, tryGit } from "../fence.ts";
import { forgedSavepoint, forgerOf } from "../forged.ts";
import { answer, finish, NAME } from "../plugin.ts";

const STREAM = `plugin-workflow:${NAME}`;

test("a forged line behind the last commit moves nothing, nor does one before it, and honest work goes on", async () => {
  const scratch = fenced();
  const composed = await compose({ cwd: scratch.top, env: scratch.env });
  if (composed.kind !== "open") throw new Error(composed.message);
  const actor = { kind: "person", name: "root" } as const;
  const context = { parts: composed.parts, caller: { actor, session: "human:root" } };
  for (let round = 0; round < 110; round += 1)
    for (const release of [{}, { release: true }])
      expect(await lock.run(context, { workflow: NAME, ...release })).toMatchObject({ ok: true });
  await composed.parts.journal.close();
  answer(scratch, "1");
  finish(scratch, "2", { outputs: { parameter_count: 3 } });
  answer(scratch, "1");
  const before = scratch.git("rev-parse", "main");
  finish(scratch, "3");
  expect(scratch.git("rev-parse", "main~1")).toBe(before);
  expect(problemsOf(scratch)).toEqual([]);
  const forger = forgerOf(scratch, "plugin");
  const count = forger.records().length;
  expect(count).toBeGreaterThan(220);
  const kept = forger.records().filter((one) => "state" in (one["body"] as object));
  expect(kept).toHaveLength(2);
  const says = /vouches for nothing: record \d+ is not one that deciding could have made/;
  for (const guards of [undefined, "another build"]) {
    const commit = forgedSavepoint(scratch, STREAM, guards);
    expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", commit]), says);
    forger.cut(count);
    forger.forget("snapshots", "shown", "refusals");
  }
  // Whoever writes the past anew does not have the hash that the commit names: all of it is judged.
  forger.rewrite(5, (record) => ({
    ...record,
    body: { ...(record["body"] as object), actor: "agent:eve" },
  }));
  forger.forget("snapshots", "shown", "refusals");
  const commit = forgedSavepoint(scratch, STREAM);
  expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", commit]), says);
});
