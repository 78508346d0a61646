/** What `install` puts into clients' files, and that nothing else is touched. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CLIENTS } from "../../src/watch/call.ts";
import { BIN, commitFile } from "./cli.ts";
import { bytes, machine, put, run } from "./machine.ts";

const REPO = "work tree";
const SCOPES = ["--user", "--repository"] as const;

/** Configurations as people have them. */
const EXISTING: Readonly<Record<string, string>> = {
  [`${REPO}/.claude/settings.json`]:
    '{\r\n\t"model": "x",\r\n\t"hooks": {\r\n\t\t"PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./mine.sh" }] }]\r\n\t},\r\n\t"permissions": { "allow": ["Bash(ls)"], "deny": [] }\r\n}\r\n',
  ".claude/settings.json": '{"permissions":{"allow":["Read"]},"hooks":{}}',
  ".claude.json": '{"numStartups":3,"projects":{"/x":{"hasTrustDialogAccepted":true}}}',
  [`${REPO}/.mcp.json`]: '{ "mcpServers": { "other": { "command": "other" } } }\n',
  [`${REPO}/.codex/hooks.json`]:
    '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}',
  [`${REPO}/.codex/config.toml`]: 'model = "m"\r\n[mcp_servers.other]\r\ncommand = "o"',
  ".codex/config.toml": '# mine\nmodel = "m"\n\n[projects."/x"]\ntrust_level = "trusted"\n',
  ".gemini/settings.json":
    '{\n  // my theme\n  "theme": "Dracula", /* dark */\n  "mcpServers": {\n    "other": { "command": "o" }, // theirs\n  },\n}\n',
  [`${REPO}/opencode.jsonc`]:
    '{\n  // comment\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": ["other-plugin"],\n  "agent": { "coder": { "prompt": "mine" } } // mine\n}',
  ".copilot/mcp-config.json": '{"mcpServers":{}}\n',
  [`${REPO}/AGENTS.md`]: "# For agents\r\n\r\nBe kind.",
};

describe("install", () => {
  test.each(CLIENTS.flatMap((client) => SCOPES.map((scope) => [client, scope] as const)))(
    "%s %s: puts in, twice changes nothing, and uninstall leaves what was there, byte for byte",
    (client, scope) => {
      for (const existing of [{}, EXISTING]) {
        const here = machine();
        for (const [path, text] of Object.entries(existing)) put(here, path, text);
        const before = bytes(here);
        const first = run(here, `install ${client} ${scope} --yes`);
        expect(first.json).toMatchObject({ ok: true, written: true, client });
        const after = bytes(here);
        expect(after).not.toEqual(before);
        expect(run(here, `install ${client} ${scope} --yes`).json).toMatchObject({
          changes: [],
          written: false,
        });
        expect(bytes(here)).toEqual(after);
        expect(run(here, `uninstall ${client} --yes`).json).toMatchObject({
          ok: true,
          written: true,
        });
        expect(bytes(here)).toEqual(before);
        expect(run(here, `uninstall ${client} --yes`).json).toMatchObject({ changes: [] });
      }
    },
  );

  test("keeps what others have in the same files", () => {
    const here = machine();
    for (const [path, text] of Object.entries(EXISTING)) put(here, path, text);
    for (const client of CLIENTS) expect(run(here, `install ${client} --yes`).exit).toBe(0);
    const settings = JSON.parse(here.read(".claude/settings.json"));
    expect(settings.hooks.PreToolUse[0].hooks[0].command).toBe("./mine.sh");
    expect(settings.hooks.PreToolUse[1].hooks[0]).toMatchObject({
      onFailure: "block",
      timeout: 20,
    });
    expect(settings.hooks.ConfigChange).toHaveLength(1);
    expect(settings.permissions.allow).toEqual(["Bash(ls)", "mcp__holdpoint"]);
    expect(here.read("opencode.jsonc")).toContain(
      '"agent": { "coder": { "prompt": "mine" }, "research-planning-agent"',
    );
    expect(readFileSync(join(here.home, ".gemini/settings.json"), "utf8")).toContain("/* dark */");
    for (const client of CLIENTS.toReversed())
      expect(run(here, `uninstall ${client} --yes`).exit).toBe(0);
    for (const [path, text] of Object.entries(EXISTING))
      expect(readFileSync(join(here.home, path), "utf8"), path).toBe(text);
  });

  test("takes out exactly its own where others have written since", () => {
    const here = machine();
    run(here, "install codex --yes");
    here.edit(".codex/hooks.json", (text) =>
      text.replace('"Stop": [', '"Stop": [{ "hooks": [] }, '),
    );
    here.edit(".codex/config.toml", (text) => `model = "m"\n\n${text}\n[more]\nx = 1\n`);
    here.edit("AGENTS.md", (text) => `# Mine\n\n${text}\nMore.\n`);
    run(here, "uninstall codex --yes");
    expect(JSON.parse(here.read(".codex/hooks.json"))).toEqual({
      hooks: { Stop: [{ hooks: [] }] },
    });
    expect(here.read(".codex/config.toml")).toBe('model = "m"\n\n[more]\nx = 1\n');
    expect(here.read("AGENTS.md")).toBe("# Mine\n\nMore.\n");
  });

  test.each([
    [".claude/settings.json", '{\n  "hooks": {,}\n}', "claude", ":2: "],
    [
      ".claude/settings.json",
      '{"hooks": []}',
      "claude",
      "hooks.SessionStart is there and is something else",
    ],
    [".claude/settings.json", '{"a":1,\n"a":2}', "claude", ":2: The key"],
    [".claude/settings.json", "// comment\n{}", "claude", ":1: "],
    [".mcp.json", "[]", "claude", "no object"],
    [".codex/config.toml", "mcp_servers = {}\n", "codex", ":1: "],
    [".codex/config.toml", "x = 1\n[mcp_servers.holdpoint]\n", "codex", ":2: "],
    ["AGENTS.md", "<!-- holdpoint:begin -->\n", "codex", "do not pair up"],
    ["opencode.json", '{"plugin": "x"}', "opencode", "plugin is there"],
  ])("refuses %s with %j, says where, and writes nothing", (path, text, client, said) => {
    const here = machine();
    here.write(path, text);
    const before = bytes(here);
    const told = run(here, `install ${client} --repository --yes`);
    expect(told.exit).toBe(10);
    expect(told.json.refusals?.[0]).toMatchObject({ code: "settings-unreadable" });
    expect(told.json.refusals?.[0]?.message).toContain(said);
    expect(bytes(here)).toEqual(before);
  });

  test("follows a link of the user's, and none that leads out of the repository", () => {
    const here = machine();
    put(here, "dotfiles/gemini.json", "{}\n");
    mkdirSync(join(here.home, ".gemini"));
    symlinkSync("../dotfiles/gemini.json", join(here.home, ".gemini/settings.json"));
    expect(run(here, "install gemini --yes").exit).toBe(0);
    expect(lstatSync(join(here.home, ".gemini/settings.json")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(here.home, "dotfiles/gemini.json"), "utf8")).toContain("BeforeTool");
    put(here, "outside/x", "");
    symlinkSync("../outside", join(here.top, ".claude"));
    symlinkSync("../outside/AGENTS.md", join(here.top, "AGENTS.md"));
    for (const client of ["claude", "codex"]) {
      const told = run(here, `install ${client} --yes`);
      expect(told.json.refusals?.[0]).toMatchObject({ code: "settings-unusable" });
    }
    expect(readdirSync(join(here.home, "outside"))).toEqual(["x"]);
  });

  test("leaves read-only files, folders in the place of files and other bytes than UTF-8 alone", () => {
    const here = machine();
    here.write(".mcp.json", "{}");
    chmodSync(join(here.top, ".mcp.json"), 0o444);
    mkdirSync(join(here.top, "opencode.json"));
    mkdirSync(join(here.top, ".codex"));
    writeFileSync(join(here.top, ".codex/hooks.json"), Buffer.from([0x7b, 0xff, 0x7d]));
    const before = readdirSync(here.top);
    for (const client of ["claude", "opencode", "codex"]) {
      const told = run(here, `install ${client} --yes`);
      expect(told.json.refusals?.[0]).toMatchObject({ code: "settings-unusable" });
    }
    expect(readdirSync(here.top)).toEqual(before);
  });

  test("writes nothing that nobody has said yes to, and shows it first", () => {
    const here = machine();
    const before = bytes(here);
    expect(run(here, "install claude").json.refusals?.[0]).toMatchObject({ code: "not-confirmed" });
    const shown = here.say("install claude --dry-run", { env: { PATH: here.path } });
    expect(shown.stdout).toContain('+  "hooks": {');
    expect(shown.stdout).toContain("Nothing was written.");
    expect(bytes(here)).toEqual(before);
  });

  test("is not for agents: whoever is held does not choose the program that holds", () => {
    const here = machine();
    run(here, "install claude --yes");
    const before = bytes(here);
    const env = { CLAUDECODE: "1" };
    expect(run(here, "uninstall claude --yes", env).json.refusals?.[0]).toMatchObject({
      code: "person-needed",
    });
    expect(run(here, "install codex --yes --user", env).json.refusals?.[0]).toMatchObject({
      code: "person-needed",
    });
    expect(run(here, "install codex --dry-run", env).exit).toBe(0);
    expect(bytes(here)).toEqual(before);
  });

  test("leaves an agent's file alone that is somebody else's or that somebody has changed", () => {
    const here = machine();
    here.write(".claude/agents/dsp-agent.md", "---\nname: dsp-agent\n---\nMine.\n");
    const told = run(here, "install claude --yes");
    expect(told.json).toMatchObject({ kept: [{ why: "it is somebody else's" }] });
    here.edit(".claude/agents/gui-agent.md", (text) => `${text}And be quick.\n`);
    expect(run(here, "uninstall claude --yes").json).toMatchObject({
      kept: [{ why: "it is somebody else's" }, { why: "somebody has changed it" }],
    });
    expect(readdirSync(join(here.top, ".claude/agents")).toSorted()).toEqual([
      "dsp-agent.md",
      "gui-agent.md",
    ]);
  });

  test("keeps what another client needs too until the last one is gone", () => {
    const here = machine();
    const before = bytes(here);
    for (const client of ["codex", "copilot"]) run(here, `install ${client} --yes`);
    run(here, "uninstall codex --yes");
    // Its section of AGENTS.md is its own; the skills are read by both.
    expect(here.has("AGENTS.md")).toBe(false);
    expect(here.has(".agents/skills/plan/SKILL.md")).toBe(true);
    run(here, "uninstall copilot --yes");
    expect(bytes(here)).toEqual(before);
  });

  test("is never there twice: not in two scopes, and not beside files that a client reads of another", () => {
    const here = machine();
    run(here, "install claude --yes");
    expect(run(here, "install claude --user --yes").json.refusals?.[0]).toMatchObject({
      code: "installed-twice",
    });
    const told = run(here, "install copilot --repository --yes");
    expect(told.json).toMatchObject({ written: true });
    expect(told.stdout).toContain("Copilot CLI loads .mcp.json");
    expect(here.has(".github/hooks/holdpoint.json")).toBe(false);
    const examined = run(here, "doctor copilot");
    expect(examined.stdout).toContain("in a trusted folder it uses those of Claude Code");
    expect(examined.stdout).not.toContain("not installed");
    run(here, "uninstall claude --yes");
    expect(run(here, "doctor copilot").stdout).toContain("not installed");
    expect(here.has(".claude")).toBe(false);
  });

  test("names a program that every clone can run", () => {
    const here = machine();
    const hook = (): string =>
      JSON.stringify(JSON.parse(here.read(".claude/settings.json")).hooks.PreToolUse);
    expect(here.hold("install claude --yes").json.refusals?.[0]).toMatchObject({
      code: "program-missing",
    });
    run(here, "install claude --yes");
    expect(hook()).toContain(") holdpoint hook claude);");
    here.write("node_modules/.bin/holdpoint", "");
    run(here, "install claude --yes");
    expect(hook()).toContain("/node_modules/.bin/holdpoint hook claude);");
    expect(JSON.parse(here.read(".mcp.json")).mcpServers.holdpoint).toMatchObject({
      command: "sh",
      args: ["-c", expect.stringContaining("/node_modules/.bin/holdpoint"), "holdpoint", "mcp"],
    });
    run(here, "uninstall claude --yes");
    run(here, "install claude --user --yes");
    // A path with a blank stands in quotes.
    const settings = readFileSync(join(here.home, ".claude/settings.json"), "utf8");
    expect(settings.replaceAll("'", "")).toContain(`${BIN} hook claude`);
  });

  test("[TC-175] gives every worker a file under its kebab-case name", () => {
    const here = machine();
    run(here, "install claude --protocol team-contract --yes");
    const names = readdirSync(join(here.top, ".claude/agents"));
    expect(names).toHaveLength(11);
    expect(here.read(".claude/agents/spec-agent.md")).toContain("\nname: spec-agent\n");
    expect(here.read(".claude/agents/qa.md")).toContain("\nname: qa\n");
    expect(here.read(".claude/commands/session.md")).toContain('--goal "$ARGUMENTS"');
  });

  test("gives a protocol of one's own its agents and short commands", () => {
    const here = machine();
    const protocol = [
      "name: release",
      "version: 1",
      "title: Release",
      "states: [draft, done]",
      "start: draft",
      "ends: [done]",
      "work:",
      "  write: { role: ReleaseWriter, order: Write it., makes: ['docs/**'], done: finish }",
      "moves:",
      "  finish: { from: draft, to: done }",
    ];
    commitFile(here, "release.yaml", `${protocol.join("\n")}\n`);
    commitFile(here, "holdpoint.config.json", JSON.stringify({ protocols: ["release.yaml"] }));
    const told = run(here, "install claude --protocol release --yes");
    expect(told.json, told.stdout).toMatchObject({ ok: true });
    expect(here.read(".claude/agents/release-writer.md")).toContain("name: release-writer");
    expect(here.read(".claude/commands/write.md")).toContain("step write");
    expect(here.read(".claude/commands/release.md")).toContain("protocol release");
  });

  test("says what is wrong with a name", () => {
    const here = machine();
    expect(run(here, "install cloude").json.error?.fix).toBe("Did you mean claude?");
    expect(run(here, "install claude --protocol nope").json.error?.message).toContain('"nope"');
    expect(existsSync(join(here.top, ".claude"))).toBe(false);
  });
});

/** Servers that were started in a directory; only Linux tells. */
function serversIn(top: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
        return words.includes("--http") && readlinkSync(`/proc/${name}/cwd`) === top;
      } catch {
        return false;
      }
    })
    .map(Number);
}

describe.runIf(process.platform === "linux")("hooks that ask a server", () => {
  test("have its address and its token, in a file of this clone alone, and nothing of the other hooks", () => {
    const here = machine();
    const untouched = bytes(here);
    try {
      run(here, "install claude --yes");
      expect(run(here, "install claude --server --dry-run").exit).toBe(0);
      expect(serversIn(here.top)).toEqual([]);
      const told = run(here, "install claude --server --yes");
      expect(told.json).toMatchObject({ ok: true, written: true });
      const local = join(here.top, ".claude/settings.local.json");
      expect(statSync(local).mode & 0o777).toBe(0o600);
      const { hooks } = JSON.parse(readFileSync(local, "utf8"));
      const request = hooks.PreToolUse[0].hooks[0];
      expect(request).toMatchObject({ type: "http", onFailure: "block" });
      const token = /[0-9a-f]{64}/.exec(request.headers.Authorization)?.[0] ?? "none";
      expect(told.stdout).not.toContain(token);
      expect(hooks.SessionStart[0].hooks[0].command).toContain("mcp --http --background");
      expect(here.read(".claude/settings.json")).not.toContain("hook claude");
      expect(run(here, "install claude --server --yes").json).toMatchObject({ changes: [] });
      expect(serversIn(here.top)).toHaveLength(1);
      const green = run(here, "doctor claude");
      expect(green.exit, green.stdout).toBe(0);
      for (const pid of serversIn(here.top)) process.kill(pid, "SIGKILL");
      expect(run(here, "doctor claude").exit).toBe(1);
      here.say("mcp --http --background", { env: { PATH: here.path } });
      const again = run(here, "doctor claude");
      expect(again.exit, again.stdout).toBe(0);
      // Back to commands: the requests go.
      run(here, "install claude --yes");
      expect(existsSync(local)).toBe(false);
      run(here, "install claude --server --yes");
      run(here, "uninstall claude --yes");
      expect(bytes(here)).toEqual(untouched);
    } finally {
      for (const pid of serversIn(here.top)) process.kill(pid);
    }
  });

  test("are only Claude Code's, and only a repository's", () => {
    const here = machine();
    expect(run(here, "install codex --server --yes")).toMatchObject({ exit: 2 });
    expect(run(here, "install claude --server --user --yes")).toMatchObject({ exit: 2 });
  });
});
