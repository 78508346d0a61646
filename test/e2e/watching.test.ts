/** `status --watch`: all workflows at once, and a journal that goes while somebody watches it. */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BIN } from "./cli.ts";
import type { Scratch } from "./cli.ts";
import { NAME, pluginAt } from "./plugin.ts";

interface Watching {
  readonly until: (text: string) => Promise<void>;
  readonly end: () => Promise<number | null>;
  readonly ended: Promise<number | null>;
}

function watching(scratch: Scratch, words: readonly string[]): Watching {
  const child = spawn(process.execPath, [BIN, "status", ...words, "--watch"], {
    cwd: scratch.top,
    env: scratch.env,
  });
  let shown = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (shown += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    ended,
    until: async (text) => {
      while (!shown.includes(text)) {
        if (child.exitCode !== null) throw new Error(`It ended:\n${shown}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    end: async () => {
      child.kill("SIGINT");
      return await ended;
    },
  };
}

test("without a name every workflow is followed, in words of its protocol", async () => {
  const scratch = pluginAt("s2");
  const watch = watching(scratch, []);
  await watch.until(`${NAME}  Stage 2  waits for you`);
  await scratch.holdLater(["start", "Other", "--protocol", "plugin-workflow"]);
  await watch.until("Other  Ideated");
  await scratch.holdLater(["answer", NAME, "1"]);
  await watch.until(`${NAME}  Stage 2  at work`);
  expect(await watch.end()).toBe(0);
}, 60_000);

test("for programs, an object for each that moved", async () => {
  const watch = watching(pluginAt("s2"), ["--json"]);
  await watch.until(`"id":"${NAME}"`);
  await watch.until('"state":"Stage 2"');
  expect(await watch.end()).toBe(0);
}, 60_000);

test("a journal that is removed is gone, and not mistyped", async () => {
  const scratch = pluginAt("s2");
  const watch = watching(scratch, [NAME]);
  await watch.until("Build System Ready");
  rmSync(join(scratch.top, ".git/holdpoint"), { recursive: true });
  expect(await watch.ended).toBe(10);
  await expect(watch.until("no such text")).rejects.toThrow(
    `The journal of ${NAME} was here when watching began, and is gone`,
  );
}, 60_000);
