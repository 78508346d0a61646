/** `doctor` believes nothing that it has not seen work. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Check } from "../../src/surfaces/install/doctor/check.ts";
import { CLIENTS } from "../../src/watch/call.ts";
import { machine, replaceProgram, run } from "./machine.ts";
import type { Machine } from "./machine.ts";

function examine(
  here: Machine,
  words = "doctor",
  env: Readonly<Record<string, string>> = {},
): {
  readonly exit: number;
  readonly checks: readonly Check[];
  readonly failed: readonly string[];
} {
  const { exit, json } = run(here, words, env);
  const { checks = [] }: { checks?: readonly Check[] } = JSON.parse(JSON.stringify(json));
  const failed = checks
    .filter(({ state }) => state === "failed")
    .map(({ client = "machine", check }) => `${client}: ${check}`);
  return { exit, checks, failed };
}

/** A program of that name that answers as a client would. */
function fakeClient(here: Machine, name: string, script: string): void {
  writeFileSync(join(here.home, "bin", name), `#!${process.execPath}\n${script}\n`);
  chmodSync(join(here.home, "bin", name), 0o755);
}

const SCENES = (): readonly string[] =>
  readdirSync(tmpdir()).filter((one) => one.startsWith("holdpoint-doctor-"));

describe("doctor", () => {
  test("fires every hook and asks every server, in both scopes, and leaves nothing behind", () => {
    const before = SCENES();
    for (const scope of ["--repository", "--user"]) {
      const here = machine();
      for (const client of CLIENTS.toReversed()) run(here, `install ${client} ${scope} --yes`);
      const { exit, checks, failed } = examine(here);
      expect(failed, JSON.stringify(checks)).toEqual([]);
      expect(exit).toBe(0);
      const proven = checks.filter(({ state }) => state === "proven");
      for (const client of CLIENTS)
        expect(proven.filter((one) => one.client === client).map(({ check }) => check)).toEqual(
          expect.arrayContaining(["stops a held edit", "lets reading pass", "MCP server"]),
        );
    }
    expect(SCENES().filter((one) => !before.includes(one))).toEqual([]);
  });

  test.each([
    ["is replaced by true", "exit 0", ["stops a held edit", "lets reading pass", "MCP server"]],
    ["is broken", "exit 1", ["stops a held edit", "lets reading pass", "MCP server"]],
    [
      "answers nonsense",
      "echo hello; exit 0",
      ["stops a held edit", "lets reading pass", "MCP server"],
    ],
    [
      "says no to everything without a word",
      'echo "{}"; exit 2',
      ["stops a held edit", "lets reading pass", "stops what it cannot read", "MCP server"],
    ],
  ])("is red where the program %s", (_, script, wrong) => {
    const here = machine();
    run(here, "install claude --yes");
    replaceProgram(here, script);
    const { exit, failed } = examine(here, "doctor claude");
    expect(exit).toBe(1);
    expect(failed).toEqual(wrong.map((one) => `claude: ${one}`));
  });

  test("is red where the hook hangs, and ends all the same", () => {
    const here = machine();
    run(here, "install codex --yes");
    replaceProgram(here, "sleep 60");
    const { exit, failed } = examine(here, "doctor codex");
    expect(exit).toBe(1);
    expect(failed).toContain("codex: lets reading pass");
    expect(failed).toContain("codex: MCP server");
  }, 60_000);

  test("is red where the hook before a tool has been taken out or is gone altogether", () => {
    const here = machine();
    run(here, "install claude --yes");
    here.edit(".claude/settings.json", (text) => {
      const settings = JSON.parse(text);
      settings.hooks.PreToolUse[0].hooks[0].command = "true";
      return JSON.stringify(settings);
    });
    expect(examine(here, "doctor claude").failed).toEqual(["claude: hook before a tool"]);
    here.write(".claude/settings.json", "{}");
    expect(examine(here, "doctor claude")).toMatchObject({
      exit: 1,
      failed: ["claude: installed"],
    });
    expect(examine(here).exit).toBe(0);
  });

  test("runs nothing that a repository's files say beyond what install writes", () => {
    const here = machine();
    for (const client of ["claude", "opencode", "codex"])
      run(here, `install ${client} --repository --yes`);
    const evil = `touch ${join(here.home, "pwned").replaceAll(" ", "\\ ")};`;
    here.edit(".claude/settings.json", (text) =>
      text.replaceAll('"command": "a=$(', `"command": "${evil} a=$(`),
    );
    here.edit(".codex/hooks.json", (text) =>
      text.replaceAll('"command": "a=$(', `"command": "${evil} a=$(`),
    );
    const server = { command: "sh", args: ["-c", evil] };
    here.write(".mcp.json", JSON.stringify({ mcpServers: { holdpoint: server } }));
    here.edit(".codex/config.toml", (text) =>
      text
        .replace(/command = .*/, 'command = "sh"')
        .replace(/args = .*/, `args = ["-c", ${JSON.stringify(evil)}]`),
    );
    here.edit(".agents/holdpoint/opencode-plugin.js", (text) => `${text}\nprocess.exit(0);`);
    const { exit, failed } = examine(here);
    expect(exit).toBe(1);
    expect(failed).toEqual([
      "claude: hook before a tool",
      "claude: MCP server",
      "codex: hook before a tool",
      "codex: MCP server",
      "opencode: stops a held edit",
    ]);
    expect(existsSync(join(here.home, "pwned"))).toBe(false);
  });

  test("is red where OpenCode's plugin cannot be loaded", () => {
    const here = machine();
    run(here, "install opencode --yes");
    here.edit(".agents/holdpoint/opencode-plugin.js", (text) => `${text}\nsyntax error`);
    expect(examine(here, "doctor opencode").failed).toEqual(["opencode: stops a held edit"]);
  });

  test("asks clients what they tell without a model", () => {
    const here = machine();
    for (const client of ["claude", "codex", "gemini"])
      run(here, `install ${client} --repository --yes`);
    fakeClient(here, "claude", 'console.log("2.1.197 (Claude Code)")');
    fakeClient(
      here,
      "codex",
      `process.stdin.setEncoding("utf8").on("data", (text) => {
        for (const line of text.split("\\n").filter(Boolean)) {
          const { id, method } = JSON.parse(line);
          const hooks = [{ command: "holdpoint hook codex", trustStatus: "untrusted" }];
          if (id === 1) console.log(JSON.stringify({ id, result: {} }));
          if (method === "hooks/list") console.log(JSON.stringify({ id, result: { data: [{ hooks }] } }));
        }
      });`,
    );
    fakeClient(here, "gemini", "");
    const { checks, failed } = examine(here);
    const told = checks.filter(({ check }) => check === "client");
    expect(told).toMatchObject([
      { client: "claude", state: "unknown", said: expect.stringContaining("ignores onFailure") },
      { client: "codex", state: "failed", said: expect.stringContaining("does not trust 1 of 1") },
      { client: "gemini", state: "failed" },
    ]);
    expect(failed).toEqual(["codex: client", "gemini: client"]);
    const trusting = examine(here, "doctor gemini", { GEMINI_CLI_TRUST_WORKSPACE: "true" });
    expect(trusting.failed).toEqual([]);
  });

  test("knows no such client", () => {
    const here = machine();
    expect(run(here, "doctor vim")).toMatchObject({ exit: 2 });
    expect(here.say("doctor").stdout).toContain("Holdpoint is installed at no client here");
  });
});
