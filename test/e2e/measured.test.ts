/** What changed between an order and its report, on the command line: whatever the report says, and however it was hidden. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFile, repository } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";

const ADA = { env: { HOLDPOINT_ACTOR: "person:ada", HOLDPOINT_SESSION: "human:ada" } };
const REPORT = JSON.stringify({ outcome: "success", summary: "all done" });

describe("a role keeps to its paths, whatever it does elsewhere", () => {
  const DEEDS: Readonly<Record<string, (at: (path: string) => string) => void>> = {
    "writes a file": (at) => writeFileSync(at("other/new.txt"), "x"),
    "changes a byte": (at) => writeFileSync(at("other/a.txt"), "b\n"),
    "deletes a file": (at) => rmSync(at("other/a.txt")),
    "puts a link in its place": (at) => {
      rmSync(at("other/a.txt"));
      symlinkSync("b.txt", at("other/a.txt"));
    },
    "puts a directory in its place": (at) => {
      rmSync(at("other/a.txt"));
      mkdirSync(at("other/a.txt"));
      writeFileSync(at("other/a.txt/x"), "a\n");
    },
    "makes it executable": (at) => chmodSync(at("other/a.txt"), 0o755),
    "hides a file behind a new ignore rule": (at) => {
      writeFileSync(at(".gitignore"), "other/hidden/\n.gitignore\n");
      mkdirSync(at("other/hidden"));
      writeFileSync(at("other/hidden/x.txt"), "x");
    },
    "hides a file in .git/info/exclude": (at) => {
      writeFileSync(at(".git/info/exclude"), "other/\n");
      writeFileSync(at("other/new.txt"), "x");
    },
    "changes a file that git is told to take for unchanged": (at) => {
      git(at("."), "update-index", "--assume-unchanged", "other/a.txt");
      writeFileSync(at("other/a.txt"), "b\n");
    },
    "changes a file that git is told to skip": (at) => {
      git(at("."), "update-index", "--skip-worktree", "other/a.txt");
      writeFileSync(at("other/a.txt"), "b\n");
    },
    "commits what it changed": (at) => {
      writeFileSync(at("other/a.txt"), "b\n");
      git(at("."), "commit", "-qam", "mine");
    },
    "writes into the store that it has not changed": (at) => {
      const top = realpathSync(at("."));
      const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
      writeFileSync(at("other/a.txt"), "b\n");
      const { ino, size, mode, mtimeMs, ctimeMs } = statSync(at("other/a.txt"));
      const stamp = `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs}`;
      const body = JSON.stringify([["other/a.txt", [stamp, `f ${sha256("a\n")}`]]]);
      mkdirSync(at(".git/holdpoint/stamps"), { recursive: true });
      const file = at(`.git/holdpoint/stamps/${sha256(top).slice(0, 16)}`);
      writeFileSync(file, `${sha256(body)}\n${body}`);
    },
    "writes into the store that Holdpoint has shown it": (at) => {
      writeFileSync(at("other/a.txt"), "b\n");
      const digest = createHash("sha256").update("b\n").digest("hex");
      for (const name of readdirSync(at(".git/holdpoint/shown"))) {
        const file = at(`.git/holdpoint/shown/${name}`);
        const shown = JSON.parse(readFileSync(file, "utf8")) as { views: Record<string, string> };
        shown.views["other/a.txt"] = digest;
        writeFileSync(file, JSON.stringify(shown));
      }
    },
    "takes the directory for a repository": (at) => {
      git(at("other"), "init", "-q");
      writeFileSync(at("other/a.txt"), "b\n");
    },
  };

  test.each(Object.entries(DEEDS))("an agent that %s is told so", (_, deed) => {
    const scratch = atWork();
    const at = (path: string): string => join(scratch.top, path);
    writeFileSync(at("src/work.ts"), "export {};\n");
    deed(at);
    const reply = report(scratch);
    expect(codes(reply)).toEqual(["work-outside"]);
    expect(reply.json.refusals?.[0]?.message).toMatch(/other\/|\.gitignore/);
  });
});

describe("what was committed is judged, also where the worktree was put back", () => {
  const DEEDS: Readonly<Record<string, (top: string) => void>> = {
    "commits and restores the file": (top) => {
      writeFileSync(join(top, "other/a.txt"), "evil\n");
      git(top, "commit", "-qm", "mine", "other/a.txt");
      writeFileSync(join(top, "other/a.txt"), "a\n");
    },
    "commits and sets the branch back": (top) => {
      writeFileSync(join(top, "other/a.txt"), "evil\n");
      git(top, "commit", "-qm", "mine", "other/a.txt");
      git(top, "reset", "-q", "--keep", "HEAD~1");
    },
    "commits under a record of ours": (top) => {
      const [record = ""] = /"hash":"[0-9a-f]{64}"/.exec(journal(top)) ?? [];
      writeFileSync(join(top, "other/a.txt"), "evil\n");
      const trailer = `Holdpoint-Record: ${record.slice(8, -1)}`;
      git(top, "commit", "-qm", "mine", "-m", trailer, "other/a.txt");
      writeFileSync(join(top, "other/a.txt"), "a\n");
    },
    "merges what it committed elsewhere": (top) => {
      git(top, "checkout", "-qb", "side");
      writeFileSync(join(top, "other/a.txt"), "evil\n");
      git(top, "commit", "-qm", "mine", "other/a.txt");
      git(top, "checkout", "-q", "main");
      git(top, "merge", "-q", "--no-ff", "--no-edit", "side");
      writeFileSync(join(top, "other/a.txt"), "a\n");
    },
  };

  test.each(Object.entries(DEEDS))("an agent that %s is told so", (_, deed) => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/work.ts"), "export {};\n");
    deed(scratch.top);
    const reply = report(scratch);
    expect(codes(reply)).toEqual(["work-outside"]);
    expect(reply.json.refusals?.[0]?.message).toContain("other/a.txt");
  });

  test("what was committed and taken back is no work", () => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/a.ts"), "mine\n");
    git(scratch.top, "commit", "-qm", "mine", "src/a.ts");
    writeFileSync(join(scratch.top, "src/a.ts"), "a\n");
    expect(codes(report(scratch))).toEqual(["work-not-measured"]);
  });

  test("a branch that was set back behind the order is told", () => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/work.ts"), "export {};\n");
    git(scratch.top, "reset", "-q", "--soft", "HEAD~1");
    expect(report(scratch).exit).toBe(0);
    const told = scratch.hold("audit w1").json.entries?.flatMap((entry) => entry.events) ?? [];
    expect(told.join("\n")).toMatch(/committed [0-9a-f]{12} is no longer in what is checked out/);
  });
});

describe("no work, no step", () => {
  const NOTHING: Readonly<Record<string, (at: (path: string) => string) => void>> = {
    "did nothing": () => undefined,
    "wrote the same bytes again": (at) => writeFileSync(at("src/a.ts"), "a\n"),
    "wrote only what is ignored": (at) => {
      mkdirSync(at("src/dist"));
      writeFileSync(at("src/dist/out.js"), "x");
    },
  };

  test.each(Object.entries(NOTHING))("an agent that %s does not pass", (_, deed) => {
    const scratch = atWork();
    deed((path) => join(scratch.top, path));
    expect(codes(report(scratch))).toEqual(["work-not-measured"]);
    expect(scratch.hold("status w1").json).toMatchObject({ state: "todo" });
  });

  test("work that can be told from nothing passes, and the audit says what it was", () => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/new.ts"), "n\n");
    rmSync(join(scratch.top, "src/a.ts"));
    expect(report(scratch)).toMatchObject({ exit: 0, json: { state: "done" } });
    const told = scratch.hold("audit w1").json.entries?.flatMap((entry) => entry.events) ?? [];
    expect(told.join("\n")).toContain(
      "coder said: all done; measured: added src/new.ts; deleted src/a.ts",
    );
  });

  test("what is ignored is named as not measured: in the refusal, for a file that is claimed, and in the audit", () => {
    const scratch = atWork();
    mkdirSync(join(scratch.top, "src/dist"));
    writeFileSync(join(scratch.top, "src/dist/out.js"), "x");
    expect(report(scratch).json.refusals?.[0]?.message).toBe(
      "nothing changed in src/** since the work was handed out; ignored, and so not measured: src/dist/",
    );
    writeFileSync(join(scratch.top, "src/new.ts"), "n\n");
    const files = ["src/new.ts", "src/dist/out.js", "src/a.ts"];
    const stdin = JSON.stringify({ outcome: "success", summary: "all done", files });
    expect(scratch.hold("report w1 -", { ...ADA, stdin }).json.notes?.[0]?.message).toBe(
      "named, but not changed: src/a.ts; named, but ignored, and so not measured: src/dist/out.js",
    );
    const told = scratch.hold("audit w1").json.entries?.flatMap((entry) => entry.events) ?? [];
    expect(told.join("\n")).toContain(
      "measured: added src/new.ts; ignored, and so not measured: src/dist/",
    );
  });

  test("a file that is named and did not change is told", () => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/new.ts"), "n\n");
    const stdin = JSON.stringify({ outcome: "success", files: ["./src/new.ts", "src/a.ts"] });
    const reply = scratch.hold("report w1 -", { ...ADA, stdin });
    expect(reply.json.notes).toEqual([
      expect.objectContaining({
        code: "claimed-not-changed",
        message: "named, but not changed: src/a.ts",
      }),
    ]);
  });

  test("what the work itself hides is refused, until the rule or the file is gone", () => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/.gitignore"), "gen/\n");
    mkdirSync(join(scratch.top, "src/gen"));
    writeFileSync(join(scratch.top, "src/gen/helper.ts"), "export {};\n");
    const refused = report(scratch);
    expect(codes(refused)).toEqual(["work-hidden"]);
    expect(refused.json.refusals?.[0]?.message).toContain("src/gen/helper.ts");
    rmSync(join(scratch.top, "src/gen"), { recursive: true });
    expect(report(scratch).json.state).toBe("done");
  });

  test("files tracked although they are ignored are work like any other", () => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/dist-kept.js"), "changed\n");
    expect(report(scratch)).toMatchObject({ exit: 0 });
  });

  test("another workflow's state file is nobody's work", () => {
    const scratch = atWork();
    scratch.hold("start Reverb --protocol plugin-workflow", ADA);
    expect(codes(report(scratch))).toEqual(["work-not-measured"]);
  });
});

describe("what cannot be read in full vouches for nothing", () => {
  test("a link to a directory outside is named", () => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/work.ts"), "export {};\n");
    symlinkSync("/usr", join(scratch.top, "src/usr"));
    const reply = report(scratch);
    // One cause, one refusal.
    expect(codes(reply)).toEqual(["work-not-measured"]);
    expect(reply.json.refusals?.[0]?.message).toContain("src/usr is a link to a directory outside");
  });

  test("a reading that is gone is named", () => {
    const scratch = atWork();
    writeFileSync(join(scratch.top, "src/work.ts"), "export {};\n");
    rmSync(join(scratch.top, ".git/holdpoint/blobs"), { recursive: true });
    expect(report(scratch).json.refusals?.[0]?.message).toContain("is not there");
  });
});

test("the report that a refusal describes is one that is taken", () => {
  const scratch = atWork();
  writeFileSync(join(scratch.top, "src/work.ts"), "export {};\n");
  const refused = scratch.hold("report w1 -", { ...ADA, stdin: "all done" });
  expect(codes(refused)).toEqual(["report-unreadable"]);
  const [told = ""] = /\{.*\}/.exec(refused.json.refusals?.[0]?.fix ?? "") ?? [];
  const taken = scratch.hold("report w1 -", { ...ADA, stdin: told });
  expect(taken.json.state, taken.stdout).toBe("done");
});

function atWork(): Scratch {
  const scratch = repository();
  commitFile(scratch, "holdpoint.config.json", JSON.stringify({ protocols: ["./work.yaml"] }));
  commitFile(scratch, "src/a.ts", "a\n");
  commitFile(scratch, "other/a.txt", "a\n");
  commitFile(scratch, ".gitignore", "dist/\ndist-*\n");
  writeFileSync(join(scratch.top, "src/dist-kept.js"), "kept\n");
  git(scratch.top, "add", "-f", "src/dist-kept.js");
  git(scratch.top, "commit", "-qm", "Keep it");
  commitFile(scratch, "work.yaml", WORK);
  commitFile(scratch, "other/b.txt", "b\n");
  expect(scratch.hold("start w1 --protocol work", ADA).exit).toBe(0);
  expect(scratch.hold("advance w1", ADA).exit).toBe(0);
  return scratch;
}

const WORK = `name: work
version: 1
title: Work
states: [todo, done]
start: todo
ends: [done]
work:
  code: { role: coder, order: Work., makes: [src/**], done: finish, within: { times: 3, else: stuck } }
questions:
  stuck: { prompt: Stuck., options: { again: { label: Again } } }
moves:
  finish: { from: todo, to: done }
`;

function report(scratch: Scratch): Reply {
  return scratch.hold("report w1 -", { ...ADA, stdin: REPORT });
}

function journal(top: string): string {
  const at = join(top, ".git/holdpoint/journals");
  return readdirSync(at)
    .filter((name) => name.includes("w1"))
    .map((name) => readFileSync(join(at, name), "utf8"))
    .join("");
}

function codes({ json }: Reply): readonly string[] {
  return (json.refusals ?? []).map(({ code }) => code);
}

function git(cwd: string, ...args: readonly string[]): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  execFileSync("git", [...who, ...args], { cwd, stdio: "pipe" });
}
