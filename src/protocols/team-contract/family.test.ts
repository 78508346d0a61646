import { describe, expect, test } from "vitest";
import * as team from "../../../test/fixtures/team-contract/session.ts";
import { baseOf } from "./world/changes.ts";
import { tinyWorld } from "../../../test/fixtures/team-contract/world.ts";
import { story } from "../../../test/story.ts";
import type { Workflow } from "../../core/state/state.ts";
import { teamFamily } from "./index.ts";
import { teamContract } from "./table/protocol.ts";

const { ID, begin, path } = team;
const SPEC = "# Goals\nx\n# Acceptance Criteria\nx\n# Definition of Done\nx\n";
const TASKS = `tasks:\n  - id: T-001 # first\n    status: not-started\n    goal: draw it\n    acceptance_checks: ["cmd: npm test", "manual: look"]\n`;
const ACCEPTANCE = JSON.stringify({
  acceptance_criteria: [
    { id: "AC-001", description: "d", verify: ["npm run e2e", "manual: look"] },
  ],
});
const session = (files: Readonly<Record<string, string>>) =>
  tinyWorld(Object.fromEntries(Object.entries(files).map(([file, text]) => [path(file), text])));
const view = (state: Workflow, file: string) => {
  const found = teamFamily.views(state).find((one) => one.path === path(file));
  if (found === undefined) throw new Error(`There is no view ${file}`);
  return found;
};
const text = (state: Workflow, file: string, now: string | null = null): string => {
  const rendered = view(state, file).render(now);
  return rendered.kind === "text" ? rendered.text : rendered.kind;
};
const look = async (tiny: ReturnType<typeof tinyWorld>, key: string, of: string, state: Workflow) =>
  await teamFamily.looks[key]?.(tiny.world, of, state);
const sent = (told: ReturnType<typeof begin>) => {
  const dispatch = Object.values(told.state.dispatches).at(-1);
  if (dispatch === undefined) throw new Error("Nothing was handed out");
  return dispatch;
};
const reply = (more: object = {}): string =>
  JSON.stringify({
    status: "OK",
    summary: "done",
    artifacts: {},
    gates: {
      meets_definition_of_done: true,
      needs_review: true,
      needs_tests: true,
      security_concerns: [],
    },
    next: { recommended_agent: "Reviewer", recommended_task_id: "same", reason: "" },
    ...more,
  });

describe("views", () => {
  test("[TC-049] [TC-061] [TC-131] status.json follows the journal; rendering twice changes nothing; drift is named", () => {
    const told = team.toGate(begin());
    const first = text(told.state, "status.json");
    expect(view(told.state, "status.json").drift(first)).toEqual([]);
    expect(text(told.state, "status.json", first)).toBe(first);
    const stale = first.replace('"APPROVE_DESIGN"', '"DESIGN"');
    expect(view(told.state, "status.json").drift(stale)).toEqual([
      `${path("status.json")} says current_state "DESIGN", the journal says "APPROVE_DESIGN"`,
    ]);
    expect(view(told.state, "status.json").drift(null)).toEqual([
      `${path("status.json")} is missing`,
    ]);
  });

  test("[TC-062] a decision written by hand is drift, an extra key in one is not", () => {
    const told = team.toGate(begin());
    const first = text(told.state, "status.json");
    const { drift } = view(told.state, "status.json");
    expect(drift(first.replace('"answer": null', '"answer": "approved"'))).toHaveLength(1);
    expect(drift(first.replace('"answer": null', '"mood": "good", "answer": null'))).toEqual([]);
  });

  test("[TC-130] [TC-131] tasks.yaml shows each task as it is, and nothing else of it changes", () => {
    const told = team.toLoop(begin()).send("code", "T-001", team.ORCHESTRATOR);
    const shown = text(told.state, "tasks.yaml", TASKS);
    expect(shown).toBe(TASKS.replace("not-started", "in-progress"));
    expect(view(told.state, "tasks.yaml").drift(TASKS)).toHaveLength(1);
    expect(view(told.state, "tasks.yaml").drift(shown)).toEqual([]);
  });

  test("[TC-027] [TC-092] the history is absent until changes are asked for", () => {
    const told = team.toGate(begin());
    expect(text(told.state, "approve-design-history.jsonl")).toBe("absent");
    told.reply("approve-design", "changes-requested: x");
    const lines = text(told.state, "approve-design-history.jsonl");
    expect(JSON.parse(lines)).toMatchObject({ answer: "changes-requested: x" });
    expect(text(told.state, "approve-design-history.jsonl", lines)).toBe(lines);
  });
});

describe("facts", () => {
  test("[TC-132] [TC-133] [TC-135] contents are judged by the codecs", async () => {
    const tiny = session({
      "spec.md": "# Goals\nx\n",
      "acceptance.json": "{}",
      "tasks.yaml": TASKS,
    });
    const { state } = begin();
    expect(await look(tiny, "content", path("spec.md"), state)).toEqual([
      'There is no section "Acceptance Criteria"',
      'There is no section "Definition of Done"',
    ]);
    expect(await look(tiny, "content", path("acceptance.json"), state)).toEqual([
      "$.acceptance_criteria is missing",
    ]);
    expect(await look(tiny, "content", path("tasks.yaml"), state)).toEqual([
      "T-001 has no list depends_on",
      "T-001 has no list done_when",
    ]);
    expect(await look(tiny, "content", path("report.md"), state)).toBeNull();
  });

  test("[TC-022] [TC-035] [TC-137] [TC-129] tasks, context and criteria come from the folder", async () => {
    const tiny = session({
      "tasks.yaml": TASKS,
      "acceptance.json": ACCEPTANCE,
      "adr/ADR-001.md": "x",
    });
    const { state } = begin();
    expect(await look(tiny, "context", "QA", state)).toEqual([
      `${path("spec.md")} does not exist`,
      `${path("tasks.yaml")}: T-001 has no list depends_on, T-001 has no list done_when`,
    ]);
    expect(await look(tiny, "context", "SpecAgent", state)).toEqual([]);
    expect(await look(tiny, "tasks", ID, state)).toMatchObject([
      { id: "T-001", status: "not-started", after: [], checks: ["cmd: npm test", "manual: look"] },
    ]);
    expect(await look(tiny, "acceptance", ID, state)).toEqual([
      { id: "AC-001", checks: ["cmd: npm run e2e", "manual: look"] },
    ]);
  });

  test("[TC-125] [TC-169] what a verdict is about changes with the contents, and every session's files are watched", async () => {
    const tiny = session({ "spec.md": SPEC });
    tiny.files.set("src/a.ts", "0").set("src/b.ts", "0").set("src/c.ts", "same");
    const base = await baseOf(tiny.world);
    const old = ".agents-work/2026-01-01_old-one/spec.md";
    tiny.files.set("src/a.ts", "1").set("README.md", "# It").set(old, "old");
    tiny.files.delete("src/b.ts");
    const { state } = team.toLoop(begin({ base }));
    const before = await look(tiny, "changes", "T-001", state);
    const changed = ["README.md", "src/a.ts", "src/b.ts"];
    expect(Object.keys(before as object)).toEqual(changed);
    expect(Object.keys((await look(tiny, "worktree", ID, state)) as object)).toEqual(changed);
    const code = await look(tiny, "changes", ".", state);
    expect(Object.keys(code as object)).toEqual(["src/a.ts", "src/b.ts"]);
    const sessions = (await look(tiny, "sessions", ID, state)) as object;
    expect(Object.keys(sessions)).toEqual([".agents-work/2026-01-01_old-one", path("spec.md")]);
    tiny.files.set("src/a.ts", "2").set(old, "new");
    expect(await look(tiny, "changes", "T-001", state)).not.toEqual(before);
    expect(await look(tiny, "sessions", ID, state)).not.toEqual(sessions);
    // Without the reading with which it began, nobody can tell.
    const lost = team.toLoop(begin({ base: { commit: "abc" } }));
    expect(await look(tiny, "changes", ".", lost.state)).toMatchObject({
      unknown: expect.any(String),
    });
  });

  test("[TC-179] [TC-144] the commands of tasks and criteria are what the engine runs", async () => {
    const tiny = session({ "acceptance.json": ACCEPTANCE });
    const { state } = team.toLoop(begin());
    const found = await teamFamily.checks.own(tiny.world, state, "checks");
    expect(found?.map((one) => one.run)).toEqual([
      ["sh", "-c", "npm test"],
      ["sh", "-c", "npm run e2e"],
    ]);
  });
});

describe("orders and reports", () => {
  test("[TC-001] [TC-011] [TC-013] [TC-039] an order carries the input, and the project's instructions if there are any", async () => {
    const tiny = session({ "spec.md": SPEC, "acceptance.json": ACCEPTANCE, "tasks.yaml": TASKS });
    const base = await baseOf(tiny.world);
    tiny.files.set("src/a.ts", "new").set(path("spec.md"), `${SPEC}more`);
    const told = team.work(team.toLoop(begin({ base })), "code", "T-001");
    told.send("review", "T-001", team.ORCHESTRATOR);
    const order = await teamFamily.work.order(tiny.world, told.state, sent(told));
    expect(order).toMatchObject({
      role: "Reviewer",
      files: ["spec.md", "acceptance.json", "tasks.yaml"].map(path),
      data: {
        project_type: "cli",
        task: {
          id: "T-001",
          goal: "draw it",
          session_changed_files: [{ path: "src/a.ts", change_type: "added" }],
        },
      },
    });
    expect(order.prompt).not.toContain("copilot");
    tiny.files.set(".github/copilot-instructions.md", "x");
    expect((await teamFamily.work.order(tiny.world, told.state, sent(told))).prompt).toContain(
      "copilot",
    );
    expect(await teamFamily.work.order(tiny.world, told.state, sent(told))).toEqual(
      await teamFamily.work.order(tiny.world, told.state, sent(told)),
    );
  });

  test("[TC-002] [TC-046] [TC-048] text is a failed launch, an invalid reply is refused with every reason", () => {
    const told = team.toLoop(begin()).send("code", "T-001", team.ORCHESTRATOR);
    expect(teamFamily.work.read("I am done!", sent(told), told.state)).toMatchObject({
      kind: "void",
      claim: { outcome: "UNREADABLE", agent: "Coder", task: "T-001" },
      refusals: [
        {
          code: "reply-unreadable",
          message: "The reply is not one JSON object",
          fix: {
            operation: "advance",
            input: { workflow: ID, step: "code", unit: "T-001" },
            says: expect.stringContaining("attempt 1 of 3; hand it out again"),
          },
        },
      ],
    });
    const bad = teamFamily.work.read(
      reply({ status: "NEEDS_INFO", summary: "" }),
      sent(told),
      told.state,
    );
    expect(bad).toMatchObject({ kind: "refused" });
    expect(bad.kind === "refused" && bad.refusals.map((one) => one.rule)).toEqual([
      "TC-017",
      "TC-019",
    ]);
  });

  test("[TC-004] [TC-142] a good reply becomes a claim with all it said", () => {
    const told = team.toLoop(begin()).send("code", "T-001", team.ORCHESTRATOR);
    const read = teamFamily.work.read(
      reply({ artifacts: { files_changed: ["src/a.ts"], patch_summary: ["x"] } }),
      sent(told),
      told.state,
    );
    expect(read).toMatchObject({
      kind: "report",
      claim: {
        outcome: "OK",
        task: "T-001",
        done: true,
        needs_tests: true,
        files: ["src/a.ts"],
        reply: { artifacts: { patch_summary: ["x"] } },
      },
    });
    const complex = reply({
      status: "BLOCKED",
      artifacts: { notes: ["too-complex: three modules"] },
    });
    expect(teamFamily.work.read(complex, sent(told), told.state)).toMatchObject({
      claim: { outcome: "TOO_COMPLEX" },
    });
  });
});

describe("starting and adopting", () => {
  test("[TC-013] [TC-024] [TC-141] a start is refused for an odd type or a folder that is there, and forced full", async () => {
    const tiny = tinyWorld();
    const start = async (options: Record<string, string | boolean>) =>
      await teamFamily.starting.vars(tiny.world, ID, options);
    expect(await start({ "project-type": "desktop" })).toMatchObject({ kind: "refused" });
    const lean = JSON.stringify(team.LEAN);
    const by = "person";
    expect(await start({ mode: "lean", lean, by })).toMatchObject({ vars: { mode: "lean" } });
    expect(await start({ mode: "lean", lean, by: "agent" })).toMatchObject({
      refusals: [{ code: "person-required" }],
    });
    const large = JSON.stringify({ ...team.LEAN, files: 4 });
    expect(await start({ mode: "lean", lean: large })).toMatchObject({ vars: { mode: "full" } });
    tiny.files.set(path("status.json"), "{}");
    expect(await start({})).toMatchObject({
      refusals: [{ code: "workflow-exists", rule: "TC-024" }],
    });
  });

  const adopted = async (files: Readonly<Record<string, string>>) => {
    const tiny = session(files);
    const found = await teamFamily.adopt.read(tiny.world, ID, {});
    if (found.kind !== "ready") throw new Error("It was not adopted");
    return story(teamContract, { workflow: ID, facts: team.facts() }).when({
      type: "workflow.adopt",
      workflow: ID,
      import: found.import,
    });
  };
  const status = (more: object): string =>
    JSON.stringify({ current_state: "APPROVE_DESIGN", session: ID, user_decisions: [], ...more });
  const decision = (decision_id: string, answer: string) => ({
    decision_id,
    status: "answered",
    answer,
    state_context: "APPROVE_DESIGN",
  });

  test("[TC-113] [TC-114] [TC-118] a session adopted in a gate stays there and asks", async () => {
    const gate = await adopted({ "status.json": status({}), "architecture.md": "x" });
    gate.expectHeld("approve-design");
    const changes = [decision("UD-APPROVE-DESIGN", "changes-requested: x")];
    const queued = await adopted({
      "status.json": status({ user_decisions: changes }),
      "architecture.md": "x",
    });
    expect(queued.state.vars["correction"]).toBe("queued");
    expect(queued.open).toEqual([]);
    queued.send("correct-spec", ".", team.ORCHESTRATOR).expectAccepted();
    const strategy = await adopted({
      "status.json": status({
        current_state: "REVIEW_STRATEGY",
        user_decisions: [decision("UD-REVIEW-STRATEGY", "batch")],
      }),
      "architecture.md": "x",
      "tasks.yaml": TASKS,
    });
    strategy.expectHeld("review-strategy");
  });

  test("[TC-119] [TC-112] tasks keep their status, detours are left, and an old approval is asked for again", async () => {
    const told = await adopted({
      "status.json": status({ current_state: "FIX_REVIEW", mode: "full" }),
      "tasks.yaml": TASKS.replace("not-started", "implemented"),
      "architecture.md": "x",
    });
    expect(team.at(told)).toBe("IMPLEMENT_LOOP");
    expect(team.at(told, "T-001")).toBe("implemented");
    told.send("review", "T-001", team.ORCHESTRATOR).expectHeld("design-changed");
    const asked = await adopted({
      "status.json": status({
        current_state: "ASK_USER",
        user_decisions: [{ ...decision("UD-1", "x"), state_context: "DESIGN" }],
      }),
      "architecture.md": "x",
    });
    expect(team.at(asked)).toBe("DESIGN");
  });

  test("[TC-037] a folder without a status is no session to go on with", async () => {
    const found = await teamFamily.adopt.read(tinyWorld().world, ID, {});
    expect(found).toMatchObject({ kind: "refused", refusals: [{ code: "workflow-unknown" }] });
    expect(await teamFamily.adopt.discover(tinyWorld().world)).toEqual([]);
  });

  test("[TC-142] leaving lean puts the small plan aside, and doing it twice is harmless", async () => {
    const tiny = session({ "tasks.yaml": TASKS, "spec.md": SPEC });
    const told = team.leanLoop();
    team.work(told, "code", "T-001", { outcome: "TOO_COMPLEX" });
    const [effect] = Object.values(told.state.effects);
    if (effect === undefined) throw new Error("Nothing is wanted");
    for (let time = 1; time <= 2; time += 1)
      expect(
        await teamFamily.effects["archive"]?.perform(tiny.world, told.state, effect),
      ).toMatchObject({ kind: "done" });
    expect([...tiny.files.keys()].sort()).toEqual([path("spec.md.lean"), path("tasks.yaml.lean")]);
  });

  test("[TC-028] [TC-029] [TC-022] discover and verify see every session folder", async () => {
    const tiny = session({ "status.json": "{" });
    tiny.files.set(".agents-work/odd/notes.md", "x");
    expect(await teamFamily.adopt.discover(tiny.world)).toEqual([ID]);
    const verified = await teamFamily.verify.judge(tiny.world);
    expect(verified.map((one) => [one.id, one.exit])).toEqual([
      [ID, 1],
      ["odd", 1],
    ]);
    expect(teamFamily.names.check("../x")).toMatchObject({ code: "name-illegal" });
  });

  test("[TC-180] [TC-005] a session is described in words, and what blocks it is named", () => {
    const told = begin().move("block", { ...team.ORCHESTRATOR, reason: "x" });
    expect(teamFamily.words.describe(told.state)).toMatchObject({
      headline: "Blocked: a person has to act",
      state: "BLOCKED",
      details: expect.arrayContaining([{ name: "blocked by", value: "no_progress: x" }]),
      closing: {
        message: "Stopped in INTAKE by no_progress: x",
        fix: {
          operation: "advance",
          input: { workflow: ID, step: "unblock", reason: "..." },
          says: "Remove the cause, then",
        },
      },
    });
    expect(teamFamily.words.describe(team.toDone(begin()).state).closing?.message).toBe(
      `T-001 completed; checks green. What was done, and what shows it: ${path("report.md")}`,
    );
  });
});
