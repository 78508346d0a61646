import { describe, expect, test } from "vitest";
import { setTimeout as pause } from "node:timers/promises";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { createRunner } from "./runner.ts";

const MINUTE = 60_000;
const cwd = mkdtempSync(join(tmpdir(), "holdpoint-runner-"));
const processRunner = createRunner({ root: cwd });

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

const STEERING: readonly string[] = [
  "GIT_DIR LD_AUDIT BASH_ENV MAKEFLAGS GNUMAKEFLAGS PYTEST_ADDOPTS GTEST_FILTER GOFLAGS",
  "npm_config_script_shell NPM_CONFIG_IGNORE_SCRIPTS MAVEN_ARGS GRADLE_OPTS",
  "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS",
].flatMap((names) => names.split(" "));

test("whoever asks for a step cannot load code into its check, give it options, or send git elsewhere", async () => {
  const before = { ...process.env };
  process.env["NODE_OPTIONS"] = "--require=/nowhere/evil.cjs";
  for (const name of STEERING) process.env[name] = "x";
  process.env["HOLDPOINT_TEST_KEPT"] = "kept";
  try {
    const script = `console.log(${JSON.stringify(STEERING)}.filter((name) => process.env[name]), process.env.HOLDPOINT_TEST_KEPT)`;
    const result = await processRunner.run(["node", "-e", script], { cwd, msMax: MINUTE });
    expect(result).toMatchObject({ kind: "exited", code: 0, output: "[] kept\n" });
  } finally {
    process.env = before;
  }
});

test.each([
  [[]],
  [[" "]],
  [["sh", "-c", ""]],
  [["sh", "-c", " \n\t"]],
  [["bash", "-lc", "# npm test"]],
  [["/bin/sh", "-ec", ":\n# later; npm test\n ; :;"]],
  [["sh", "-c"]],
])("%j runs nothing, so nothing has passed", async (command) => {
  const result = await processRunner.run(command, { cwd, msMax: MINUTE });
  expect(result).toEqual({ kind: "failed", message: "there is nothing to run" });
});

test.each([
  [["sh", "-c", "# first\nexit 3"]],
  [["sh", "-c", ": && exit 3"]],
  [["sh", "-c", ":(){ exit 3; }; exit 3"]],
])("%j runs something", async (command) => {
  const result = await processRunner.run(command, { cwd, msMax: MINUTE });
  expect(result).toMatchObject({ kind: "exited" });
});

test("the evidence says which file was run", async () => {
  const result = await processRunner.run(["sh", "-c", "exit 0"], { cwd, msMax: MINUTE });
  expect(result).toMatchObject({ kind: "exited", program: expect.stringMatching(/^\/.*\/sh$/) });
});

describe("the PATH of a check", () => {
  const fake = (directory: string, mode = 0o755): string => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "true"), "#!/bin/sh\necho fake\n", { mode: 0o755 });
    chmodSync(directory, mode);
    return directory;
  };
  const say = async (first: string, run = createRunner({ root: join(cwd, "repo") })) => {
    const before = process.env["PATH"];
    process.env["PATH"] = `${first}:${before}`;
    try {
      return await run.run(["true"], { cwd: join(cwd, "repo"), msMax: MINUTE });
    } finally {
      process.env["PATH"] = before;
    }
  };
  const bin = fake(join(cwd, "repo", "bin"));

  test.each([
    ["in the repository", bin],
    ["relative", "bin"],
    ["empty, which means here", ""],
    ["open to everybody", fake(join(cwd, "open"), 0o777)],
    ["below one that is", fake(join(cwd, "below"))],
    ["gone", join(cwd, "gone")],
  ])("leaves out a directory that is %s", async (_, first) => {
    expect(await say(first)).toMatchObject({ kind: "exited", code: 0, output: "" });
  });

  test("keeps installed packages, and takes what the committed configuration says alone", async () => {
    const packages = fake(join(homedir(), `.holdpoint-test-${process.pid}`, "node_modules/.bin"));
    try {
      expect(await say(packages)).toMatchObject({
        output: "fake\n",
        program: join(packages, "true"),
      });
    } finally {
      rmSync(join(packages, "../.."), { recursive: true });
    }
    const named = createRunner({ root: join(cwd, "repo"), path: ["bin", "/bin"] });
    expect(await say("/usr/bin", named)).toMatchObject({ output: "fake\n" });
  });

  test("says so where the program is found nowhere else", async () => {
    writeFileSync(join(bin, "only-here"), "#!/bin/sh\n", { mode: 0o755 });
    const before = process.env["PATH"];
    process.env["PATH"] = `${bin}:${before}`;
    const run = createRunner({ root: join(cwd, "repo") }).run(["only-here"], {
      cwd,
      msMax: MINUTE,
    });
    const result = await run;
    process.env["PATH"] = before;
    expect(result).toMatchObject({
      kind: "failed",
      message: expect.stringMatching(/only-here is not run/),
    });
  });
});
