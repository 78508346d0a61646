/**
 * A server for this store that keeps running in the background, so that hooks can send it requests instead of
 * starting a process each time.
 */
import { spawn } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import { compose } from "../../compose/compose.ts";
import type { Failed } from "../../engine/outcome.ts";
import { packageRoot } from "../cli/package-root.ts";
import { HOST, keepIn } from "./token.ts";

export interface Running {
  readonly kind: "running";
  readonly port: number;
  readonly token: string;
}

const START_MS_MAX = 10_000;
const LOOK_MS = 50;
const ASK_MS_MAX = 2_000;

/** The running server for this store, if there is one. */
export async function runningServer(cwd: string): Promise<Running | undefined | Failed> {
  const composed = await compose({ cwd });
  if (composed.kind === "failed") return composed;
  await composed.parts.journal.close();
  return await runningIn(composed.dir);
}

async function runningIn(dir: string): Promise<Running | undefined> {
  const { port, token } = keepIn(dir);
  return (await answers({ port, token })) ? { kind: "running", port, token } : undefined;
}

/** The server for this store. If none is running, it is started on the port that clients know. */
export async function ensureServer(cwd: string): Promise<Running | Failed> {
  const composed = await compose({ cwd });
  if (composed.kind === "failed") return composed;
  await composed.parts.journal.close();
  const { dir } = composed;
  const known = await runningIn(dir);
  if (known !== undefined) return known;
  const child = spawn(
    process.execPath,
    [join(packageRoot(), "bin/holdpoint.js"), "mcp", "--http"],
    {
      cwd,
      detached: true,
      stdio: "ignore",
      env: withoutClient(process.env),
    },
  );
  child.on("error", () => undefined).unref();
  for (let waited = 0; waited < START_MS_MAX && child.exitCode === null; waited += LOOK_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const running = await runningIn(dir);
    if (running !== undefined) return running;
  }
  return {
    kind: "failed",
    code: "server-not-started",
    message: `No server answers on ${HOST}:${keepIn(dir).port}, and none could be started there`,
    fix: "Run holdpoint mcp --http and see what it says; another program may have the port.",
  };
}

/** Only a server with this store's token answers that a payload is missing. */
async function answers({ port, token }: Pick<Running, "port" | "token">): Promise<boolean> {
  if (port === 0) return false;
  return await new Promise((resolve) => {
    const asked = request(
      { host: HOST, port, path: "/hook/claude", timeout: ASK_MS_MAX, headers: bearer(token) },
      (response) => {
        response.resume();
        resolve(response.statusCode === 405);
      },
    );
    asked.on("timeout", () => asked.destroy()).on("error", () => resolve(false));
    asked.end();
  });
}

export function bearer(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}

/**
 * A client's hook may start the server, which then outlives that client's session and must not act in its name.
 */
function withoutClient(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const told = /^(?:CLAUDE|CODEX|GEMINI|COPILOT|OPENCODE|HOLDPOINT_(?:SESSION|ACTOR|FENCE))/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !told.test(name)));
}
