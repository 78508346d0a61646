/** The team contract in two opinions: its own words, and Holdpoint's, after every command of whole sessions. */
import { describe, expect, test } from "vitest";
import { type Scratch, repository } from "../e2e/cli.ts";
import * as team from "../e2e/team.ts";
import { Exceptions, type Opinion } from "./agree.ts";
import { type Objection, fieldsOf, said } from "./opinion.ts";
import { EXCEPTIONS, speaksOf } from "./team-contract/exceptions.ts";
import { type SessionFiles, readSession, stateOf } from "./team-contract/files.ts";
import { forbidden } from "./team-contract/gates.ts";
import { judgeMove } from "./team-contract/history.ts";
import { judgeSession } from "./team-contract/opinion.ts";
import { PLANTS, type Stand } from "./team-contract/plants.ts";
import { judgeProved } from "./team-contract/proved.ts";
import { type Out, type Verdicts, heard, judgeCompleted } from "./team-contract/verdicts.ts";
import { verdictOn, watched } from "./watch.ts";

const exceptions = new Exceptions(EXCEPTIONS, speaksOf);

type Look = Pick<Opinion<SessionFiles>, "files" | "onlyJournal" | "killed"> & {
  readonly more: readonly Objection[];
};

/** What both say of the files as they lie there. */
function expectAgreement(repo: Scratch, { files, more, ...look }: Look): void {
  const verdict = verdictOn(repo, files.id);
  const objections = [...judgeSession(files), ...more];
  const compared = exceptions.compare({ files, objections, verdict, ...look });
  expect({ differences: compared.differences, sound: verdict.exit === 0 }).toEqual({
    differences: [],
    sound: compared.sound,
  });
}

/** What lies about outside of the session folders. */
function outside(repo: Scratch): string {
  return repo.git("status", "--porcelain", "--", ".", ":!.agents-work");
}

/** After every command: the files, what became of them, who said what, and that nothing else was touched. */
function watchedSession(repo: Scratch): Scratch {
  let id = "";
  let last: SessionFiles | undefined;
  let out: Out | undefined;
  let verdicts: Verdicts = {};
  let around = "";
  return watched(repo, {
    before: () => {
      around = outside(repo);
    },
    after: ({ words, options, reply }) => {
      id = reply.json.workflow ?? id;
      const taken = words[0] === "report" && [0, 11].includes(reply.exit);
      if (taken && out !== undefined) verdicts = heard(verdicts, out, options.stdin ?? "");
      const next = repo.hold(["next", id]).json;
      const [order] = next.orders ?? [];
      out = order && { role: order.role, task: said(fieldsOf(order.task)["id"]) };
      const files = readSession(repo, id);
      const before = last ?? files;
      const more = [...judgeMove(before, files), ...judgeCompleted(before, files, verdicts)];
      expect(judgeProved(repo.top, before, files)).toEqual([]);
      const killed = reply.exit === -1;
      expectAgreement(repo, { files, more, killed });
      last = files;
      if (killed) return;
      const open = files.decisions.filter((one) => one["status"] === "pending");
      const no = forbidden(files);
      expect({
        state: stateOf(files),
        asked: open.map((one) => one["decision_id"]),
        forbidden: (next.candidates ?? []).filter((one) => one.allowed && no.includes(one.do)),
        outside: outside(repo),
      }).toEqual({
        state: next.state,
        asked: (next.held ?? []).map((one) => one.id),
        forbidden: [],
        outside: around,
      });
    },
  });
}

const REFUSED = team.agentReply({
  status: "BLOCKED",
  summary: "one test fails",
  artifacts: { test_results: { passed: 1, failed: 1, skipped: 0, output: "not ok" } },
});

describe("whole sessions", () => {
  test("per batch: changes asked for, a refused answer, a repair, a crash", () => {
    const session = team.startTeam({ repo: watchedSession(repository()) });
    session.work("specify");
    session.work("architect");
    session.answer("maybe");
    session.answer("changes-requested: say how it is stored");
    session.send("correct-architecture");
    session.file("architecture.md", `${team.ARCHITECTURE}\nIn a file.\n`);
    session.report(team.agentReply());
    const env = { HOLDPOINT_DIE_AT: "show.own" };
    expect(session.answer("approved: ship it", [], { env }).exit).toBe(-1);
    session.run("reconcile");
    session.work("plan");
    session.answer("batch");
    session.work("code", "T-001");
    session.work("review", "T-001", team.blocking("off by one"));
    session.work("fix-review", "T-001");
    session.work("review", "T-001");
    session.work("test", "T-001");
    session.work("review-all");
    session.work("secure-all");
    session.work("integrate");
    session.run("advance", ["to-release"]);
    session.work("document");
    session.work("release");
    session.run("advance", ["finish"]);
    expect(session.at()).toBe("DONE");
  });

  test("in one final pass: a question, a block, a risk that a person accepts", () => {
    const session = team.startTeam({ repo: watchedSession(repository()) });
    session.tasks = ["T-001", "T-002"];
    session.work("specify");
    session.run("ask", ["Shall it follow the system?", "--origin", "design"]);
    session.answer("yes");
    session.run("advance", ["block", "--reason", "no network"]);
    session.repo.hold(["advance", session.id, "unblock", "--reason", "it is back"]);
    session.work("architect");
    session.answer("approved");
    session.work("plan");
    session.answer("single-final");
    session.work("code", "T-001");
    session.work("code", "T-002");
    session.work("review-all");
    session.work("test-all");
    const finding = {
      severity: "medium",
      category: "Other",
      file: "app.js",
      description: "a hole",
      recommended_fix: "close it",
    };
    const unsure = { status: "NEEDS_DECISION", artifacts: { findings: [finding] } };
    session.work("secure-all", undefined, team.agentReply(unsure));
    session.answer("accept-risk");
    expect(session.at()).toBe("INTEGRATE");
  });

  test("lean: repairs until they run out, and an issue that stays known", () => {
    const repo = watchedSession(repository());
    const session = team.startTeam({ repo, goal: "Fix typo", flags: ["--lean"] });
    session.work("specify-lean");
    session.work("code", "T-001");
    session.work("review", "T-001");
    for (const _ of [1, 2, 3]) {
      session.work("test", "T-001", REFUSED);
      session.work("fix-tests", "T-001");
    }
    session.work("test", "T-001", REFUSED);
    session.answer("known-issues");
    session.work("review", "T-001");
    session.file("report.md", team.REPORT);
    session.run("advance", ["finish"]);
    expect(session.at()).toBe("DONE");
  });
});

const grounds = new Map<Stand, team.TeamSession>();

function groundAt(stand: Stand): team.TeamSession {
  const known = grounds.get(stand) ?? team.sessionAt(stand === "changes" ? "gate" : stand);
  if (stand === "changes" && !grounds.has(stand)) known.answer("changes-requested: more");
  grounds.set(stand, known);
  return known;
}

function planted(session: team.TeamSession, plant: (typeof PLANTS)[number]["plant"]): void {
  plant({
    edit: (file, change) => session.repo.edit(session.path(file), change),
    write: (file, text) => session.file(file, text),
    remove: (file) => session.repo.remove(session.path(file)),
  });
}

describe("planted into the files", () => {
  test.each(PLANTS)("at $at: $name", ({ at, plant, onlyJournal }) => {
    const session = groundAt(at);
    const { repo, id } = session;
    const last = readSession(repo, id);
    planted(session, plant);
    const files = readSession(repo, id);
    try {
      expectAgreement(repo, { files, more: judgeMove(last, files), onlyJournal });
      expectNoWork(session, last, files);
    } finally {
      for (const [file, text] of Object.entries(last.texts))
        if (text !== undefined) session.file(file, text);
    }
  });
});

/** A step that the files forbid is refused, or leads to a question: no work is handed out. */
function expectNoWork(session: team.TeamSession, last: SessionFiles, files: SessionFiles): void {
  const no = stateOf(last) === stateOf(files) ? forbidden(files) : [];
  const { candidates = [] } = no.length === 0 ? {} : session.run("next").json;
  const tried = candidates.filter((one) => one.allowed && no.includes(one.do));
  for (const { do: step, unit } of tried) {
    const copy = session.in(team.copyOf(session.repo));
    expect({ step, order: copy.send(step, unit).json.order }).toEqual({ step });
  }
}

test("every exception is needed", () => {
  expect(exceptions.unneeded()).toEqual([]);
});
