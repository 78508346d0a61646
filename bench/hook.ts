/** What a hook adds before every use of a tool: a process from start to exit, and the same through a running server. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BIN, check, holdpoint, median, node } from "./figures.ts";
import type { Print } from "./figures.ts";

const ROUNDS = 40;
const PROCESS_MAX = 1.3;
const SERVER_MAX = 0.1;

interface Case {
  readonly name: string;
  readonly payload: string;
  readonly denied: boolean;
}

export async function benchHook(print: Print): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-bench-")));
  try {
    const cases = casesIn(home);
    const base = benchProcess(print, cases);
    await benchServer(print, join(home, "held"), cases.slice(1), base);
  } finally {
    rmSync(home, { recursive: true });
  }
}

function casesIn(home: string): readonly Case[] {
  const [free, held] = [join(home, "free"), join(home, "held")];
  for (const place of [free, held]) {
    mkdirSync(place);
    execFileSync("git", ["init", "--quiet"], { cwd: place });
  }
  holdpoint(["start", "--protocol", "team-contract", "--goal", "Add dark mode", "--cwd", held], {
    exits: [0, 11],
  });
  const payload = (cwd: string, tool: string, input: object): string =>
    JSON.stringify({
      hook_event_name: "PreToolUse",
      session_id: "bench",
      cwd,
      tool_name: tool,
      tool_input: input,
    });
  return [
    {
      name: "nothing held, allowed",
      payload: payload(free, "Write", { file_path: "a.ts" }),
      denied: false,
    },
    {
      name: "something held, allowed",
      payload: payload(held, "Bash", { command: "git status | head -5 && npm test" }),
      denied: false,
    },
    {
      name: "something held, denied",
      payload: payload(held, "Write", { file_path: join(held, "a.ts") }),
      denied: true,
    },
  ];
}

/** Interleaved, so that a busy moment of the machine falls on all of them. */
function benchProcess(print: Print, cases: readonly Case[]): number {
  const empty: number[] = [];
  const times = cases.map((): number[] => []);
  for (let round = -4; round < ROUNDS; round += 1) {
    const started = performance.now();
    node(["--eval", "0"]);
    if (round >= 0) empty.push(performance.now() - started);
    for (const [index, one] of cases.entries()) {
      const begun = performance.now();
      const said = node([BIN, "hook", "claude"], {
        input: one.payload,
        exits: [one.denied ? 2 : 0],
      });
      if (round >= 0) times[index]?.push(performance.now() - begun);
      expectAnswer(one, said);
    }
  }
  const base = median(empty);
  print(`${"node, empty script".padEnd(34)} ${base.toFixed(1)} ms`);
  for (const [index, { name }] of cases.entries()) {
    const ms = median(times[index] ?? []);
    print(`${`hook: ${name}`.padEnd(34)} ${ms.toFixed(1)} ms`);
    check(print, `hook, ${name}, against an empty start`, { value: ms / base, max: PROCESS_MAX });
  }
  return base;
}

/** A hook that fails must not give a figure. */
function expectAnswer({ name, denied }: Case, said: string): void {
  const isDenied = said.includes('"permissionDecision":"deny"');
  if (isDenied !== denied) throw new Error(`hook, ${name}: it answered ${said || "nothing"}`);
}

async function benchServer(
  print: Print,
  cwd: string,
  cases: readonly Case[],
  base: number,
): Promise<void> {
  const server = spawn(process.execPath, [BIN, "mcp", "--http", "--cwd", cwd], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    const port = await portOf(server.stderr, server.stdout);
    const token = readFileSync(join(cwd, ".git/holdpoint/mcp/token"), "utf8").trim();
    for (const one of cases) {
      const times: number[] = [];
      for (let round = -10; round < ROUNDS; round += 1) {
        const started = performance.now();
        const answer = await fetch(`http://127.0.0.1:${port}/hook/claude`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: one.payload,
        });
        const said = await answer.text();
        if (round >= 0) times.push(performance.now() - started);
        if (answer.status !== 200)
          throw new Error(`hook through the server: ${answer.status} ${said}`);
        expectAnswer(one, said);
      }
      const ms = median(times);
      print(`${`through the server: ${one.name}`.padEnd(42)} ${ms.toFixed(2)} ms`);
      check(print, `hook through the server, ${one.name}, against an empty start`, {
        value: ms / base,
        max: SERVER_MAX,
      });
    }
  } finally {
    server.kill();
  }
}

const PORT_MS_MAX = 20_000;

/** Where it listens, as it says itself. */
async function portOf(...streams: readonly NodeJS.ReadableStream[]): Promise<string> {
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error("The server does not say where it listens")),
      PORT_MS_MAX,
    );
    for (const stream of streams)
      stream.on("data", (chunk: Buffer) => {
        const port = /127\.0\.0\.1:(\d+)/.exec(chunk.toString())?.[1];
        if (port === undefined) return;
        clearTimeout(timer);
        resolve(port);
      });
  });
}
