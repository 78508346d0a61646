/** The task protocol in two opinions: its scripts, and Holdpoint, after every command of whole tasks. */
import { existsSync, readdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type Scratch, scratchDirectory } from "../e2e/cli.ts";
import * as driven from "../e2e/task.ts";
import { Exceptions, type Found, type Opinion } from "./agree.ts";
import { type Objection, fieldsOf, objection, readJson } from "./opinion.ts";
import { judgeEnd } from "./task-protocol/artifacts.ts";
import { EXCEPTIONS, speaksOf } from "./task-protocol/exceptions.ts";
import { type TaskFiles, dirOf, readTask, stateOf } from "./task-protocol/files.ts";
import { failedChecks, failedGuards } from "./task-protocol/gates.ts";
import { judgeKept, judgeTask } from "./task-protocol/opinion.ts";
import { type Ground, PLANTS, type Plant, type Stand } from "./task-protocol/plants.ts";
import { verdictOn, watched } from "./watch.ts";

const { ID } = driven;
const SESSION = `s-${ID}`;
const exceptions = new Exceptions(EXCEPTIONS, speaksOf);

/** The task as its coordinator finds it, who works in its worktree once there is one. */
function read(scratch: Scratch, cwd?: string): TaskFiles {
  const code = join(scratch.top, dirOf(ID), "code");
  const here = existsSync(code) ? code : scratch.top;
  return readTask(scratch, ID, { session: SESSION, cwd: cwd ?? here });
}

type Look = Pick<Opinion<TaskFiles>, "files" | "onlyJournal" | "killed"> & {
  readonly more: readonly Objection[];
};

/** What both say of the files as they lie there. */
function expectAgreement(scratch: Scratch, { files, more, ...look }: Look): void {
  const verdict = verdictOn(scratch, ID);
  const objections = [...judgeTask(files), ...more];
  const compared = exceptions.compare({ files, objections, verdict, ...look });
  expect({ differences: compared.differences, sound: verdict.exit === 0 }).toEqual({
    differences: [],
    sound: compared.sound,
  });
}

interface Gate {
  readonly step: string;
  readonly state: string;
  readonly failed: (files: TaskFiles) => readonly number[];
  readonly name: string;
  readonly input: readonly string[];
}

const NINE: Gate = {
  step: "synthesize",
  state: "REQUIREMENTS",
  failed: failedChecks,
  name: "nine",
  input: [],
};
const SEVEN: Gate = {
  step: "implement",
  state: "SYNTHESIS",
  failed: failedGuards,
  name: "seven",
  input: ["--input", '{"acknowledged":true}'],
};

/** Reasons that belong to a gate; others, such as work that is out, are beside it. */
const OF_A_GATE = /^(?:exit-\d|entry-\d|transition-illegal|lease-held)/;

/** Both ask the gate: which of its checks fail, and whether it opens. Elsewhere only that it is not its state. */
function expectGate(scratch: Scratch, files: TaskFiles, gate: Gate): void {
  const { session, cwd } = files.asker;
  const env = { HOLDPOINT_ACTOR: "agent:coordinator", HOLDPOINT_SESSION: session };
  const { json } = scratch.hold(["next", ID, gate.step, ...gate.input], { env, cwd });
  const findings = (json.refusals ?? [])
    .filter(({ code }) => OF_A_GATE.test(code))
    .map(({ code, message }): Found => ({ code, file: "", message }));
  const elsewhere = findings.some(({ code }) => code === "transition-illegal");
  const objections = gate
    .failed(files)
    .map((number) => objection(`${gate.name}:${number}`, `check ${number} fails`))
    .filter(({ check }) => !elsewhere || /^(?:nine:1|seven:6)$/.test(check));
  const { differences } = exceptions.compare({ files, objections, verdict: { exit: 0, findings } });
  expect({ gate: gate.step, differences }).toEqual({ gate: gate.step, differences: [] });
}

/** After every command: the files, what became of them, and both gates while the task is on its way through them. */
function watchedTask(scratch: Scratch): Scratch {
  let last: TaskFiles | undefined;
  return watched(scratch, {
    after: ({ reply }) => {
      const files = read(scratch);
      const killed = reply.exit === -1;
      expectAgreement(scratch, { files, more: last ? judgeKept(last, files) : [], killed });
      const moved = stateOf(files) !== (last === undefined ? "" : stateOf(last));
      last = files;
      if (killed || files.lock === undefined) return;
      expect(stateOf(files)).toBe(reply.json.state ?? stateOf(files));
      if ([NINE.state, SEVEN.state].includes(stateOf(files)) || moved) {
        expectGate(scratch, files, NINE);
        expectGate(scratch, files, SEVEN);
      }
    },
  });
}

/** What the trail that was kept says of the whole way, against the verdict of the audit. */
function expectAudited(scratch: Scratch, files: TaskFiles): void {
  const archive = join(scratch.top, ".holdpoint/tasks/.archive");
  const [kept = ""] = readdirSync(archive);
  const trail = fieldsOf(
    readJson(scratch.read(`.holdpoint/tasks/.archive/${kept}/audit-trail.json`)),
  );
  const { compliance } = fieldsOf(scratch.hold(["audit", ID]).json);
  const { differences } = exceptions.compare({
    files,
    objections: judgeEnd(trail),
    verdict: { exit: 0, findings: [] },
  });
  expect({ differences, verdict: fieldsOf(compliance)["verdict"] }).toEqual({
    differences: [],
    verdict: "PASSED",
  });
}

function begun(risk: driven.Risk): driven.Task {
  const list = { [ID]: driven.SCOPES[risk], other: "docs/other.md" };
  const scratch = watchedTask(driven.taskRepository(list));
  return driven.classified(driven.started(scratch, ID), driven.SCOPES[risk]);
}

describe("whole tasks", () => {
  test("HIGH: four agents, and a crash", () => {
    const task = begun("HIGH");
    const die: driven.Take = (step, dieAt) => driven.survive(task, step, dieAt);
    driven.planned(driven.gathered(task, die), [driven.SCOPES.HIGH]);
    driven.implementing(task);
    driven.implemented(task, driven.SCOPES.HIGH);
    driven.reviewed(driven.validated(task));
    driven.released(task);
    const files = read(task.scratch);
    driven.finished(task);
    expectAudited(task.scratch, files);
  });

  test("MEDIUM: a rejected review, then a change request", () => {
    const task = begun("MEDIUM");
    driven.planned(driven.gathered(task), [driven.SCOPES.MEDIUM]);
    driven.implementing(task);
    driven.implemented(task, driven.SCOPES.MEDIUM);
    driven.validated(task);
    task.step(["advance", ID, "review"]);
    const out = task.agents().map((agent) => driven.handOut(task, "review", agent));
    driven.reportFor(task, out[0] ?? "", driven.APPROVED);
    driven.reportFor(task, out[1] ?? "", "FINAL DECISION: REJECTED - three is missing");
    task.step(["advance", ID, "rework", "--reason", "three is missing"]);
    driven.implemented(task, driven.SCOPES.MEDIUM, "three\n");
    driven.reviewed(driven.validated(task));
    expect(task.run(["advance", ID, "present"]).exit).toBe(11);
    expect(task.answer("changes", "--reason", "four, please").exit).toBe(0);
    driven.implemented(task, driven.SCOPES.MEDIUM, "four\n");
    driven.reviewed(driven.validated(task));
    driven.released(task);
    const files = read(task.scratch);
    driven.finished(task);
    expectAudited(task.scratch, files);
  });

  test("LOW: the short way", () => {
    const task = begun("LOW");
    driven.planned(driven.gathered(task), [driven.SCOPES.LOW]);
    driven.write(task.code, driven.SCOPES.LOW, "one\n");
    driven.archived(task);
    expect(task.run(["advance", ID, "skip"]).exit).toBe(11);
    expect(task.answer("approve").exit).toBe(0);
    const files = read(task.scratch);
    driven.finished(task);
    expectAudited(task.scratch, files);
  });
});

/** One task, led from one stand to the next; what is planted in between is taken out again. */
const STANDS: readonly (readonly [Stand, (task: driven.Task) => unknown])[] = [
  [
    "reported",
    (task) => {
      task.step(["advance", ID, "gather"]);
      for (const agent of task.agents()) driven.writeRequirements(task, agent);
      driven.everyAgent(task, "requirements", '{"status": "COMPLETE"}');
    },
  ],
  [
    "approved",
    (task) => {
      task.step(["advance", ID, "synthesize"]);
      driven.planned(task, [driven.SCOPES.MEDIUM]);
    },
  ],
  ["working", (task) => driven.implemented(driven.implementing(task), driven.SCOPES.MEDIUM)],
  [
    "shown",
    (task) => {
      driven.reviewed(driven.validated(task));
      task.run(["advance", ID, "present"]);
    },
  ],
];

describe("planted into the files", () => {
  let task: driven.Task;
  beforeAll(() => {
    task = driven.begin("MEDIUM");
  });

  test.each(STANDS)("of a task that is %s", (stand, lead) => {
    lead(task);
    const { scratch } = task;
    const sound = read(scratch);
    expectAgreement(scratch, { files: sound, more: [] });
    for (const plant of PLANTS.filter(({ at }) => at === stand)) {
      const undo = planted(scratch, plant);
      const files = read(scratch);
      try {
        const { onlyJournal } = plant;
        expectAgreement(scratch, { files, more: judgeKept(sound, files), onlyJournal });
        if (stand === "reported") expectGate(scratch, files, NINE);
        if (stand === "approved") expectGate(scratch, files, SEVEN);
      } catch (error) {
        throw new Error(`${plant.name}: ${String(error)}`, { cause: error });
      } finally {
        undo();
      }
    }
  });
});

/** Plant it; what is given back takes it out. Worktrees are only moved aside: they cannot be made again by writing. */
function planted(scratch: Scratch, { plant }: Plant): () => void {
  const undo: (() => void)[] = [];
  const pathOf = (file: string): string => `${dirOf(ID)}/${file}`;
  const keep = (file: string): void => {
    const path = pathOf(file);
    const old = scratch.has(path) ? scratch.read(path) : undefined;
    undo.push(() => (old === undefined ? scratch.remove(path) : scratch.write(path, old)));
  };
  const ground: Ground = {
    edit: (file, change) => {
      keep(file);
      scratch.edit(pathOf(file), change);
    },
    write: (file, text) => {
      keep(file);
      scratch.write(pathOf(file), text);
    },
    remove: (file) => {
      const [from, to] = [join(scratch.top, pathOf(file)), join(scratchDirectory(), "aside")];
      renameSync(from, to);
      undo.push(() => renameSync(to, from));
    },
  };
  plant(ground);
  return () => {
    for (const step of undo.toReversed()) step();
  };
}

test("who asks, and from where, is part of the nine", () => {
  const task = driven.begin("MEDIUM");
  const { scratch } = task;
  STANDS[0]?.[1](task);
  const link = join(scratchDirectory(), "link");
  symlinkSync(task.code, link);
  const agent = join(scratch.top, dirOf(ID), "agents/quality/code");
  for (const cwd of [scratch.top, agent, link]) expectGate(scratch, read(scratch, cwd), NINE);
  const asker = { session: "s-other", cwd: task.code };
  expectGate(scratch, readTask(scratch, ID, asker), NINE);
  expect(failedChecks(readTask(scratch, ID, asker))).toEqual([2]);
  expect(failedChecks(read(scratch, agent))).toEqual([3]);
});

test("the seventh guard asks for a word", () => {
  const task = driven.planned(driven.gathered(driven.begin("MEDIUM")), [driven.SCOPES.MEDIUM]);
  expectGate(task.scratch, read(task.scratch), { ...SEVEN, input: [] });
  expect(failedGuards(read(task.scratch))).toEqual([]);
});

test("every exception is needed", () => {
  expect(exceptions.unneeded()).toEqual([]);
});
