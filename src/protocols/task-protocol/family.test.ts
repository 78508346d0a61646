import { describe, expect, test } from "vitest";
import {
  AGENT,
  atReview,
  begun,
  atImplementation,
  atRequirements,
  TASK,
  reportOf,
} from "../../../test/fixtures/task-protocol/world.ts";
import {
  DIR,
  DOCUMENT,
  placesOf,
  repository,
  TODO,
  worldOf,
} from "../../../test/fixtures/task-protocol/places.ts";
import { next } from "../../core/decide/next.ts";
import { readReport } from "./world/claim.ts";
import { taskFamily } from "./index.ts";
import { viewsOf } from "./world/views.ts";

describe("reports", () => {
  const read = (text: string, spec: string): unknown => {
    const [first] = Object.values(atReview().state.dispatches);
    if (first === undefined) throw new Error("no dispatch");
    const report = readReport(text, { ...first, spec, role: "quality" }, atReview().state);
    return report.kind === "report" ? report.claim : report;
  };

  test("[TP-170] decision lines become verdicts, anything else is malformed", () => {
    expect(read("FINAL DECISION: APPROVED - fine", "review")).toMatchObject({
      outcome: "APPROVED",
    });
    expect(read("looks good to me", "review")).toMatchObject({
      kind: "void",
      claim: { outcome: "MALFORMED" },
      refusals: [{ code: "report-unreadable", rule: "TP-170" }],
    });
    expect(read('{"status": "COMPLETE"}', "review")).toMatchObject({ outcome: "MALFORMED" });
    expect(read('{"status": "COMPLETE", "decision": "REJECTED"}', "review")).toMatchObject({
      outcome: "REJECTED",
    });
  });

  test("[TP-093] a status in any spelling is a report; one for another task is refused", () => {
    expect(read('{"status": "completed"}', "requirements")).toMatchObject({ outcome: "COMPLETE" });
    expect(read('{"status": "in_progress"}', "implementation")).toMatchObject({
      outcome: "PARTIAL",
    });
    expect(read("I could not do it", "requirements")).toMatchObject({
      kind: "void",
      claim: { outcome: "ERROR" },
    });
    expect(read('{"status": "COMPLETE", "task": "other"}', "requirements")).toMatchObject({
      kind: "refused",
    });
  });

  test("[TP-225] names that belong to the workflow are not taken from a report", () => {
    expect(read('{"status": "COMPLETE", "root": "/etc"}', "requirements")).not.toHaveProperty(
      "root",
    );
  });

  test("[TP-093] a status file is its agent's report only for this mode and round", async () => {
    const one = atRequirements().send("requirements", "quality", AGENT);
    const repo = repository();
    const write = async (status: object): Promise<number> => {
      repo.files.set(`${DIR}/agents/quality/status.json`, JSON.stringify(status));
      return (await taskFamily(placesOf(repo)).edits.commands(worldOf(repo), one.state)).length;
    };
    expect(await write({ status: "COMPLETE" })).toBe(0);
    expect(await write({ status: "COMPLETE", mode: "implementation", round: 1 })).toBe(0);
    expect(await write({ status: "COMPLETE", mode: "requirements", round: 2 })).toBe(0);
    expect(await write({ status: "WORKING", mode: "requirements", round: 1 })).toBe(0);
    expect(await write({ status: "COMPLETE", mode: "requirements", round: 1 })).toBe(1);
  });
});

describe("the family", () => {
  test("[TP-023] [TP-033] the lock is there exactly while somebody owns the task", () => {
    const one = begun();
    const lock = (): unknown => viewsOf(one.state)[0]?.render(null);
    expect(viewsOf(one.state)[0]?.path).toBe(`${DIR}/task.json`);
    expect(lock()).toMatchObject({ kind: "text" });
    one.settle().when({ type: "lease.release" }, AGENT);
    expect(lock()).toEqual({ kind: "absent" });
  });

  test("[TP-047] every view written twice is the same, and the list keeps what is not the task's", () => {
    const one = atRequirements().send("requirements", "quality", AGENT);
    reportOf(one, "quality", "COMPLETE");
    for (const view of viewsOf(one.state)) {
      const first = view.render(view.shared ? TODO : null);
      if (first.kind !== "text") continue;
      expect(view.render(first.text)).toEqual(first);
      expect(view.drift(first.text)).toEqual([]);
    }
    const todo = viewsOf(one.state).find((view) => view.shared);
    expect(todo?.render(TODO)).toEqual({
      kind: "text",
      text: TODO.replace(`READY:** \`${TASK}`, `IN_PROGRESS:** \`${TASK}`),
    });
    expect(todo?.drift(TODO)).toHaveLength(1);
  });

  test("[TP-002] [TP-077] [TP-225] what is given at the start", async () => {
    const repo = repository();
    repo.settings = { root: "elsewhere", retries_max: 5, ended: 7 };
    const family = taskFamily(placesOf(repo));
    const started = await family.starting.vars(worldOf(repo), TASK, {
      feasibility: "yes",
      "risk-level": "low",
    });
    expect(started).toMatchObject({
      kind: "ready",
      vars: {
        root: "elsewhere",
        archive: "elsewhere/.archive",
        retries_max: 5,
        risk_override: "LOW",
        feasibility: { deliverables_clear: true },
      },
    });
    expect(await family.starting.vars(worldOf(repo), TASK, { feasibility: "no" })).toMatchObject({
      vars: { feasibility: { deliverables_clear: false, no_external_blocker: false } },
    });
    expect(family.names.check("Bad_Name")?.rule).toBe("TP-053");
  });

  test("[TP-215] adopting takes the state and the log, and no approval", async () => {
    const lock = {
      session_id: "s-9",
      task_name: TASK,
      state: "CLASSIFIED",
      created_at: "2026-03-01T10:00:00Z",
      transition_log: [{ from: "INIT", to: "CLASSIFIED", timestamp: "2026-03-01T10:01:00Z" }],
      required_agents: ["style"],
      checkpoint: { type: "x", commit_sha: "a", presented_at: "b", approved: true },
    };
    const repo = repository({ [`${DIR}/task.json`]: JSON.stringify(lock) });
    const adopted = await taskFamily(placesOf(repo)).adopt.read(worldOf(repo), TASK, {});
    expect(adopted).toMatchObject({
      kind: "ready",
      import: {
        at: "CLASSIFIED",
        units: [{ id: "style", at: "ready" }],
        from: { states: ["INIT", "CLASSIFIED"] },
      },
    });
    repo.files.set(`${DIR}/task.json`, "{");
    expect((await taskFamily(placesOf(repo)).adopt.read(worldOf(repo), TASK, {})).kind).toBe(
      "refused",
    );
  });

  test("[TP-202] verifying reads the folders and changes nothing", async () => {
    const repo = repository({
      "todo.md": TODO,
      [`${DIR}/task.md`]: DOCUMENT,
      [`${DIR}/code/src/A.java`]: "x",
    });
    const before = [...repo.files];
    const [task] = await taskFamily(placesOf(repo)).verify.judge(worldOf(repo));
    expect(task).toMatchObject({ id: TASK, exit: 1 });
    expect([...repo.files]).toEqual(before);
    expect(await taskFamily(placesOf(repo)).adopt.discover(worldOf(repo))).toEqual([TASK]);
  });

  test("[TP-191] an effect git cannot do yet stays wanted, with its reason", async () => {
    const repo = repository();
    const one = atImplementation().send("implementation", "quality", AGENT);
    reportOf(one, "quality", "COMPLETE", { work_remaining: "none" });
    const effect = Object.values(one.state.effects).at(-1);
    const adapter = taskFamily(placesOf(repo)).effects["merge-ff"]?.perform;
    if (effect === undefined || adapter === undefined) throw new Error("nothing is wanted");
    expect(await adapter(worldOf(repo), one.state, effect)).toMatchObject({
      kind: "pending",
      pending: { effect: effect.id, code: "conflict" },
    });
  });

  test("[TP-107] [TP-112] asking what a task is doing changes neither it nor its agents", () => {
    const one = atRequirements().send("requirements", "quality", AGENT);
    const before = JSON.stringify(one.state);
    const family = taskFamily(placesOf(repository()));
    const envelope = {
      id: "q",
      at: one.state.updatedAt,
      session: "s-1",
      actor: { kind: "agent", name: "claude" },
    } as const;
    family.words.describe(one.state);
    next({ protocol: family.protocol, state: one.state, envelope, evidence: {} });
    expect(JSON.stringify(one.state)).toBe(before);
    expect(one.state.dispatches["W-1"]?.status).toBe("open");
  });

  test("[TP-055] [TP-088] an order says what, where and how to answer", async () => {
    const one = atImplementation().send("implementation", "quality", AGENT);
    const dispatch = Object.values(one.state.dispatches).at(-1);
    if (dispatch === undefined) throw new Error("nothing is out");
    const order = await taskFamily(placesOf(repository())).work.order(
      worldOf(repository()),
      one.state,
      dispatch,
    );
    for (const part of [
      "quality",
      `${DIR}/agents/quality/code`,
      `${DIR}/task.md`,
      "[quality]",
      "work_remaining",
      dispatch.id,
    ])
      expect(order.prompt).toContain(part);
    expect(taskFamily(placesOf(repository())).words.describe(one.state)).toMatchObject({
      state: "IMPLEMENTATION",
      finished: false,
    });
  });
});
