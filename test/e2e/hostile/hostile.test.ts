/** Names, links and state files nobody expects. What holds for all of them is in hostile.ts. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository, scratchDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import {
  DONE,
  ESC,
  FAILED,
  HELD,
  MB,
  PATIENCE_MS,
  REFUSED,
  VERBS,
  aboutToReport,
  commits,
  expectClear,
  expectFinishes,
  problemsOf,
  report,
} from "../hostile.ts";
import {
  NAME,
  codesOf,
  doWork,
  giveReport,
  handoffOf,
  ideas,
  pluginAt,
  questionOf,
  reportText,
  sha256,
} from "../plugin.ts";

describe("names", () => {
  const NAMES: readonly string[] = [
    "../x",
    "A/B",
    "..",
    ".",
    ".*",
    "a&b",
    "$(touch pwned)",
    "`touch pwned`",
    "a;touch pwned",
    "a\nb",
    "a\tb",
    "a\u0007b",
    `${ESC}[31mred`,
    "key: value",
    "[x](y)",
    "| a |",
    "аdmin",
    "Ｔape",
    "Tape\u200BDelay",
    "Tape Delay",
    " Tape",
    "",
    "a".repeat(300),
    "__proto__",
    "1st",
    "C:\\x",
    "%2e%2e",
  ];

  test("[PW-168] an odd name is refused at creation, and nothing is made or run", () => {
    const scratch = repository();
    scratch.hold("list");
    const before = readdirSync(scratch.top).sort();
    for (const name of NAMES) {
      const reply = scratch.hold(["start", name, "--protocol", "plugin-workflow"]);
      expect(reply.exit, name).toBe(REFUSED);
      expect(codesOf(reply), name).toEqual(["name-illegal"]);
      expect(reply.json.refusals?.[0]?.fix).toContain("letter");
    }
    expect(readdirSync(scratch.top).sort()).toEqual(before);
    expect(scratch.has(".git/holdpoint/journals")).toBe(false);
  });

  test(
    "[PW-168] every verb looks a name up literally, and answers with one object",
    () => {
      const scratch = pluginAt("new");
      for (const verb of VERBS) {
        for (const name of ["../x", "Tape.*", `${ESC}[31m`, "constructor"]) {
          const reply = scratch.hold([verb, name]);
          expect(verb === "verify" ? [1] : [REFUSED], `${verb} ${name}`).toContain(reply.exit);
          expect(reply.stdout).not.toContain(ESC);
        }
      }
    },
    PATIENCE_MS,
  );

  test("[PW-168] a name that JavaScript knows is only a name", () => {
    const scratch = repository();
    for (const name of ["constructor", "toString", "hasOwnProperty"]) {
      expect(scratch.hold(`start ${name} --protocol plugin-workflow`).exit).toBe(DONE);
      expect(scratch.hold(`status ${name}`).json.workflow).toBe(name);
    }
    expect(scratch.hold("verify --all").exit).toBe(DONE);
  });

  test("[PW-169] [PW-201] a brief and a description with every odd character are stored, not run", () => {
    const scratch = repository();
    const odd = "a | b & c / d \\ e `touch pwned` $(touch pwned) \"q\" 's' %s ~ <x> # --- ```";
    expect(
      scratch.hold([
        "start",
        NAME,
        "--brief",
        `${odd}\n| x | y |\n### Fake\n---`,
        "--protocol",
        "plugin-workflow",
      ]).exit,
    ).toBe(DONE);
    const begun = pluginAt("p0");
    doWork(begun, "0");
    const told = { description: `${odd}\nsecond` };
    expect(giveReport(begun, reportText("0", { with: told })).exit).toBe(HELD);
    expect(begun.has("pwned") || scratch.has("pwned")).toBe(false);
    expect(begun.git("log", "-1", "--format=%s").split("\n")).toHaveLength(1);
    for (const one of [scratch, begun]) expect(one.hold("verify --all").exit).toBe(DONE);
    expect(scratch.read("PLUGINS.md").match(/^\| TapeDelay /gm)).toHaveLength(1);
    expect(scratch.hold("status Fake").exit).toBe(REFUSED);
  });
});

describe("links that lead out of the repository", () => {
  /** Move a path out and leave a link; gives the place outside. */
  function linkOut(scratch: Scratch, path: string): string {
    const outside = join(scratchDirectory(), "outside");
    renameSync(join(scratch.top, path), outside);
    symlinkSync(outside, join(scratch.top, path));
    return outside;
  }

  test.each(["PLUGINS.md", handoffOf()])(
    "[PW-168] [PW-144] %s: not followed, not replaced, named; without it all goes on",
    (path) => {
      const scratch = aboutToReport();
      const outside = linkOut(scratch, path);
      const before = readFileSync(outside, "utf8");
      const reply = report(scratch);
      expect([FAILED, HELD], reply.stdout).toContain(reply.exit);
      expectClear(reply, new RegExp(`${path.split("/").at(-1)}.*link`));
      expect(readFileSync(outside, "utf8")).toBe(before);
      expect(lstatSync(join(scratch.top, path)).isSymbolicLink()).toBe(true);
      expect(commits(scratch)).toBe(1);
      expect(scratch.hold("verify --all").exit).toBe(2);
      rmSync(join(scratch.top, path));
      copyFileSync(outside, join(scratch.top, path));
      expectFinishes(scratch);
    },
    PATIENCE_MS,
  );

  test.each([`plugins/${NAME}`, `plugins/${NAME}/.ideas`])("[PW-168] the directory %s", (path) => {
    const scratch = aboutToReport();
    const outside = linkOut(scratch, path);
    const before = readdirSync(outside, { recursive: true });
    const reply = report(scratch);
    expect(reply.exit, reply.stdout).toBe(REFUSED);
    expect(readdirSync(outside, { recursive: true })).toEqual(before);
    const verified = scratch.hold("verify --all");
    expect(verified.exit, verified.stdout).toBe(2);
    expect(verified.stdout).toContain("leads out of the worktree");
    rmSync(join(scratch.top, path));
    cpSync(outside, join(scratch.top, path), { recursive: true });
    expectFinishes(scratch);
  });

  test.each([".git/holdpoint", ".holdpoint"])("Holdpoint's own %s", (path) => {
    const scratch = aboutToReport();
    rmSync(join(scratch.top, ".holdpoint"), { recursive: true, force: true });
    mkdirSync(join(scratch.top, ".holdpoint"));
    const outside = linkOut(scratch, path);
    const before = readdirSync(outside, { recursive: true });
    const reply = report(scratch);
    expect([FAILED, REFUSED, HELD], reply.stdout).toContain(reply.exit);
    expectClear(reply, /link/);
    expect(readdirSync(outside, { recursive: true })).toEqual(before);
    expect(commits(scratch)).toBe(1);
  });

  test("[PW-168] a contract that is a link to another file of the machine is no contract", () => {
    const scratch = aboutToReport();
    scratch.remove(ideas("plan.md"));
    symlinkSync("/etc/passwd", join(scratch.top, ideas("plan.md")));
    const reply = report(scratch);
    expect(reply.exit, reply.stdout).toBe(REFUSED);
    expect(codesOf(reply)).toContain("contract-missing");
    expect(everythingKept(scratch)).not.toContain("root:");
  });
});

/** All texts that Holdpoint keeps of its own accord. */
function everythingKept(scratch: Scratch): string {
  const top = join(scratch.top, ".git/holdpoint");
  return readdirSync(top, { recursive: true, encoding: "utf8" })
    .filter((name) => lstatSync(join(top, name)).isFile())
    .map((name) => readFileSync(join(top, name), "latin1"))
    .join("\n");
}

describe("state files that are none", () => {
  const VIEWS: readonly string[] = ["PLUGINS.md", handoffOf()];
  const BINARY = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 0xff, 0xfe, 10, 0]);
  const SPOILED: readonly (readonly [string, (file: string) => void])[] = [
    ["10 MB", (file) => writeFileSync(file, `${readFileSync(file, "utf8")}${"x".repeat(10 * MB)}`)],
    ["binary", (file) => writeFileSync(file, BINARY)],
    ["a directory", (file) => (rmSync(file), mkdirSync(file))],
    ["a pipe", (file) => (rmSync(file), spawnSync("mkfifo", [file]))],
  ];

  test.each(VIEWS.flatMap((view) => SPOILED.map(([what, spoil]) => ({ view, what, spoil }))))(
    "[PW-144] [PW-097] [PW-136] $view is $what: nothing is half done, and the text stays",
    ({ view, spoil }) => {
      const scratch = aboutToReport();
      const file = join(scratch.top, view);
      const good = readFileSync(file);
      spoil(file);
      const bad = fingerprint(file);
      const reply = report(scratch);
      expect([FAILED, HELD], reply.stdout).toContain(reply.exit);
      expectClear(reply, view.split("/").at(-1) ?? view);
      expect(commits(scratch)).toBe(1);
      expect(scratch.hold(`status ${NAME}`).json.state).toBe("💡 Ideated");
      const verified = scratch.hold("verify --all");
      expect(verified.exit, verified.stdout).toBe(2);
      expect(verified.stdout).toContain(view);
      expect(fingerprint(file)).toBe(bad);
      rmSync(file, { recursive: true });
      writeFileSync(file, good);
      expectFinishes(scratch);
    },
    PATIENCE_MS,
  );

  test("[PW-145] [PW-150] broken YAML in a handoff: the state is written anew, the text kept and named", () => {
    const scratch = aboutToReport();
    const broken = "---\nplugin: [Tape\nstage: {{{\n---\n\nWhat the agent still wanted to say\n";
    scratch.write(handoffOf(), broken);
    const reply = report(scratch);
    expect(questionOf(reply), reply.stdout).toBe("stage-0-complete");
    const warned = reply.json.warnings?.find((one) => one.includes("could not be read")) ?? "";
    const [blob = ""] = /[0-9a-f]{64}/.exec(warned) ?? [];
    const kept = join(scratch.top, ".git/holdpoint/blobs", blob.slice(0, 2), blob);
    expect(readFileSync(kept, "utf8")).toBe(broken);
    expect(scratch.hold("verify --all").exit).toBe(DONE);
  });

  test.each([
    ["anchors that multiply", yamlBomb()],
    ["deep nesting", `---\nplugin: ${"[".repeat(50_000)}\n---\n`],
    ["a tag that would run code", '---\nplugin: !!js/function "function(){}"\nstage: 0\n---\n'],
    ["a prototype", `---\nplugin: ${NAME}\n__proto__: {stage: 5}\nconstructor: {stage: 5}\n---\n`],
    ["half a front matter", "---\nplugin: Tape"],
  ])("[PW-145] a handoff with %s ends in an answer, not in a crash", (_, text) => {
    const scratch = aboutToReport();
    scratch.write(handoffOf(), text);
    const verified = scratch.hold("verify --all");
    expect([DONE, 1, 2, 3, 4]).toContain(verified.exit);
    expect(verified.json.error).toBeUndefined();
    const reply = report(scratch);
    expect([REFUSED, HELD], reply.stdout).toContain(reply.exit);
    expect(problemsOf(reply).map((one) => one.code)).not.toContain("internal");
  });

  test("[PW-046] thousands of rows of others: each stays as it is", () => {
    const scratch = aboutToReport();
    const others = Array.from(
      { length: 3_000 },
      (_, row) => `| Other${row} | ✅ Working | 1.0.0 | 2025-01-01 |`,
    );
    scratch.edit("PLUGINS.md", (text) =>
      text.replace(/(\|-+)+\|\n/, (rule) => `${rule}${others.join("\n")}\n`),
    );
    expect(report(scratch).exit).toBe(HELD);
    expect(scratch.read("PLUGINS.md")).toContain(others.join("\n"));
  });
});

/** What stands there; of a large file only its digest, because comparing megabytes takes minutes. */
function fingerprint(file: string): string {
  const stats = lstatSync(file);
  return `${stats.mode} ${stats.isFile() ? sha256(readFileSync(file, "latin1")) : ""}`;
}

function yamlBomb(): string {
  const levels = [
    "a: &a [x, x]",
    ..."bcdefgh".split("").map((name, index) => {
      const before = `*${"abcdefgh"[index] ?? "a"}`;
      return `${name}: &${name} [${Array.from({ length: 9 }, () => before).join(", ")}]`;
    }),
  ];
  return `---\nplugin: ${NAME}\n${levels.join("\n")}\nstage: 0\n---\n`;
}
