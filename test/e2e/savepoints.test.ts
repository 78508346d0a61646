/** What is in a savepoint: the bytes that were judged, under the paths that were meant. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, symlinkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";

const ADA = { env: { HOLDPOINT_ACTOR: "person:ada", HOLDPOINT_SESSION: "human:ada" } };

/** A protocol whose one step runs a check that reads the code, and commits it. */
function withSavepoint(paths: readonly string[], check = "exit 0"): Scratch {
  const scratch = repository();
  scratch.write(
    "holdpoint.config.json",
    JSON.stringify({
      protocols: ["./release.mjs"],
      checks: { tests: { run: ["sh", "-c", check] } },
    }),
  );
  scratch.write(
    "release.mjs",
    `import { defineProtocol, passed } from "holdpoint";
export default defineProtocol({
  name: "release", version: 1, title: "Release",
  states: ["draft", "done"], start: "draft", ends: ["done"],
  work: { write: { role: "writer", order: "Write.", makes: ["src/**"], done: "finish" } },
  moves: {
    finish: {
      from: "draft", to: "done",
      needs: [passed("tests", ["tree:."], { code: "red", fix: "Mend it." })],
      effects: [{ kind: "commit", args: { subject: "done {id}", paths: ${JSON.stringify(paths)} } }],
    },
  },
});
`,
  );
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "the protocol");
  expect(scratch.hold("start v1", ADA).exit).toBe(0);
  return scratch;
}

describe("the paths of a savepoint", () => {
  test("are a list: a comma in a path is part of its name", () => {
    const scratch = withSavepoint(["notes, {id}.md", "a,b"]);
    scratch.write("notes, v1.md", "notes\n");
    scratch.write("a,b/c,d.txt", "x\n");
    scratch.write("a", "not meant\n");
    const reply = scratch.hold("advance v1 finish", ADA);
    expect(reply.exit, reply.stdout).toBe(0);
    const named = scratch.git("show", "--name-only", "--format=", "HEAD").split("\n");
    expect(named).toEqual(["a,b/c,d.txt", "notes, v1.md"]);
  });
});

describe("what is committed is what was judged", () => {
  const EVIL = "echo evil | git hash-object -w --stdin";
  const swaps: Readonly<Record<string, (scratch: Scratch) => void>> = {
    "a pre-commit hook": (scratch) =>
      scratch.hook("pre-commit", `git update-index --cacheinfo 100644,$(${EVIL}),src/a.js`),
    "a clean filter": (scratch) => {
      scratch.write(".git/info/attributes", "*.js filter=evil\n");
      scratch.git("config", "filter.evil.clean", "echo evil");
      scratch.git("config", "filter.evil.smudge", "echo good");
    },
    "a sparse checkout": (scratch) => {
      scratch.write(".git/info/sparse-checkout", "/*\n!/src/\n");
      scratch.git("config", "core.sparseCheckout", "true");
    },
  };

  test.each([
    ["a pre-commit hook", "commit-differs bad"],
    ["a clean filter", "commit-differs bad"],
    ["a sparse checkout", "good"],
  ])("%s does not get other bytes in", (name, outcome) => {
    const scratch = withBadCode();
    const swap = swaps[name] ?? (() => undefined);
    swap(scratch);
    scratch.write("src/a.js", "good\n");
    const reply = scratch.hold("advance v1 finish", ADA);
    expect(outcomeOf(scratch, reply)).toBe(outcome);
  });

  test("a formatter that changes the files themselves has its files judged again", () => {
    const scratch = withSavepoint(["src"], "grep good src/a.js && echo ran >> ../runs");
    scratch.hook(
      "pre-commit",
      "echo '// formatted' > x; cat src/a.js >> x; grep -q formatted src/a.js || mv x src/a.js; rm -f x; git add src/a.js",
    );
    scratch.write("src/a.js", "good\n");
    // The check ran on the files as they were; it runs again on what the formatter made of them.
    const first = scratch.hold("advance v1 finish", ADA);
    expect(first.json.refusals?.[0], first.stdout).toMatchObject({ code: "red" });
    const reply = scratch.hold("advance v1 finish", ADA);
    expect(reply.exit, reply.stdout).toBe(0);
    expect(scratch.git("show", "HEAD:src/a.js")).toBe("// formatted\ngood");
    expect(scratch.read("../runs")).toBe("ran\nran\n");
  });

  test("files that are swapped back and forth all the time: what is committed has passed", async () => {
    for (let round = 0; round < 6; round += 1) {
      const scratch = withBadCode();
      scratch.write("src/a.js", "good\n");
      const swap =
        "while :; do echo evil > src/b; mv src/b src/a.js; echo good > src/b; mv src/b src/a.js; done";
      const swapping = spawn("sh", ["-c", swap], { cwd: scratch.top });
      const reply = await scratch.holdLater("advance v1 finish", ADA);
      swapping.kill("SIGKILL");
      expect(["good", "busy bad", "red bad", "commit-differs bad"]).toContain(
        outcomeOf(scratch, reply),
      );
    }
  });

  test("a file that is claimed and that git ignores is named", () => {
    const scratch = withSavepoint(["src"]);
    scratch.hold("advance v1 write", ADA);
    scratch.write("src/a.js", "good\n");
    scratch.write("src/build/out.js", "ignored\n");
    const claim = { outcome: "success", files: ["src/a.js", "src/build/out.js"] };
    const reply = scratch.hold("report v1 -", { ...ADA, stdin: JSON.stringify(claim) });
    expect(reply.exit, reply.stdout).toBe(0);
    expect(reply.json.notes?.map(({ message }) => message).join()).toContain("src/build/out.js");
    expect(scratch.git("ls-tree", "-r", "--name-only", "HEAD", "src")).toBe("src/a.js");
  });

  test("a file of any size is refused before git begins to read it", () => {
    const scratch = withSavepoint(["src"]);
    scratch.write("src/hole", "");
    truncateSync(join(scratch.top, "src/hole"), 100 * 1024 ** 3);
    const started = performance.now();
    const reply = scratch.hold("advance v1 finish", ADA);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(reply.exit, reply.stdout).toBe(10);
    expect(reply.stdout).toContain("src/hole");
  });

  test.each([
    ["a file that git leaves out by a rule of the machine", "src/hidden.js", hide],
    ["a repository of its own", "src/lib/", nest],
    ["a link to what is not in it", "src/common", link],
  ])("%s is named, and goes into no savepoint", (_, named, plant) => {
    const scratch = withSavepoint(["src"]);
    const before = scratch.git("rev-parse", "HEAD");
    scratch.write("src/a.js", "good\n");
    plant(scratch);
    const reply = scratch.hold("advance v1 finish", ADA);
    expect(reply.exit, reply.stdout).toBe(10);
    expect(reply.json.refusals?.[0]).toMatchObject({ code: "savepoint-lacks" });
    expect(reply.json.refusals?.[0]?.message).toContain(named);
    expect(scratch.git("rev-parse", "HEAD")).toBe(before);
    expect(scratch.hold("status v1").json.state).toBe("draft");
  });
});

function hide(scratch: Scratch): void {
  scratch.write("src/hidden.js", "hidden\n");
  scratch.write(".git/info/exclude", "hidden.js\n");
}

function nest(scratch: Scratch): void {
  scratch.write("src/lib/a.js", "lib\n");
  scratch.git("init", "--quiet", "src/lib");
}

function link(scratch: Scratch): void {
  scratch.write("../common/a.js", "common\n");
  symlinkSync("../../common/a.js", join(scratch.top, "src/common"));
}

function withBadCode(): Scratch {
  const scratch = withSavepoint(["src"], "grep good src/a.js");
  scratch.write("src/a.js", "bad\n");
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "bad");
  return scratch;
}

/** Why it was refused, if it was, and what is committed now. */
function outcomeOf(scratch: Scratch, { json }: Reply): string {
  const code = json.error?.code ?? json.refusals?.[0]?.code ?? "";
  return `${code} ${scratch.git("show", "HEAD:src/a.js")}`.trim();
}

test("a savepoint starts git twice: starting it takes longer than everything else", () => {
  const scratch = withSavepoint(["src"]);
  scratch.write("src/a.js", "a\n");
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const script = `#!/bin/sh\necho "$@" >> "$(dirname "$0")/started"\nexec "${real}" "$@"\n`;
  scratch.write(".git/counted/git", script);
  chmodSync(join(scratch.top, ".git/counted/git"), 0o755);
  const path = `${join(scratch.top, ".git/counted")}:${process.env["PATH"] ?? ""}`;
  const reply = scratch.hold("advance v1 finish", { env: { ...ADA.env, PATH: path } });
  expect(reply.exit, reply.stdout).toBe(0);
  const started = scratch.read(".git/counted/started").trim().split("\n");
  expect(started.map((line) => /\b(?:add|update-ref)\b/.exec(line)?.[0] ?? line)).toEqual([
    "add",
    "update-ref",
  ]);
});
