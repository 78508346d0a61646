/** The hook as clients run it: a process of the built program that reads one payload and prints one answer. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { BIN, repository } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { answer, finish, handoffOf, ideas, pluginAt } from "../plugin.ts";
import { started, taskRepository } from "../task.ts";
import { sessionAt } from "../team.ts";

interface Heard {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function hook(
  scratch: Scratch,
  input: string | Buffer,
  client = "claude",
  cwd = scratch.top,
): Heard {
  const ran = spawnSync(process.execPath, [BIN, "hook", client], {
    cwd,
    input,
    env: { ...scratch.env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return { exit: ran.status, stdout: ran.stdout.toString(), stderr: ran.stderr.toString() };
}

interface Use {
  readonly tool: string;
  readonly input: object;
  readonly agent?: string;
  readonly cwd?: string;
}

function use(scratch: Scratch, { tool, input, agent, cwd = scratch.top }: Use): string {
  const { exit, stdout, stderr } = hook(
    scratch,
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "s-1",
      cwd,
      tool_name: tool,
      tool_input: input,
      ...(agent === undefined ? {} : { agent_id: "a-1", agent_type: agent }),
    }),
  );
  const denied = exit === 2;
  expect({ exit, denied: stdout.includes('"permissionDecision":"deny"') }).toEqual({
    exit: denied ? 2 : 0,
    denied,
  });
  return denied
    ? (/^HOLD (\S+) \((\S+)\)/.exec(stderr)?.slice(1).join(" ") ?? "")
    : (stdout + stderr).replace(/^\{\}\n$/, "");
}

function edit(scratch: Scratch, path: string, agent?: string): string {
  return use(scratch, {
    tool: "Write",
    input: { file_path: path },
    ...(agent === undefined ? {} : { agent }),
  });
}

function shell(scratch: Scratch, command: string, agent?: string): string {
  return use(scratch, {
    tool: "Bash",
    input: { command },
    ...(agent === undefined ? {} : { agent }),
  });
}

describe("a plugin", () => {
  test("[PW-313] [PW-222] a sealed contract and what is outside the work are stopped, by edit and by shell", () => {
    const scratch = pluginAt("p2");
    const spec = ideas("parameter-spec.md");
    expect(edit(scratch, spec)).toBe("sealed-artifact PW-313");
    expect(edit(scratch, spec, "foundation-shell-agent")).toBe("sealed-artifact PW-313");
    expect(shell(scratch, `sed -i s/a/b/ ${spec}`)).toBe("sealed-artifact PW-313");
    expect(shell(scratch, `cd plugins && rm -rf TapeDelay/.ideas`)).toBe("sealed-artifact PW-313");
    expect(edit(scratch, "src/other.cpp")).toBe("work-outside PW-222");
    expect(edit(scratch, "plugins/TapeDelay/CMakeLists.txt")).toBe("");
    expect(edit(scratch, handoffOf())).toBe("");
    expect(edit(scratch, "PLUGINS.md")).toBe("");
    expect(shell(scratch, `cat ${spec}; git log -1; npm test`)).toBe("");
    expect(shell(scratch, "git reset --hard HEAD~1")).toBe("git-reset core");
    expect(shell(scratch, "holdpoint answer TapeDelay 1")).toBe("person-only core");
    expect(shell(scratch, "echo x >> .git/holdpoint/journals/x")).toBe("store-owned core");
    expect(edit(scratch, ".claude/settings.local.json")).toBe("client-settings core");
    expect(readFileSync(join(scratch.top, spec), "utf8")).not.toBe("");
  });

  test("what is held follows each step, without the engine being loaded by the hook", () => {
    const scratch = pluginAt("new");
    expect(edit(scratch, "src/other.cpp")).toBe("");
    scratch.hold("advance TapeDelay");
    // The file, and the lines that steps have added to it since.
    const held = (): string =>
      ["watch.json", "watch-more.jsonl"]
        .map((name) => `.git/holdpoint/${name}`)
        .map((name) => (scratch.has(name) ? scratch.read(name) : ""))
        .join("");
    const before = held();
    expect(edit(scratch, "src/other.cpp")).toBe("work-outside PW-222");
    finish(scratch, "0");
    expect(edit(scratch, "src/other.cpp")).toBe("");
    // While a person is asked, a state file is no way on.
    expect(edit(scratch, handoffOf())).toBe("state-owned core");
    answer(scratch, "1");
    expect(edit(scratch, handoffOf())).toBe("");
    expect(held()).not.toBe(before);
  });

  test("one that is installed holds nothing", () => {
    const scratch = pluginAt("installed");
    expect(edit(scratch, ideas("parameter-spec.md"))).toBe("");
    expect(shell(scratch, "git reset --hard")).toBe("");
  });
});

describe("a team session", () => {
  test("[TC-167] [TC-169] each role writes what it makes, and the orchestrator the session's folder", () => {
    const { repo, id } = sessionAt("loop");
    const own = `.agents-work/${id}`;
    expect(edit(repo, "app.js")).toBe("orchestrator-writes TC-167");
    expect(edit(repo, "app.js", "coder")).toBe("role-boundary TC-169");
    expect(edit(repo, `${own}/status.json`)).toBe("");
    expect(edit(repo, `${own}/approve-design-history.jsonl`)).toBe("state-owned core");
    repo.hold(["advance", id, "code", "--unit", "T-001", "--as", "agent:claude/Orchestrator"]);
    expect(edit(repo, "app.js", "coder")).toBe("");
    expect(shell(repo, "echo x > app.js && rm -rf build", "coder")).toBe("");
    expect(edit(repo, ".agents-work/other/spec.md", "coder")).toBe("role-boundary TC-169");
    expect(edit(repo, "app.js", "qa")).toBe("role-boundary TC-169");
    expect(edit(repo, "app.js")).toBe("orchestrator-writes TC-167");
    expect(shell(repo, "python3 -c \"open('app.js','w')\"", "reviewer")).toBe(
      "role-boundary TC-169",
    );
    expect(shell(repo, "npm test -- app.js", "reviewer")).toBe("");
    // Who cannot be told apart may do what the work that is out may.
    expect(edit(repo, "app.js", "general-purpose")).toBe("");
  });
});

describe("a task", () => {
  test("[TP-022] [TP-229] [TP-228] the worktrees of others and the main one are not written", () => {
    const scratch = taskRepository({ "add-parser": "src/Main.java" });
    const { id } = started(scratch, "add-parser");
    const place = `.holdpoint/tasks/${id}`;
    expect(existsSync(join(scratch.top, place, "code"))).toBe(true);
    expect(edit(scratch, `${place}/code/src/A.java`)).toBe("task-foreign TP-022");
    expect(edit(scratch, `${place}/task.json`)).toBe("view-owned TP-067");
    expect(shell(scratch, `rm -rf ${place}`)).toMatch(/TP-0/);
    expect(edit(scratch, "src/A.java")).toBe("task-required TP-228");
    expect(edit(scratch, "docs/a.md")).toBe("");
    expect(shell(scratch, "git branch -f main HEAD")).toBe("git-branch-forced TP-193");
    expect(shell(scratch, `git worktree remove ${place}/code`)).toBe("git-foreign TP-035");
    const inside = {
      tool: "Bash",
      input: { command: "git commit -am x" },
      cwd: join(scratch.top, place, "code"),
    };
    expect(use(scratch, inside)).toBe("task-foreign TP-022");
  });
});

describe("bad input", () => {
  test("[TP-226] what cannot be understood is denied where something is held, in one line of JSON", () => {
    const scratch = pluginAt("p2");
    for (const input of ["", "{", "[]", Buffer.from([0xff, 0xfe, 0])]) {
      const { exit, stdout, stderr } = hook(scratch, input);
      expect(exit).toBe(2);
      expect(stderr).toContain("internal_error");
      expect(stdout.trimEnd().split("\n")).toHaveLength(1);
      expect(JSON.parse(stdout)).toMatchObject({
        hookSpecificOutput: { permissionDecision: "deny" },
      });
    }
    const huge = hook(scratch, "x".repeat(40 * 1024 * 1024));
    expect(huge.exit).toBe(2);
    expect(hook(repository(), "")).toEqual({ exit: 0, stdout: "{}\n", stderr: "" });
  });

  test("an unknown client is a mistake of whoever installed it, and stops", () => {
    expect(hook(repository(), "{}", "emacs")).toMatchObject({ exit: 2, stdout: "" });
  });
});

describe("OpenCode's plugin", () => {
  const PLUGIN = pathToFileURL(join(BIN, "../../dist/opencode-plugin.js")).href;

  /** What the client does with it: load it, and call it before a tool. */
  function before(
    scratch: Scratch,
    file: string,
    env: Readonly<Record<string, string>> = {},
  ): string {
    const script = `
      const module = await import(process.argv[1]);
      const [make, ...more] = Object.values(module);
      const hooks = await make({ directory: process.cwd() });
      try {
        await hooks["tool.execute.before"]({ tool: "write", sessionID: "s", callID: "c" }, { args: { filePath: process.argv[2] } });
        console.log("ran", more.length);
      } catch (error) { console.log(error.message); }`;
    const ran = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", script, env["PLUGIN"] ?? PLUGIN, file],
      {
        cwd: scratch.top,
        env: { ...scratch.env, ...env },
      },
    );
    return ran.stdout.toString().trim();
  }

  test("it throws where the hook denies, and where the hook cannot be asked", () => {
    const scratch = pluginAt("p2");
    expect(before(scratch, ideas("parameter-spec.md"))).toMatch(/^HOLD sealed-artifact/);
    expect(before(scratch, "plugins/TapeDelay/a.cpp")).toBe("ran 0");
    scratch.write("lonely/dist/plugin.mjs", readFileSync(new URL(PLUGIN), "utf8"));
    const lonely = pathToFileURL(join(scratch.top, "lonely/dist/plugin.mjs")).href;
    expect(before(scratch, "a.cpp", { PLUGIN: lonely, PATH: "/nowhere" })).toMatch(
      /^HOLD internal_error/,
    );
  });
});
