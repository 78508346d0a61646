import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compose } from "../../compose/compose.ts";
import { start } from "../../engine/engine.ts";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import { CLIENTS } from "../../watch/call.ts";
import type { Client, HookAnswer } from "../../watch/call.ts";
import { printable } from "../cli/terminal/style.ts";
import { answerHook } from "./answer.ts";

const HOME = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-hook-")));
afterAll(() => rmSync(HOME, { recursive: true, force: true }));

const ENV = { HOME, PATH: process.env["PATH"] };
let count = 0;

function repository(): string {
  count += 1;
  const top = join(HOME, `repo ${count}`);
  mkdirSync(top);
  execFileSync("git", ["init", "--quiet"], { cwd: top });
  return top;
}

/** A repository with a team session under way: the main agent writes in its folder only. */
async function held(): Promise<string> {
  const top = repository();
  const composed = await compose({ cwd: top, env: ENV });
  if (composed.kind === "failed") throw new Error(composed.message);
  const family = await composed.parts.families.get("team-contract");
  if (family === undefined) throw new Error("no family");
  const caller = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;
  const options = { goal: "Add dark mode", "project-type": "web" };
  const id = "2026-11-18_add-dark-mode";
  const outcome = await start(composed.parts, family, { id, options, caller });
  await composed.parts.journal.close();
  expect(outcome.kind).toBe("done");
  return top;
}

function payload(cwd: string, tool: string, input: object, more: object = {}): string {
  return JSON.stringify({
    hook_event_name: "PreToolUse",
    session_id: "s",
    cwd,
    tool_name: tool,
    tool_input: input,
    ...more,
  });
}

async function ask(text: string, cwd = HOME, client: Client = "claude"): Promise<HookAnswer> {
  return await answerHook(client, text, ENV, cwd);
}

/** Nothing but the answer, in the client's own form, and the code of the reason. */
function reasonOf({ stdout, stderr, exit }: HookAnswer): string {
  const parsed = parseJson(stdout);
  expect([0, 2]).toContain(exit);
  expect(exit === 0 ? ["{}", '{"decision":"allow"}'].includes(stdout) : isJsonObject(parsed)).toBe(
    true,
  );
  expect(stderr.split("\n").length).toBeLessThanOrEqual(7);
  return exit === 0 ? "allowed" : (/^HOLD ([\w-]+) /.exec(stderr)?.[1] ?? "");
}

const store = (top: string): string => join(top, ".git/holdpoint");

describe("before a tool", () => {
  test("where nothing was ever begun everything is allowed, and nothing is made", async () => {
    const top = repository();
    expect(reasonOf(await ask(payload(top, "Write", { file_path: "a.ts" })))).toBe("allowed");
    expect(reasonOf(await ask("", top))).toBe("allowed");
    expect(existsSync(store(top))).toBe(false);
    const bare = join(HOME, "no repository");
    mkdirSync(bare);
    expect(reasonOf(await ask(payload(bare, "Write", { file_path: "a.ts" })))).toBe("allowed");
  });

  test("[TC-167] [PW-313] the same edit is denied in each client's own form", async () => {
    const top = await held();
    const file = join(top, "src/a.ts");
    const patch = `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch`;
    const texts: Readonly<Record<Client, string>> = {
      claude: payload(top, "Write", { file_path: file }),
      codex: payload(top, "apply_patch", { command: patch }),
      gemini: payload(top, "write_file", { file_path: file }, { hook_event_name: "BeforeTool" }),
      copilot: JSON.stringify({
        sessionId: "s",
        timestamp: 1,
        cwd: top,
        toolName: "create",
        toolArgs: { path: file },
      }),
      opencode: JSON.stringify({
        hook: "tool.execute.before",
        cwd: top,
        session: "s",
        input: { tool: "write" },
        output: { args: { filePath: file } },
      }),
    };
    for (const client of CLIENTS) {
      expect(reasonOf(await ask(texts[client], HOME, client))).toBe("orchestrator-writes");
    }
    const own = join(top, ".agents-work/2026-11-18_add-dark-mode/notes.md");
    expect(reasonOf(await ask(payload(top, "Write", { file_path: own })))).toBe("allowed");
    expect(reasonOf(await ask(payload(top, "Read", { file_path: file })))).toBe("allowed");
  });

  test("an edit from elsewhere into what is held is seen, by path and by shell", async () => {
    const top = await held();
    const out = { cwd: "/tmp" };
    expect(
      reasonOf(await ask(payload("/tmp", "Write", { file_path: join(top, "a.ts") }), "/tmp")),
    ).toBe("orchestrator-writes");
    for (const command of [
      `rm '${top}/a.ts'`,
      `cd '${top}' && touch a.ts`,
      `git -C "${top}" reset --hard`,
    ])
      expect(reasonOf(await ask(payload(out.cwd, "Bash", { command })))).not.toBe("allowed");
    symlinkSync(top, join(HOME, `link ${count}`));
    const link = join(HOME, `link ${count}`, "a.ts");
    expect(reasonOf(await ask(payload("/tmp", "Write", { file_path: link })))).toBe(
      "orchestrator-writes",
    );
  });

  test("wherever the agent stands, what it reaches is looked up there", async () => {
    const top = await held();
    const name = `repo ${count}`;
    const decoys = Array.from({ length: 40 }, (_, index) => `/tmp/decoy-${index}/a`).join(" ");
    const code = async (tool: string, input: object): Promise<string> =>
      reasonOf(await ask(payload(HOME, tool, input)));
    const through: string[] = [];
    for (const command of [
      `touch '${name}/a.ts'`,
      `cd '${name}' && touch a.ts`,
      `cd "${name}"; cd src; cd ..; echo x > a.ts`,
      `sed -i s/a/b/ '${name}/a.ts'`,
      `echo x | tee "${name}/a.ts"`,
      `python3 -c "open('${name}/a.ts','w')"`,
      `cat > '${name}/a.ts' <<'EOF'\nx\nEOF`,
      `touch ${decoys} '${top}/a.ts'`,
      `D='${name}'; touch "$D/a.ts"`,
      "touch repo*/a.ts",
      "rm -rf *",
      `git -C '${name}' reset --hard`,
      `git --git-dir='${top}/.git' update-ref refs/heads/main HEAD`,
    ])
      if ((await code("Bash", { command })) === "allowed") through.push(command);
    for (const [tool, input] of [
      ["mcp__files__write_file", { path: join(top, "a.ts") }],
      ["mcp__files__write_file", { path: `${name}/a.ts` }],
      ["mcp__shell__execute", { command: `touch '${name}/a.ts'` }],
      ["mcp__git__git_reset", { repo_path: top, target: "--hard" }],
      ["NewTool", { target: [{ uri: `file://${top}/.git/holdpoint/journals` }] }],
    ] as const)
      if ((await code(tool, input)) === "allowed") through.push(JSON.stringify(input));
    expect(through).toEqual([]);
    for (const command of [
      `cat '${name}/a.ts'`,
      "ls *",
      `cd '${name}' && git status`,
      "rm -rf /tmp/none",
    ])
      expect(await code("Bash", { command })).toBe("allowed");
  });

  test("the link by which a project starts this program is nobody's, where it is there", async () => {
    const top = await held();
    const bin = join(top, "node_modules/.bin");
    const program = join(HOME, `program ${count}`);
    mkdirSync(bin, { recursive: true });
    mkdirSync(program);
    writeFileSync(join(program, "holdpoint.js"), "");
    const env = { ...ENV, HOLDPOINT_PROGRAM: program };
    const code = async (command: string): Promise<string> =>
      reasonOf(await answerHook("claude", payload(top, "Bash", { command }), env, top));
    const replace = "rm -rf node_modules/.bin";
    expect(await code(replace)).not.toBe("program-owned");
    symlinkSync(join(program, "holdpoint.js"), join(bin, "holdpoint"));
    expect(await code(replace)).toBe("program-owned");
    expect(await code("ls node_modules/.bin")).toBe("allowed");
  });

  test("a client that runs another one's hooks is judged once more but told once", async () => {
    const top = await held();
    const env = { ...ENV, COPILOT_CLI: "1" };
    const edit = payload(top, "Edit", { path: join(top, "a.ts") }, { timestamp: "x" });
    const denied = await answerHook("claude", edit, env, HOME);
    expect(parseJson(denied.stdout)).toMatchObject({ permissionDecision: "deny" });
    const prompt = JSON.stringify({
      hook_event_name: "SessionStart",
      session_id: "s",
      cwd: top,
      timestamp: "x",
      source: "new",
    });
    expect(await answerHook("claude", prompt, env, HOME)).toEqual({
      stdout: "",
      stderr: "",
      exit: 0,
    });
  });
});

describe("bad input", () => {
  test.each([
    ["empty", ""],
    ["cut", '{"hook_event_name":"PreToolUse","tool_na'],
    ["an array", "[1,2]"],
    ["a number", "42"],
    ["null", "null"],
    ["control characters", "\u0000\u0001\u001b[31m"],
    ["a log line before it", 'hello\n{"a":1}'],
  ])("[TP-226] %s: denied where something is held, and said so", async (_, text) => {
    const top = await held();
    for (const client of CLIENTS) {
      const answer = await ask(text, top, client);
      expect(reasonOf(answer)).toBe("internal_error");
      expect(answer.stdout).toBe(printable(answer.stdout));
    }
  });

  test("what a tool is given may be a text, and is read or denied, never passed over", async () => {
    const top = await held();
    const file = join(top, "src/a.ts");
    const patch = `*** Begin Patch\n*** Add File: ${file}\n+x\n*** End Patch`;
    const writes = "orchestrator-writes";
    const rows: readonly (readonly [Client, string, unknown, string])[] = [
      ["claude", "Write", { file_path: file }, writes],
      ["claude", "MultiEdit", { edits: [{ file_path: file }] }, writes],
      ["claude", "Bash", { command: `rm '${file}'` }, writes],
      ["claude", "Bash", `touch '${file}'`, writes],
      ["claude", "Bash", ["bash", "-lc", `touch '${file}'`], writes],
      ["claude", "Write", `${file} and words`, "internal_error"],
      ["claude", "Write", 42, "internal_error"],
      ["claude", "Write", {}, "internal_error"],
      ["codex", "apply_patch", patch, writes],
      ["codex", "apply_patch", { command: patch }, writes],
      ["codex", "apply_patch", { diff: "?" }, "internal_error"],
      ["codex", "shell", { command: ["bash", "-lc", `rm '${file}'`] }, writes],
      ["codex", "write_stdin", { session_id: 1, chars: `rm '${file}'\n` }, writes],
      ["codex", "write_stdin", { session_id: 1, chars: "" }, "allowed"],
      ["claude", "LSP", { operation: "hover", filePath: file }, "allowed"],
      ["claude", "mcp__files__find_and_modify", { path: file }, writes],
      ["claude", "mcp__files__read_file", { path: file }, "allowed"],
      ["gemini", "replace", { file_path: file }, writes],
      ["gemini", "run_shell_command", { command: `rm '${file}'` }, writes],
      ["copilot", "create", { path: file }, writes],
      ["opencode", "write", { filePath: file }, writes],
      ["opencode", "multiedit", { edits: [{ filePath: file }] }, writes],
      ["claude", "Read", "not even JSON", "allowed"],
      ["claude", "Bash", `cat '${file}'`, "allowed"],
    ];
    for (const [client, tool, input, code] of rows)
      for (const given of [input, JSON.stringify(input), JSON.stringify(JSON.stringify(input))]) {
        const name = client === "gemini" ? "BeforeTool" : "PreToolUse";
        const sent: Partial<Record<Client, object>> = {
          copilot: { sessionId: "s", cwd: top, toolName: tool, toolArgs: given },
          opencode: {
            hook: "tool.execute.before",
            cwd: top,
            input: { tool },
            output: { args: given },
          },
        };
        const text = JSON.stringify(
          sent[client] ??
            JSON.parse(payload(top, tool, {}, { tool_input: given, hook_event_name: name })),
        );
        const told = reasonOf(await ask(text, HOME, client));
        expect([client, tool, given, told]).toEqual([client, tool, given, code]);
      }
  });

  test("[TP-226] a tool that is not named is denied where something is held", async () => {
    const top = await held();
    const { tool_name: _, ...without } = JSON.parse(payload(top, "x", {}));
    expect(reasonOf(await ask(JSON.stringify(without)))).toBe("internal_error");
    expect(reasonOf(await ask(payload(top, "Write", {})))).toBe("internal_error");
    expect(reasonOf(await ask(payload(top, "Bash", { command: 7 })))).toBe("allowed");
    expect(reasonOf(await ask(payload(top, "Unheard", { x: `${top}/.git/holdpoint` })))).toBe(
      "store-owned",
    );
  });

  test("an event or a field of another version is let pass or denied, never a crash", async () => {
    const top = await held();
    expect(
      reasonOf(
        await ask(payload(top, "Write", { file_path: "a" }, { hook_event_name: "PreToolUse2" })),
      ),
    ).toBe("orchestrator-writes");
    expect(reasonOf(await ask(JSON.stringify({ hook_event_name: "Later", cwd: top })))).toBe(
      "allowed",
    );
    expect(
      reasonOf(
        await ask(
          JSON.stringify({ hook_event_name: 7, cwd: 8, tool_name: {}, tool_input: [] }),
          top,
        ),
      ),
    ).toBe("internal_error");
  });

  test.each(["claude", "codex", "gemini", "copilot"] as const)(
    "a form of %s that nobody knows may be the use of a tool",
    async (client) => {
      const top = await held();
      for (const text of ["{}", '{"event":"PreToolUse","tool":{"name":"Edit"}}'])
        expect(reasonOf(await ask(text, top, client))).toBe("internal_error");
    },
  );

  test("20 MB are answered", async () => {
    const top = await held();
    const content = "x".repeat(20 * 1024 * 1024);
    expect(reasonOf(await ask(payload(top, "Write", { file_path: "a", content })))).toBe(
      "orchestrator-writes",
    );
    expect(reasonOf(await ask(payload(top, "Bash", { command: `echo ${content} > a` })))).toBe(
      "orchestrator-writes",
    );
    expect(reasonOf(await ask(content, top))).toBe("internal_error");
  });

  test("a directory that is not named in full is named from where the hook runs", async () => {
    const top = await held();
    for (const cwd of ["", ".", "src", "./src/.."])
      expect(reasonOf(await ask(payload(cwd, "Write", { file_path: "a.ts" }), top))).toBe(
        "orchestrator-writes",
      );
  });

  test("a directory that is gone is looked for by what is left of its path", async () => {
    const top = await held();
    const gone = join(top, "was/here");
    expect(reasonOf(await ask(payload(gone, "Write", { file_path: "../../a.ts" })))).toBe(
      "orchestrator-writes",
    );
    expect(reasonOf(await ask(payload("/nowhere/at/all", "Write", { file_path: "a.ts" })))).toBe(
      "allowed",
    );
    expect(reasonOf(await ask(payload("", "Write", { file_path: "a.ts" }), top))).toBe(
      "orchestrator-writes",
    );
  });
});

describe("what is kept", () => {
  const write = (top: string): string => payload(top, "Write", { file_path: "a.ts" });

  test.each([
    ["gone", (file: string) => rmSync(file)],
    ["no JSON", (file: string) => writeFileSync(file, "{")],
    ["something else", (file: string) => writeFileSync(file, '{"format":2}')],
    ["a folder", (file: string) => (rmSync(file), mkdirSync(file))],
    ["a pipe", (file: string) => (rmSync(file), execFileSync("mkfifo", [file]))],
    ["a link", (file: string) => (rmSync(file), symlinkSync("/dev/zero", file))],
    [
      "of another place",
      (file: string) => writeFileSync(file, readFileSync(file, "utf8").replaceAll("repo", "moved")),
    ],
  ])("that is %s is made anew", async (_, spoil) => {
    const top = await held();
    const file = join(store(top), "watch.json");
    const before = readFileSync(file, "utf8");
    spoil(file);
    expect(reasonOf(await ask(write(top)))).toBe("orchestrator-writes");
    // A folder cannot be replaced by a file; everything else is right again.
    const isFile = statSync(file).isFile();
    expect(
      isFile ? JSON.parse(readFileSync(file, "utf8")).places : JSON.parse(before).places,
    ).toEqual(JSON.parse(before).places);
  });

  test("a journal that is being written makes it stale, and half a line is no record", async () => {
    const top = await held();
    const journal = join(store(top), "journals/team-contract%3a2026-11-18_add-dark-mode.jsonl");
    appendFileSync(journal, '{"seq":2,"prev"');
    expect(reasonOf(await ask(write(top)))).toBe("orchestrator-writes");
  });

  test("a journal that cannot be understood holds everything, but reading", async () => {
    const top = await held();
    const journal = join(store(top), "journals/team-contract%3a2026-11-18_add-dark-mode.jsonl");
    writeFileSync(journal, readFileSync(journal, "utf8").replace("add-dark-mode", "add-bark-mode"));
    rmSync(join(store(top), "watch.json"));
    expect(reasonOf(await ask(write(top)))).toBe("internal_error");
    expect(reasonOf(await ask(payload(top, "Bash", { command: "echo x > a" })))).toBe(
      "internal_error",
    );
    expect(reasonOf(await ask(payload(top, "Bash", { command: "cat a; git status" })))).toBe(
      "allowed",
    );
    expect(reasonOf(await ask(payload(top, "Read", { file_path: "a" })))).toBe("allowed");
  });

  // Root reads them all the same, so as root there is nothing to show.
  test.skipIf(process.getuid?.() === 0)(
    "journals that may not be read hold everything",
    async () => {
      const top = await held();
      chmodSync(join(store(top), "journals"), 0o000);
      rmSync(join(store(top), "watch.json"));
      expect(reasonOf(await ask(write(top)))).toBe("internal_error");
      chmodSync(join(store(top), "journals"), 0o700);
    },
  );

  test("two clients at once get the same answer", async () => {
    const top = await held();
    rmSync(join(store(top), "watch.json"));
    const answers = await Promise.all(
      CLIENTS.flatMap(() => [ask(write(top)), ask(write(top), HOME, "codex")]),
    );
    expect(new Set(answers.map(reasonOf))).toEqual(new Set(["orchestrator-writes"]));
  });

  test("outside git the store is beside the files", async () => {
    const top = join(HOME, "plain");
    mkdirSync(join(top, ".holdpoint/journals"), { recursive: true });
    writeFileSync(join(top, ".holdpoint/journals/x.jsonl"), "nothing\n");
    expect(
      reasonOf(await ask(payload(join(top), "Write", { file_path: ".holdpoint/x" }))),
    ).not.toBe("");
  });
});
