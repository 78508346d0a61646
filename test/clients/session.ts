/** One run of a client, from its start to its end or until it is killed. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { mkdirSync } from "node:fs";
import type { Client } from "../../src/watch/call.ts";
import { ADAPTERS } from "./adapters.ts";
import type { Room } from "./adapters.ts";
import { programOf } from "./pinned.ts";

export interface Ended {
  /** Its exit code, "killed" if `until` came first, or "too long". */
  readonly exit: number | "killed" | "too long";
  readonly session: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RunOptions {
  /** Taken up again in place of a new one. */
  readonly session?: string;
  /** When this comes true the client is killed as a machine that loses its power kills it. */
  readonly until?: Promise<void>;
}

const SESSION_MS_MAX = 240_000;
const OUTPUT_MAX = 4_000_000;

export async function runClient(
  client: Client,
  room: Room,
  prompt: string,
  { session, until }: RunOptions = {},
): Promise<Ended> {
  const { args, env } = ADAPTERS[client].launch(room, prompt, session);
  const began = performance.now();
  const child = spawn(programOf(client), args, {
    cwd: room.top,
    env: { ...environment(room), ...env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text) => (stdout = `${stdout}${text}`.slice(-OUTPUT_MAX)));
  child.stderr.on("data", (text) => (stderr = `${stderr}${text}`.slice(-OUTPUT_MAX)));
  const exit = await new Promise<Ended["exit"]>((resolve, reject) => {
    const timer = setTimeout(() => resolve("too long"), SESSION_MS_MAX);
    void until?.then(() => resolve("killed"));
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve(code ?? -1);
    });
  });
  killGroup(child.pid);
  const id = /"(?:session_id|thread_id|sessionID|sessionId)"\s*:\s*"([^"]+)"/.exec(stdout)?.[1];
  return { exit, session: id, stdout, stderr, ms: performance.now() - began };
}

/** The client with everything it has started, such as its servers; often there is nothing left. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It is over.
  }
}

/** Made from nothing: no key, no mark of a client and no setting of this machine gets in. */
export function environment({ home, program }: Room): Record<string, string> {
  const temporary = join(home, "tmp");
  mkdirSync(temporary, { recursive: true });
  return {
    PATH: `${join(program, "path")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    TMPDIR: temporary,
    TERM: "dumb",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_STATE_HOME: join(home, ".local/state"),
  };
}
