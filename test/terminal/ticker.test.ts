/** Whoever waits in a real terminal sees for what and how long, and nothing of it stays on the screen. */
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { BIN } from "../e2e/cli.ts";
import type { Scratch } from "../e2e/cli.ts";
import {
  NAME,
  answer,
  changeSetting,
  doWork,
  finish,
  pluginAt,
  reportText,
} from "../e2e/plugin.ts";
import { NO_TERMINAL, openTerminal } from "./terminal.ts";
import type { Terminal } from "./terminal.ts";

const opened: Terminal[] = [];
afterAll(() => {
  for (const one of opened) one.close();
});

async function terminalIn(scratch: Scratch): Promise<Terminal> {
  const bin = join(scratch.top, "../bin");
  mkdirSync(bin);
  symlinkSync(BIN, join(bin, "holdpoint"));
  const { NO_COLOR: _, ...env } = scratch.env;
  const terminal = await openTerminal({
    cwd: scratch.top,
    env: { ...env, PATH: `${bin}:${process.env["PATH"] ?? ""}` },
  });
  opened.push(terminal);
  return terminal;
}

/** Stage 3 with a check that takes its time and is red. */
function slowPlugin(): Scratch {
  const scratch = pluginAt("p2");
  const checks = { tests: { run: ["sh", "-c", "sleep 4; exit 1"], minutes: 1 } };
  changeSetting(scratch, "holdpoint.config.json", { checks });
  finish(scratch, "2");
  answer(scratch, "1");
  doWork(scratch, "3");
  scratch.write("../report.json", reportText("3"));
  return scratch;
}

describe.skipIf(NO_TERMINAL !== undefined)(`in a terminal (${NO_TERMINAL ?? "tmux"})`, () => {
  test("a check is named with its seconds, also where a person answers, and the line goes away", async () => {
    const terminal = await terminalIn(slowPlugin());
    const running = /^sh -c sleep 4; exit 1, [2-4] s$/m;
    const report = `holdpoint report ${NAME} ../report.json`;
    const waiting = await terminal.type(report, running);
    expect(waiting.text).toMatch(running);
    const told = await terminal.settled();
    expect(told.text).not.toMatch(running);
    expect(told.text).toContain("Choose (1-");
    expect(told.overflowing).toEqual([]);

    const asked = await terminal.type(`holdpoint answer ${NAME} 1`, running);
    expect(asked.text).toMatch(running);
    const again = await terminal.settled();
    expect(again.text).not.toMatch(running);
    expect(again.text).toContain("Asked before");
  });

  test("Ctrl-C in the middle of a check: the work is still out, and how to report it is said", async () => {
    const scratch = slowPlugin();
    const terminal = await terminalIn(scratch);
    await terminal.type(`holdpoint report ${NAME} ../report.json`, /sleep 4; exit 1, [2-4] s$/m);
    terminal.press("C-c");
    const stopped = await terminal.settled();
    expect(stopped.text).not.toMatch(/Error|at \w+ \(/);
    const after = await terminal.type(`holdpoint status ${NAME}`);
    expect(after.text).toContain("is at work");
    expect(after.text).toMatch(/holdpoint report/);
  });
});
