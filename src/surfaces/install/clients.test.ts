import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLIENTS } from "../../watch/call.ts";
import { switchesOff } from "../../watch/own.ts";
import { hookFiles, homesIn } from "./client.ts";
import { SETUPS } from "./clients/index.ts";
import { closedHook, isHookCommand, openHook, startingHook } from "./hook-command.ts";
import { programFor } from "./program.ts";
import { serverEntry, serverWords } from "./server-entry.ts";

const where = { root: "/repo", home: homesIn({ HOME: "/home/ada" }) };
const program = { words: "holdpoint", command: "holdpoint", args: [], told: "" };

describe.each(CLIENTS.map((client) => [client, SETUPS[client]] as const))("%s", (client, setup) => {
  test.each([true, false])(
    "no file that its hooks depend on is an agent's to write (user: %s)",
    (user) => {
      const files = [
        ...hookFiles(setup, where, user),
        setup.serverFile(where, user),
        ...(client === "opencode" ? ["/repo/.agents/holdpoint/opencode-plugin.js"] : []),
      ];
      for (const file of files) expect(switchesOff(file.slice(1).split("/")), file).toBe(true);
    },
  );

  test("every part says what it is and lies in the repository or in the client's home", () => {
    for (const user of [true, false]) {
      const parts = setup.parts({ ...where, user, program, families: [], tools: [] });
      const ids = parts.map(({ path, name }) => `${path} ${name}`);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { path } of parts) expect(path).toMatch(/^\/(?:repo|home\/ada)\//);
    }
  });

  test("knows its own hooks, and nobody else's", () => {
    for (const words of [
      "holdpoint",
      "/usr/bin/node '/a b/bin/holdpoint.js'",
      '"$X"/node_modules/.bin/holdpoint',
    ])
      for (const make of [openHook, closedHook, startingHook])
        expect(isHookCommand(make(words, client), client)).toBe(true);
    for (const other of [
      "true",
      `holdpoint hook ${client}x`,
      "my-holdpoint-hook",
      `holdpoint status`,
    ])
      expect(isHookCommand(other, client), other).toBe(false);
  });
});

describe("the program", () => {
  const place = {
    client: "claude",
    root: "/nowhere",
    node: "/n/node",
    script: "/a b/holdpoint.js",
  } as const;

  test("of a project that depends on it is found from its folders and worktrees", () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-own ")));
    const main = join(top, "main");
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        cwd: main,
        encoding: "utf8",
      });
    mkdirSync(join(main, "node_modules/.bin"), { recursive: true });
    mkdirSync(join(main, "packages/one"), { recursive: true });
    writeFileSync(join(main, "node_modules/.bin/holdpoint"), '#!/bin/sh\necho "$@"\n', {
      mode: 0o755,
    });
    git("init", "--quiet");
    git("commit", "--quiet", "--allow-empty", "--message", "x");
    git("worktree", "add", "--quiet", "../beside");
    const folders = [main, join(main, "packages/one"), join(top, "beside")];
    for (const client of CLIENTS) {
      const found = programFor({
        ...place,
        client,
        user: false,
        root: join(top, "beside"),
        path: "",
      });
      const { command, args } = serverWords(client, found ?? program);
      for (const cwd of folders) {
        const ran = (file: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): string =>
          execFileSync(file, words, {
            cwd,
            encoding: "utf8",
            env: { PATH: process.env["PATH"], ...env },
          }).trim();
        expect(ran(command, args)).toBe(client === "gemini" ? "mcp --lead" : "mcp");
        expect(ran("sh", ["-c", `${found?.words ?? ""} hook ${client}`])).toBe(`hook ${client}`);
        const told = { CLAUDE_PROJECT_DIR: join(top, "beside") };
        expect(ran("sh", ["-c", `${found?.words ?? ""} hook x`], told)).toBe("hook x");
      }
    }
    rmSync(top, { recursive: true });
  });

  test("is quoted for a shell, and never what npx or a passing PATH has for the moment", () => {
    expect(programFor({ ...place, user: true, path: "" })?.words).toBe(
      "/n/node '/a b/holdpoint.js'",
    );
    const passing = "/x/_npx/1/node_modules/.bin:relative:";
    expect(programFor({ ...place, user: false, path: passing })).toBeUndefined();
  });
});

describe("the server", () => {
  test("is named to every client by the same words", () => {
    for (const client of CLIENTS) {
      const { command, args } = serverWords(client, program);
      const entry = serverEntry(client, program);
      const words = [entry["command"], entry["args"] ?? []].flat(2);
      expect(words).toEqual([command, ...args]);
    }
  });

  test("is written in the guide as install writes it", () => {
    const guide = readFileSync(
      join(import.meta.dirname, "../../../docs/how-to/use-with-agents.md"),
      "utf8",
    );
    const { command, args } = serverWords("claude", program);
    const [, text = ""] = /```json\n(\{ "mcpServers".*\})\n```/.exec(guide) ?? [];
    expect(JSON.parse(text)).toEqual({ mcpServers: { holdpoint: { command, args } } });
  });
});
