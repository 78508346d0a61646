/** Team sessions through the command line: scripted agents that write their files and reply as the contract asks. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import {
  type Answer,
  type Reply,
  type RunOptions,
  type Scratch,
  copyOf,
  preparedOnce,
  repository,
} from "./cli.ts";

export { copyOf } from "./cli.ts";

export const ORCHESTRATOR: readonly string[] = ["--as", "agent:claude/Orchestrator"];

export const SPEC: string = "# Goals\nx\n\n# Acceptance Criteria\nx\n\n# Definition of Done\nx\n";
export const ARCHITECTURE: string = "# Overview\nx\n\n# Modules\nx\n";
export const REPORT: string =
  "# What was done\nx\n\n# How to run\nx\n\n# How to test\nx\n\n# Known issues\nnone\n";
export const ACCEPTANCE: string = json({
  acceptance_criteria: [{ id: "AC-001", description: "it is there", verify: ["test -f app.js"] }],
});

export function taskYaml(id: string, more = ""): string {
  return [
    `  - id: ${id} # a task`,
    "    status: not-started",
    "    type: feat",
    `    title: Task ${id}`,
    "    depends_on: []",
    `    goal: do ${id}`,
    "    non_goals: []",
    "    context_files: []",
    "    files_expected: []",
    '    acceptance_checks: ["cmd: test -f app.js"]',
    "    risk_flags: []",
    "    done_when: [AC-001]",
    ...(more === "" ? [] : [more]),
    "",
  ].join("\n");
}

export function tasksYaml(...ids: readonly string[]): string {
  const tasks = ids.map((id) => taskYaml(id)).join("");
  return `# the plan\nproject:\n  name: demo\n  definition_of_done: [CI green]\ntasks:\n${tasks}`;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** A reply of the contract; `more` replaces whole keys. */
export function agentReply(more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    status: "OK",
    summary: "did it",
    artifacts: {},
    gates: {
      meets_definition_of_done: true,
      needs_review: true,
      needs_tests: true,
      security_concerns: [],
    },
    next: { recommended_agent: "Orchestrator", recommended_task_id: "same", reason: "done" },
    ...more,
  });
}

export const CHECKLIST: Readonly<Record<string, string>> = {
  security: "OK",
  architecture: "OK",
  logic: "OK",
  performance: "OK",
  quality: "OK",
  devils_advocate: "N/A",
};

/** What each agent writes and replies when it does its work well. */
const WORK: Readonly<Record<string, (session: TeamSession) => string>> = {
  SpecAgent: (session) => {
    session.file("spec.md", SPEC);
    session.file("acceptance.json", ACCEPTANCE);
    if (session.lean) session.file("tasks.yaml", tasksYaml("T-001"));
    return agentReply();
  },
  Architect: (session) => {
    session.file("architecture.md", ARCHITECTURE);
    return agentReply();
  },
  Planner: (session) => {
    session.file("tasks.yaml", tasksYaml(...session.tasks));
    return agentReply();
  },
  Coder: (session) => {
    // Never the same again: work that changes nothing is asked about.
    const before = session.repo.has("app.js") ? session.repo.read("app.js") : "";
    session.repo.write("app.js", `${before}// ${session.step()}\n`);
    return agentReply({ artifacts: { files_changed: ["app.js"] } });
  },
  Reviewer: () => agentReply({ artifacts: { checklist_summary: CHECKLIST } }),
  QA: () =>
    agentReply({ artifacts: { test_results: { passed: 1, failed: 0, skipped: 0, output: "ok" } } }),
  Security: () => agentReply(),
  Integrator: () => agentReply(),
  Docs: (session) => {
    session.repo.write("README.md", "# Demo\n");
    session.file("report.md", `${REPORT}\nStep ${session.step()}\n`);
    return agentReply({ artifacts: { files_changed: [session.path("report.md")] } });
  },
};

export interface StatusFile {
  readonly current_state: string;
  readonly session: string;
  readonly mode: string;
  readonly user_decisions: readonly Readonly<Record<string, string | null>>[];
  readonly assumptions: readonly string[];
  readonly known_issues: readonly string[];
  readonly retry_counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly last_ci_result: string;
  readonly last_update: string;
  readonly gate_tracking?: {
    readonly APPROVE_DESIGN: Readonly<Record<string, unknown>>;
  };
  readonly runtime_flags?: Readonly<Record<string, unknown>>;
  readonly blocker?: string;
  readonly blocker_detail?: string;
  readonly blocked_from?: string;
}

export class TeamSession {
  readonly repo: Scratch;
  readonly id: string;
  lean = false;
  tasks: readonly string[] = ["T-001"];
  #step = 0;

  constructor(repo: Scratch, id: string) {
    this.repo = repo;
    this.id = id;
  }

  /** The same session in another copy of its repository. */
  in(repo: Scratch): TeamSession {
    const other = new TeamSession(repo, this.id);
    other.lean = this.lean;
    other.tasks = this.tasks;
    other.#step = this.#step;
    return other;
  }

  step(): number {
    this.#step += 1;
    return this.#step;
  }

  path(name: string): string {
    return `.agents-work/${this.id}/${name}`;
  }

  file(name: string, text: string): void {
    this.repo.write(this.path(name), text);
  }

  read(name: string): string {
    return this.repo.read(this.path(name));
  }

  status(): StatusFile {
    return JSON.parse(this.read("status.json")) as StatusFile;
  }

  /** Run a verb as the Orchestrator. */
  run(verb: string, rest: readonly string[] = [], options: RunOptions = {}): Reply {
    return this.repo.hold([verb, this.id, ...rest, ...ORCHESTRATOR], options);
  }

  /** Hand work out; `--json` order in the reply. */
  send(step: string, unit?: string, options: RunOptions = {}): Reply {
    return this.run("advance", [step, ...(unit === undefined ? [] : ["--unit", unit])], options);
  }

  report(text: string, options: RunOptions = {}): Reply {
    return this.run("report", ["-"], { ...options, stdin: text });
  }

  /** A person answers. */
  answer(text: string, rest: readonly string[] = [], options: RunOptions = {}): Reply {
    return this.repo.hold(["answer", this.id, text, ...rest], options);
  }

  /** The role whose order is open writes its files and replies. */
  play(role: string): string {
    const play = WORK[role];
    if (play === undefined) throw new Error(`nobody plays ${role}`);
    return play(this);
  }

  /** One piece of work from order to accepted report. */
  work(step: string, unit?: string, reply?: string): Reply {
    const sent = this.send(step, unit);
    const role = sent.json.order?.role;
    if (role === undefined) throw new Error(`${step} was not handed out: ${sent.stdout}`);
    const said = this.play(role);
    const reported = this.report(reply ?? said);
    if (![0, 11].includes(reported.exit)) throw new Error(`${step}: ${reported.stdout}`);
    return reported;
  }

  /** One task from the Coder through its checks. */
  task(id = "T-001"): void {
    this.work("code", id);
    this.work("review", id);
    this.work("test", id);
  }

  at(): string {
    return this.status().current_state;
  }

  /** Every state the session has been in, from the journal. */
  states(): readonly string[] {
    const events = (this.audit().entries ?? []).flatMap((entry) => entry.events);
    return events.flatMap((event) => {
      const opened = /^workflow opened at (\w+)$/.exec(event)?.[1];
      const moved = /^(?!T-)\w+ → (\w+)/.exec(event)?.[1];
      return opened ?? moved ?? [];
    });
  }

  audit(): Answer {
    return this.repo.hold(["audit", this.id]).json;
  }

  /** How often something happened, by the journal. */
  count(pattern: RegExp): number {
    return (this.audit().entries ?? [])
      .flatMap(({ events }) => events)
      .filter((one) => pattern.test(one)).length;
  }
}

/** A repository with these files in its one commit. */
export function emptyRepository(files: Readonly<Record<string, string>>): Scratch {
  const repo = repository();
  for (const [path, text] of Object.entries(files)) repo.write(path, text);
  repo.git("add", ".");
  repo.git("commit", "--quiet", "--amend", "--no-edit");
  return repo;
}

export interface StartWith {
  readonly repo?: Scratch;
  readonly goal?: string;
  readonly flags?: readonly string[];
}

export function startTeam({
  repo = repository(),
  goal = "Add dark mode!",
  flags = [],
}: StartWith = {}): TeamSession {
  const reply = repo.hold([
    "start",
    "--protocol",
    "team-contract",
    "--goal",
    goal,
    ...flags,
    // That a request is small enough to be lean, is a person's to say.
    ...(flags.includes("--lean") ? [] : ORCHESTRATOR),
  ]);
  expect(reply.exit, reply.stdout).toBe(0);
  const session = new TeamSession(repo, reply.json.workflow ?? "");
  session.lean = flags.includes("--lean");
  return session;
}

/** A state that takes many calls to reach, built once; the session is a copy of its own. */
export function sessionAt(name: Reached): TeamSession {
  const prepared = preparedOnce(`team-${name}`, () => REACHED[name]().repo);
  const [id = ""] = readdirSync(join(prepared.top, ".agents-work"));
  const session = new TeamSession(copyOf(prepared), id);
  session.lean = name.startsWith("lean");
  if (name === "loop2") session.tasks = ["T-001", "T-002"];
  return session;
}

export type Reached =
  | "intake"
  | "design"
  | "gate"
  | "plan"
  | "strategy"
  | "loop"
  | "loop2"
  | "coded"
  | "integrate"
  | "release"
  | "lean"
  | "leanLoop"
  | "leanCoded"
  | "leanIntegrate"
  | "fixReview"
  | "asked"
  | "blocked"
  | "fixBuild";

/** Each begins where the one before ended. */
const REACHED: Readonly<Record<Reached, () => TeamSession>> = {
  intake: () => startTeam(),
  design: () => also(sessionAt("intake"), (one) => one.work("specify")),
  gate: () => also(sessionAt("design"), (one) => one.work("architect")),
  plan: () => also(sessionAt("gate"), (one) => one.answer("approved")),
  strategy: () => also(sessionAt("plan"), (one) => one.work("plan")),
  loop: () => also(sessionAt("strategy"), (one) => one.answer("per-batch")),
  loop2: () =>
    also(sessionAt("plan"), (one) => {
      one.tasks = ["T-001", "T-002"];
      one.work("plan");
      one.answer("per-batch");
    }),
  coded: () => also(sessionAt("loop"), (one) => one.work("code", "T-001")),
  integrate: () =>
    also(sessionAt("coded"), (one) => {
      one.work("review", "T-001");
      one.work("test", "T-001");
      one.work("review-all");
      one.work("secure-all");
    }),
  release: () =>
    also(sessionAt("integrate"), (one) => {
      one.work("integrate");
      one.run("advance", ["to-release"]);
    }),
  lean: () => startTeam({ goal: "Fix typo", flags: ["--lean"] }),
  leanLoop: () => also(sessionAt("lean"), (one) => one.work("specify-lean")),
  leanCoded: () => also(sessionAt("leanLoop"), (one) => one.work("code", "T-001")),
  leanIntegrate: () =>
    also(sessionAt("leanCoded"), (one) => {
      one.work("review", "T-001");
      one.work("test", "T-001");
      one.file("report.md", REPORT);
    }),
  fixReview: () =>
    also(sessionAt("coded"), (one) => one.work("review", "T-001", blocking("off by one"))),
  asked: () =>
    also(sessionAt("design"), (one) =>
      one.run("ask", ["Shall it follow the system?", "--origin", "design"]),
    ),
  blocked: () =>
    also(sessionAt("design"), (one) => one.run("advance", ["block", "--reason", "no network"])),
  fixBuild: () =>
    also(sessionAt("integrate"), (one) => {
      one.repo.remove("app.js");
      one.run("advance", ["red"]);
    }),
};

function also(session: TeamSession, act: (session: TeamSession) => unknown): TeamSession {
  act(session);
  return session;
}

/** A checker's reply that blocks. */
export function blocking(summary: string): string {
  const gates = {
    meets_definition_of_done: false,
    needs_review: true,
    needs_tests: true,
    security_concerns: [],
  };
  return agentReply({ status: "BLOCKED", summary, gates });
}
