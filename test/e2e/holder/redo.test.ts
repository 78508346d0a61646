/** Whatever is done again after a crash is recorded as if there had been none. */
import { describe, expect, test } from "vitest";
import { compose } from "../../../src/compose/compose.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import {
  begin,
  commitAs,
  expectMerged,
  gathered,
  handOut,
  ID,
  implementing,
  planned,
  released,
  reviewed,
  SCOPES,
  validated,
  WORK_DONE,
} from "../task.ts";
import type { Task } from "../task.ts";

const FILE = SCOPES.MEDIUM;

/** What became of the last effect of a kind. */
async function detailOf({ scratch, id }: Task, kind: string): Promise<JsonObject> {
  const composed = await compose({ cwd: scratch.top, env: {}, readOnly: true });
  if (composed.kind === "failed") throw new Error(composed.message);
  const { state } = await composed.parts.journal.load(`task-protocol:${id}`);
  const found = Object.values(state.effects).findLast((one) => one.kind === kind);
  expect(found?.status).toBe("done");
  return found?.detail ?? {};
}

function subjects(detail: JsonObject): readonly unknown[] {
  const { commits } = detail;
  return Array.isArray(commits) ? commits.map((one) => Reflect.get(Object(one), "subject")) : [];
}

/** The step, killed where its effect is done and not recorded, and then once more by the same session. */
function redone(task: Task, args: readonly string[], stdin = "", cwd = task.code): void {
  const died = task.run(args, { stdin, cwd, env: { HOLDPOINT_DIE_AT: "append:2" } });
  expect([args, died.exit], died.stdout).toEqual([args, -1]);
  const again = task.run(["reconcile", task.id], { cwd });
  expect(again.json.pending, again.stdout).toEqual([]);
}

describe("killed between the deed and its record (append:2)", () => {
  test("[TP-158] an agent's merge still says which commits it brought, and the task goes on to its end", async () => {
    const task = implementing(planned(gathered(begin("MEDIUM")), [FILE]));
    const [first = "", second = ""] = task.agents();
    const out = [first, second].map((agent) => handOut(task, "implementation", agent));
    commitAs(task, first, FILE, "one\n");
    redone(task, ["report", ID, "-", "--dispatch", out[0] ?? ""], WORK_DONE);
    const detail = await detailOf(task, "merge-ff");
    expect(subjects(detail)).toEqual([`[${first}] ${FILE}`]);
    expect(detail["oid"]).toBe(task.git("rev-parse", ID));
    task.step(["report", ID, "-", "--dispatch", out[1] ?? ""], { stdin: WORK_DONE });
    const head = (): string => task.git("rev-parse", "HEAD");
    released(reviewed(validated(task)));
    const commit = head();
    redone(task, ["advance", ID, "complete"], "", task.scratch.top);
    expectMerged(task, commit, "one\n", "MEDIUM");
    const merged = await detailOf(task, "merge-ff");
    expect([merged["oid"], subjects(merged)]).toEqual([commit, [expect.any(String)]]);
  });

  test("[TP-167] making one commit of the branch still says what the coordinator mended", async () => {
    const task = implementing(planned(gathered(begin("MEDIUM")), [FILE]));
    const [first = "", second = ""] = task.agents();
    const out = [first, second].map((agent) => handOut(task, "implementation", agent));
    commitAs(task, first, FILE, "one\n");
    for (const dispatch of out)
      task.step(["report", ID, "-", "--dispatch", dispatch], { stdin: WORK_DONE });
    validated(task);
    task.scratch.write(`${task.dir}/code/${FILE}`, "two\n");
    task.git("commit", "--quiet", "-a", "-m", "mend a word");
    redone(task, ["advance", ID, "close"]);
    const detail = await detailOf(task, "squash");
    expect(detail["fixes"]).toEqual(["mend a word"]);
    expect(detail["oid"]).toBe(task.git("rev-parse", "HEAD"));
  });

  test("an agent that had nothing to add brings nothing, also the second time", async () => {
    const task = implementing(planned(gathered(begin("MEDIUM")), [FILE]));
    const [first = "", second = ""] = task.agents();
    const out = [first, second].map((agent) => handOut(task, "implementation", agent));
    commitAs(task, first, FILE, "one\n");
    task.step(["report", ID, "-", "--dispatch", out[0] ?? ""], { stdin: WORK_DONE });
    redone(task, ["report", ID, "-", "--dispatch", out[1] ?? ""], WORK_DONE);
    expect(subjects(await detailOf(task, "merge-ff"))).toEqual([]);
  });
});
