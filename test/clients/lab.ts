/** A client, a scripted model, and a copy of the program that can be broken. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Client } from "../../src/watch/call.ts";
import { BIN } from "../e2e/cli.ts";
import type { Scratch } from "../e2e/cli.ts";
import { ADAPTERS } from "./adapters.ts";
import type { Room } from "./adapters.ts";
import { startModel } from "./model/server.ts";
import type { Model } from "./model/server.ts";
import { mark } from "./model/script.ts";
import type { Scripts } from "./model/script.ts";
import { environment, runClient } from "./session.ts";
import type { Ended, RunOptions } from "./session.ts";

const ROOT = join(dirname(BIN), "..");

/** How one case ended for one client. */
export type Outcome =
  /** It is as it should be, by what lies on the disk and in the journal. */
  | { readonly kind: "held" }
  /** The client let it happen; the engine refused it at the report. */
  | { readonly kind: "engine"; readonly why: string }
  | { readonly kind: "red"; readonly why: string };

export type Outcomes = Readonly<Record<string, Outcome>>;

/** Cases that one or a few sessions show; the runner counts those that are missing as red. */
export interface Group {
  readonly name: string;
  readonly cases: Readonly<Record<string, string>>;
  readonly run: (lab: Lab) => Promise<Outcomes>;
}

export const HELD: Outcome = { kind: "held" };

export function red(why: string): Outcome {
  return { kind: "red", why };
}

export function heldIf(holds: boolean, why: string): Outcome {
  return holds ? HELD : red(why);
}

export interface Lab {
  readonly client: Client;
  readonly model: Model;
  /** The program that hooks and servers run. */
  readonly program: string;
  /** A copy of the program of its own, to be broken. */
  readonly copyProgram: () => string;
  /** A home for the client, with Holdpoint installed in that repository. */
  readonly move: (scratch: Scratch, options?: MoveOptions) => Room;
  /** A home for the client without Holdpoint. */
  readonly moveBare: (scratch: Scratch) => Room;
  /** The model follows the scripts, beginning with `main`; the client runs to its end. */
  readonly play: (room: Room, scripts: Scripts, options?: RunOptions) => Promise<Ended>;
  readonly close: () => Promise<void>;
}

export interface MoveOptions {
  /** Which copy of the program; without it, the one of all. */
  readonly program?: string;
  /** Whether its hooks ask a server, where the client has such hooks. */
  readonly server?: boolean;
  /** Those whose agents and commands are installed; without it, all. */
  readonly protocol?: string;
}

export const SERVER = "holdpoint";

export async function openLab(client: Client): Promise<Lab> {
  const model = await startModel(SERVER);
  const dir = realpathSync(mkdtempSync(join(tmpdir(), `holdpoint-${client}-`)));
  let count = 0;
  const fresh = (name: string): string => {
    count += 1;
    return join(dir, `${name}-${count}`);
  };
  const settle = (scratch: Scratch, from: string): Room => {
    const home = fresh("home");
    mkdirSync(home);
    const room = { top: scratch.top, home, url: model.url, program: from };
    ADAPTERS[client].prepare(room);
    return room;
  };
  const copyProgram = (): string => copied(fresh("program"));
  const program = copyProgram();
  return {
    client,
    model,
    program,
    copyProgram,
    moveBare: (scratch) => settle(scratch, program),
    move: (scratch, { program: from = program, server = false, protocol = FAMILIES } = {}) => {
      const room = settle(scratch, from);
      const flags = ["--protocol", protocol, ...(server ? ["--server"] : [])];
      installIn(client, room, scratch, flags);
      return room;
    },
    play: async (room, scripts, options) => {
      model.follow(scripts);
      const prompt = `Do what the script says. ${mark("main")}`;
      return await runClient(client, room, prompt, options);
    },
    close: async () => {
      for (const pid of serversBelow(dir)) process.kill(pid, "SIGKILL");
      await model.close();
      rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

const FAMILIES = "plugin-workflow,team-contract,task-protocol";

/** As a person does it, in a terminal of their own; what it wrote into the repository they commit. */
function installIn(client: Client, room: Room, { git }: Scratch, flags: readonly string[]): void {
  const loose = (): readonly string[] => git("ls-files", "--others", "-z").split("\0");
  const before = loose();
  const args = [join(room.program, "bin/holdpoint.js"), "install", client, "--yes", ...flags];
  const env = { ...environment(room), ...ADAPTERS[client].launch(room, "").env };
  const ran = spawnSync(process.execPath, args, { cwd: room.top, env, encoding: "utf8" });
  if (ran.status !== 0) throw new Error(`install ${client}: ${ran.stdout}${ran.stderr}`);
  const made = loose().filter((path) => !before.includes(path));
  if (made.length > 0) git("add", "--force", "--", ...made);
  if (made.length > 0) git("commit", "--quiet", "-m", `Use Holdpoint in ${client}`, "--", ...made);
}

/** Servers that were started from copies of the program below this folder. */
export function serversBelow(dir: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const words = commandOf(pid);
      return words.some((word) => word.startsWith(`${dir}/`)) && words.includes("mcp");
    })
    .map(Number);
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function copied(to: string): string {
  for (const part of ["bin", "dist", "package.json"])
    cpSync(join(ROOT, part), join(to, part), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(to, "node_modules"));
  mkdirSync(join(to, "path"));
  symlinkSync("../bin/holdpoint.js", join(to, "path", "holdpoint"));
  return to;
}
