// oxlint-disable vitest/expect-expect -- stories check at every step, many through helpers that throw
/** Session folders written by others, before there was a journal and before today's schema. */
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Scratch, repository } from "../cli.ts";
import * as team from "../team.ts";

/** As the first versions of the contract wrote it: no session, no decisions, tasks in two places, CRLF. */
const OLD = "2026-02-16_demo-pomidoro";
const OLD_STATUS = [
  "{",
  '  "current_state": "IMPLEMENT_LOOP",',
  '  "completed_tasks": ["T-001"],',
  '  "blocked_tasks": [],',
  '  "assumptions": ["Ą prose line, kept as it is"],',
  '  "mood": {"of": "the day"},',
  '  "retry_counts": {"T-002": {"FIX_TESTS": 2}},',
  '  "known_issues": [],',
  '  "last_ci_result": "green",',
  '  "last_update": "2026-02-17T01:15:39.2946165+01:00"',
  "}",
  "",
].join("\r\n");
const OLD_TASKS = [
  "# Plan zadań – a comment",
  "project: pomidoro",
  "tasks:",
  "  - id: T-001   # first",
  "    owner: Coder",
  "    title: 'Zegar'",
  "    deps: []",
  "    acceptance_checks:",
  "      - cmd: npm test",
  "  - id: T-002",
  "    title: Alarm",
  "    deps: [T-001]",
  "    acceptance_checks:",
  "      - manual: listen",
  "",
].join("\r\n");
const OLD_SPEC = "\uFEFF# Cele\r\n\r\nProza.\r\n";

/** Written under today's contract, with decisions, by somebody who has no Holdpoint. */
const NEW = "2026-03-01_add-sound";
const at = "2026-03-01T10:00:00.000Z";
const entry = (decision_id: string, more: object): object => ({
  decision_id,
  question: `About ${decision_id}?`,
  status: "answered",
  answer: "yes",
  asked_at: at,
  resolved_at: at,
  state_context: "DESIGN",
  resolution_reason: null,
  ...more,
});
const NEW_STATUS = `${JSON.stringify(
  {
    current_state: "ASK_USER",
    session: NEW,
    assumptions: ["stereo"],
    user_decisions: [
      entry("UD-APPROVE-DESIGN", { answer: "approved", state_context: "APPROVE_DESIGN" }),
      entry("UD-REVIEW-STRATEGY", { answer: "per-batch", state_context: "REVIEW_STRATEGY" }),
      entry("UD-9", { answer: "loud", note: "an extra key" }),
      entry("UD-10", {
        status: "pending",
        answer: null,
        resolved_at: null,
        state_context: "IMPLEMENT_LOOP",
        origin: "security",
      }),
    ],
    retry_counts: { "T-001": { FIX_REVIEW: 2 } },
    known_issues: [],
    last_ci_result: "unknown",
    last_update: at,
    mode: "full",
  },
  null,
  4,
)}\n`;

function foreign(): Scratch {
  const repo = repository();
  const put = (session: string, file: string, text: string): void =>
    repo.write(`.agents-work/${session}/${file}`, text);
  put(OLD, "status.json", OLD_STATUS);
  put(OLD, "tasks.yaml", OLD_TASKS);
  put(OLD, "spec.md", OLD_SPEC);
  put(OLD, "architecture.md", "# Architektura\n");
  put(OLD, "acceptance.json", '{"acceptance_criteria":[{"id":"AC-1","verification":"look"}]}\n');
  put(NEW, "status.json", NEW_STATUS);
  put(NEW, "tasks.yaml", team.tasksYaml("T-001").replace("not-started", "implemented"));
  put(NEW, "spec.md", team.SPEC);
  put(NEW, "acceptance.json", team.ACCEPTANCE);
  put(NEW, "architecture.md", team.ARCHITECTURE);
  repo.write("app.js", "1\n");
  return repo;
}

/** Every file of the sessions by its digest. */
function digests(repo: Scratch): Readonly<Record<string, string>> {
  const paths = repo.git("ls-files", "--others", "--", ".agents-work").split("\n");
  return Object.fromEntries(
    paths.map((path) => [path, createHash("sha256").update(repo.read(path)).digest("hex")]),
  );
}

describe("session folders written by others", () => {
  test("[TC-053] [TC-128] [TC-132] [TC-133] [TC-134] [TC-049] verify --all names every violation and changes nothing", () => {
    const repo = foreign();
    const before = digests(repo);
    const { exit, json } = repo.hold("verify --all");
    expect(exit).toBe(3);
    expect(digests(repo)).toEqual(before);
    const old = json.workflows?.find((one) => one.id === OLD);
    expect(old).toMatchObject({ protocol: "team-contract", exit: 3 });
    const inFolder = (file: string): string => file.slice(`.agents-work/${OLD}/`.length);
    const named = (old?.findings ?? []).map(({ code, file }) => `${inFolder(file)} ${code}`);
    expect([...new Set(named)].toSorted()).toMatchInlineSnapshot(`
      [
        "acceptance.json acceptance-field",
        "architecture.md section-missing",
        "spec.md section-missing",
        "status.json gate-missing",
        "status.json status-field",
        "tasks.yaml check-unquoted",
        "tasks.yaml tasks-field",
      ]
    `);
    const messages = (old?.findings ?? []).map(({ message }) => message).join("\n");
    for (const word of ["completed_tasks", "blocked_tasks", "session", "user_decisions", "verify"])
      expect(messages).toContain(word);
    for (const [index, task] of ["T-001", "T-002"].entries())
      for (const said of [
        `$.tasks[${index}].status is missing`,
        `$.tasks[${index}].goal is missing`,
        `${task} has no list depends_on`,
        `${task} has no list done_when`,
      ])
        expect(messages).toContain(said);
    const unquoted = old?.findings.find((one) => one.code === "check-unquoted");
    expect(unquoted).toMatchObject({ file: `.agents-work/${OLD}/tasks.yaml`, line: 9 });
    expect(unquoted?.fix).toContain('"cmd: npm test"');
    expect(json.workflows?.find((one) => one.id === NEW)?.findings).toEqual([]);
  }, 60_000);

  test("[TC-067] [TC-076] [TC-112] [TC-155] adopt takes over decisions, counts and tasks of today's files", () => {
    const repo = foreign();
    const prose = repo.read(`.agents-work/${NEW}/tasks.yaml`);
    const adopted = repo.hold(["adopt", NEW]);
    expect(adopted.json.workflows?.[0]).toMatchObject({ result: "adopted" });
    const session = new team.TeamSession(repo, NEW);
    expect(session.read("tasks.yaml")).toBe(prose);
    // What was written stays as it was written, byte for byte.
    const [before, after] = [JSON.parse(NEW_STATUS) as team.StatusFile, session.status()];
    expect(after.user_decisions).toEqual(before.user_decisions);
    expect(after.retry_counts).toEqual(before.retry_counts);
    expect(after.assumptions).toEqual(["stereo"]);
    expect(after.current_state).toBe("ASK_USER");
    // The open security question is still one: silence does not end it, a choice does.
    const held = repo.hold(["next", NEW]).json.held;
    expect(held).toMatchObject([{ id: "UD-10", question: "security-finding" }]);
    expect(session.answer("no-response").exit).not.toBe(0);
    expect(session.answer("accept-risk").exit).toBe(0);
    expect(session.at()).toBe("IMPLEMENT_LOOP");
    // An approval in a file anybody could write is asked for again before the next agent works.
    expect(session.send("review", "T-001").json.held).toMatchObject([
      { id: "UD-11", question: "design-changed" },
    ]);
    expect(repo.hold(["next", NEW]).json.held?.[0]?.prompt).toContain("nobody has said so here");
    session.answer("approve");
    // What was done before it was adopted is not known: the Reviewer looks for it, and sees what lies about.
    repo.write("app.js", "// by somebody\n");
    const review = session.send("review", "T-001").json.order;
    expect(review?.prompt).toContain("find all of it with git");
    expect(review?.task?.["session_changed_files"]).toContainEqual({
      path: "app.js",
      change_type: "added",
    });
    session.report(team.blocking("wrong"));
    expect(session.status().retry_counts).toEqual({ "T-001": { FIX_REVIEW: 3 } });
    session.work("fix-review", "T-001");
    expect(session.work("review", "T-001", team.blocking("wrong")).json.held).toMatchObject([
      { question: "retry-exhausted" },
    ]);
  }, 120_000);

  test("[TC-055] [TC-037] an old session is adopted on a person's word, and no byte of its prose is lost", () => {
    const repo = foreign();
    const others = Object.entries(digests(repo)).filter(
      ([path]) => !/(?:status\.json|tasks\.yaml)$/.test(path),
    );
    const dry = repo.hold(["adopt", "--all", "--dry-run"]);
    expect(dry.json.workflows?.map((one) => one.result)).toEqual(["preview", "preview"]);
    const unsure = repo.hold(["adopt", OLD]);
    expect([unsure.exit, unsure.json.workflows?.[0]?.result]).toEqual([11, "unsure"]);
    expect(repo.read(`.agents-work/${OLD}/status.json`)).toBe(OLD_STATUS);
    const adopted = repo.hold(["adopt", OLD, "--yes"]);
    expect(adopted.json.workflows?.[0]?.result).toBe("adopted");
    const session = new team.TeamSession(repo, OLD);
    expect(session.status()).toMatchObject({
      session: OLD,
      current_state: "IMPLEMENT_LOOP",
      assumptions: ["Ą prose line, kept as it is"],
      mood: { of: "the day" },
      retry_counts: { "T-002": { FIX_TESTS: 2 } },
    });
    // What the first schema kept in status.json is where it belongs now.
    for (const key of ["completed_tasks", "blocked_tasks"])
      expect(session.status()).not.toHaveProperty(key);
    expect(session.read("tasks.yaml").match(/status: \S+/g)).toEqual([
      "status: completed",
      "status: not-started",
    ]);
    // Line ends, comments, quotes, unknown fields: all there. Only the status lines are new.
    const lines = session.read("tasks.yaml").split("\r\n");
    expect(lines.filter((line) => !/^ +status: /.test(line))).toEqual(OLD_TASKS.split("\r\n"));
    const now = digests(repo);
    expect(others.filter(([path, digest]) => now[path] !== digest)).toEqual([]);
    // Both texts are kept whole as well.
    const kept = adopted.json.workflows?.[0]?.summary?.join("\n") ?? "";
    for (const text of [OLD_STATUS, OLD_TASKS])
      expect(kept).toContain(createHash("sha256").update(text).digest("hex"));
    expect(repo.hold(["adopt", OLD]).json.workflows?.[0]?.result).toBe("already");
    expect(repo.hold(["adopt", "2026-01-01_not-there"]).exit).toBe(10);
  }, 60_000);

  test("[TC-028] [TC-029] an earlier session stays as it is while another one works; reopening is a person's", () => {
    const repo = foreign();
    const before = digests(repo);
    const session = team.startTeam({ repo });
    session.send("specify");
    session.play("SpecAgent");
    repo.write(`.agents-work/${NEW}/spec.md`, "changed\n");
    const refused = session.report(team.agentReply());
    expect(refused.json.refusals?.[0]).toMatchObject({
      code: "role-boundary",
      message: `SpecAgent may not change .agents-work/${NEW}/spec.md`,
    });
    repo.write(`.agents-work/${NEW}/spec.md`, team.SPEC);
    expect(session.report(team.agentReply()).exit).toBe(0);
    for (const [path, digest] of Object.entries(before)) expect(digests(repo)[path]).toBe(digest);
  }, 60_000);
});
