/** A machine without git, without rights, without room. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { repository, scratchAt, scratchDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import {
  DONE,
  FAILED,
  HELD,
  PATIENCE_MS,
  REFUSED,
  aboutToReport,
  asReply,
  commits,
  everything,
  expectClear,
  expectFinishes,
  odd,
  report,
} from "../hostile.ts";
import { holdAsOther, ownedByOther } from "../other-user.ts";
import { NAME, giveReport, handoffOf, pluginAt, questionOf, reportText } from "../plugin.ts";

describe("git", () => {
  /** A PATH with node and nothing else. */
  function withoutGit(): Record<string, string> {
    const bin = scratchDirectory();
    symlinkSync(process.execPath, join(bin, "node"));
    return { PATH: bin };
  }

  test("[PW-135] missing: the same journal is found, the work goes on without a commit, and it says so", () => {
    const scratch = aboutToReport();
    const env = withoutGit();
    const status = asReply(odd(scratch, ["status", NAME, "--json"], { env }));
    expect(status.json.dispatches).toHaveLength(1);
    const reply = asReply(
      odd(scratch, ["report", NAME, "-", "--json"], { env, input: reportText("0") }),
    );
    expect(reply.exit, reply.stdout).toBe(HELD);
    expect(reply.json.warnings?.join()).toContain("git");
    expect(commits(scratch)).toBe(1);
    expect(existsSync(join(scratch.top, ".holdpoint/journals"))).toBe(false);
    expect(scratch.hold(`status ${NAME}`).json.state).toBe("🚧 Stage 0");
  });

  test("missing, in a worktree: the journal of the clone is found", () => {
    const scratch = pluginAt("s0");
    const tree = join(scratchDirectory(), "tree");
    scratch.git("worktree", "add", "--quiet", "-b", "side", tree);
    const reply = asReply(
      odd({ ...scratch, top: tree }, ["status", NAME, "--json"], { env: withoutGit() }),
    );
    expect(reply.json.state).toBe("🚧 Stage 0");
  });

  test("[PW-203] [PW-204] a hook that says no is named, also when another session reports", () => {
    const scratch = aboutToReport();
    scratch.hook("pre-commit", "echo no commits on Mondays; exit 1");
    const reply = giveReport(scratch, reportText("0"), { env: { HOLDPOINT_SESSION: "another" } });
    expect(reply.exit, reply.stdout).toBe(HELD);
    expectClear(reply, /no commits on Mondays/);
    scratch.hook("pre-commit", "exit 0");
    expectFinishes(scratch);
  });

  test("[PW-204] a merge in progress and a detached head are named, and nothing is committed into them", () => {
    for (const [spoil, mend, words] of [
      [
        (one: Scratch) => one.write(".git/MERGE_HEAD", `${one.git("rev-parse", "HEAD")}\n`),
        (one: Scratch) => one.remove(".git/MERGE_HEAD"),
        /merge/,
      ],
      [
        (one: Scratch) => one.git("checkout", "--quiet", "--detach"),
        (one: Scratch) => one.git("checkout", "--quiet", "main"),
        /detached/,
      ],
    ] as const) {
      const scratch = aboutToReport();
      spoil(scratch);
      const reply = report(scratch);
      expect(reply.exit, reply.stdout).toBe(HELD);
      expectClear(reply, words);
      expect(commits(scratch)).toBe(1);
      mend(scratch);
      expectFinishes(scratch);
    }
  });
});

describe("HOLDPOINT_DIR", () => {
  test.each(["/proc/x", "/dev/null", "/etc/passwd", "/dev/null/x/y"])(
    "%s is refused with a fix",
    (dir) => {
      const scratch = repository();
      const reply = scratch.hold(`start ${NAME} --protocol plugin-workflow`, {
        env: { HOLDPOINT_DIR: dir },
      });
      expect(reply.exit, reply.stdout).toBe(FAILED);
      expectClear(reply, new RegExp(`${dir}[^]*HOLDPOINT_DIR`));
      expect(scratch.has("PLUGINS.md")).toBe(false);
    },
  );

  test("an odd name, a relative path and an empty value are taken for what they are", () => {
    const scratch = repository();
    const room = join(scratchDirectory(), "we ird\n$(touch pwned)");
    expect(
      scratch.hold("start One --protocol plugin-workflow", { env: { HOLDPOINT_DIR: room } }).exit,
    ).toBe(DONE);
    expect(scratch.hold("status One", { env: { HOLDPOINT_DIR: room } }).json.workflow).toBe("One");
    const below = join(scratch.top, "below");
    mkdirSync(below);
    expect(
      scratch.hold("start Two --protocol plugin-workflow", {
        env: { HOLDPOINT_DIR: "store" },
        cwd: below,
      }).exit,
    ).toBe(DONE);
    expect(existsSync(join(below, "store/journals"))).toBe(true);
    expect(
      scratch.hold("start Three --protocol plugin-workflow", { env: { HOLDPOINT_DIR: "" } }).exit,
    ).toBe(DONE);
    expect(existsSync(join(scratch.top, ".git/holdpoint/journals"))).toBe(true);
    expect(existsSync(join(scratch.top, "blobs"))).toBe(false);
  });
});

describe("no right to write", () => {
  test.each([
    { path: ".", mode: 0o555, where: /PLUGINS\.md|\.holdpoint/ },
    { path: `plugins/${NAME}`, mode: 0o555, where: /continue-here/ },
    { path: "PLUGINS.md", mode: 0o000, where: /PLUGINS\.md/ },
    { path: handoffOf(), mode: 0o000, where: /continue-here/ },
    { path: "plugins", mode: 0o000, where: /plugins/ },
    { path: ".git/holdpoint/journals", mode: 0o555, where: /journals/ },
    { path: ".git/objects", mode: 0o555, where: /objects|permission/ },
  ])(
    "[PW-144] [PW-135] [PW-163] $path: named, nothing half done, and all goes on when it is given",
    ({ path, mode, where }) => {
      const scratch = ownedByOther(aboutToReport());
      const place = join(scratch.top, path);
      const normal = lstatSync(place).mode;
      const before = everything(scratch);
      chmodSync(place, mode);
      const reply = holdAsOther(scratch, ["report", NAME, "-"], reportText("0"));
      chmodSync(place, normal);
      expect([FAILED, REFUSED, HELD], reply.stdout).toContain(reply.exit);
      expectClear(reply, where);
      const after = everything(scratch);
      const ours = Object.keys(before).filter((name) => !name.startsWith(".git/"));
      for (const name of ours) expect(after[name], name).toBe(before[name]);
      const { held = [] } = holdAsOther(scratch, ["status", NAME]).json;
      const again =
        held.length > 0
          ? holdAsOther(scratch, ["answer", NAME, "retry"])
          : holdAsOther(scratch, ["report", NAME, "-"], reportText("0"));
      expect(questionOf(again), again.stdout).toBe("stage-0-complete");
    },
    PATIENCE_MS,
  );

  test("looking works where nothing may be written", () => {
    const scratch = ownedByOther(aboutToReport());
    const all = ["", ...readdirSync(scratch.top, { recursive: true, encoding: "utf8" })].map(
      (name) => join(scratch.top, name),
    );
    const modes = all.map((place) => lstatSync(place).mode);
    all.forEach((place, index) => chmodSync(place, (modes[index] ?? 0) & ~0o222));
    const replies = [
      ["status", NAME],
      ["next", NAME],
      ["list"],
      ["audit", NAME],
      ["verify", "--all"],
    ].map((args) => holdAsOther(scratch, args));
    all.forEach((place, index) => chmodSync(place, modes[index] ?? 0));
    expect(replies.map((one) => one.exit)).toEqual([0, 0, 0, 0, 0]);
  });
});

describe("a full disk", () => {
  /** A small disk of its own; undefined, with the reason printed, where none may be mounted. */
  function smallDisk(): string | undefined {
    const place = join(scratchDirectory(), "disk");
    mkdirSync(place);
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m", "tmpfs", place], {
      encoding: "utf8",
    });
    if (mounted.status !== 0) {
      console.warn(`full disk not tested: no tmpfs can be mounted here (${mounted.stderr ?? ""})`);
      return undefined;
    }
    onTestFinished(() => void spawnSync("umount", [place]));
    return place;
  }

  test(
    "[PW-144] [PW-135] [PW-136] at any room left: an answer with the reason, nothing lost, and it goes on with room",
    (context) => {
      const disk = smallDisk();
      if (disk === undefined) return context.skip("no tmpfs can be mounted here");
      const prepared = aboutToReport();
      rmSync(join(prepared.top, ".git/hooks"), { recursive: true, force: true });
      for (const kilobytes of [0, 8, 16, 24, 40, 64, 88]) {
        const top = join(disk, "w");
        cpSync(prepared.top, top, { recursive: true });
        const scratch = scratchAt(top);
        fill(join(disk, "ball"), kilobytes);
        const reply = report(scratch);
        rmSync(join(disk, "ball"));
        expect([FAILED, HELD], `${kilobytes} ${reply.stdout}`).toContain(reply.exit);
        if (questionOf(reply) !== "stage-0-complete") {
          expectClear(reply, /full|space|No space/);
          expectFinishes(scratch);
        }
        expect(
          readdirSync(top, { recursive: true, encoding: "utf8" }).filter((name) =>
            name.endsWith(".lock"),
          ),
        ).toEqual([]);
        rmSync(top, { recursive: true });
      }
    },
    PATIENCE_MS,
  );
});

function fill(file: string, leave: number): void {
  spawnSync("dd", ["if=/dev/zero", `of=${file}`, "bs=1k"], { stdio: "ignore" });
  truncateSync(file, Math.max(0, lstatSync(file).size - leave * 1024));
}
