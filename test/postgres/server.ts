/** A server of PostgreSQL of one's own: on loopback, in a directory of its own, as a user without rights when root asks. */
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface Server {
  readonly port: number;
  readonly dir: string;
  /** The address of a database, for the administrator unless another is named. */
  readonly url: (database?: string, user?: string, password?: string) => string;
  readonly start: () => Promise<void>;
  /** As `pg_ctl stop -m fast` does. */
  readonly stop: () => Promise<void>;
  /** `kill -9` of the server, and the wait until nothing of it is left. */
  readonly kill: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

export interface ServerOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes the directory in place of `initdb`, such as a copy of a primary. */
  readonly make?: (run: (tool: string, args: readonly string[]) => void, data: string) => void;
}

export const PASSWORD = "only on loopback";
const START_MS_MAX = 60_000;
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  max_connections: "200",
  shared_buffers: "64MB",
  log_min_messages: "warning",
};

let programs: string | undefined;

export function binDirectory(): string {
  const script = fileURLToPath(new URL("install.sh", import.meta.url));
  programs ??= execFileSync(script, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
  return programs;
}

/** Nobody in particular: PostgreSQL does not run as root. */
export function someUser(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  const user =
    users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  return { uid: Number(user?.[2]), gid: Number(user?.[3]) };
}

export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const bin = binDirectory();
  const as = someUser();
  const dir = mkdtempSync(join(tmpdir(), "holdpoint-pg-"));
  if (as.uid !== undefined) chownSync(dir, as.uid, as.gid ?? as.uid);
  const data = join(dir, "data");
  const env = { PATH: process.env["PATH"] ?? "", HOME: dir, LC_ALL: "C" };
  const run = (tool: string, args: readonly string[]): void => {
    execFileSync(join(bin, tool), args, { ...as, cwd: dir, env, stdio: "pipe" });
  };
  const secret = join(dir, "secret");
  writeFileSync(secret, PASSWORD, { mode: 0o644 });
  if (options.make === undefined)
    run("initdb", [
      "-D",
      data,
      "-U",
      "postgres",
      "-A",
      "scram-sha-256",
      "--pwfile",
      secret,
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
    ]);
  else options.make(run, data);
  const port = await freePort();
  const settings = {
    ...SETTINGS,
    ...options.settings,
    port: String(port),
    unix_socket_directories: dir,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let child: ChildProcess | undefined;
  let said = "";
  const start = async (): Promise<void> => {
    const until = Date.now() + START_MS_MAX;
    for (;;) {
      said = "";
      const begun = spawn(join(bin, "postgres"), ["-D", data, ...args], {
        ...as,
        cwd: dir,
        env,
        stdio: ["ignore", "ignore", "pipe"],
      });
      child = begun;
      begun.stderr?.setEncoding("utf8").on("data", (text: string) => {
        said = `${said}${text}`.slice(-20_000);
      });
      if (await answers(begun, port, bin, until)) return;
      // Right after a `kill -9` the last of the old processes may still be there.
      if (Date.now() > until) throw new Error(`the server does not start: ${said}`);
      await pause(200);
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = child;
    child = undefined;
    if (ended === undefined || ended.exitCode !== null || ended.signalCode !== null) return;
    const gone = new Promise((resolve) => ended.once("exit", resolve));
    ended.kill(signal);
    await gone;
  };
  const server: Server = {
    port,
    dir,
    url: (database = "postgres", user = "postgres", password = PASSWORD) =>
      `postgresql://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`,
    start,
    stop: async () => await end("SIGINT"),
    kill: async () => await end("SIGKILL"),
    remove: async () => {
      await end("SIGINT");
      rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
  await start();
  return server;
}

async function answers(
  child: ChildProcess,
  port: number,
  bin: string,
  until: number,
): Promise<boolean> {
  while (Date.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    try {
      execFileSync(join(bin, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", String(port)]);
      return true;
    } catch {
      await pause(100);
    }
  }
  return false;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
