/** Source that the coordinator wrote is found beneath and beside the work of agents, also after a rebase; honest work passes. */
import { describe, expect, test } from "vitest";
import { commitFile } from "../cli.ts";
import type { Reply, Scratch } from "../cli.ts";
import {
  APPROVED,
  archived,
  classified,
  commitAs,
  everyAgent,
  gathered,
  handOut,
  ID,
  implementing,
  planned,
  reportFor,
  reviewed,
  SCOPES,
  started,
  taskRepository,
  validated,
  WORK_DONE,
  write,
} from "../task.ts";
import type { Task } from "../task.ts";

const FILE = SCOPES.MEDIUM;
const LINES = ["one", "two", "three", "four", "five", "six", "seven", "eight"];

function lines(changed: Readonly<Record<number, string>> = {}): string {
  return LINES.map((line, at) => `${changed[at] ?? line}\n`).join("");
}

/** The file is on main already; the architect has changed its last line. */
function working(): { readonly task: Task; readonly scratch: Scratch; readonly second: string } {
  const scratch = taskRepository({ [ID]: FILE });
  commitFile(scratch, FILE, lines());
  const task = implementing(planned(gathered(classified(started(scratch, ID), FILE)), [FILE]));
  const first = handOut(task, "implementation", "architect");
  const second = handOut(task, "implementation", "quality");
  commitAs(task, "architect", FILE, lines({ 7: "eight, by the architect" }));
  expect(reportFor(task, first, WORK_DONE).exit).toBe(0);
  return { task, scratch, second };
}

function coordinate(task: Task, text: string): void {
  write(task.code, FILE, text);
  task.git("commit", "--quiet", "-a", "-m", "[architect] tidy up");
}

/** Whether leaving IMPLEMENTATION says of the file that it was not agents who wrote it. */
function isTold(task: Task): boolean {
  const reply: Reply = task.run(["advance", ID, "validate"]);
  return (reply.json.refusals ?? []).some(
    (one) => one.code === "coordinator-implemented" && one.message.includes(FILE),
  );
}

describe("source that no agent wrote", () => {
  test("[TP-162] [TP-176] while agents only judge: shown to no person, whatever they say of it; a rebase is no such change", () => {
    const { task, scratch, second } = working();
    expect(reportFor(task, second, WORK_DONE).exit).toBe(0);
    reviewed(validated(task));
    const judged = task.git("rev-parse", "HEAD");
    coordinate(task, lines({ 4: "five, by nobody", 7: "eight, by the architect" }));
    archived(task);
    everyAgent(task, "review", APPROVED);
    const present = (): NonNullable<Reply["json"]["refusals"]> =>
      task.run(["advance", ID, "present"]).json.refusals ?? [];
    const [refused, ...others] = present();
    expect([refused?.code, others]).toEqual(["coordinator-implemented", []]);
    expect(refused?.message).toContain(FILE);

    task.git("reset", "--quiet", "--hard", judged);
    commitFile(scratch, "src/resources/other.properties", "by somebody on main\n");
    archived(task);
    // The agents' last words were for the other tree.
    expect(present().map((one) => one.code)).toEqual(["review-not-unanimous"]);
  });

  test("[TP-162] between two agents' work on one file: told, and gone round by a plan that a person releases knowing of it", () => {
    const { task, second } = working();
    coordinate(task, lines({ 0: "one, by nobody", 7: "eight, by the architect" }));
    commitAs(
      task,
      "quality",
      FILE,
      lines({ 0: "one, by nobody", 3: "four, by quality", 7: "eight, by the architect" }),
    );
    expect(reportFor(task, second, WORK_DONE).exit).toBe(0);
    archived(task);
    everyAgent(task, "round-review", APPROVED);
    expect(isTold(task)).toBe(true);

    task.step(["advance", ID, "replan", "--reason", "agents are to do it"]);
    const shown = task.run(["advance", ID, "present-plan"]);
    expect(JSON.stringify(Reflect.get(shown.json, "shown"))).toContain("by no agent");
    expect(task.answer("approve").exit).toBe(0);
    implementing(task);
    const again = task.agents().map((agent) => handOut(task, "implementation", agent));
    const text = { 0: "one, by the architect", 3: "four, by quality" };
    commitAs(task, "architect", FILE, lines({ ...text, 7: "eight, by the architect" }));
    for (const order of again) expect(reportFor(task, order, WORK_DONE).exit).toBe(0);
    archived(task);
    everyAgent(task, "round-review", APPROVED);
    expect(isTold(task)).toBe(false);
  });

  test("[TP-162] beside what main got in the same file: told after the rebase; without it the rebased work passes", () => {
    const { task, scratch, second } = working();
    expect(reportFor(task, second, WORK_DONE).exit).toBe(0);
    commitFile(scratch, FILE, lines({ 0: "one, by somebody on main" }));
    const honest = task.git("rev-parse", "HEAD");
    coordinate(task, lines({ 4: "five, by nobody", 7: "eight, by the architect" }));
    archived(task);
    everyAgent(task, "round-review", APPROVED);
    expect(isTold(task)).toBe(true);

    task.git("reset", "--quiet", "--hard", honest);
    archived(task);
    expect(task.git("show", `HEAD:${FILE}`)).toContain("one, by somebody on main");
    everyAgent(task, "round-review", APPROVED);
    expect(isTold(task)).toBe(false);
    expect(task.at()).toBe("VALIDATION");
  });
});
