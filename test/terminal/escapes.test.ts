/** No escape byte outside a colour terminal, and none broken inside one: every verb, in every state of each family. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/surfaces/cli/commands.ts";
import { VERBS } from "../../src/surfaces/cli/verbs/index.ts";
import { repository } from "../e2e/cli.ts";
import type { Scratch } from "../e2e/cli.ts";
import { NAME, pluginAt, STANDS } from "../e2e/plugin.ts";
import {
  archived,
  classified,
  finished,
  gathered,
  ID,
  planned,
  SCOPES,
  START,
  taskIn,
  taskRepository,
  write,
} from "../e2e/task.ts";
import type { Task } from "../e2e/task.ts";
import { agentReply, sessionAt, startTeam } from "../e2e/team.ts";
import type { Reached } from "../e2e/team.ts";

const MANY = join(import.meta.dirname, "many.mjs");
const ESC = String.fromCodePoint(27);
const PAINT = new RegExp(`${ESC}\\[(?:0|1|2|31|32|33)m`, "g");

/** Looks, and what is refused or not understood: nothing of it moves the workflow. */
const CALLS: Readonly<Record<string, (name: string) => readonly (readonly string[])[]>> = {
  init: () => [["--dry-run"]],
  start: (name) => [["--help"], [name, "--protocol", "nonsense"], []],
  list: () => [[]],
  status: (name) => [[], [name], ["nonsense"]],
  next: (name) => [[], [name], [name, "--all"], [name, "--rules"], [name, "nonsense"]],
  order: (name) => [[name], ["nonsense"]],
  advance: (name) => [[name, "nonsense"], [name, "finish", "--unit", "nonsense"], []],
  report: (name) => [
    [name, "nowhere.json"],
    [name, "."],
  ],
  ask: (name) => [[name], ["nonsense", "What?"]],
  answer: (name) => [[name], [name, "\u001B[2Jred", "--decision", "\u001B[31m"]],
  approve: (name) => [[name], [name, "nonsense"], [name, "--all"]],
  verify: (name) => [["--all"], [name], ["nonsense"]],
  reconcile: (name) => [["nonsense"], [name, "--restore", "--accept"]],
  adopt: (name) => [
    ["--all", "--dry-run"],
    [name, "--dry-run"],
  ],
  lock: () => [["nonsense"], []],
  agents: (name) => [[name], ["nonsense"]],
  units: (name) => [[name], [name, "add", "x"], ["nonsense"]],
  audit: (name) => [[name], [name, "--all"], ["nonsense"]],
  show: (name) => [[name], [name, "nonsense"], ["\u001B[31m"]],
  graph: (name) => [[name], ["team-contract"]],
  check: () => [["nonsense"]],
  install: () => [["nonsense"], ["claude", "--dry-run"]],
  uninstall: () => [["claude", "--dry-run"]],
  doctor: () => [["nonsense"]],
  hold: (name) => [[name], ["nonsense"]],
  policy: () => [[], ["nonsense"]],
  keys: () => [["--help"]],
  fence: () => [["status"], ["nonsense"]],
};

/** Words that no operation stands behind; those that talk to a client speak its language, and are asked for help. */
const ASIDE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  completion: [["bash"], ["nonsense"]],
  demo: [["--help"], ["nonsense"]],
  mcp: [["--help"]],
  store: [["--help"], ["nonsense"], []],
};

const ALL = Object.keys(VERBS);

function callsFor(name: string): readonly (readonly string[])[] {
  const verbs = ALL.flatMap((verb) => (CALLS[verb]?.(name) ?? []).map((words) => [verb, ...words]));
  return [...verbs, ["nonsense"], ["--help"]];
}

function run(scratch: Scratch, calls: readonly (readonly string[])[], env: object): Told {
  const { NO_COLOR: _, ...clean } = scratch.env;
  const ran = spawnSync(process.execPath, [MANY], {
    cwd: scratch.top,
    env: { ...clean, ...env },
    input: JSON.stringify(calls),
    encoding: "utf8",
    timeout: 120_000,
  });
  expect(ran.status, ran.stderr).toBe(0);
  const told: Told = JSON.parse(ran.stdout);
  return told;
}

type Told = readonly string[];
type Calls = readonly (readonly string[])[];

function expectClean(scratch: Scratch, name: string, moreCalls: Calls = []): void {
  const calls = [...callsFor(name), ...moreCalls];
  const without = run(scratch, calls, { NO_COLOR: "1", FORCE_COLOR: "1" });
  const piped = run(scratch, calls, {});
  const coloured = run(scratch, calls, { FORCE_COLOR: "1" });
  for (const [index, words] of calls.entries()) {
    const line = `${name}: holdpoint ${words.join(" ")}`;
    const [plain, never, painted] = [piped, without, coloured].map((one) => one[index] ?? "");
    expect(plain, line).not.toContain(ESC);
    expect(never, line).not.toContain(ESC);
    expect((painted ?? "").replaceAll(PAINT, ""), line).not.toContain(ESC);
    // What an escape of ours becomes where it is taken for somebody's words.
    expect(marksIn(painted), line).toBe(marksIn(plain));
    for (const row of (painted ?? "").split("\n")) expectClosed(row, line);
  }
}

function marksIn(text = ""): number {
  return text.split("\uFFFD").length - 1;
}

/** Every colour ends before the line does, so that none runs on into the prompt. */
function expectClosed(row: string, line: string): void {
  const paints = row.match(PAINT) ?? [];
  expect(paints.at(-1) ?? `${ESC}[0m`, `${line}\n${row}`).toBe(`${ESC}[0m`);
}

test("every verb is looked at", () => {
  expect(ALL.filter((verb) => CALLS[verb] === undefined)).toEqual([]);
  expect(Object.keys(COMMANDS).filter((word) => ASIDE[word] === undefined)).toEqual([]);
});

test("what is the same in every state", () => {
  const aside = Object.entries(ASIDE).flatMap(([word, calls]) =>
    calls.map((words) => [word, ...words]),
  );
  const helps = ALL.map((verb) => [verb, "--help"]);
  expectClean(repository(), "nobody", [...aside, ...helps]);
});

describe("a plugin", () => {
  test.each(STANDS)("at %s", (stand) => {
    expectClean(pluginAt(stand), NAME);
  });
});

describe("a session", () => {
  const states: readonly Reached[] = [
    "intake",
    "design",
    "gate",
    "plan",
    "strategy",
    "loop",
    "loop2",
    "coded",
    "integrate",
    "release",
    "lean",
    "leanLoop",
    "leanCoded",
    "leanIntegrate",
    "fixReview",
    "asked",
    "blocked",
    "fixBuild",
  ];
  test.each(states)("at %s", (name) => {
    const { repo, id } = sessionAt(name);
    expectClean(repo, id);
  });
});

describe("a task", () => {
  type Steps = Readonly<Record<string, (task: Task) => unknown>>;

  /** One step after the other, and a look after each. */
  function walk(steps: Steps): void {
    const scratch = taskRepository({ [ID]: SCOPES.LOW, other: "docs/other.md" });
    const task = taskIn(scratch, ID);
    for (const step of Object.values(steps)) {
      step(task);
      expectClean(scratch, ID);
    }
  }

  function plan(task: Task): void {
    planned(task, [SCOPES.LOW], (step) => {
      expect(task.run(step).exit).toBe(11);
      expectClean(task.scratch, ID);
    });
  }

  const BEGIN: Steps = {
    listed: () => undefined,
    started: (task) => task.step(["start", ID, ...START]),
  };

  test("of low risk, from the list to its end", () => {
    walk({
      ...BEGIN,
      classified: (task) => classified(task, SCOPES.LOW),
      gathered,
      planned: plan,
      written: (task) => write(task.code, SCOPES.LOW, "one\n"),
      archived,
      presented: (task) => expect(task.run(["advance", ID, "skip"]).exit).toBe(11),
      released: (task) => expect(task.answer("approve").exit).toBe(0),
      finished,
    });
  }, 900_000);
});

describe("words of others", () => {
  test("bring their escapes nowhere", () => {
    const goal = "Add \u001B[31mred\u001B[0m\u0007 \u009B2J mode";
    const session = startTeam({ goal });
    expectClean(session.repo, session.id);
    session.send("specify");
    session.play("SpecAgent");
    session.report(agentReply({ summary: "did \u001B]0;title\u0007 \u001B[2J it" }));
    session.run("ask", ["Shall it \u001B[5mblink\u001B[0m?", "--origin", "design"]);
    expectClean(session.repo, session.id);
  });
});
