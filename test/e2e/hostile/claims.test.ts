/** Reports, texts and command lines nobody expects. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFile } from "../cli.ts";
import type { Args } from "../cli.ts";
import {
  DONE,
  ESC,
  FAILED,
  HELD,
  MB,
  PATIENCE_MS,
  REFUSED,
  USAGE,
  VERBS,
  aboutToReport,
  commits,
  everything,
  expectClear,
  expectFinishes,
  odd,
} from "../hostile.ts";
import { NAME, codesOf, doWork, giveReport, pluginAt, questionOf, reportText } from "../plugin.ts";

describe("reports", () => {
  const whole = reportText("0");
  const UNREADABLE: readonly (readonly [string, string])[] = [
    ["half-written", whole.slice(0, 90)],
    ["nothing", ""],
    ["a million brackets", "[".repeat(1_000_000)],
    ["deep but closed", `{"a":`.repeat(100_000) + "1" + "}".repeat(100_000)],
    ["binary", "\u0000\u0001\u0002"],
  ];

  test.each(UNREADABLE)(
    "[PW-073] %s: a person is asked, nothing moves, the agent's words are kept",
    (_, text) => {
      const scratch = aboutToReport();
      const reply = giveReport(scratch, text);
      expect(reply.exit, reply.stdout.slice(0, 500)).toBe(HELD);
      expect(questionOf(reply)).toBe("report-unreadable");
      expect(commits(scratch)).toBe(1);
      expect(scratch.hold(`status ${NAME}`).json.state).toBe("💡 Ideated");
    },
  );

  test.each([
    ["a wrong shape", '{"agent":"research-planning-agent","status":"success"}'],
    ["a prototype", whole.replace('"status"', '"__proto__":{"status":"success"},"x_status"')],
    ["two answers in one", whole.replace('"status"', '"status":"failure","status"')],
    ["another plugin", reportText("0", { outputs: { plugin_name: "Other" } })],
    ["another agent", reportText("0", { with: { agent: "dsp-agent" } })],
    ["another stage", reportText("0", { outputs: { stage_completed: 4 } })],
  ])("[PW-074] %s is refused whole, with every reason", (_, text) => {
    const scratch = aboutToReport();
    const before = everything(scratch);
    const reply = giveReport(scratch, text);
    expect([REFUSED, HELD], reply.stdout).toContain(reply.exit);
    expectClear(reply, /./);
    expect(commits(scratch)).toBe(1);
    // Refused: not a byte is different. Held: only the journal has one record more.
    const ours = (files: typeof before): readonly string[] =>
      Object.entries(files)
        .filter(([name]) => reply.exit === REFUSED || !name.startsWith(".git/"))
        .map(([name, text]) => `${name} ${text}`);
    expect(ours(everything(scratch))).toEqual(ours(before));
  });

  test(
    "[PW-168] files that are not files of this repository are no evidence",
    () => {
      const scratch = aboutToReport();
      const before = everything(scratch);
      const paths = [
        "../../etc/passwd",
        "/etc/passwd",
        ".git/config",
        `plugins/${NAME}/../../x`,
        "a\u0000b",
        "C:\\x",
        "~/.ssh",
        "",
        ".",
        "./",
        "/",
        "..",
        "-rf",
        ":(top)x",
      ];
      for (const path of paths) {
        const reply = giveReport(scratch, reportText("0", { files: [path] }));
        expect(reply.exit, JSON.stringify(path) + reply.stdout).toBe(REFUSED);
        expect(codesOf(reply), path).toContain("files-missing");
      }
      expect(everything(scratch)).toEqual(before);
      expectFinishes(scratch);
    },
    PATIENCE_MS,
  );

  test(
    "100,000 files and 5 MB end in an answer",
    () => {
      const scratch = aboutToReport();
      const files = Array.from({ length: 100_000 }, (_, index) => `plugins/${NAME}/f${index}`);
      const many = giveReport(scratch, reportText("0", { files }));
      expect([REFUSED, HELD], many.stdout.slice(0, 500)).toContain(many.exit);
      expect(commits(scratch)).toBe(1);
      const again = aboutToReport();
      const large = giveReport(again, `${whole}${" ".repeat(5 * MB)}`);
      expect(codesOf(large)).toEqual(["report-too-large"]);
      again.write("report.json", `${whole}${" ".repeat(5 * MB)}`);
      expect(codesOf(again.hold(`report ${NAME} report.json`))).toEqual(["report-too-large"]);
      again.remove("report.json");
      expectFinishes(again);
    },
    PATIENCE_MS,
  );

  test("a report file that is none is refused by name", () => {
    const scratch = aboutToReport();
    spawnSync("mkfifo", [join(scratch.top, "pipe")]);
    for (const file of ["pipe", ".", "nowhere.json", "/dev/zero"]) {
      const reply = scratch.hold(["report", NAME, file]);
      expect(codesOf(reply), file).toEqual(["report-unreadable"]);
      expectClear(reply, file === "." ? /\./ : new RegExp(file));
    }
  });
});

/** What a terminal acts upon; tab and newline are harmless. */
const ACTING = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;

describe("what agents write does not reach the terminal as commands", () => {
  test(
    "escape sequences in plan, report, session and arguments are made visible",
    () => {
      const scratch = pluginAt("p0");
      const evil = `${ESC}]0;owned\u0007${ESC}[2J\u009B31m\u202Eevil`;
      const plan = `# Plan\n\n**Complexity Score:** 4.0\n\n### Phase 3.1: ${evil}\n\n${evil}\n\n### Phase 4.1: x\n\ny\n`;
      doWork(scratch, "0", { plan });
      const text = reportText("0", { with: { issues: [evil], description: evil } });
      const said = [scratch.say(["report", NAME, "-"], { stdin: text })];
      said.push(scratch.say(`answer ${NAME} 1`));
      doWork(scratch, "2");
      const failed = reportText("2", {
        with: { status: "failure" },
        outputs: { error_message: evil },
      });
      said.push(scratch.say(["report", NAME, "-"], { stdin: failed }));
      for (const args of [
        `status ${NAME}`,
        `next ${NAME}`,
        `audit ${NAME}`,
        `reconcile ${NAME}`,
        `verify ${NAME}`,
        "list",
        "verify --all",
      ])
        said.push(scratch.say(args));
      const lines: readonly Args[] = [
        [evil],
        ["status", evil],
        ["start", "X", "--protocol", evil],
        ["start", "X", "--type", evil, "--protocol", "plugin-workflow"],
        ["report", NAME, evil],
        ["status", NAME, "--as", evil],
        ["status", NAME, "--cwd", evil],
        ["answer", NAME, evil],
        ["advance", NAME, evil],
        ["status", `--${evil}`],
      ];
      for (const args of lines) said.push(scratch.say(args));
      said.push(scratch.say(["advance", NAME], { env: { HOLDPOINT_SESSION: evil } }));
      for (const { stdout, stderr } of said) {
        expect(`${stdout}${stderr}`).not.toMatch(ACTING);
      }
    },
    PATIENCE_MS,
  );
});

describe("--json", () => {
  test(
    "exactly one object on standard output, whatever is asked",
    () => {
      const scratch = pluginAt("s0");
      const lines: readonly Args[] = [
        [],
        ["--help"],
        ["--version"],
        ["nonsense"],
        ["status", "--nonsense"],
        ["status", "--cwd"],
        ["status", "--cwd", "/nowhere/at/all"],
        ["start"],
        ["start", "A", "B"],
        ["report"],
        ["answer", NAME],
        ["answer", NAME, "99"],
        ["advance", NAME, "nonsense"],
        ["advance", NAME, "--input", "{"],
        ["advance", NAME, "--set", "x=y"],
        ["reconcile", NAME, "--restore", "--skip"],
        ["verify"],
        ["adopt"],
        ["list", "--help"],
        ["status", NAME, "--as", "nobody"],
      ];
      for (const args of lines) {
        const reply = scratch.hold(args);
        expect(typeof reply.json.ok, args.toString()).toBe("boolean");
        expect(reply.stdout.trimEnd().split("\n")).toHaveLength(1);
        expect(
          [DONE, FAILED, USAGE, REFUSED, HELD],
          `${args.toString()} ${reply.stdout}`,
        ).toContain(reply.exit);
        if (reply.json.ok === false) expectClear(reply, /./);
      }
    },
    PATIENCE_MS,
  );

  test("a broken configuration is an error, never a default", () => {
    const scratch = pluginAt("new");
    for (const text of [
      "{",
      "[]",
      '{"checks":[]}',
      '{"checks":{"tests":{"run":"npm test"}}}',
      '{"chekcs":{}}',
      '{"checks":{"tests ":{"run":["true"]}}}',
      '{"checks":{"tests":{"run":["false"]}},"checks":{}}',
      '{"checks":{"tests":{"run":[""]}}}',
      "\u0000",
    ]) {
      commitFile(scratch, "holdpoint.config.json", text);
      const reply = scratch.hold(`status ${NAME}`);
      expect(reply.exit).toBe(FAILED);
      expectClear(reply, /holdpoint\.config\.json/);
    }
  });
});

describe("streams that are closed", () => {
  test("nobody reads the answer: the report counts, and the exit code still says how", () => {
    const closed = aboutToReport();
    const one = odd(closed, ["report", NAME, "-", "--json"], {
      shell: '"$@" >&- 2>&-',
      input: reportText("0"),
    });
    expect(one.exit).toBe(HELD);
    const broken = aboutToReport();
    const two = odd(broken, ["report", NAME, "-"], {
      shell: '{ "$@"; echo "exit $?" >&2; } | true',
      input: reportText("0"),
    });
    expect(two.stderr).toBe("exit 11\n");
    for (const scratch of [closed, broken]) {
      expect(commits(scratch)).toBe(2);
      expect(scratch.hold("verify --all").exit).toBe(DONE);
    }
  });

  test(
    "no standard input: an answer in time, from every verb",
    () => {
      const scratch = pluginAt("s0");
      for (const verb of VERBS) {
        const { exit, stdout } = odd(scratch, [verb, NAME, "--json"], { shell: '"$@" <&-' });
        expect([DONE, USAGE, REFUSED, HELD], `${verb} ${stdout}`).toContain(exit);
        expect(stdout.trimEnd().split("\n")).toHaveLength(1);
      }
    },
    PATIENCE_MS,
  );
});
