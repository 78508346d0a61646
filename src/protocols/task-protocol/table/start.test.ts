import { describe, expect, test } from "vitest";
import { rootOf } from "../../../core/state/evolve.ts";
import {
  AGENT,
  ENGINE,
  FEASIBLE,
  PERSON,
  TASK,
  begun,
  codes,
  facts,
} from "../../../../test/fixtures/task-protocol/world.ts";
import { story } from "../../../../test/story.ts";
import type { As, Story } from "../../../../test/story.ts";
import type { Json } from "../../../core/values/json.ts";
import { taskProtocol } from "./protocol.ts";

function starting(
  given: Readonly<Record<string, Json>>,
  { name = TASK, vars = { feasibility: FEASIBLE }, as = AGENT }: Partial<Started> = {},
): Story {
  const world = (key: string, state: Parameters<typeof facts>[1]): Json | undefined =>
    facts(key.endsWith(`:${name}`) ? key.replace(name, TASK) : key, state);
  const one = story(taskProtocol, { workflow: name, facts: world }).given(given);
  return one.when({ type: "workflow.start", workflow: name, vars }, as);
}

interface Started {
  readonly name: string;
  readonly vars: Readonly<Record<string, Json>>;
  readonly as: As;
}

const entry = { status: "READY", purpose: true, scope: true, components: true, blockedBy: [] };

describe("taking a task", () => {
  test("[TP-001] an absent entry and one without scope are refused, and nothing is recorded", () => {
    const absent = starting({ [`todo:${TASK}`]: null });
    expect(codes(absent)).toEqual(["todo-entry"]);
    const bare = starting({ [`todo:${TASK}`]: { ...entry, scope: false } });
    expect(codes(bare)).toEqual(["todo-entry"]);
    expect(bare.refusals[0]?.message).toContain("scope");
    expect(bare.history).toEqual([]);
  });

  test.each(["deliverables_clear", "no_external_blocker", "within_capability"])(
    "[TP-002] %s must be yes",
    (finding) => {
      const vars = { feasibility: { ...FEASIBLE, [finding]: false } };
      expect(codes(starting({}, { vars }))).toEqual(["not-feasible"]);
    },
  );

  test("[TP-002] no record at all is a no; with three yes the record is kept", () => {
    expect(codes(starting({}, { vars: {} }))).toEqual(["not-feasible"]);
    expect(begun().state.vars["feasibility"]).toEqual(FEASIBLE);
  });

  test("[TP-003] a blocker names the next task that could be taken", () => {
    const vars = { feasibility: { ...FEASIBLE, blocker_kind: "missing_credentials" } };
    const one = starting({}, { vars });
    expect(one.refusals[0]?.message).toContain("missing_credentials");
    expect(one.refusals[0]?.message).toContain("SELECT_ALTERNATIVE: other-task");
  });

  test("[TP-004] a design choice that is the user's is not made on the way", () => {
    const vars = { feasibility: { ...FEASIBLE, needs_user_design_choice: true } };
    expect(starting({}, { vars }).refusals[0]?.message).toContain("needs_user_design_choice");
  });

  test("[TP-012] [TP-018] somebody else's lock, readable or not, is left alone", () => {
    const one = starting({ [`selection:${TASK}`]: "SELECT_ALTERNATIVE" });
    expect(codes(one)).toEqual(["select-alternative"]);
    expect(one.history).toEqual([]);
  });

  test("[TP-011] one's own lock without a worktree does not start again", () => {
    const one = starting({ [`selection:${TASK}`]: "ERROR_ASK_USER" });
    expect(codes(one)).toEqual(["select-alternative"]);
    expect(one.refusals[0]?.message).toContain("ERROR_ASK_USER");
  });

  test("[TP-019] a BLOCKED entry cannot be started", () => {
    const one = starting({ [`todo:${TASK}`]: { ...entry, status: "BLOCKED", blockedBy: ["x"] } });
    expect(codes(one)).toEqual(["task-blocked"]);
    expect(one.refusals[0]?.message).toContain("x");
  });

  test("[TP-021] [TP-027] [TP-185] a session with an unfinished task starts no other", () => {
    const one = starting({ "session-tasks:s-1": ["fix-lexer"] });
    expect(codes(one)).toEqual(["session-busy"]);
    expect(one.refusals[0]?.message).toContain("fix-lexer");
  });

  test.each(["", "  ", "unique-session-identifier", "session_uuid", "$SESSION_ID"])(
    "[TP-027] the session id %j is none",
    (session) => {
      expect(codes(starting({}, { as: { ...AGENT, session } }))).toEqual(["session-invalid"]);
    },
  );

  test.each(["Bad_Name", "main", "a--b", "-a", "a/b", "a".repeat(101)])(
    "[TP-044] [TP-053] the name %j is refused",
    (name) => expect(codes(starting({}, { name }))).toContain("task-name"),
  );

  test("[TP-053] a dirty main tree is refused", () => {
    expect(codes(starting({ "main:clean": false }))).toEqual(["main-dirty"]);
  });

  test("[TP-053] [TP-028] a second start of the same task is refused and changes nothing", () => {
    const one = begun();
    const before = one.history.length;
    one.when({ type: "workflow.start", workflow: TASK, vars: {} }, { ...AGENT, session: "s-2" });
    expect(codes(one)).toEqual(["lease-held"]);
    expect(one.history).toHaveLength(before);
    expect(one.state.lease?.session).toBe("s-1");
  });

  test("[TP-048] starting wants the task's own worktree and branch", () => {
    const effects = Object.values(begun().state.effects);
    expect(effects).toMatchObject([
      {
        kind: "worktree",
        args: { path: `.holdpoint/tasks/${TASK}/code`, branch: TASK, base: "main" },
      },
    ]);
  });

  test("[TP-225] the root is a variable, and no absolute path is needed", () => {
    const one = begun({ root: "elsewhere/tasks" });
    expect(Object.values(one.state.effects)[0]?.args["path"]).toBe(`elsewhere/tasks/${TASK}/code`);
    expect(JSON.stringify(taskProtocol)).not.toContain("/workspace");
  });

  test("[TP-029] a worktree that cannot be made rolls everything back and lets the task go", () => {
    const one = begun().settle("failed");
    expect(rootOf(one.state).at).toBe("CLEANUP");
    one.settle();
    expect(one.state.lease).toBeNull();
    expect(one.state.vars["ended"]).toBe("rolled-back");
  });
});

describe("a crashed session", () => {
  const orphan = { [`selection:${TASK}`]: "ASK_USER" };

  test("[TP-013] [TP-016] a worktree without a lock holds for a person, with three choices and both paths", () => {
    const one = starting(orphan);
    expect(codes(one)).toEqual(["held"]);
    const [asked] = one.open;
    expect(asked?.options.map((option) => option.id)).toEqual(["fresh", "resume", "different"]);
    expect(asked?.prompt).toContain(`.holdpoint/tasks/${TASK}/code`);
    expect(asked?.prompt).toContain(`.holdpoint/tasks/${TASK}/task.json`);
    expect(one.state.effects).toEqual({});
  });

  test("[TP-017] an agent's answer is no answer; a person's is recorded and done", () => {
    const one = starting(orphan);
    expect(codes(one.reply("crashed-session", "resume", AGENT))).toEqual(["person-required"]);
    expect(one.state.effects).toEqual({});
    one.reply("crashed-session", "resume", PERSON);
    expect(Object.values(one.state.effects)[0]?.args["mode"]).toBe("adopt");
    expect(one.history).toContainEqual(
      expect.objectContaining({ type: "decision.settled", option: "resume", by: "person:ada" }),
    );
  });

  test("[TP-016] choosing a different task leaves what was found alone", () => {
    const one = starting(orphan).reply("crashed-session", "different", PERSON);
    expect(rootOf(one.state).at).toBe("CLEANUP");
    expect(one.state.effects).toEqual({});
    expect(one.state.lease).toBeNull();
  });

  test("[TP-011] a lost worktree is a question, and only when it is lost", () => {
    const one = begun().settle();
    const ask = { type: "decision.ask", question: "worktree-lost", unit: ".", about: {} } as const;
    expect(codes(one.when(ask, AGENT))).toEqual(["worktree-present"]);
    one.given({ "worktree:.": null }).when(ask, AGENT);
    expect(one.open.map((asked) => asked.question)).toEqual(["worktree-lost"]);
  });
});

describe("who owns it", () => {
  test("[TP-024] [TP-030] [TP-031] another session moves nothing and is told who owns it", () => {
    const one = begun()
      .settle()
      .move("begin", { ...AGENT, session: "s-2" });
    expect(codes(one)).toEqual(["lease-held"]);
    expect(one.refusals[0]?.message).toContain("s-1");
  });

  test("[TP-031] a stale number of the same session is refused", () => {
    const one = begun()
      .settle()
      .move("begin", { ...AGENT, fence: 99 });
    expect(codes(one)).toEqual(["fence-stale"]);
  });

  test("[TP-032] what was never started cannot be moved, and does not come into being", () => {
    const one = story(taskProtocol, { workflow: "nowhere", facts }).move("begin", AGENT);
    expect(codes(one)).toEqual(["workflow-unknown"]);
    expect(one.history).toEqual([]);
  });

  test("[TP-033] only the owner gives it back", () => {
    const one = begun().settle();
    expect(codes(one.when({ type: "lease.release" }, { ...AGENT, session: "s-2" }))).toEqual([
      "lease-held",
    ]);
    one.when({ type: "lease.release" }, AGENT);
    expect(one.state.lease).toBeNull();
    expect(codes(one.move("begin", AGENT))).toEqual(["lease-missing"]);
  });

  test("[TP-034] [TP-036] no session takes it over, however dead the other looks; a person breaks it with a reason", () => {
    const one = begun().settle();
    const take = { type: "lease.take", previous: "dead", why: "silent for an hour" } as const;
    expect(codes(one.when(take, { ...AGENT, session: "s-2" }))).toEqual(["lease-held"]);
    const broken = { type: "lease.break", reason: "its terminal is gone" } as const;
    expect(codes(one.when(broken, { ...AGENT, session: "s-2" }))).toEqual(["person-required"]);
    expect(codes(one.when({ ...broken, reason: "" }, PERSON))).toEqual(["reason-missing"]);
    one.when(broken, PERSON).when({ ...take, previous: "none" }, { ...AGENT, session: "s-2" });
    expect(one.state.lease?.session).toBe("s-2");
    expect(one.history).toContainEqual({
      type: "lease.ended",
      session: "s-1",
      why: "its terminal is gone",
    });
    expect(codes(one.move("begin", AGENT))).toEqual(["lease-held"]);
  });

  test("[TP-040] taking what one has already changes nothing", () => {
    const one = begun().settle();
    const before = one.state.lease;
    one.when({ type: "lease.take", previous: "none", why: "again" }, AGENT);
    expect(one.state.lease).toEqual(before);
  });
});

describe("leaving INIT", () => {
  test("[TP-052] nothing moves before the worktree is made", () => {
    expect(codes(begun().move("begin", AGENT))).toEqual(["effect-pending"]);
  });

  test("[TP-048] a task worktree that is on no branch, or on another, is refused with the way back", () => {
    for (const [branch, says] of [
      ["", "detached HEAD"],
      ["feature", "is on feature"],
    ] as const) {
      const one = begun()
        .settle()
        .given({ "worktree:.": { path: "p", branch } });
      expect(codes(one.move("begin", AGENT))).toEqual(["worktree-off-branch"]);
      expect(one.refusals[0]?.message).toContain(says);
    }
  });

  test("[TP-050] [TP-052] the wrong directory and a missing worktree are named", () => {
    const one = begun().settle();
    one.given({
      [`cwd:${TASK}`]: { current: "/r/main", required: "/r/code", same: false },
      "worktree:.": null,
    });
    one.move("begin", AGENT);
    expect(codes(one)).toEqual(["worktree-missing", "wrong-directory"]);
    expect(one.refusals[1]?.message).toContain("/r/main");
    expect(one.refusals[1]?.message).toContain("/r/code");
  });

  test("[TP-051] what was looked at is evidence of the move", () => {
    const one = begun().settle().move("begin", AGENT);
    const used = one.answer.kind === "accepted" ? one.answer.used : {};
    const facts = [`cwd:${TASK}`, `head:${TASK}`, `todo:${TASK}`, "worktree:."];
    expect(Object.keys(used).toSorted()).toEqual(facts);
    expect(one.state.lease?.takenAt).toBe(one.state.startedAt);
  });

  test("[TP-225] inputs cannot stand in for paths", () => {
    const one = begun().settle();
    const input = { root: "/etc" };
    one.when({ type: "unit.move", unit: ".", move: "begin", input }, AGENT);
    expect(codes(one)).toEqual(["input-reserved"]);
  });

  test("[TP-005] [TP-006] stopping needs a legitimate reason and evidence", () => {
    const one = begun().settle();
    const stop = (about: Readonly<Record<string, Json>>): readonly string[] =>
      codes(one.fork().when({ type: "decision.ask", question: "stop", unit: ".", about }, AGENT));
    for (const reason of ["duration", "complexity", "token_use", "permission"])
      expect(stop({ reason, evidence: "long" })).toEqual(["stop-reason"]);
    expect(stop({ reason: "technical_blocker" })).toEqual(["stop-evidence"]);
    expect(stop({ reason: "technical_blocker", evidence: "no network" })).toEqual(["held"]);
    expect(stop({ reason: "scope_changed_externally", evidence: "todo.md" })).toEqual(["held"]);
  });

  test("[TP-007] that the scope changed is believed when the entry reads otherwise", () => {
    const about = { reason: "scope_changed_externally", evidence: "todo.md" };
    const stop = (digest: string): readonly string[] =>
      codes(
        begun({ scope_digest: "sha256:a" })
          .settle()
          .given({ [`todo:${TASK}`]: { ...entry, digest } })
          .when({ type: "decision.ask", question: "stop", unit: ".", about }, AGENT),
      );
    expect(stop("sha256:a")).toEqual(["scope-unchanged"]);
    expect(stop("sha256:b")).toEqual(["held"]);
  });

  test("[TP-006] the reason and the evidence of a stop are in the record", () => {
    const about = { reason: "technical_blocker", evidence: "no network" };
    const one = begun().settle();
    one.when({ type: "decision.ask", question: "stop", unit: ".", about }, AGENT);
    expect(one.open[0]?.about).toEqual(about);
    expect(codes(one.move("begin", AGENT))).toEqual(["held"]);
  });

  test("[TP-113] an open question is not answered by settling effects", () => {
    const one = starting({ [`selection:${TASK}`]: "ASK_USER" });
    const settle = { type: "effect.settle", effect: "E-1", status: "done", detail: {} } as const;
    expect(codes(one.when(settle, ENGINE))).toEqual(["effect-settled"]);
    expect(one.open).toHaveLength(1);
  });
});
