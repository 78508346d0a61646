import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { createWorkspace } from "./workspace.ts";

const VIEW = "plugins/A b/.continue-here.md";

describe("an editor that never stops", () => {
  test.each(["in place", "by rename"])(
    "%s: every text it finished writing is found",
    async (how) => {
      const root = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-")));
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      const view = join(root, VIEW);
      mkdirSync(dirname(view), { recursive: true });
      writeFileSync(view, "rendering 0\n");
      const editor = spawn(process.execPath, ["--input-type=module", "-e", EDITOR, view, how]);
      const ended = new Promise((resolve) => editor.on("exit", resolve));
      const workspace = createWorkspace(root);
      const seen = new Set<string>();
      let installed = 0;
      for (let n = 1; editor.exitCode === null; n++) {
        const found = await workspace.read(VIEW);
        if (found.kind !== "text") continue;
        seen.add(found.text);
        const answer = await workspace.install(VIEW, `rendering ${n}\n`, found.text);
        if (answer.kind === "installed") installed++;
      }
      expect(await ended).toBe(0);
      await pause(1_100);
      for (const left of await workspace.recover()) {
        const late = left.kind === "edited" ? await workspace.read(left.aside) : undefined;
        if (late?.kind === "text") seen.add(late.text);
      }
      seen.add(readFileSync(view, "utf8"));
      const lost = Array.from({ length: EDITS }, (_, i) => `edit ${i}\n`).filter(
        (e) => !seen.has(e),
      );
      expect(lost).toEqual([]);
      expect(installed).toBeGreaterThan(0);
    },
  );
});

const EDITS = 100;

// Writes only over a rendering: text it writes over its own text would be its own loss.
const EDITOR = `
  import { readFileSync, renameSync, writeFileSync } from "node:fs";
  const [view, how] = process.argv.slice(1);
  const read = () => { try { return readFileSync(view, "utf8"); } catch { return ""; } };
  const give = new Int32Array(new SharedArrayBuffer(4));
  for (let n = 0; n < ${EDITS}; n++) {
    while (!read().startsWith("rendering")) Atomics.wait(give, 0, 0, 1);
    if (how === "in place") writeFileSync(view, "edit " + n + "\\n");
    else { writeFileSync(view + "~", "edit " + n + "\\n"); renameSync(view + "~", view); }
  }`;
