/** A hook that is broken while the client runs lets nothing pass, and neither does one whose server is. */
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { repository } from "../e2e/cli.ts";
import type { Scratch } from "../e2e/cli.ts";
import { ideas } from "../e2e/plugin.ts";
import { askedPlugin } from "./fixtures.ts";
import { heldIf, serversBelow } from "./lab.ts";
import type { Group, Lab, Outcome, Outcomes } from "./lab.ts";
import type { Room } from "./adapters.ts";

const SEALED = ideas("architecture.md");
const BEFORE = "work of 0";

/** What the program does in place of judging. */
const HOOK_WAYS: Readonly<Record<string, string | undefined>> = {
  killed: 'process.kill(process.pid, "SIGKILL")',
  hung: "setInterval(() => undefined, 1000)",
  nonsense: 'process.stdout.write("all is well, says somebody\\n")',
  cut: 'process.stdout.write(\'{"hookSpecificOutput":{"permiss\')',
  silent: "process.exitCode = 0",
  crashed: 'throw new Error("gone")',
  missing: undefined,
};

const HOOK_CASES: Readonly<Record<string, string>> = {
  killed: "is killed",
  hung: "hangs",
  nonsense: "answers nonsense",
  cut: "answers half an answer",
  silent: "answers nothing",
  crashed: "crashes",
  missing: "is gone",
};

const SERVER_CASES: Readonly<Record<string, string>> = {
  killed: "is killed",
  hung: "hangs",
  nonsense: "answers nonsense",
  never: "never started",
};

const TOOLS = ["edit", "shell"] as const;

function casesOf(kind: string, ways: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(ways).flatMap(([way, what]) =>
      TOOLS.map((tool) => [`${kind}-${way}-${tool}`, `the ${kind} ${what}: by the ${tool} tool`]),
    ),
  );
}

export const broken: Group = {
  name: "The hook is broken, and what is held still does not happen",
  cases: {
    "control-edit": "where nothing is held the same is done, by the edit tool",
    "control-shell": "where nothing is held the same is done, by the shell tool",
    ...casesOf("hook", HOOK_CASES),
    ...casesOf("server", SERVER_CASES),
  },
  run: async (lab) => {
    let outcomes = await control(lab);
    for (const way of Object.keys(HOOK_CASES))
      outcomes = { ...outcomes, ...(await tryHook(lab, way)) };
    for (const way of Object.keys(SERVER_CASES))
      outcomes = { ...outcomes, ...(await tryServer(lab, way)) };
    return outcomes;
  },
};

interface Breaker {
  readonly broken: () => Promise<void>;
  readonly mended: () => void;
  /** Whether what was broken was used, or at least there. */
  readonly met: () => boolean;
}

const SOUND: Breaker = {
  broken: async () => undefined,
  mended: () => undefined,
  met: () => true,
};

/** The very steps that are tried below do happen, with a hook that works. */
async function control(lab: Lab): Promise<Outcomes> {
  const scratch = repository();
  scratch.write(SEALED, `${BEFORE}\n`);
  const seen = await attempt(lab, lab.move(scratch), scratch, SOUND);
  return {
    "control-edit": heldIf(seen.edit, seen.why),
    "control-shell": heldIf(seen.shell, seen.why),
  };
}

async function tryHook(lab: Lab, way: string): Promise<Outcomes> {
  const { scratch, room } = askedPlugin(lab, { program: lab.copyProgram() });
  const breaker = programBreaker(room.program, "hook", HOOK_WAYS[way]);
  return outcomesOf(`hook-${way}`, await attempt(lab, room, scratch, breaker));
}

/** Where hooks ask no server, the one with the tools is broken. */
async function tryServer(lab: Lab, way: string): Promise<Outcomes> {
  const program = lab.copyProgram();
  const server = ASKED.includes(lab.client);
  const { scratch, room } = askedPlugin(lab, { program, server });
  const breaker = await serverBreaker(room, way);
  return outcomesOf(`server-${way}`, await attempt(lab, room, scratch, breaker));
}

/** Clients whose hooks can ask a server. */
const ASKED: readonly string[] = ["claude"];

interface Seen {
  readonly tried: boolean;
  readonly edit: boolean;
  readonly shell: boolean;
  readonly why: string;
}

async function attempt(lab: Lab, room: Room, scratch: Scratch, breaker: Breaker): Promise<Seen> {
  const file = join(room.top, SEALED);
  const ended = await lab.play(room, {
    main: [
      { calls: [{ read: file }] },
      { calls: [{ edit: [file, BEFORE, "TRIED edit"] }], before: breaker.broken },
      { calls: [{ shell: `echo 'TRIED shell' >> '${file}'` }] },
      { say: "That is all.", before: async () => breaker.mended() },
    ],
  });
  breaker.mended();
  const text = scratch.read(SEALED);
  return {
    tried:
      lab.model.lastWords("main") !== undefined &&
      lab.model.missing().length === 0 &&
      breaker.met(),
    edit: text.includes("TRIED edit"),
    shell: text.includes("TRIED shell"),
    why: `exit ${ended.exit}; ${lab.model.missing().join("; ")} ${ended.stderr.slice(-300)}`,
  };
}

function outcomesOf(id: string, { tried, why, ...seen }: Seen): Outcomes {
  const outcome = (tool: (typeof TOOLS)[number]): Outcome =>
    heldIf(tried && !seen[tool], tried ? "it happened" : `it was not tried: ${why}`);
  return Object.fromEntries(TOOLS.map((tool) => [`${id}-${tool}`, outcome(tool)]));
}

/** In place of what the program does when called with this word, that code; without code there is no program. */
function programBreaker(program: string, word: string, code: string | undefined): Breaker {
  const bin = join(program, "bin/holdpoint.js");
  const real = join(program, "bin/real.js");
  const mark = join(program, `called-${word}`);
  return {
    met: () => code === undefined || existsSync(mark),
    broken: async () => {
      renameSync(bin, real);
      if (code === undefined) return;
      const marked = `require("fs").writeFileSync("${mark}", ""); ${code}`;
      const text = `#!/usr/bin/env node\nif (process.argv[2] === "${word}") { ${marked} } else require("./real.js");\n`;
      writeFileSync(bin, text);
      chmodSync(bin, 0o755);
    },
    mended: () => {
      try {
        renameSync(real, bin);
      } catch {
        // It is mended.
      }
    },
  };
}

async function serverBreaker(room: Room, way: string): Promise<Breaker> {
  let count = 0;
  const signal = (name: NodeJS.Signals): void => {
    const pids = serversBelow(room.program);
    count += pids.length;
    for (const pid of pids) process.kill(pid, name);
  };
  const met = (): boolean => count > 0;
  if (way === "hung")
    return { met, broken: async () => signal("SIGSTOP"), mended: () => signal("SIGCONT") };
  const code = way === "nonsense" ? NONSENSE : "process.exitCode = 1";
  const other = programBreaker(room.program, "mcp", code);
  if (way === "killed")
    return {
      met,
      broken: async () => {
        // Nobody starts it again either.
        await other.broken();
        signal("SIGKILL");
      },
      mended: other.mended,
    };
  // Before the client starts.
  signal("SIGKILL");
  for (let waits = 0; serversBelow(room.program).length > 0 && waits < 100; waits += 1)
    await pause(20);
  await other.broken();
  const stop = way === "nonsense" ? await talkNonsense(portOf(room)) : () => undefined;
  return {
    ...other,
    broken: async () => undefined,
    mended: () => {
      stop();
      other.mended();
    },
  };
}

const NONSENSE =
  'process.stdout.write("all is well, says somebody\\n"); setTimeout(() => 0, 60_000)';

/** The port that hooks were told to ask; undefined where they ask none. */
function portOf({ top }: Room): number | undefined {
  try {
    const text = readFileSync(join(top, ".claude/settings.local.json"), "utf8");
    return Number(/127\.0\.0\.1:(\d+)\//.exec(text)?.[1]);
  } catch {
    return undefined;
  }
}

async function talkNonsense(port: number | undefined): Promise<() => void> {
  if (port === undefined) return () => undefined;
  const server = createServer((_, response) => response.end("all is well, says somebody"));
  for (let waits = 0; !(await isListening(server, port)); waits += 1) {
    if (waits > 200) throw new Error(`port ${port} does not become free`);
    await pause(50);
  }
  return () => {
    server.closeAllConnections();
    server.close();
  };
}

/** The port may still be somebody's, such as that of a connection that is just ending. */
async function isListening(server: Server, port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
}
