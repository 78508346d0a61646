/** What people meet on the screen: every line fits it, commands can be pasted, and the way on is said. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { columnsOf } from "../../src/surfaces/cli/terminal/fit.ts";
import { repository } from "./cli.ts";
import { NAME, pluginAt } from "./plugin.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/holdpoint.js");
const NARROW = { env: { NO_COLOR: "", FORCE_COLOR: "1", COLUMNS: "80" } };

/** Lines that are neither commands nor single words fit. */
function tooWide(text: string): readonly string[] {
  return text
    .split("\n")
    .filter(
      (line) => columnsOf(line) > 80 && !/holdpoint /.test(line) && /\S \S/.test(line.trim()),
    );
}

describe("at 80 columns", () => {
  test("no line of any look is wider than the screen, and none breaks a word", () => {
    const scratch = pluginAt("s3");
    for (const words of [
      "--help",
      "start --help",
      "start --help task-protocol",
      "list",
      "status",
      `status ${NAME}`,
      `next ${NAME}`,
      `next ${NAME} --all`,
      `audit ${NAME}`,
      `audit ${NAME} --all`,
      "verify --all",
      `report ${NAME} nowhere.json`,
      "demo --help",
    ]) {
      const { stdout, stderr } = scratch.say(words, NARROW);
      expect(tooWide(stdout + stderr), words).toEqual([]);
    }
  });

  test("a pipe gets whole lines and no colour", () => {
    const scratch = pluginAt("s3");
    const { stdout } = scratch.say(`audit ${NAME}`, { env: { COLUMNS: "20" } });
    expect(stdout).not.toContain("\u001B");
    expect(stdout.split("\n").some((line) => line.length > 60)).toBe(true);
  });
});

describe("the way on", () => {
  test("start says what is missing and what to type then", () => {
    const { stdout } = repository().say("start Echo --protocol plugin-workflow");
    expect(stdout).toContain("✓ Started Echo");
    expect(stdout).toMatch(/creative-brief\.md does not exist[^]*\n {4}holdpoint advance Echo\n$/);
  });

  test("rules are cited for whoever asks", () => {
    const scratch = repository();
    scratch.say("start Echo --protocol plugin-workflow");
    expect(scratch.say("advance Echo").stdout).not.toMatch(/PW-\d+/);
    expect(scratch.say("advance Echo --rules").stdout).toMatch(/\(contract-missing, PW-\d+\)/);
  });
});

describe("completion", () => {
  const bash = spawnSync("bash", ["-c", "true"]).status === 0;

  function complete(cwd: string, words: readonly string[]): string {
    const line = ["holdpoint", ...words].map((one) => `'${one}'`).join(" ");
    const script = `holdpoint() { node '${PROGRAM}' "$@"; }; eval "$(holdpoint completion bash)"
      COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _holdpoint; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return spawnSync("bash", ["-c", script], { cwd, encoding: "utf8" }).stdout.trim();
  }

  // Where there is no bash, nobody completes in it.
  test.skipIf(!bash)("offers verbs, options and the names of workflows", () => {
    const scratch = repository();
    scratch.say("start Echo --protocol plugin-workflow");
    expect(complete(scratch.top, ["sta"])).toBe("start\nstatus");
    expect(complete(scratch.top, ["next", "--al"])).toBe("--all");
    expect(complete(scratch.top, ["status", "E"])).toBe("Echo");
  });

  test("knows three shells and says so", () => {
    const scratch = repository();
    expect(scratch.say("completion fish").stdout).toContain("complete -c holdpoint");
    expect(scratch.say("completion zsh").stdout).toContain("bashcompinit");
    expect(scratch.say("completion tcsh")).toMatchObject({ exit: 2 });
  });
});
