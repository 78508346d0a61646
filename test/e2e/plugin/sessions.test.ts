/** Sessions, pauses and grants: who works, who may go on, and where. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commitFile, repository } from "../cli.ts";
import {
  NAME,
  answer,
  codesOf,
  doWork,
  finish,
  giveReport,
  handoffOf,
  ideas,
  noteCodes,
  pluginAt,
  questionOf,
  reportText,
  subjects,
  writeIdeas,
} from "../plugin.ts";

const one = { env: { HOLDPOINT_SESSION: "one" } };
const two = { env: { HOLDPOINT_SESSION: "two" } };

test("[PW-101][PW-102] one session at a time works on a plugin, and a dead one can be followed", () => {
  const scratch = pluginAt("s2");
  scratch.hold(`answer ${NAME} 1`, one);
  doWork(scratch, "3");
  const other = scratch.hold(`advance ${NAME} dsp`, two);
  expect(other.exit).toBe(12);
  expect(other.json.refusals?.[0]).toMatchObject({ code: "lease-held", rule: "PW-101" });
  expect(other.json.refusals?.[0]?.message).toContain("session one");
  // Alive: it may not be taken over.
  expect(scratch.hold(`advance ${NAME} --take`, two).exit).toBe(12);
  expect(scratch.hold(`status ${NAME}`).json.lease).toMatchObject({ session: "one" });
  // From before the machine was restarted: it may.
  const beats = ".git/holdpoint/beats";
  const [beat = ""] = readdirSync(join(scratch.top, beats)).filter((name) =>
    name.startsWith("one"),
  );
  scratch.write(`${beats}/${beat}`, JSON.stringify({ boot: "an earlier boot", ms: 1 }));
  const taken = scratch.hold(`advance ${NAME} --take`, two);
  expect(taken.json.order).toMatchObject({ role: "dsp-agent", dispatch: "W-4" });
  const late = giveReport(scratch, reportText("3"), { ...one, dispatch: "W-3" });
  expect(late.exit).toBeGreaterThanOrEqual(10);
  expect(subjects(scratch)).toHaveLength(2);
  doWork(scratch, "3");
  expect(giveReport(scratch, reportText("3"), two).json.state).toBe("🚧 Stage 3");
  expect(scratch.say(`audit ${NAME} --all`).stdout).toContain("lease of one ended");
});

test("[PW-179][PW-246][PW-247][PW-253][PW-303] after a pause a person resumes, the contracts first", () => {
  const scratch = pluginAt("s2");
  answer(scratch, "pause");
  const files = [scratch.read(handoffOf()), scratch.read("PLUGINS.md")];
  const agent = { env: { CLAUDECODE: "1" } };
  const asked = scratch.hold(`advance ${NAME}`, agent);
  expect(asked.json.order).toBeUndefined();
  expect(asked.exit).toBeGreaterThanOrEqual(10);
  const shown = scratch.hold(`advance ${NAME}`);
  expect(shown.json.order).toBeUndefined();
  expect(questionOf(scratch.hold(`status ${NAME}`))).toBe("resume");
  expect([scratch.read(handoffOf()), scratch.read("PLUGINS.md")]).toEqual(files);
  const plan = scratch.read(ideas("plan.md"));
  scratch.write(ideas("plan.md"), "changed in the meantime\n");
  expect(questionOf(answer(scratch, "resume"))).toBe("contract-changed");
  scratch.write(ideas("plan.md"), plan);
  answer(scratch, "hand-back");
  const again = scratch.hold(`advance ${NAME}`);
  const handed = questionOf(again) === "resume" ? answer(scratch, "1") : again;
  for (const file of ["creative-brief.md", "parameter-spec.md", "architecture.md", "plan.md"]) {
    expect(handed.json.order?.prompt).toContain(ideas(file));
  }
  expect(handed.json.order?.role).toBe("dsp-agent");
});

test("[PW-245] each checkpoint resumes with its own agent", () => {
  const expected = { s0: "foundation-shell-agent", s2: "dsp-agent" } as const;
  for (const stand of ["s0", "s2"] as const) {
    const scratch = pluginAt(stand);
    answer(scratch, "pause");
    scratch.hold(`advance ${NAME}`);
    expect(answer(scratch, "continue").json.order?.role).toBe(expected[stand]);
  }
});

test("[PW-255][PW-273][PW-276] a pause at the choice of interface resumes at that choice", () => {
  const scratch = pluginAt("s3");
  answer(scratch, "pause");
  expect(scratch.read(handoffOf())).toContain("next_action: gui_decision_gate\n");
  expect(scratch.hold("verify --all").exit).toBe(0);
  const asked = scratch.hold(`advance ${NAME}`);
  expect(questionOf(asked)).toBe("stage-3-complete");
  const handed = answer(scratch, "headless");
  expect(handed.json.order).toMatchObject({ role: "gui-agent", stage: 4 });
  expect(scratch.read(handoffOf())).toMatch(/orchestration_mode: true\ngui_type: headless\n/);
});

test("[PW-249][PW-302] the list shows all workflows, the latest first", () => {
  const scratch = pluginAt("s2");
  scratch.hold("start Second --protocol plugin-workflow");
  scratch.hold("start Third --protocol plugin-workflow");
  answer(scratch, "pause");
  const { workflows = [] } = scratch.hold("list").json;
  expect(workflows.map((row) => [row.id, row.at])).toEqual([
    [NAME, "s2"],
    ["Third", "ideated"],
    ["Second", "ideated"],
  ]);
  expect(scratch.say("list").stdout).toMatch(/^TapeDelay .*\nThird .*\nSecond /);
});

test("[PW-251] a plugin that nothing knows is said to be unknown", () => {
  const reply = pluginAt("s0").hold("status Nobody");
  expect(reply.exit).toBe(10);
  expect(reply.json.refusals?.[0]).toMatchObject({ code: "workflow-unknown" });
});

test("[PW-312] express goes on by a person's grant, stops at the end, and at any error", () => {
  const scratch = repository();
  scratch.hold(["start", NAME, "--mode", "express", "--protocol", "plugin-workflow"]);
  writeIdeas(scratch);
  scratch.hold(`advance ${NAME}`);
  const planned = finish(scratch, "0");
  expect(planned).toMatchObject({ exit: 0, json: { order: { role: "foundation-shell-agent" } } });
  const built = finish(scratch, "2");
  expect(built).toMatchObject({ exit: 0, json: { order: { role: "dsp-agent" } } });
  const told = scratch.say(`audit ${NAME}`).stdout;
  expect(told).toMatch(/D-1 answered by grant:express: continue/);
  doWork(scratch, "3");
  giveReport(scratch, reportText("3", { with: { status: "failure", issues: ["noise"] } }));
  const again = answer(scratch, "retry");
  expect(again.json.order).toMatchObject({ role: "dsp-agent" });
  const manual = finish(scratch, "3");
  expect(manual).toMatchObject({ exit: 11 });
  expect(questionOf(manual)).toBe("stage-3-complete");
});

test("[PW-312] the flag beats the preference", () => {
  const scratch = repository();
  commitFile(scratch, ".claude/preferences.json", '{"workflow":{"mode":"express"}}');
  scratch.hold("start First --protocol plugin-workflow");
  scratch.hold(["start", "Second", "--mode", "manual", "--protocol", "plugin-workflow"]);
  for (const [name, exit] of [
    ["First", 0],
    ["Second", 11],
  ] as const) {
    writeIdeas(scratch, name);
    scratch.hold(`advance ${name}`);
    expect(finish(scratch, "0", { name }).exit).toBe(exit);
  }
  expect(
    codesOf(
      scratch.hold(["start", "Third", "--mode", "reckless", "--protocol", "plugin-workflow"]),
    ),
  ).toEqual(["mode-unknown"]);
});

test("[PW-252][PW-254] what changed since is told before anybody resumes", () => {
  const scratch = pluginAt("s2");
  answer(scratch, "pause");
  scratch.write(`plugins/${NAME}/Source/loose.cpp`, "not committed\n");
  const asked = scratch.hold(`advance ${NAME}`);
  expect(questionOf(asked)).toBe("resume");
  expect(JSON.stringify(asked.json)).toContain("loose.cpp");
});

test("[PW-007][PW-018][PW-106][PW-182] while work is out the handoff says which, and that it is not done", () => {
  const scratch = pluginAt("s2");
  const before = scratch.read("PLUGINS.md");
  answer(scratch, "1");
  const out = scratch.read(handoffOf());
  expect(out).toContain("stage: 3\nphase: null\nstatus: in_progress\n");
  expect(out).toContain("# Stage 3 In Progress");
  expect(out).toContain("## Current State: Audio Engine In Progress");
  expect(scratch.read("PLUGINS.md")).toBe(before);
  expect(scratch.hold(`verify ${NAME}`).exit).toBe(0);
  // An agent that puts the old stage back has not written this one.
  scratch.edit(handoffOf(), (text) =>
    text.replace("stage: 3", "stage: 2").replace("in_progress", "complete"),
  );
  doWork(scratch, "3");
  const reply = giveReport(scratch, reportText("3", { with: { stateUpdated: true } }));
  expect(noteCodes(reply)).toContain("stage_mismatch");
  expect(scratch.read(handoffOf())).toContain("stage: 3\nphase: null\nstatus: complete\n");
});
