/** Whatever leads on by itself is one call; it ends where somebody has to act. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NAME, pluginAt } from "./plugin.ts";
import { AGENTS, ID, PLAN, SCOPES, begin, started, taskRepository, write } from "./task.ts";
import { renderTaskMd } from "../task-md.ts";
import * as team from "./team.ts";

test("moves are made and all parallel work is handed out, in one call", () => {
  const task = begin("HIGH");
  const far = task.step(["advance", ID, "--far"]);
  expect(far.json.state).toBe("REQUIREMENTS");
  expect(far.json.orders?.map((one) => one.role)).toEqual(AGENTS.HIGH);
  expect(far.json.events?.filter((one) => one === "dispatch.sent")).toHaveLength(4);
  const said = task.scratch.say(["next", ID]).stdout;
  for (const agent of AGENTS.HIGH) expect(said).toContain(`${agent} is at work`);
  // Once more there is nothing that leads on, and nothing is handed out twice.
  const again = task.run(["advance", ID, "--far"]);
  expect(again.exit).toBe(10);
  expect(task.scratch.hold(["next", ID]).json.orders).toHaveLength(4);
});

test("what the next step lacks ends it, and what was done stands", () => {
  const scratch = taskRepository({ [ID]: SCOPES.LOW });
  const task = started(scratch, ID);
  scratch.write(
    `${task.dir}/task.md`,
    renderTaskMd({ task: ID, objective: "Write it.", inScope: [SCOPES.LOW], outOfScope: [] }),
  );
  const far = task.step(["advance", ID, "--far"]);
  expect(far.json.state).not.toBe("INIT");
  expect(far.json.refusals).toBeUndefined();
});

test("a question ends it, and where one works alone one order goes out", () => {
  const plugin = pluginAt("new");
  const far = plugin.hold(["advance", NAME, "--far"]);
  expect(far.json.order?.role).toBe("research-planning-agent");
  expect(far.json.orders).toBeUndefined();
  const session = team.sessionAt("design");
  expect(session.run("advance", ["--far"]).json.order?.role).toBe("Architect");
  const held = team.sessionAt("gate").run("advance", ["--far"]);
  expect(held.exit).toBe(11);
});

test("next names the step that leads on, and none at a question", () => {
  const { forward } = team.sessionAt("design").run("next").json as Forward;
  expect(forward).toMatchObject({ allowed: true, hands: true });
  expect((team.sessionAt("gate").run("next").json as Forward).forward).toBeUndefined();
  const lacking = pluginAt("s5").hold(["next", NAME]).json as Forward;
  expect(lacking.forward).toMatchObject({ allowed: false, hands: false });
});

interface Forward {
  readonly forward?: object;
}

test("nobody is asked again about what was released", () => {
  const task = begin("LOW");
  task.step(["advance", ID, "--far"]);
  appendFileSync(join(task.scratch.top, task.dir, "task.md"), PLAN([SCOPES.LOW]));
  expect(task.run(["advance", ID, "--far"]).exit).toBe(11);
  expect(task.answer("approve").exit).toBe(0);
  // The plan is not shown again: what leads on is what the work is still lacking.
  const next = (task.run(["next", ID]).json as Forward).forward;
  expect(next).toMatchObject({ do: "skip", allowed: false });
  write(task.code, SCOPES.LOW, "one\n");
  task.git("add", "--all");
  task.git("commit", "--quiet", "-m", `Do ${ID}`);
  task.step(["advance", ID, "close", "--far"]);
  const shown = task.run(["advance", ID, "--far"]);
  expect([shown.exit, shown.json.state]).toEqual([11, "AWAITING_USER_APPROVAL"]);
  expect(task.answer("approve").exit).toBe(0);
  const over = task.run(["advance", ID, "--far"], { cwd: task.scratch.top });
  expect(over.json.state, over.stdout).toBe("CLEANUP");
});
