/** The MCP server over HTTP: who is let in, what is bounded, and that it says the same as over stdio. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import {
  chmodSync,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { request } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { BIN, bareDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { NAME, pluginAt } from "../plugin.ts";

interface Served {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly file: string;
  readonly child: ChildProcess;
  readonly ended: Promise<number | string>;
}

async function serve(scratch: Scratch, ...args: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [BIN, "mcp", "--http", ...args], {
    cwd: scratch.top,
    env: { ...scratch.env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | string>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal ?? ""));
  });
  let said = "";
  const told = new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (/token: .*\n/.test(said)) resolve(said);
    });
    void ended.then((how) => reject(new Error(`it ended (${how}): ${said}`)));
  });
  const [, url = "", file = ""] = /^(\S+)\ntoken: (.*)\n/.exec(await told) ?? [];
  const token = readFileSync(file, "utf8").trim();
  return { url, port: Number(new URL(url).port), token, file, child, ended };
}

interface Heard {
  readonly status: number;
  readonly text: string;
}

/** By hand, because `fetch` chooses Host and Origin itself. */
async function post(
  { port, token }: Pick<Served, "port" | "token">,
  body: string,
  { path = "/mcp", method = "POST", headers = {} }: Partial<Posted> = {},
): Promise<Heard> {
  return await new Promise((resolve, reject) => {
    const sent = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      headers: {
        host: `127.0.0.1:${port}`,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    });
    sent.end(body);
  });
}

interface Posted {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "codex", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function calling(tool: string, args: object = {}, meta: object = {}): string {
  const params = {
    name: tool,
    arguments: args,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

const LEGACY = { headers: { "mcp-protocol-version": "2025-06-18" } };
const MODERN = {
  headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "next" },
};

test("both revisions are served, with the token alone", async () => {
  const server = await serve(pluginAt("p0"));
  expect(statSync(server.file).mode & 0o777).toBe(0o600);
  const modern = await post(server, calling("next", {}, META), MODERN);
  expect(modern).toMatchObject({ status: 200 });
  expect(modern.text).toContain("research-planning-agent on W-1");
  const legacy = await post(server, calling("next"), LEGACY);
  expect(legacy.text).toContain("research-planning-agent on W-1");
  const hello = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  };
  expect((await post(server, JSON.stringify(hello))).text).toContain(
    '"protocolVersion":"2025-11-25"',
  );
  for (const token of [
    "",
    "x",
    server.token.slice(1),
    `${server.token}0`,
    server.token.toUpperCase(),
  ])
    expect((await post({ ...server, token }, calling("next"), LEGACY)).status).toBe(401);
  server.child.kill("SIGTERM");
  expect(await server.ended).toBe(0);
});

test.each([
  ["another host", { host: "evil.example" }, 403],
  ["another host with the port", { host: "evil.example:80" }, 403],
  ["a host that only begins well", { host: "127.0.0.1.evil.example" }, 403],
  ["another origin", { origin: "http://evil.example" }, 403],
  ["an origin without a name", { origin: "null" }, 403],
  ["no media type", { "content-type": "text/plain" }, 415],
])("%s is turned away", async (_, headers, status) => {
  const server = await serve(pluginAt("p0"));
  expect((await post(server, calling("advance"), { headers })).status).toBe(status);
  expect(
    (await post(server, calling("next"), { headers: { origin: "http://localhost:3000" } })).status,
  ).toBe(200);
  expect(
    (await post(server, calling("next"), { headers: { host: `localhost:${server.port}` } })).status,
  ).toBe(200);
});

test("what is cut, unknown or too long is told, and the server goes on", async () => {
  const server = await serve(pluginAt("p0"));
  expect((await post(server, '{"jsonrpc":"2.0","id":1,"meth', LEGACY)).status).toBe(400);
  expect((await post(server, "", LEGACY)).status).toBe(400);
  expect((await post(server, calling("next"), { path: "/" })).status).toBe(404);
  expect((await post(server, calling("next"), { path: "/mcp/../hook" })).status).toBe(404);
  expect((await post(server, "", { method: "GET" })).status).toBe(405);
  expect((await post(server, "", { method: "DELETE" })).status).toBe(405);
  expect((await post(server, calling("answer", { choice: "1" }), LEGACY)).text).toContain(
    "There is no tool answer",
  );
  const long = calling("report", { text: "x".repeat(20 * 1024 * 1024) });
  const heard = await post(server, long, LEGACY).catch((error: unknown) => error);
  // Where it is told before all has been sent, the connection may be gone before the answer is read.
  expect(heard instanceof Error ? 413 : (heard as Heard).status).toBe(413);
  expect((await post(server, calling("next"), LEGACY)).status).toBe(200);
});

test("what it does at once is bounded, and whoever leaves half-way makes room", async () => {
  const server = await serve(pluginAt("p0"));
  const head = [
    "POST /mcp HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${server.token}`,
    "Content-Type: application/json",
    "Content-Length: 100",
  ];
  const half = await Promise.all(
    Array.from({ length: REQUESTS_MAX }, async () => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      await new Promise((resolve) => socket.write(`${head.join("\r\n")}\r\n\r\n{`, resolve));
      return socket;
    }),
  );
  await expect.poll(async () => (await post(server, calling("next"), LEGACY)).status).toBe(503);
  for (const socket of half) socket.destroy();
  await expect.poll(async () => (await post(server, calling("next"), LEGACY)).status).toBe(200);
});

const REQUESTS_MAX = 64;

test("port and token stay from one start to the next; a token that others could read is made anew", async () => {
  const scratch = pluginAt("p0");
  const first = await serve(scratch);
  const taken = scratch.say(["mcp", "--http"]);
  expect(taken).toMatchObject({ exit: 1 });
  expect(taken.stderr).toContain("--port 0");
  first.child.kill("SIGTERM");
  expect(await first.ended).toBe(0);
  const second = await serve(scratch);
  expect(second).toMatchObject({ url: first.url, token: first.token });
  second.child.kill("SIGTERM");
  await second.ended;
  chmodSync(first.file, 0o644);
  const third = await serve(scratch);
  expect(third.token).not.toBe(first.token);
  third.child.kill("SIGTERM");
  await third.ended;
  const other = join(scratch.top, "other");
  writeFileSync(other, "0".repeat(64), { mode: 0o600 });
  unlinkSync(first.file);
  symlinkSync(other, first.file);
  const fourth = await serve(scratch, "--port", "0");
  expect(fourth.token).not.toBe("0".repeat(64));
  expect(readFileSync(other, "utf8")).toBe("0".repeat(64));
});

test("servers that start at the same time have one token", async () => {
  const scratch = pluginAt("p0");
  const servers = await Promise.all(Array.from({ length: 4 }, () => serve(scratch, "--port", "0")));
  expect(new Set(servers.map(({ token }) => token)).size).toBe(1);
  for (const server of servers)
    expect((await post(server, calling("next"), LEGACY)).status).toBe(200);
});

test("outside a repository it serves too; killed and started again it goes on", async () => {
  const scratch = bareDirectory();
  const server = await serve(scratch);
  expect(
    (await post(server, calling("start", { workflow: NAME, protocol: "plugin-workflow" }), LEGACY))
      .text,
  ).toContain("still lacks");
  server.child.kill("SIGKILL");
  await server.ended;
  const again = await serve(scratch);
  expect((await post(again, calling("next"), LEGACY)).text).toContain(NAME);
  expect(existsSync(join(scratch.top, ".holdpoint/journals"))).toBe(true);
});

test("a hook is answered as the command answers it, and never with nothing", async () => {
  const scratch = pluginAt("p0");
  const server = await serve(scratch);
  const payload = (event: string, more: object = {}): string =>
    JSON.stringify({ session_id: "s1", cwd: scratch.top, hook_event_name: event, ...more });
  const start = payload("SessionStart", { source: "startup" });
  const heard = await post(server, start, { path: "/hook/claude" });
  expect(heard.status).toBe(200);
  const typed = scratch.say(["hook", "claude"], { stdin: start });
  expect(heard.text).toBe(typed.stdout.trimEnd());
  expect(heard.text).toContain("TapeDelay");
  const edit = payload("PreToolUse", {
    tool_name: "Read",
    tool_input: { file_path: "x" },
    tool_use_id: "u1",
  });
  const allowed = await post(server, edit, { path: "/hook/claude" });
  expect(JSON.parse(allowed.text)).toBeTypeOf("object");
  for (const [path, status] of [
    ["/hook/nobody", 404],
    ["/hook/", 404],
  ] as const)
    expect((await post(server, start, { path })).status).toBe(status);
  expect((await post({ ...server, token: "x" }, start, { path: "/hook/claude" })).status).toBe(401);
  expect((await post(server, "", { path: "/hook/claude", method: "GET" })).status).toBe(405);
  expect((await post(server, "{", { path: "/hook/claude" })).text).not.toBe("");
});
