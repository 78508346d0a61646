/** What the command line derives from the operations: which protocol is meant, help, remedies that can be typed. */
import { expect, test } from "vitest";
import { bareDirectory, repository } from "./cli.ts";
import type { Scratch } from "./cli.ts";
import { NAME, codesOf, handoffOf, ideas, pluginAt } from "./plugin.ts";
import { SCOPES, classified, handOut, started, taskRepository } from "./task.ts";

test("nobody gets an audio plugin by accident: start asks which protocol is meant, with a command for each", () => {
  const scratch = repository();
  const asked = scratch.hold(`start ${NAME}`);
  expect(asked.exit).toBe(2);
  expect(asked.json.choices).toEqual([
    `Plugin workflow: holdpoint start ${NAME} --protocol plugin-workflow`,
    `Team contract: holdpoint start ${NAME} --protocol team-contract`,
    `Task protocol: holdpoint start ${NAME} --protocol task-protocol`,
  ]);
  expect(scratch.has("PLUGINS.md")).toBe(false);
  const misspelt = scratch.hold(["start", NAME, "--protocol", "plugin-workfow"]);
  expect([misspelt.exit, misspelt.json.error?.fix]).toEqual([2, "Did you mean plugin-workflow?"]);
});

test("where the files show exactly one protocol, that one is meant", () => {
  const scratch = repository();
  scratch.hold(`start ${NAME} --protocol plugin-workflow`);
  expect(scratch.hold("start Second").json.workflow).toBe("Second");
  scratch.write(".agents-work/2026-02-17_add-dark-mode/status.json", "{}\n");
  expect(scratch.hold("start Third").exit).toBe(2);
});

test("help says the same by either name, and what is missing can be pasted", () => {
  const scratch = repository();
  expect(scratch.say("help advance").stdout).toBe(scratch.say("advance --help").stdout);
  expect(scratch.say("help options").stdout).toContain("--fence <number>");
  expect(scratch.say("start Echo --protocol plugin-workflow").exit).toBe(0);
  const told = scratch.say("advance");
  expect(told.exit).toBe(2);
  expect(told.stderr).toContain("\n  holdpoint advance Echo");
});

test("start has the options of the protocol, and no others", () => {
  const scratch = bareDirectory();
  const help = scratch.say("start --help team-contract").stdout;
  expect(help).toContain("--goal <value>");
  expect(help).not.toContain("--brief");
  expect(scratch.say("start --protocol plugin-workflow --help").stdout).toContain(
    "--brief <value>",
  );
  const wrong = scratch.hold(["start", NAME, "--protocol", "plugin-workflow", "--goal", "x"]);
  expect([wrong.exit, wrong.json.error?.message]).toEqual([2, "start has no option --goal."]);
});

test("what is misspelt is answered with what was probably meant", () => {
  const scratch = repository();
  expect(scratch.hold("statsu").json.error?.message).toBe(
    'There is no verb "statsu". Did you mean status?',
  );
  expect(scratch.hold(`advance ${NAME} --raeson x`).json.error?.message).toBe(
    "advance has no option --raeson. Did you mean --reason?",
  );
});

test("a remedy is a command that can be typed as it stands", () => {
  const scratch = pluginAt("s2");
  const held = scratch.hold(`advance ${NAME}`);
  expect(held.exit).toBe(11);
  const [answer] = held.json.refusals ?? [];
  expect(answer?.remedy).toMatchObject({ operation: "answer", input: { workflow: NAME } });
  expect(type(scratch, answer?.fix.replace("<choice>", "1") ?? "").exit).toBe(0);
  const busy = scratch.hold(`advance ${NAME} dsp`);
  expect(codesOf(busy)).toContain("dispatch-open");
  const [again] = busy.json.refusals ?? [];
  expect(type(scratch, again?.fix ?? "", "not a report").exit).not.toBe(2);
});

test("edits by hand are taken in before any command that changes something", () => {
  const scratch = repository();
  scratch.hold(`start ${NAME} --protocol plugin-workflow`);
  scratch.write(ideas("parameter-spec-draft.md"), "draft\n");
  scratch.edit("PLUGINS.md", (text) => text.replaceAll("💡 Ideated", "💡 Ideated (Draft Params)"));
  expect(codesOf(scratch.hold(`ask ${NAME} why`))).toEqual(["ask-illegal"]);
  expect(scratch.hold(`status ${NAME}`).json.state).toBe("💡 Ideated (Draft Params)");
});

test("a report with several orders out and none named is refused with the list of them", () => {
  const task = classified(
    started(taskRepository({ "add-parser": SCOPES.HIGH }), "add-parser"),
    SCOPES.HIGH,
  );
  task.step(["advance", task.id, "gather"]);
  const agents = task.agents().slice(0, 2);
  const [one, two] = agents.map((agent) => handOut(task, "requirements", agent));
  const lost = task.run(["report", "add-parser", "-"]);
  expect(codesOf(lost)).toEqual(["dispatch-ambiguous"]);
  expect(lost.json.refusals?.[0]?.message).toContain(`${one} (${agents[0]}`);
  const order = task.run(["order", "add-parser", "--dispatch", two ?? ""]);
  expect(order.json.order?.dispatch).toBe(two);
});

test("what was put aside is shown by the name it was kept under", () => {
  const scratch = pluginAt("s2");
  scratch.edit(handoffOf(), (text) => text.replace("status: complete", "status: mine"));
  const [warning = ""] = scratch.hold(`reconcile ${NAME} --restore`).json.warnings ?? [];
  const [blob = ""] = /[0-9a-f]{64}/.exec(warning) ?? [];
  expect(scratch.say(`show ${blob}`).stdout).toContain("status: mine");
  expect(codesOf(scratch.hold("show nothing"))).toEqual(["evidence-unknown"]);
});

/** Type a line as it was printed; its words hold no spaces here. */
function type(scratch: Scratch, line: string, stdin = ""): ReturnType<Scratch["hold"]> {
  const [, typed = ""] = /(?:^|: )holdpoint (.*)$/.exec(line) ?? [];
  return scratch.hold(typed, { stdin });
}

test("the same --id again answers what it answered before, and is recorded once", () => {
  const scratch = repository();
  const once = `start ${NAME} --protocol plugin-workflow --id mine-1`;
  const first = scratch.hold(once);
  expect(first.exit).toBe(0);
  const again = scratch.hold(once);
  expect([again.exit, again.json.state, again.json.seq]).toEqual([
    0,
    first.json.state,
    first.json.seq,
  ]);
  expect(scratch.hold(["advance", NAME, "--id", "a b"]).exit).toBe(2);
  expect(scratch.hold(`status ${NAME} --id x`).exit).toBe(2);
});

test("a protocol file is checked as it lies there, also a module, before anything names it", () => {
  const scratch = repository();
  scratch.write(
    "shop.mjs",
    `import { defineProtocol } from "holdpoint";
export default defineProtocol({
  name: "shop", version: 1, title: "Shop",
  states: ["open", "lost", "shut"], start: "open", ends: ["shut"],
  moves: { shut: { from: "open", to: "shut" } },
});
`,
  );
  expect(scratch.hold("check shop.mjs").json.refusals?.[0]).toMatchObject({
    code: "protocol-unusable",
    message: expect.stringMatching(/^Cannot use shop\.mjs: shop\.mjs:2: TypeError: .*lost/),
  });
  scratch.write("shop.mjs", scratch.read("shop.mjs").replace('"lost", ', ""));
  expect(scratch.hold("check shop.mjs")).toMatchObject({ exit: 0, json: { ok: true } });
  scratch.write("shop.mjs", "export default {");
  expect(scratch.hold("check ./shop.mjs").json.refusals?.[0]?.code).toBe("protocol-unusable");
  expect(scratch.hold("check none.js").exit).toBe(2);
});
