/** What clients tell besides the use of a tool: starts, prompts, and the ends of agents and turns. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject, parseJson } from "../../../src/core/values/json.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { answerHook } from "../../../src/surfaces/hook/answer.ts";
import type { Client, HookAnswer } from "../../../src/watch/call.ts";
import { repository } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { begin, everyAgent, started, taskRepository, writeRequirements } from "../task.ts";
import { NAME, doWork, pluginAt, questionOf, reportText } from "../plugin.ts";

const S = "4273883f";
/** The session under which a shell of this conversation acts. */
const SHELL = { CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: S };

interface Told extends HookAnswer {
  readonly json: JsonObject;
  /** What reaches the model, or the reason why it goes on. */
  readonly words: string;
}

async function hook(
  scratch: Scratch,
  event: string,
  more: JsonObject = {},
  client: Client = "claude",
): Promise<Told> {
  const payload = { session_id: S, cwd: scratch.top, hook_event_name: event, ...more };
  const answer = await answerHook(
    client,
    JSON.stringify(payload),
    { ...scratch.env, PATH: process.env["PATH"] ?? "" },
    scratch.top,
  );
  const parsed = parseJson(answer.stdout);
  const json = isJsonObject(parsed) ? parsed : {};
  const own = json["hookSpecificOutput"];
  const tell = isJsonObject(own) ? own["additionalContext"] : json["reason"];
  return { ...answer, json, words: typeof tell === "string" ? tell : "" };
}

const sub = (id: string, type = "builder"): JsonObject => ({ agent_id: id, agent_type: type });

/** A plugin whose planning was handed out in this conversation. */
function handedOut(): Scratch {
  const scratch = pluginAt("new");
  const sent = scratch.hold(`advance ${NAME}`, { env: SHELL });
  expect(sent.exit, sent.stdout).toBe(0);
  return scratch;
}

/** The main agent starts a subagent with this prompt. */
async function startSub(scratch: Scratch, id: string, prompt: string): Promise<void> {
  const input = { subagent_type: "builder", prompt };
  await hook(scratch, "PreToolUse", {
    tool_name: "Agent",
    tool_input: input,
    tool_use_id: `t${id}`,
  });
  await hook(scratch, "SubagentStart", sub(id));
}

const stop = async (scratch: Scratch, id: string, said: string, again = false): Promise<Told> =>
  await hook(scratch, "SubagentStop", {
    ...sub(id),
    last_assistant_message: said,
    stop_hook_active: again,
  });

function audited(scratch: Scratch): string {
  const { entries = [], refusals = [] } = scratch.hold(`audit ${NAME}`).json;
  return JSON.stringify([entries, refusals], (name, value: unknown) =>
    name === "story" ? undefined : value,
  );
}

describe("the start of a conversation", () => {
  test("says nothing where nothing is under way, and makes nothing", async () => {
    const scratch = repository();
    for (const event of ["SessionStart", "UserPromptSubmit", "Stop", "SubagentStart"])
      expect(await hook(scratch, event, { source: "startup" })).toMatchObject({
        stdout: "",
        exit: 0,
      });
    expect(scratch.has(".git/holdpoint")).toBe(false);
  });

  test("[PW-314] says where things stand, with the registry, the handoff and the contracts", async () => {
    const scratch = pluginAt("p2");
    for (const source of ["startup", "resume", "compact"]) {
      const { words } = await hook(scratch, "SessionStart", { source });
      expect(words).toContain(NAME);
      expect(words).toContain("PLUGINS.md");
      expect(words).toContain(".continue-here.md");
      expect(words).toMatch(/Sealed: plugins\/TapeDelay\/\.ideas\/\{[^}]*architecture\.md/);
      expect(words).toContain("W-2");
      expect(words).toContain(`holdpoint next ${NAME}`);
      // Some sixty tokens of four characters each, and the head.
      expect(words.length).toBeLessThan(420);
    }
  });

  test("[PW-314] of plugins that are finished nothing is said, of many only how many", async () => {
    const scratch = pluginAt("installed");
    expect((await hook(scratch, "SessionStart")).words).toBe("");
    for (const name of ["Aa", "Bb", "Cc", "Dd", "Ee", "Ff"])
      scratch.hold(["start", name, "--brief", "x", "--protocol", "plugin-workflow"]);
    const { words } = await hook(scratch, "SessionStart");
    expect(words).toContain("2 more: holdpoint list");
    expect(words).not.toContain(NAME);
    expect(words.length).toBeLessThan(1_200);
  });

  test("[PW-316] names programs that are missing, with a fix, and stops nothing", async () => {
    const scratch = pluginAt("p2");
    const payload = { session_id: S, cwd: scratch.top, hook_event_name: "SessionStart" };
    const env = { ...scratch.env, PATH: join(scratch.top, "nowhere") };
    const answer = await answerHook("claude", JSON.stringify(payload), env, scratch.top);
    expect(answer.exit).toBe(0);
    expect(answer.stdout).toContain("git is missing");
    expect(answer.stdout).toContain("install git");
  });

  test("a prompt is told only what has changed since", async () => {
    const scratch = pluginAt("s0");
    await hook(scratch, "SessionStart");
    expect((await hook(scratch, "UserPromptSubmit")).words).toBe("");
    expect(scratch.hold(["answer", NAME, "1"]).exit).toBe(0);
    const { words } = await hook(scratch, "UserPromptSubmit");
    expect(words).toContain("W-2");
    expect((await hook(scratch, "UserPromptSubmit")).words).toBe("");
    // Another conversation has not heard of it.
    expect((await hook(scratch, "UserPromptSubmit", { session_id: "other" })).words).toContain(
      "W-2",
    );
  });
});

describe("a task", () => {
  test("[TP-055] what a state asks for is told when it is entered, whole once and in short again", async () => {
    const task = begin("LOW");
    const { scratch, id } = task;
    const told = async (): Promise<string> => (await hook(scratch, "UserPromptSubmit")).words;
    expect(await told()).toContain("CLASSIFIED: write task.md, then select and gather. The files");
    task.step(["advance", id, "gather"]);
    expect(await told()).toContain("REQUIREMENTS: hand out all agents together. They analyse");
    for (const agent of task.agents()) writeRequirements(task, agent);
    everyAgent(task, "requirements", '{"status": "COMPLETE"}');
    task.step(["advance", id, "synthesize"]);
    expect(await told()).toContain("SYNTHESIS: complete the plan in task.md");
    expect(await told()).toBe("");
  });
});

describe("how a task's first reading was batched", () => {
  /** A message as Claude Code keeps it: a line for each part, all under one id. */
  const message = (id: string, calls: number, more: JsonObject = {}): string =>
    Array.from({ length: calls }, (_, index) =>
      JSON.stringify({
        type: "assistant",
        timestamp: new Date().toISOString(),
        message: { id, content: [{ type: "tool_use", id: `${id}-${index}`, name: "Read" }] },
        ...more,
      }),
    ).join("\n");

  async function ended(lines: () => readonly string[]): Promise<{ first: string; again: string }> {
    const scratch = taskRepository({ "add-parser": "src/parser.md" });
    started(scratch, "add-parser", `claude-code:${S}`);
    const file = join(scratch.top, "../transcript.jsonl");
    writeFileSync(file, ["no JSON", ...lines(), '{"type":"user"}'].join("\n"));
    const end = async (): Promise<string> => {
      const told = await hook(scratch, "Stop", {
        transcript_path: file,
        last_assistant_message: "x",
      });
      expect(told.exit).toBe(0);
      return told.stdout;
    };
    return { first: await end(), again: await end() };
  }

  test("[TP-054] it is told once at the end of a turn, and stops nothing", async () => {
    const { first, again } = await ended(() => [
      message("m1", 1),
      message("m2", 1),
      message("m3", 2),
    ]);
    expect(first).toContain("add-parser, reading in INIT: 1.3 tool calls a message");
    expect(again).toBe("");
  });

  test("[TP-054] several uses of one message are one batch, whatever its lines are", async () => {
    const sub = { isSidechain: true };
    const { first } = await ended(() => [
      message("m1", 3),
      message("m2", 1),
      message("m8", 1, sub),
      message("m9", 1, sub),
    ]);
    expect(first).toBe("");
  });
});

describe("the end of a subagent", () => {
  test("its last words are the report of the work it was started for", async () => {
    const scratch = handedOut();
    await startSub(scratch, "a1", `Run holdpoint order ${NAME} W-1 and do it.`);
    expect(audited(scratch)).toContain(`W-1 taken by claude-code:${S}/a1`);
    doWork(scratch, "0");
    const text = `All is done.\n\n\`\`\`json\n${reportText("0")}\n\`\`\`\n`;
    expect(await stop(scratch, "a1", text)).toMatchObject({ stdout: "", exit: 0 });
    expect(questionOf(scratch.hold(`status ${NAME}`))).toBeDefined();
    expect(audited(scratch)).toContain(`"agent":"claude-code:${S}/a1"`);
  });

  test("the same end told again records nothing", async () => {
    const scratch = handedOut();
    await startSub(scratch, "a1", `W-1`);
    doWork(scratch, "0");
    const both = await Promise.all([
      stop(scratch, "a1", reportText("0")),
      stop(scratch, "a1", reportText("0")),
    ]);
    const later = await stop(scratch, "a1", reportText("0"), true);
    for (const told of [...both, later]) expect(told).toMatchObject({ stdout: "", exit: 0 });
    expect(audited(scratch).match(/W-1 ended/g)).toHaveLength(1);
  });

  test("a lie is refused twice with the reasons, then stands on record, and the work is free", async () => {
    const scratch = handedOut();
    await startSub(scratch, "a1", `W-1`);
    const lie = reportText("0", { with: { agent: "gui-agent" } });
    for (const again of [false, true]) {
      const told = await stop(scratch, "a1", lie, again);
      expect(told).toMatchObject({ exit: 2, json: { decision: "block" } });
      expect(told.words).toContain("agent-mismatch");
    }
    expect(await stop(scratch, "a1", lie, true)).toMatchObject({ stdout: "", exit: 0 });
    const told = audited(scratch);
    expect(told).toContain("agent-mismatch");
    expect(told).toContain("W-1 given free");
    doWork(scratch, "0");
    await startSub(scratch, "a2", "W-1");
    expect(await stop(scratch, "a2", reportText("0"))).toMatchObject({ stdout: "", exit: 0 });
    expect(audited(scratch)).toContain("W-1 ended: success");
  });

  test("words that are no report are told once which form is wanted", async () => {
    const scratch = handedOut();
    await startSub(scratch, "a1", `W-1`);
    const { words } = await stop(scratch, "a1", "I have finished everything.");
    expect(words).toContain("report-missing");
    expect(words).toContain(`holdpoint order ${NAME}`);
    doWork(scratch, "0");
    expect(await stop(scratch, "a1", reportText("0"), true)).toMatchObject({ stdout: "", exit: 0 });
    expect(audited(scratch)).toContain("W-1 ended: success");
  });

  test("twenty megabytes are refused, and an agent without work ends as it likes", async () => {
    const scratch = handedOut();
    expect(await stop(scratch, "a9", "x")).toMatchObject({ stdout: "", exit: 0 });
    await startSub(scratch, "a1", `W-1`);
    const { words } = await stop(scratch, "a1", "x".repeat(20_000_000));
    expect(words).toContain("report-too-large");
  });

  test("an agent copies another's id in its words or its prompt, and is still itself", async () => {
    const scratch = handedOut();
    await startSub(scratch, "a1", "W-1");
    doWork(scratch, "0");
    // A second one of the same conversation says it is the first.
    await hook(scratch, "SubagentStart", sub("a2"));
    await stop(scratch, "a2", reportText("0", { with: { agent_id: "a1" } }));
    expect(audited(scratch)).not.toContain("W-1 ended");
    expect(await stop(scratch, "a1", reportText("0"))).toMatchObject({ stdout: "", exit: 0 });
  });
});

describe("the end of a turn", () => {
  test("who has just begun a workflow and calls it done is told that it is not; who speaks of something else is not", async () => {
    const scratch = repository();
    scratch.hold(`start ${NAME} --protocol plugin-workflow`, { env: SHELL });
    const end = async (said: string): Promise<Told> =>
      await hook(scratch, "Stop", { last_assistant_message: said });
    expect((await end(`${NAME} is done.`)).words).toContain("not-done");
    expect((await end("The tests of the parser are done.")).exit).toBe(0);
    // A conversation that began afterwards speaks of what others do.
    await hook(scratch, "UserPromptSubmit", { prompt: "hello" });
    expect((await end(`${NAME} is done.`)).exit).toBe(0);
  });

  test("Copilot does not pass the last words on: they are read where it keeps the conversation", async () => {
    const scratch = repository();
    scratch.hold(`start ${NAME} --protocol plugin-workflow`);
    const file = join(scratch.top, ".git/events.jsonl");
    const said = (content: string): string =>
      JSON.stringify({ type: "assistant.message", data: { content } });
    const end = async (lines: readonly string[]): Promise<Told> => {
      writeFileSync(file, lines.join("\n"));
      const own = { sessionId: "p1", stopReason: "end_turn", transcriptPath: file };
      return await hook(scratch, "", { hook_event_name: "", ...own }, "copilot");
    };
    const claim = said(`${NAME} is done.`);
    expect((await end([said("Hm."), claim, '{"type":"hook.start"}'])).words).toContain("not-done");
    expect((await end([claim, said("Somebody must answer.")])).words).toBe("");
    for (const broken of ["", "{", '{"type":"assistant.message"}', '"assistant.message"'])
      expect((await end([broken])).words).toBe("");
  });

  test("the end of an agent in the background is no prompt: its last words say where things stand", async () => {
    const scratch = handedOut();
    const prompt = "[SYSTEM NOTIFICATION]\n<task-notification>\n</task-notification>";
    expect((await hook(scratch, "UserPromptSubmit", { prompt })).words).toBe("");
    expect((await hook(scratch, "UserPromptSubmit", { prompt: "go on" })).words).toContain(NAME);
  });

  test("work that is out does not end in silence, twice, and then it ends", async () => {
    const scratch = handedOut();
    const end = async (again: boolean): Promise<Told> =>
      await hook(scratch, "Stop", {
        stop_hook_active: again,
        last_assistant_message: "All done.",
        background_tasks: [],
      });
    for (const again of [false, true]) {
      const { words, exit } = await end(again);
      expect(exit).toBe(2);
      expect(words).toContain("work-unreported");
      expect(words).toContain("W-1");
    }
    expect((await end(true)).exit).toBe(0);
    // The next turn is another one.
    expect((await end(false)).exit).toBe(2);
  });

  test("an agent that still works in the background is not unreported, one that is gone is", async () => {
    const scratch = handedOut();
    await startSub(scratch, "a1", "W-1");
    const tasks = [{ id: "a1", type: "subagent", status: "running" }];
    const end = { stop_hook_active: false, last_assistant_message: "Waiting." };
    expect((await hook(scratch, "Stop", { ...end, background_tasks: tasks })).exit).toBe(0);
    expect((await hook(scratch, "Stop", { ...end, background_tasks: [] })).exit).toBe(2);
    // Another client does not say which of its agents run.
    expect((await hook(scratch, "Stop", end)).exit).toBe(0);
  });

  test("another conversation's work is not this one's; a question for a person ends a turn", async () => {
    const scratch = handedOut();
    expect((await hook(scratch, "Stop", { session_id: "other" })).exit).toBe(0);
    const asked = pluginAt("s0");
    const told = await hook(asked, "Stop", { last_assistant_message: "Done." });
    expect(told.exit).toBe(0);
    expect(told.json["systemMessage"]).toContain("waits for a person");
  });

  test("[PW-315] a stage that is completed and not committed is named", async () => {
    const scratch = handedOut();
    doWork(scratch, "0");
    writeFileSync(join(scratch.top, ".git/index.lock"), "");
    scratch.hold(["report", NAME, "-"], {
      stdin: reportText("0"),
      env: { ...SHELL, HOLDPOINT_DIE_AT: "git.ref" },
    });
    const { words } = await hook(scratch, "Stop", {
      last_assistant_message: "Stage 0 is complete.",
    });
    expect(words).toContain("effect-pending");
    expect(words).toContain(`holdpoint reconcile ${NAME}`);
  });
});

describe("bad payloads", () => {
  test.each(["", "{", "[]", '{"hook_event_name":7}', '{"hook_event_name":"Stop","cwd":"/gone"}'])(
    "%s ends nothing",
    async (payload) => {
      const scratch = handedOut();
      const answer = await answerHook("claude", payload, scratch.env, scratch.top);
      expect(answer.exit === 0 || answer.exit === 2).toBe(true);
    },
  );

  test("what is kept between hooks is bounded", async () => {
    const scratch = handedOut();
    const dir = join(scratch.top, ".git/holdpoint/agents");
    for (let count = 0; count < 20; count += 1) await startSub(scratch, `b${count}`, "nothing");
    for (let count = 0; count < 700; count += 1)
      writeFileSync(join(dir, `use-${String(count).padStart(32, "0")}.json`), "{}");
    await hook(scratch, "UserPromptSubmit", { session_id: "more" });
    expect(readdirSync(dir).length).toBeLessThan(500);
  });
});
