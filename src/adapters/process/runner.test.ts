import { describe, expect, test } from "vitest";
import { setTimeout as pause } from "node:timers/promises";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processRunner } from "./runner.ts";

const MINUTE = 60_000;
const cwd = mkdtempSync(join(tmpdir(), "holdpoint-runner-"));

describe("a check that leaves a child behind", () => {
  test("is over when it ends, though the child holds the pipes; the child is ended", async () => {
    const late = join(cwd, "late");
    const script = `(sleep 3; touch '${late}') & echo done; exit 3`;
    const result = await processRunner.run(["sh", "-c", script], { cwd, msMax: MINUTE });
    expect(result).toMatchObject({ kind: "exited", code: 3, output: "done\n" });
    expect(result.kind === "exited" && result.ms).toBeLessThan(2_500);
    await pause(3_500);
    expect(existsSync(late)).toBe(false);
  });

  test("is over also when the child has left the group", async () => {
    const result = await processRunner.run(["sh", "-c", "setsid sleep 6 & sleep 0.5; echo done"], {
      cwd,
      msMax: MINUTE,
    });
    expect(result).toMatchObject({ kind: "exited", code: 0, output: "done\n" });
    expect(result.kind === "exited" && result.ms).toBeLessThan(4_000);
  });

  test("everything printed before the end is read", async () => {
    const script = "for i in 1 2 3 4 5 6 7 8 9; do printf '%08000d' $i; done; exit 1";
    const result = await processRunner.run(["sh", "-c", script], { cwd, msMax: MINUTE });
    expect(result.kind === "exited" && result.output.slice(-1)).toBe("9");
  });
});

test("whoever asks for a step cannot load code into its check, or send git elsewhere", async () => {
  const before = { ...process.env };
  process.env["NODE_OPTIONS"] = "--require=/nowhere/evil.cjs";
  process.env["GIT_DIR"] = "/nowhere";
  process.env["HOLDPOINT_TEST_KEPT"] = "kept";
  try {
    const script = "console.log(process.env.GIT_DIR, process.env.HOLDPOINT_TEST_KEPT)";
    const result = await processRunner.run(["node", "-e", script], { cwd, msMax: MINUTE });
    expect(result).toMatchObject({ kind: "exited", code: 0, output: "undefined kept\n" });
  } finally {
    process.env = before;
  }
});

test("the evidence says which file was run", async () => {
  const result = await processRunner.run(["sh", "-c", "exit 0"], { cwd, msMax: MINUTE });
  expect(result).toMatchObject({ kind: "exited", program: expect.stringMatching(/^\/.*\/sh$/) });
});
