import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { asNobody } from "../../../test/nobody.ts";
import type { LeftAside, Workspace } from "../../ports/workspace.ts";
import { createWorkspace } from "./workspace.ts";

const VIEW = "plugins/A b/.continue-here.md";

describe("installing", () => {
  test("a new view is created with its parent directories", async () => {
    const root = scratch();
    expect(await createWorkspace(root).install(VIEW, "one\n", null)).toEqual({ kind: "installed" });
    expect(text(root)).toBe("one\n");
  });

  test("a view that is as it was read is replaced, its mode kept, and nothing is left in tmp", async () => {
    const root = scratch("one\n");
    chmodSync(join(root, VIEW), 0o750);
    expect((await createWorkspace(root).install(VIEW, "two ü\n", "one\n")).kind).toBe("installed");
    expect(text(root)).toBe("two ü\n");
    expect(statSync(join(root, VIEW)).mode & 0o777).toBe(0o750);
    expect(readdirSync(join(root, ".holdpoint/tmp"))).toEqual([]);
  });

  test("null removes the view; its aside is settled after a while, not put back", async () => {
    const root = scratch("one\n");
    const workspace = createWorkspace(root);
    expect((await workspace.install(VIEW, null, "one\n")).kind).toBe("installed");
    expect(existsSync(join(root, VIEW))).toBe(false);
    expect(await workspace.recover()).toEqual([]);
    await pause(1_100);
    expect(await workspace.recover()).toEqual([]);
    expect(existsSync(join(root, VIEW))).toBe(false);
    expect(readdirSync(join(root, ".holdpoint/aside"))).toEqual([]);
    expect((await workspace.install(VIEW, null, null)).kind).toBe("installed");
  });

  test("the same text again changes nothing, not even the inode", async () => {
    const root = scratch("one\n");
    const { ino } = statSync(join(root, VIEW));
    expect((await createWorkspace(root).install(VIEW, "one\n", "one\n")).kind).toBe("installed");
    expect(statSync(join(root, VIEW)).ino).toBe(ino);
  });

  test("a text other than the expected one stays, whatever was wanted", async () => {
    const root = scratch("edited\n");
    const workspace = createWorkspace(root);
    for (const content of ["two\n", null, "one\n"]) {
      expect(await workspace.install(VIEW, content, "one\n")).toEqual({ kind: "changed" });
      expect(text(root)).toBe("edited\n");
    }
    expect(await workspace.install(VIEW, "two\n", null)).toEqual({ kind: "changed" });
    expect(await workspace.install(VIEW, null, null)).toEqual({ kind: "changed" });
    expect(text(root)).toBe("edited\n");
    rmSync(join(root, VIEW));
    expect(await workspace.install(VIEW, "two\n", "one\n")).toEqual({ kind: "changed" });
  });

  test("a file an editor creates between take and link stays", async () => {
    const root = scratch("one\n");
    const workspace = createWorkspace(root, { onStep: at("view.link", () => edit(root, "his\n")) });
    expect(await workspace.install(VIEW, "two\n", "one\n")).toEqual({ kind: "changed" });
    expect(text(root)).toBe("his\n");
  });

  test("both are kept when an edit was taken and a newer one came before it could go back", async () => {
    const root = scratch("one\n");
    const onStep = (step: string): void => {
      if (step === "view.take") edit(root, "first edit\n");
      if (step === "view.check") edit(root, "second edit\n");
    };
    const answer = await createWorkspace(root, { onStep }).install(VIEW, "two\n", "one\n");
    expect(answer).toEqual({ kind: "changed" });
    expect(text(root)).toBe("second edit\n");
    await pause(1_100);
    const left = await createWorkspace(root).recover();
    expect(await textsOf(createWorkspace(root), left)).toEqual(["first edit\n"]);
  });
});

describe("failing", () => {
  test("[PW-168] links and parents that lead outside are refused, and nothing is written there", async () => {
    const root = scratch();
    const elsewhere = scratch();
    symlinkSync(elsewhere, join(root, "out"));
    writeFileSync(join(elsewhere, "target"), "t");
    symlinkSync(join(elsewhere, "target"), join(root, "link"));
    const workspace = createWorkspace(root);
    expect(await workspace.install("out/x", "x", null)).toMatchObject({ code: "outside" });
    expect(await workspace.install("link", "x", "t")).toMatchObject({ code: "link" });
    expect(await workspace.install("../x", "x", null)).toMatchObject({ code: "outside" });
    expect(await workspace.install(".git/hooks/pre-commit", "x", null)).toMatchObject({
      code: "outside",
    });
    expect(readdirSync(elsewhere)).toEqual(["target"]);
    expect(readFileSync(join(elsewhere, "target"), "utf8")).toBe("t");
  });

  test("[PW-168] a link in place of .holdpoint is refused: texts would leave the worktree", async () => {
    const root = scratch("one\n");
    const elsewhere = scratch();
    symlinkSync(elsewhere, join(root, ".holdpoint"));
    const answer = await createWorkspace(root).install(VIEW, "two\n", "one\n");
    expect(answer).toMatchObject({ kind: "failed", code: "link" });
    expect(text(root)).toBe("one\n");
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test("a directory or a pipe in place of the view, a file in place of its parent", async () => {
    const root = scratch();
    mkdirSync(join(root, "dir"));
    writeFileSync(join(root, "file"), "f");
    execFileSync("mkfifo", [join(root, "pipe")]);
    const workspace = createWorkspace(root);
    for (const [path, expected] of [
      ["dir", "x"],
      ["pipe", "x"],
      ["file/x", null],
    ] as const) {
      expect(await workspace.install(path, "y", expected)).toMatchObject({ code: "not-a-file" });
    }
  });

  test("[PW-144] no right to write the directory is denied, and the text stays", async () => {
    const root = scratch("one\n");
    mkdirSync(join(root, ".holdpoint"), { mode: 0o777 });
    chmodSync(join(root, ".holdpoint"), 0o777);
    chmodSync(join(root, VIEW, ".."), 0o555);
    await asNobody(async () => {
      const answer = await createWorkspace(root).install(VIEW, "two\n", "one\n");
      expect(answer).toMatchObject({ kind: "failed", code: "denied" });
    });
    chmodSync(join(root, VIEW, ".."), 0o755);
    expect(text(root)).toBe("one\n");
  });

  test("[PW-144] a full disk is named, and the text stays", async ({ skip }) => {
    const root = scratch();
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", root], { stdio: "ignore" });
    } catch {
      skip("no right to mount a small file system");
    }
    onTestFinished(() => void execFileSync("umount", [root]));
    const workspace = createWorkspace(root);
    expect((await workspace.install("view", "one\n", null)).kind).toBe("installed");
    const answer = await workspace.install("view", "x".repeat(200_000), "one\n");
    expect(answer).toMatchObject({ kind: "failed", code: "disk-full" });
    expect(readFileSync(join(root, "view"), "utf8")).toBe("one\n");
    expect(readdirSync(join(root, ".holdpoint/tmp"))).toEqual([]);
  });
});

describe("crashes", () => {
  const steps = ["view.tmp", "view.take", "view.check", "view.link", "view.sync", "view.close"];

  test.each(steps)(
    "[PW-208] a crash before %s loses nothing; again, it goes through",
    async (step) => {
      const root = scratch("one\n");
      const crashing = createWorkspace(root, { onStep: at(step, crash) });
      await expect(crashing.install(VIEW, "two\n", "one\n")).rejects.toThrow("crash");
      const workspace = createWorkspace(root);
      const left = await workspace.recover();
      const taken = step === "view.check" || step === "view.link";
      expect(left).toEqual(taken ? [{ kind: "restored", path: VIEW }] : []);
      const now = text(root);
      expect(["one\n", "two\n"]).toContain(now);
      expect((await workspace.install(VIEW, "two\n", now)).kind).toBe("installed");
      expect(text(root)).toBe("two\n");
      expect(await workspace.recover()).toEqual([]);
    },
  );

  test("[PW-208] kill -9 while the view is away: the next process puts it back", async () => {
    const root = scratch("one\n");
    const source = `
      import { createWorkspace } from ${JSON.stringify(join(import.meta.dirname, "workspace.ts"))};
      const onStep = (step) => step === "view.link" && process.kill(process.pid, "SIGKILL");
      await createWorkspace(${JSON.stringify(root)}, { onStep })
        .install(${JSON.stringify(VIEW)}, "two\\n", "one\\n");`;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", source]);
    const signal = await new Promise((resolve) => child.on("exit", (_, name) => resolve(name)));
    expect(signal).toBe("SIGKILL");
    expect(existsSync(join(root, VIEW))).toBe(false);
    expect(await createWorkspace(root).recover()).toEqual([{ kind: "restored", path: VIEW }]);
    expect(text(root)).toBe("one\n");
    expect(readdirSync(join(root, ".holdpoint/aside"))).toEqual([]);
  });

  test("a recovery in the middle of a living install makes it look again, and loses nothing", async () => {
    for (const step of ["view.check", "view.link"]) {
      const root = scratch("one\n");
      const onStep = at(step, () => {
        const aside = join(root, ".holdpoint/aside");
        const [name = ""] = readdirSync(aside);
        renameSync(join(aside, name, VIEW), join(root, VIEW));
      });
      const answer = await createWorkspace(root, { onStep }).install(VIEW, "two\n", "one\n");
      expect(answer).toEqual({ kind: "changed" });
      expect(text(root)).toBe("one\n");
    }
  });

  test("looking for asides creates nothing in a worktree that has none", async () => {
    const root = scratch("one\n");
    expect(await createWorkspace(root).recover()).toEqual([]);
    expect(readdirSync(root)).toEqual(["plugins"]);
  });

  test("[PW-168] a planted aside is not put into .git, and does not stop the recovery of others", async () => {
    const root = scratch("one\n");
    const planted = join(root, `.holdpoint/aside/0.${"0".repeat(64)}/.git/hooks`);
    mkdirSync(planted, { recursive: true });
    writeFileSync(join(planted, "pre-commit"), "echo planted");
    const crashing = createWorkspace(root, { onStep: at("view.link", crash) });
    await expect(crashing.install(VIEW, "two\n", "one\n")).rejects.toThrow("crash");
    expect(await createWorkspace(root).recover()).toEqual([{ kind: "restored", path: VIEW }]);
    expect(existsSync(join(root, ".git"))).toBe(false);
  });
});

function scratch(view?: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-")));
  chmodSync(root, 0o755);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  if (view !== undefined) {
    mkdirSync(join(root, VIEW, ".."), { recursive: true });
    writeFileSync(join(root, VIEW), view);
  }
  return root;
}

function text(root: string): string {
  return readFileSync(join(root, VIEW), "utf8");
}

/** As most editors save: a new file, renamed over the old. */
function edit(root: string, content: string): void {
  writeFileSync(join(root, "saved"), content);
  renameSync(join(root, "saved"), join(root, VIEW));
}

function at(wanted: string, act: () => void): (step: string) => void {
  return (step) => {
    if (step === wanted) act();
  };
}

function crash(): never {
  throw new Error("crash");
}

async function textsOf(
  workspace: Workspace,
  left: readonly LeftAside[],
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const one of left) {
    if (one.kind !== "edited") continue;
    const found = await workspace.read(one.aside);
    if (found.kind === "text") texts.push(found.text);
    await workspace.forget(one.aside);
  }
  return texts;
}
