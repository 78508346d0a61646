/** What changed while nobody was ordered to change it: told with the next order, in the audit, and asked about at gates. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFile, copyOf, repository } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import {
  answer,
  finish,
  NAME,
  noteCodes,
  pluginAt,
  questionOf,
  writeBuild,
  writeValidated,
} from "./plugin.ts";

const CODE = `plugins/${NAME}/Source/PluginProcessor.cpp`;
const ADA = { env: { HOLDPOINT_ACTOR: "person:ada", HOLDPOINT_SESSION: "human:ada" } };

function auditOf(scratch: Scratch, id: string): string {
  const { entries = [] } = scratch.hold(`audit ${id}`).json;
  return entries.flatMap((entry) => entry.events).join("\n");
}

function told({ json }: Reply): string {
  return (json.notes ?? []).map((one) => one.message).join("\n");
}

describe("a plugin between two orders", () => {
  test("an edit between a report and the next hand-out is told to who works next, and is in the audit", () => {
    const scratch = pluginAt("s3");
    scratch.write(CODE, "int evil;\n");
    const reply = answer(scratch, "headless");
    expect(noteCodes(reply)).toContain("nobody-at-work");
    expect(told(reply)).toContain(`modified ${CODE}`);
    const order = scratch.hold(`order ${NAME}`).json.order;
    expect(order?.prompt).toContain(CODE);
    expect(order?.prompt).toContain("no agent was at work");
    expect(auditOf(scratch, NAME)).toContain(`no agent was at work: modified ${CODE}`);
  });

  test("so is what somebody committed meanwhile, and it is told once", () => {
    const scratch = pluginAt("s3");
    commitFile(scratch, CODE, "int evil;\n");
    const reply = answer(scratch, "headless");
    expect(told(reply)).toMatch(/modified .*PluginProcessor.cpp; committed [0-9a-f]+/);
    const next = finish(scratch, "4");
    expect(noteCodes(next)).not.toContain("nobody-at-work");
  });

  test("what nobody was ordered to change does not become Working before a person says that it is meant", () => {
    const scratch = pluginAt("s3");
    scratch.write(CODE, "int evil;\n");
    answer(scratch, "headless");
    finish(scratch, "4");
    answer(scratch, "1");
    writeValidated(scratch);
    const held = scratch.hold(`advance ${NAME}`);
    expect(questionOf(held)).toBe("unordered-changes");
    expect(held.json.held?.[0]?.prompt).toContain(CODE);
    answer(scratch, "keep");
    const reply = scratch.hold(`advance ${NAME}`);
    expect(reply.json).toMatchObject({ ok: true });
    expect(scratch.hold(`status ${NAME}`).json.state).toContain("Working");
  });

  test("an answer counts for what was shown: what changes after it is asked about anew", () => {
    const scratch = pluginAt("s5");
    writeValidated(scratch);
    scratch.write(CODE, "int one;\n");
    expect(questionOf(scratch.hold(`advance ${NAME}`))).toBe("unordered-changes");
    answer(scratch, "keep");
    scratch.write(CODE, "int two;\n");
    expect(questionOf(scratch.hold(`advance ${NAME}`))).toBe("unordered-changes");
  });

  test("what validation itself leaves is no question, and neither is what was taken back", () => {
    const scratch = pluginAt("s5");
    const before = scratch.read(CODE);
    writeValidated(scratch);
    scratch.write(CODE, "int evil;\n");
    scratch.hold(`advance ${NAME}`);
    answer(scratch, "restore");
    scratch.write(CODE, before);
    expect(scratch.hold(`advance ${NAME}`).json).toMatchObject({ ok: true });
    expect(scratch.hold(`status ${NAME}`).json.state).toContain("Working");
  });

  test("what changed since Working is not installed unseen", () => {
    const scratch = pluginAt("working");
    writeBuild(scratch);
    commitFile(scratch, CODE, "int evil;\n");
    const held = answer(scratch, "1");
    expect(questionOf(held)).toBe("unordered-changes");
    expect(scratch.hold(`status ${NAME}`).json.state).toContain("Working");
    answer(scratch, "keep");
    expect(scratch.hold(`advance ${NAME} install`).json).toMatchObject({ ok: true });
  });

  test("the work of another plugin's agent is not nobody's", () => {
    const scratch = pluginAt("s3");
    const other = "Reverb";
    scratch.hold(`start ${other} --protocol plugin-workflow`);
    scratch.write(`plugins/${other}/.ideas/creative-brief.md`, "# Brief\n");
    scratch.write(`plugins/${other}/.ideas/parameter-spec.md`, "# Parameters\n");
    expect(scratch.hold(`advance ${other}`).json).toMatchObject({ ok: true });
    scratch.write(`plugins/${other}/.ideas/architecture.md`, "# A\n");
    const reply = answer(scratch, "headless");
    expect(told(reply)).not.toContain("architecture.md");
    expect(told(reply)).toContain(`plugins/${other}/.ideas/creative-brief.md`);
  });
});

const WORK = `name: work
version: 1
title: Work
states: [todo, half, done]
start: todo
ends: [done]
work:
  code: { role: coder, order: Work., makes: [src/**], done: begin, within: { times: 3, else: stuck } }
  more: { role: coder, order: More., makes: [src/**], done: finish, within: { times: 3, else: stuck } }
questions:
  stuck: { prompt: Stuck., options: { again: { label: Again } } }
moves:
  begin: { from: todo, to: half }
  finish: { from: half, to: done }
`;

describe("a protocol of one's own", () => {
  function half(): Scratch {
    const scratch = repository();
    commitFile(scratch, "holdpoint.config.json", JSON.stringify({ protocols: ["./work.yaml"] }));
    commitFile(scratch, "work.yaml", WORK);
    commitFile(scratch, "src/a.ts", "a\n");
    expect(scratch.hold("start w1 --protocol work", ADA).exit).toBe(0);
    expect(scratch.hold("advance w1", ADA).exit).toBe(0);
    writeFileSync(join(scratch.top, "src/b.ts"), "b\n");
    const stdin = JSON.stringify({ outcome: "success", summary: "done" });
    expect(scratch.hold("report w1 -", { ...ADA, stdin }).exit).toBe(0);
    return scratch;
  }

  test("the next order says what changed while no order was out, and nothing where nothing did", () => {
    const scratch = half();
    const quiet = copyOf(scratch).hold("advance w1", ADA);
    expect(noteCodes(quiet)).toEqual([]);
    scratch.write("src/a.ts", "changed\n");
    const reply = scratch.hold("advance w1", ADA);
    expect(noteCodes(reply)).toEqual(["nobody-at-work"]);
    expect(scratch.hold("order w1").json.order?.prompt).toContain("modified src/a.ts");
    expect(auditOf(scratch, "w1")).toContain("modified src/a.ts");
  });

  test("what a called-off agent left behind is told as that", () => {
    const scratch = half();
    scratch.hold("advance w1", ADA);
    scratch.write("other.txt", "x\n");
    scratch.hold(["advance", "w1", "cancel", "--reason", "too slow"], ADA);
    expect(auditOf(scratch, "w1")).toContain("measured: added other.txt");
    const reply = scratch.hold("advance w1", ADA);
    expect(told(reply)).toContain("W-2 was called off");
    expect(told(reply)).toContain("added other.txt");
  });
});
