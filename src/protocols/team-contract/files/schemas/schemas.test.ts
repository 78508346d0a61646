import { readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { parseAcceptance } from "../acceptance-json.ts";
import { parseReply } from "../output-json.ts";
import { inputSchema, outputSchema } from "./messages.ts";
import { statusSchema } from "./status.ts";
import { acceptanceSchema, tasksSchema } from "./tasks.ts";
import { checkSchema, showPath } from "../../../../files/json/schema.ts";
import { PUBLISHED } from "./schemas.ts";
import { parseStatus } from "../status-json.ts";
import { parseTasks } from "../tasks-yaml.ts";

const at = "2026-03-01T10:00:00.000Z";
const status: JsonObject = {
  current_state: "PLAN",
  session: "s",
  assumptions: [],
  user_decisions: [],
  retry_counts: {},
  known_issues: [],
  last_ci_result: "unknown",
  last_update: at,
};
const task: JsonObject = {
  id: "T-001",
  status: "not-started",
  goal: "g",
  acceptance_checks: ["cmd: x"],
};
const criterion: JsonObject = { id: "AC-001", description: "d", verify: ["npm test"] };
const reply: JsonObject = {
  status: "OK",
  summary: "done",
  artifacts: {},
  gates: {
    meets_definition_of_done: true,
    needs_review: true,
    needs_tests: false,
    security_concerns: [],
  },
  next: { recommended_agent: "Reviewer", recommended_task_id: "same", reason: "r" },
};

function without(value: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

describe("the published schemas", () => {
  test.each(Object.entries(PUBLISHED))(
    "[TC-051] [TC-001] [TC-003] %s is what the engine checks",
    (name, schema) => {
      const file = readFileSync(new URL(`../../../../../schemas/${name}`, import.meta.url), "utf8");
      expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(schema)));
    },
  );

  test("[TC-051] they go into the package, where an editor finds them", () => {
    const file = readFileSync(new URL("../../../../../package.json", import.meta.url), "utf8");
    const { files } = JSON.parse(file) as { readonly files: readonly string[] };
    expect(files).toContain("schemas");
    const listed = readdirSync(new URL("../../../../../schemas", import.meta.url));
    const ours = listed.filter((name) => name !== "operations");
    expect(ours.sort()).toEqual(Object.keys(PUBLISHED).sort());
  });

  test("[TC-001] no keyword is used that the checker does not know", () => {
    const known = new Set(
      "$schema title type enum const required properties items additionalProperties propertyNames minItems maxItems maxLength pattern minimum maximum allOf anyOf if then else not x-rule x-fix".split(
        " ",
      ),
    );
    const names = ["properties"];
    const unknown = (node: Json, isMap: boolean): readonly string[] => {
      if (node === null || typeof node !== "object" || Array.isArray(node)) return [];
      return Object.entries(node).flatMap(([key, value]) => [
        ...(isMap || known.has(key) ? [] : [key]),
        ...(key === "enum" || key === "const" ? [] : inner(key, value)),
      ]);
    };
    const inner = (key: string, value: Json): readonly string[] =>
      Array.isArray(value)
        ? value.flatMap((one) => unknown(one, false))
        : unknown(value, names.includes(key));
    expect(Object.values(PUBLISHED).flatMap((schema) => unknown(schema, false))).toEqual([]);
  });
});

describe("codec and schema agree", () => {
  const documents: readonly (readonly [string, JsonObject, boolean])[] = [
    ["a good one", status, true],
    ...Object.keys(status).map((key) => [`no ${key}`, without(status, key), false] as const),
    ["a 17th state", { ...status, current_state: "REVIEWING" }, false],
    ["completed_tasks", { ...status, completed_tasks: [] }, false],
    ["an unknown key", { ...status, colour: "red" }, true],
    ["a yellow CI", { ...status, last_ci_result: "yellow" }, false],
    [
      "an odd correction",
      { ...status, gate_tracking: { APPROVE_DESIGN: { correction_status: "done" } } },
      false,
    ],
    ["a null gate", { ...status, gate_tracking: { APPROVE_DESIGN: null } }, true],
    ["a negative count", { ...status, retry_counts: { "T-001": { FIX_TESTS: -1 } } }, false],
    ["a count as text", { ...status, retry_counts: { "T-001": { FIX_TESTS: "1" } } }, false],
    ["a fourth repair", { ...status, retry_counts: { "T-001": { FIX_TESTS: 4 } } }, false],
    [
      "a count",
      { ...status, retry_counts: { "T-001": { FIX_TESTS: 3 }, meta: { FIX_BUILD: 1 } } },
      true,
    ],
    ["no time", { ...status, last_update: "yesterday" }, false],
    [
      "a time with offset and seven digits",
      { ...status, last_update: "2026-02-17T01:15:39.2946165+01:00" },
      true,
    ],
    ["texts that are none", { ...status, assumptions: [1] }, false],
    [
      "a Coder that corrects",
      {
        ...status,
        gate_tracking: { APPROVE_DESIGN: { last_correction_dispatch: { agent: "Coder" } } },
      },
      false,
    ],
  ];

  test.each(documents)("[TC-051] [TC-053] [TC-054] [TC-056] status.json: %s", (_, value, good) => {
    expect(checkSchema(statusSchema, value).length === 0).toBe(good);
    const problems = parseStatus(JSON.stringify(value)).problems.filter(
      (one) => one.severity === "error",
    );
    expect(problems.length === 0).toBe(good);
  });

  test("[TC-086] [TC-065] of all 4 x 27 decision entries exactly the legal ones pass", () => {
    const values: readonly (string | null)[] = [null, "", "x"];
    const rows = ["pending", "answered", "cancelled", "skipped"].flatMap((state) =>
      values.flatMap((answer) =>
        [null, "", at].flatMap((resolved) =>
          values.map((reason) => ({ state, answer, resolved, reason })),
        ),
      ),
    );
    expect(rows).toHaveLength(4 * 27);
    const legal = rows
      .filter(({ state, answer, resolved, reason }) => {
        const entry = {
          decision_id: "UD-1",
          question: "q",
          status: state,
          answer,
          asked_at: at,
          resolved_at: resolved,
          state_context: "PLAN",
          resolution_reason: reason,
        };
        return checkSchema(statusSchema, { ...status, user_decisions: [entry] }).length === 0;
      })
      .map(
        (one) => `${one.state} ${one.answer} ${one.resolved === null ? "-" : "at"} ${one.reason}`,
      );
    expect(legal).toEqual([
      "pending null - null",
      "answered x at null",
      "answered x at ",
      "answered x at x",
      "cancelled null at x",
      "cancelled  at x",
      "cancelled x at x",
      "skipped null at x",
      "skipped  at x",
      "skipped x at x",
    ]);
  });

  const tasks: readonly (readonly [string, Json, boolean])[] = [
    ["a good one", { tasks: [task] }, true],
    ["no tasks", { tasks: [] }, false],
    ["no list", {}, false],
    ...Object.keys(task).map(
      (key) => [`no ${key}`, { tasks: [without(task, key)] }, false] as const,
    ),
    ["an unknown status", { tasks: [{ ...task, status: "done" }] }, false],
    ["a check without prefix", { tasks: [{ ...task, acceptance_checks: ["npm test"] }] }, false],
    ["an unknown risk", { tasks: [{ ...task, risk_flags: ["danger"] }] }, false],
    ["no risks", { tasks: [{ ...task, risk_flags: [] }] }, true],
    ["a project that is a text", { project: "x", tasks: [task] }, false],
  ];

  test.each(tasks)("[TC-135] [TC-121] [TC-015] tasks.yaml: %s", (_, value, good) => {
    expect(checkSchema(tasksSchema, value).length === 0).toBe(good);
    expect(parseTasks(JSON.stringify(value)).problems.length === 0).toBe(good);
  });

  const acceptance: readonly (readonly [string, Json, boolean])[] = [
    ["a good one", { acceptance_criteria: [criterion] }, true],
    ["none", { acceptance_criteria: [] }, false],
    ...Object.keys(criterion).map(
      (key) => [`no ${key}`, { acceptance_criteria: [without(criterion, key)] }, false] as const,
    ),
    [
      "verification instead of verify",
      { acceptance_criteria: [{ id: "AC-001", description: "d", verification: "x" }] },
      false,
    ],
    ["long ids", { acceptance_criteria: [{ ...criterion, id: "AC-QA-TEST-001" }] }, true],
  ];

  test.each(acceptance)("[TC-133] acceptance.json: %s", (_, value, good) => {
    expect(checkSchema(acceptanceSchema, value).length === 0).toBe(good);
    expect(parseAcceptance(JSON.stringify(value)).problems.length === 0).toBe(good);
  });

  const replies: readonly (readonly [string, Json, boolean])[] = [
    ["a good one", reply, true],
    ...Object.keys(reply).map((key) => [`no ${key}`, without(reply, key), false] as const),
    ["an unknown status", { ...reply, status: "DONE" }, false],
    ["an unknown key", { ...reply, extra: 1 }, false],
    ["a list that is none", { ...reply, artifacts: { notes: "x" } }, false],
    ["a summary that is empty", { ...reply, summary: " " }, false],
  ];

  test.each(replies)("[TC-003] [TC-017] a reply: %s", (_, value, good) => {
    expect(checkSchema(outputSchema, value).length === 0).toBe(good);
    const parsed = parseReply(JSON.stringify(value), { agent: "Coder", task: "T-001" });
    expect(parsed.problems.length === 0).toBe(good);
    expect(parsed.value !== undefined).toBe(good);
  });

  test("[TC-001] the input's schema names what is missing, with its path", () => {
    const paths = checkSchema(inputSchema, { task: { id: "T-1" } }).map((one) =>
      showPath(one.path),
    );
    expect(paths).toEqual([
      "$.project_type",
      "$.repo_state",
      "$.tools_available",
      "$.task.title",
      "$.task.goal",
      "$.task.non_goals",
      "$.task.context_files",
      "$.task.constraints",
      "$.task.acceptance_checks",
      "$.task.risk_flags",
      "$.task.id",
    ]);
  });
});
