/** What somebody with a shell can put into the store's own places: pipes, links, holes. No call hangs or follows. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Scratch } from "../cli.ts";
import {
  DONE,
  FAILED,
  REFUSED,
  aboutToReport,
  expectClear,
  expectFinishes,
  report,
} from "../hostile.ts";
import { NAME } from "../plugin.ts";
import { sessionAt } from "../team.ts";

const inStore = (scratch: Scratch, ...names: readonly string[]): string =>
  join(scratch.top, ".git/holdpoint", ...names);

function pipeAt(path: string): void {
  rmSync(path, { recursive: true, force: true });
  execFileSync("mkfifo", [path]);
}

const CALLS: readonly string[] = [`status ${NAME}`, "verify --all", `audit ${NAME}`, "list"];

describe("pipes, holes and links in the store (issue: under attack, hang)", () => {
  test("a pipe, a link or nothing readable at `format` is an error with a fix, at once", () => {
    const scratch = aboutToReport();
    const format = inStore(scratch, "format");
    for (const put of [
      () => pipeAt(format),
      () => symlinkSync("/dev/zero", format),
      () => symlinkSync("nowhere", format),
      () => mkdirSync(format),
    ]) {
      rmSync(format, { recursive: true, force: true });
      put();
      for (const call of CALLS) {
        const reply = scratch.hold(call);
        expect(reply.exit, reply.stdout).toBe(FAILED);
        expectClear(reply, /format/);
      }
    }
    rmSync(format, { recursive: true });
    writeFileSync(format, "holdpoint 1\n");
    expectFinishes(scratch);
  });

  test("a journal of a newer format is named, and nothing is written", () => {
    const scratch = aboutToReport();
    writeFileSync(inStore(scratch, "format"), "holdpoint 2\n");
    const before = readdirSync(inStore(scratch, "journals"));
    const reply = report(scratch);
    expect(reply.json.error?.code).toBe("unknown-format");
    expectClear(reply, /newer/);
    expect(readdirSync(inStore(scratch, "journals"))).toEqual(before);
  });

  test("blobs that are pipes, links, directories or a hole of 100 GB are damage that is named", () => {
    const session = sessionAt("plan");
    session.tasks = Array.from({ length: 600 }, (_, n) => `T-${String(n + 1).padStart(3, "0")}`);
    session.work("plan");
    const { repo } = session;
    const journals = inStore(repo, "journals");
    const named = readdirSync(journals)
      .map((file) => readFileSync(join(journals, file), "utf8"))
      .flatMap((text) =>
        [...text.matchAll(/"\$blob":"([0-9a-f]{64})"/g)].map((one) => one[1] ?? ""),
      );
    const [hex = ""] = named;
    expect(hex).not.toBe("");
    const blob = inStore(repo, "blobs", hex.slice(0, 2), hex);
    const text = readFileSync(blob);
    const odd: readonly (() => void)[] = [
      () => pipeAt(blob),
      () => symlinkSync("/dev/zero", blob),
      () => mkdirSync(blob),
      () => {
        writeFileSync(blob, "");
        truncateSync(blob, 100 * 1024 ** 3);
      },
    ];
    for (const put of odd) {
      rmSync(blob, { recursive: true, force: true });
      rmSync(inStore(repo, "snapshots"), { recursive: true, force: true });
      put();
      const reply = repo.hold("verify --all");
      expect(reply.exit, reply.stdout).toBe(2);
      expect(reply.stdout).toContain("journal-blob");
      expect(repo.hold(["status", session.id]).stdout).toContain("journal-blob");
    }
    rmSync(blob, { recursive: true, force: true });
    writeFileSync(blob, text);
    expect(repo.hold(["verify", session.id]).json).toMatchObject({ ok: true });
  });

  test("a journal that ends in a hole of 100 GB is named, and no call reads through it", () => {
    const scratch = aboutToReport();
    const [file = ""] = readdirSync(inStore(scratch, "journals"));
    truncateSync(inStore(scratch, "journals", file), 100 * 1024 ** 3);
    const started = Date.now();
    expect(scratch.hold("verify --all").stdout).toContain("journal-unreadable");
    expect(report(scratch).exit).toBe(FAILED);
    expect(Date.now() - started).toBeLessThan(60_000);
  });

  const PLACES = ["journals", "snapshots", "blobs", "tmp", "shown", "refusals", "beats"] as const;

  test.each(PLACES)("a link at .git/holdpoint/%s is not followed: refused with a fix", (place) => {
    const scratch = aboutToReport();
    const elsewhere = join(dirname(scratch.top), `elsewhere-${place}`);
    if (existsSync(inStore(scratch, place))) renameSync(inStore(scratch, place), elsewhere);
    else mkdirSync(elsewhere);
    const before = readdirSync(elsewhere, { recursive: true });
    symlinkSync(elsewhere, inStore(scratch, place));
    for (const reply of [...CALLS.map((call) => scratch.hold(call)), report(scratch)]) {
      expect(reply.exit, reply.stdout).toBe(FAILED);
      expectClear(reply, new RegExp(`holdpoint/${place} is a symbolic link`));
    }
    expect(readdirSync(elsewhere, { recursive: true })).toEqual(before);
    rmSync(inStore(scratch, place));
    renameSync(elsewhere, inStore(scratch, place));
    expectFinishes(scratch);
  });

  test("a link in place of the journal file, a snapshot or a shelf of blobs is not followed", () => {
    const scratch = aboutToReport();
    const [file = ""] = readdirSync(inStore(scratch, "journals"));
    const [snapshot = ""] = readdirSync(inStore(scratch, "snapshots"));
    const away = join(dirname(scratch.top), "away.jsonl");
    renameSync(inStore(scratch, "journals", file), away);
    symlinkSync(away, inStore(scratch, "journals", file));
    const before = readFileSync(away);
    const reply = report(scratch);
    expect(reply.exit).toBe(FAILED);
    expect(reply.stdout).toContain("is a symbolic link");
    expect(readFileSync(away).equals(before)).toBe(true);
    rmSync(inStore(scratch, "journals", file));
    renameSync(away, inStore(scratch, "journals", file));
    rmSync(inStore(scratch, "snapshots", snapshot));
    symlinkSync("/dev/zero", inStore(scratch, "snapshots", snapshot));
    expectFinishes(scratch);
  });
});

describe("names that every object inherits (issue: `--decision constructor` answers `internal`)", () => {
  const NAMES = ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"] as const;

  test.each(NAMES)(
    "%s as decision, dispatch, unit, step, workflow or blob is simply unknown",
    (name) => {
      const scratch = aboutToReport();
      const calls: readonly (readonly string[])[] = [
        ["answer", NAME, "1", "--decision", name],
        ["report", NAME, "-", "--dispatch", name],
        ["advance", NAME, name],
        ["advance", NAME, "improve", "--unit", name],
        ["status", name],
        ["verify", name],
        ["audit", name],
        ["next", name],
        ["show", NAME, name],
        ["start", "x", "--protocol", name],
      ];
      for (const call of calls) {
        const reply = scratch.hold(call, { stdin: "{}" });
        expect(reply.stdout, call.join(" ")).not.toContain('"internal"');
        expect(reply.exit, `${call.join(" ")}: ${reply.stdout}`).not.toBe(DONE);
      }
      expect(report(scratch).exit).toBe(11);
      const wrong = scratch.hold(["answer", NAME, "1", "--decision", name]);
      expect(wrong.exit, wrong.stdout).toBe(REFUSED);
      expect(scratch.hold("verify --all").exit).toBe(DONE);
    },
  );

  test.each(NAMES)("a plugin called %s is refused or lives like any other", (name) => {
    const scratch = aboutToReport();
    const reply = scratch.hold(["start", name, "--protocol", "plugin-workflow"]);
    expect([DONE, REFUSED, 11], reply.stdout).toContain(reply.exit);
    const after = ["status", "audit"].map((verb) => scratch.hold([verb, name]).exit);
    expect(after).toEqual(reply.exit === REFUSED ? [REFUSED, REFUSED] : [DONE, DONE]);
  });
});
