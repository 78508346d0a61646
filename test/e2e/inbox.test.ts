/** A shell that may not write the store leaves its commands; whoever may takes them in, as claims like any other. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/values/json.ts";
import { answerHook } from "../../src/surfaces/hook/answer.ts";
import type { Reply, Scratch } from "./cli.ts";
import { holdAsOther, ownedByOther } from "./other-user.ts";
import { NAME, codesOf, doWork, pluginAt, questionOf, reportText } from "./plugin.ts";

const INBOX = ".holdpoint/inbox";
const AGENT = { HOLDPOINT_ACTOR: "agent:codex", HOLDPOINT_SESSION: "codex:s1" };
const LEFT = 13;

/** Work is out, and the agent's user may write the worktree and not the git directory. */
function fencedIn(): Scratch {
  const scratch = ownedByOther(pluginAt("p0"));
  setGit(scratch, false);
  return scratch;
}

function setGit({ top }: Scratch, writable: boolean): void {
  const git = join(top, ".git");
  for (const name of readdirSync(git, { recursive: true, encoding: "utf8", withFileTypes: true }))
    if (name.isDirectory()) chmodSync(join(name.parentPath, name.name), writable ? 0o777 : 0o555);
  chmodSync(git, writable ? 0o777 : 0o555);
  // For root the agent was another user, whose repository git would not accept.
  if (writable && process.getuid?.() === 0) execFileSync("chown", ["-R", "0:0", top]);
}

function leave(
  scratch: Scratch,
  text: string,
  env: Readonly<Record<string, string>> = AGENT,
): Reply {
  return holdAsOther(scratch, ["report", NAME, "-"], text, env);
}

function names({ top }: Scratch): readonly string[] {
  return readdirSync(join(top, INBOX));
}

function answerTo(scratch: Scratch, id: string): JsonObject {
  return JSON.parse(scratch.read(`${INBOX}/${id}.answer.json`)) as JsonObject;
}

function idIn(reply: Reply): string {
  return /([\w-]{36})\.json/.exec(reply.stdout)?.[1] ?? "";
}

/** An entry as an attacker would write it. */
function plant(scratch: Scratch, id: string, entry: unknown): void {
  mkdirSync(join(scratch.top, INBOX), { recursive: true });
  const text = typeof entry === "string" ? entry : JSON.stringify(entry);
  scratch.write(`${INBOX}/${id}.json`, text);
}

const BY = { name: "codex", session: "codex:s1" };
const entry = (operation: string, input: JsonObject): JsonObject => ({
  format: 1,
  operation,
  input,
  by: BY,
});

describe("a command that was left", () => {
  test("says so, counts once it is taken in, and is answered beside it", () => {
    const scratch = fencedIn();
    doWork(scratch, "0");
    const reply = leave(scratch, reportText("0"));
    expect(reply.exit, reply.stdout).toBe(LEFT);
    expect(reply.json.error).toMatchObject({ code: "left-in-inbox" });
    const id = idIn(reply);
    setGit(scratch, true);
    // Looking changes nothing.
    expect(questionOf(scratch.hold(`status ${NAME}`))).toBeUndefined();
    const next = scratch.hold(["answer", NAME, "2"]);
    expect(next.exit, next.stdout).not.toBe(1);
    expect(answerTo(scratch, id)).toMatchObject({ ok: true, workflow: NAME });
    expect(names(scratch)).toEqual([`${id}.answer.json`]);
    const { stdout } = scratch.hold(`audit ${NAME}`);
    expect(stdout).toContain('"actor":"agent:codex"');
    expect(stdout).not.toContain(INBOX);
    expect(scratch.git("log", "--name-only", "--format=")).not.toContain(".holdpoint");
  });

  test("is refused like any other, with the reasons; a person's is never left", () => {
    const scratch = fencedIn();
    const id = idIn(leave(scratch, reportText("0", { with: { agent: "gui-agent" } })));
    const answered = holdAsOther(scratch, ["answer", NAME, "1"], "", AGENT);
    expect(codesOf(answered)).toEqual(["inbox-unfit"]);
    const person = holdAsOther(scratch, ["advance", NAME], "", { HOLDPOINT_ACTOR: "person:ada" });
    expect(person.json.error?.code).toBe("unwritable");
    setGit(scratch, true);
    scratch.hold(`reconcile ${NAME}`);
    expect(JSON.stringify(answerTo(scratch, id))).toContain("agent-mismatch");
  });

  test("is taken in by the hook after the tool, which tells what became of it", async () => {
    const scratch = fencedIn();
    doWork(scratch, "0");
    leave(scratch, reportText("0"));
    setGit(scratch, true);
    const payload = {
      session_id: "s1",
      cwd: scratch.top,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "holdpoint report" },
      tool_response: "",
    };
    const ask = async (): Promise<string> =>
      (await answerHook("codex", JSON.stringify(payload), scratch.env, scratch.top)).stdout;
    expect(await ask()).toContain("Taken in: report");
    expect(await ask()).toBe("");
    expect(questionOf(scratch.hold(`status ${NAME}`))).toBeDefined();
  });

  test("that was refused keeps its turn from ending in silence", async () => {
    const scratch = fencedIn();
    leave(scratch, reportText("0", { with: { agent: "gui-agent" } }));
    setGit(scratch, true);
    const payload = { session_id: "s1", cwd: scratch.top, hook_event_name: "Stop" };
    const told = await answerHook("codex", JSON.stringify(payload), scratch.env, scratch.top);
    expect(told.exit).toBe(2);
    expect(told.stdout).toContain("agent-mismatch");
  });

  test("is carried out once, however often it is found and by however many", async () => {
    const scratch = pluginAt("p0");
    doWork(scratch, "0");
    const report = entry("report", { workflow: NAME, text: reportText("0") });
    plant(scratch, "entry-0001", report);
    await Promise.all([1, 2, 3].map(() => scratch.holdLater(`reconcile ${NAME}`)));
    plant(scratch, "entry-0001", report);
    scratch.hold(`reconcile ${NAME}`);
    const { entries = [] } = scratch.hold(`audit ${NAME}`).json;
    const ended = entries.flatMap((one) => one.events).filter((one) => one.includes("W-1 ended"));
    expect(ended).toHaveLength(1);
  });
});

test("one that a dead process had taken is taken in again; one that a live one has is not", () => {
  const scratch = pluginAt("s0");
  plant(scratch, "entry-0001.2147480000", {});
  plant(scratch, `entry-0002.${process.pid}`, {});
  scratch.hold(`reconcile ${NAME}`);
  expect(names(scratch)).toEqual([`entry-0001.answer.json`, `entry-0002.${process.pid}.json`]);
});

describe("what somebody planted there", () => {
  test.each([
    ["answer", entry("answer", { workflow: NAME, text: "1" }), "inbox-unfit"],
    ["approve", entry("approve", { workflow: NAME, what: "x" }), "inbox-unfit"],
    ["status", entry("status", {}), "inbox-unfit"],
    ["constructor", entry("constructor", {}), "inbox-unfit"],
    [
      "a person",
      { ...entry("advance", { workflow: NAME }), by: { name: "a\nb", session: "s" } },
      "inbox-broken",
    ],
    ["no JSON", "{", "inbox-broken"],
    ["an input that does not fit", entry("report", { workflow: 7 }), "report"],
    ["a path", entry("report", { workflow: "../../etc", text: "{}" }), "workflow-unknown"],
  ])("%s is answered with why not", (_, planted, code) => {
    const scratch = pluginAt("s0");
    plant(scratch, "entry-0001", planted);
    scratch.hold(`reconcile ${NAME}`);
    expect(JSON.stringify(answerTo(scratch, "entry-0001"))).toContain(code);
    expect(questionOf(scratch.hold(`status ${NAME}`))).toBeDefined();
  });

  test("links, pipes, directories and 20 MB are named and left alone; a thousand are taken in portions", () => {
    const scratch = pluginAt("s0");
    const dir = join(scratch.top, INBOX);
    mkdirSync(dir, { recursive: true });
    symlinkSync("/etc/passwd", join(dir, "entry-link.json"));
    execFileSync("mkfifo", [join(dir, "entry-pipe.json")]);
    mkdirSync(join(dir, "entry-dir1.json"));
    writeFileSync(join(dir, "entry-huge.json"), "x".repeat(20_000_000));
    for (let count = 0; count < 1_000; count += 1)
      writeFileSync(join(dir, `entry-${String(count).padStart(4, "0")}.json`), "{}");
    const reply = scratch.hold(`reconcile ${NAME}`);
    expect(reply.stderr).toContain("entry-link.json is no entry");
    expect(reply.stderr).toContain("entry-pipe.json is no entry");
    expect(names(scratch).filter((name) => name.endsWith(".answer.json"))).toHaveLength(100);
    expect(names(scratch).filter((name) => /^entry-\d{4}\.json$/.test(name))).toHaveLength(900);
    expect(scratch.read(`${INBOX}/entry-link.json`)).toContain("root:");
  });

  test("is not measured as somebody's work, unless it is something else than an entry", () => {
    const scratch = pluginAt("p0");
    doWork(scratch, "0");
    plant(scratch, "entry-0001", entry("status", {}));
    scratch.write(`${INBOX}/evil.sh`, "echo");
    scratch.hold(["report", NAME, "-"], { stdin: reportText("0") });
    const told = scratch.hold(`audit ${NAME}`).stdout;
    expect(told).toContain("evil.sh");
    expect(told).not.toContain("entry-0001");
  });

  test("an inbox that is a link is not written through", () => {
    const scratch = fencedIn();
    mkdirSync(join(scratch.top, ".holdpoint"), { recursive: true });
    symlinkSync("/tmp", join(scratch.top, INBOX));
    chmodSync(join(scratch.top, ".holdpoint"), 0o777);
    expect(leave(scratch, reportText("0")).exit).toBe(1);
  });
});
