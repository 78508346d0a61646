/** Every tutorial to its end as its reader types it, at 80 columns: what the page shows stands on the screen. */
import { mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stepsOf } from "../page.ts";
import { BIN, bareDirectory } from "../e2e/cli.ts";
import { NO_TERMINAL } from "./terminal.ts";
import { openUser } from "./user.ts";

const PAGES = join(import.meta.dirname, "../../docs/tutorial");

describe.skipIf(NO_TERMINAL !== undefined)(`at 80 columns (${NO_TERMINAL ?? "tmux"})`, () => {
  test.each(readdirSync(PAGES))("%s", async (page) => {
    const scratch = bareDirectory();
    const bin = join(scratch.top, "../bin");
    mkdirSync(bin);
    symlinkSync(BIN, join(bin, "holdpoint"));
    const { NO_COLOR: _, ...env } = scratch.env;
    const path = `${bin}:${process.env["PATH"] ?? ""}`;
    const user = await openUser({ cwd: scratch.top, env: { ...env, PATH: path } });
    try {
      for (const step of stepsOf(readFileSync(join(PAGES, page), "utf8"))) {
        if (step.kind === "file") {
          scratch.write(step.name, step.text);
          continue;
        }
        // Each command begins at the top, as the page's own test has it.
        const screen = inOneLine(await user.type(`(${step.command})`));
        for (const line of step.shows) expect(screen, step.command).toContain(inOneLine(line));
      }
    } finally {
      user.terminal.close();
    }
  });
});

/** The terminal breaks lines where the page does not. */
function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
