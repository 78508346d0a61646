/** Drift and lies, planted into the folder of a task, by what its gates and its records must hold. */
import { type Fields, fieldsOf, listOf } from "../opinion.ts";

/** What a plant needs of a task's folder. */
export interface Ground {
  readonly edit: (file: string, change: (text: string) => string) => void;
  readonly write: (file: string, text: string) => void;
  readonly remove: (file: string) => void;
}

/** Every agent has reported; the plan is approved; agents have worked on it; the commit is shown. */
export type Stand = "reported" | "approved" | "working" | "shown";

export interface Plant {
  readonly at: Stand;
  readonly name: string;
  readonly plant: (ground: Ground) => void;
  /** The files hold together: only the journal knows better. */
  readonly onlyJournal?: boolean;
}

function json(at: Stand, file: string, name: string, change: (now: Fields) => Fields): Plant {
  return {
    at,
    name: `${file}: ${name}`,
    plant: ({ edit }) =>
      edit(file, (text) => {
        const now: unknown = JSON.parse(text);
        return `${JSON.stringify(change(fieldsOf(now)), null, 2)}\n`;
      }),
  };
}

function set(at: Stand, file: string, change: Fields): Plant {
  return json(at, file, JSON.stringify(change), (now) => ({ ...now, ...change }));
}

function gone(at: Stand, file: string): Plant {
  return { at, name: `no ${file}`, plant: ({ remove }) => remove(file) };
}

function text(at: Stand, file: string, name: string, change: (text: string) => string): Plant {
  return { at, name: `${file}: ${name}`, plant: ({ edit }) => edit(file, change) };
}

function secretly(plant: Plant): Plant {
  return { ...plant, onlyJournal: true };
}

const LAST = "2026-01-01T00:00:00.000Z";
const report = (agent: string): string => `add-parser-${agent}-requirements.md`;
const status = (agent: string): string => `agents/${agent}/status.json`;

function log(
  at: Stand,
  name: string,
  change: (log: readonly unknown[]) => readonly unknown[],
): Plant {
  return json(at, "task.json", name, (now) => ({
    ...now,
    transition_log: change(listOf(now["transition_log"])),
  }));
}

function section(at: Stand, title: string): Plant {
  return text(at, "task.md", `no ${title}`, (now) => now.replace(`## ${title}\n`, "## Other\n"));
}

/** One for each of the nine checks, and more. */
const NINE: readonly Plant[] = [
  set("reported", "task.json", { state: "SYNTHESIS" }),
  set("reported", "task.json", { session_id: "s-other" }),
  ...["Task Objective", "Scope Definition", "Stakeholder Agent Reports"].map((title) =>
    section("reported", title),
  ),
  gone("reported", "task.md"),
  set("reported", "task.json", { required_agents: [] }),
  gone("reported", "agents/quality/code"),
  secretly(gone("reported", status("quality"))),
  secretly(set("reported", status("quality"), { status: "WORKING" })),
  gone("reported", report("quality")),
  { at: "reported", name: "an empty report", plant: ({ write }) => write(report("quality"), "") },
  {
    at: "reported",
    name: "a report of 99 bytes",
    plant: ({ write }) => write(report("quality"), "x".repeat(99)),
  },
  log("reported", "no first move", (all) => all.slice(1)),
  log("reported", "no second move", (all) => all.slice(0, 1)),
  json("reported", "task.json", "no log", ({ transition_log: _log, ...rest }) => rest),
  secretly(
    set("reported", status("quality"), { status: "ERROR", error_message: "the disk is full" }),
  ),
];

/** One for each of the seven guards, and more. */
const SEVEN: readonly Plant[] = [
  gone("approved", "task.md"),
  section("approved", "Stakeholder Agent Reports"),
  {
    at: "approved",
    name: "no reports",
    plant: ({ remove }) => {
      remove(report("architect"));
      remove(report("quality"));
    },
  },
  gone("approved", report("quality")),
  text("approved", "task.md", "no plan", (now) => now.replace(/^## Implementation Plan[^]*/m, "")),
  text("approved", "task.md", "a plan without its tests", (now) =>
    now.replace(/^### Test Specifications[^]*?(?=^### )/m, ""),
  ),
  secretly(gone("approved", "user-plan-approval-obtained.flag")),
  set("approved", "task.json", { state: "REQUIREMENTS" }),
  log("approved", "a move left out", (all) => all.filter((_, index) => index !== 1)),
];

const RECORDS: readonly Plant[] = [
  gone("working", "task.json"),
  text("working", "task.json", "cut off", (now) => now.slice(0, -4)),
  set("working", "task.json", { session_id: "" }),
  set("working", "task.json", { task_name: "another" }),
  set("working", "task.json", { state: "STATUS_CHECK" }),
  set("working", "task.json", { created_at: "today" }),
  set("working", "task.json", { state: "COMPLETE" }),
  set("working", "task.json", { required_agents: ["architect", "architect", "quality"] }),
  set("working", "task.json", { agent_additions: [{ agent: "security" }] }),
  log("working", "out of order", (all) => all.toReversed()),
  log("working", "another time", (all) =>
    all.map((one, index) => (index === 0 ? one : { ...fieldsOf(one), timestamp: LAST })),
  ),
  log("working", "a jump", (all) => [
    ...all.slice(0, 1),
    { from: "CLASSIFIED", to: "IMPLEMENTATION", timestamp: "2031-01-01T00:00:00.000Z" },
  ]),
  gone("working", "state.json"),
  text("working", "state.json", "cut off", (now) => now.slice(0, -4)),
  set("working", "state.json", { current_state: "REVIEW" }),
  set("working", "state.json", { session_id: "s-other" }),
  set("working", "state.json", { task_name: "another" }),
  set("working", "state.json", { risk_level: "LOW" }),
  set("working", "state.json", { required_agents: ["architect"] }),
  set("working", "state.json", { evidence: { REQUIREMENTS: "all" } }),
  set("working", "state.json", { transition_log: [] }),
  gone("working", "task.md"),
  gone("working", "user-plan-approval-obtained.flag"),
  gone("working", report("quality")),
  set("working", status("quality"), { status: "DONE" }),
  set("working", "task.json", {
    checkpoint: {
      type: "USER_APPROVAL_POST_REVIEW",
      commit_sha: "0".repeat(40),
      presented_at: LAST,
      approved: true,
    },
  }),
  gone("working", "code"),
  gone("working", "agents/quality/code"),
];

const TRAIL: readonly Plant[] = [
  gone("working", "audit-trail.json"),
  text("working", "audit-trail.json", "cut off", (now) => now.slice(0, -4)),
  set("working", "audit-trail.json", { task_name: "another" }),
  set("working", "audit-trail.json", { state_transitions: [] }),
  json("working", "audit-trail.json", "an invocation without its mode", (now) => ({
    ...now,
    agent_invocations: listOf(now["agent_invocations"]).map((one) => ({
      ...fieldsOf(one),
      agent_mode: null,
    })),
  })),
  json("working", "audit-trail.json", "a commit without its agent", (now) => ({
    ...now,
    commits: [
      {
        sha: "abc1234",
        branch: "x",
        timestamp: LAST,
        files_created: [],
        files_modified: [],
        message: "",
      },
    ],
  })),
];

const RELEASE: readonly Plant[] = [
  set("shown", "task.json", { state: "COMPLETE" }),
  json("shown", "task.json", "no checkpoint", ({ checkpoint: _checkpoint, ...rest }) => rest),
  secretly(
    json("shown", "task.json", "another commit", (now) => ({
      ...now,
      checkpoint: { ...fieldsOf(now["checkpoint"]), commit_sha: "0".repeat(40) },
    })),
  ),
  secretly(
    json("shown", "task.json", "approved by hand", (now) => ({
      ...now,
      checkpoint: { ...fieldsOf(now["checkpoint"]), approved: true },
    })),
  ),
  secretly({
    at: "shown",
    name: "the flag by hand, and approved",
    plant: ({ edit, write }) => {
      write("user-approval-obtained.flag", "approved\n");
      edit("task.json", (now) => now.replace('"approved": false', '"approved": true'));
    },
  }),
  {
    at: "shown",
    name: "the flag by hand",
    plant: ({ write }) => write("user-approval-obtained.flag", "approved\n"),
  },
];

export const PLANTS: readonly Plant[] = [...NINE, ...SEVEN, ...RECORDS, ...TRAIL, ...RELEASE];
