import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createWorkspace } from "./workspace.ts";

test("files, directories and links move whole, and missing parents are made", async () => {
  const root = scratch();
  symlinkSync("/nowhere", join(root, "plugins/A/link"));
  const workspace = createWorkspace(root);
  for (const name of ["Source", "notes.md", "link"]) {
    const answer = await workspace.move(`plugins/A/${name}`, `backups/A_1/${name}`);
    expect(answer).toEqual({ kind: "installed" });
  }
  expect(await workspace.list("plugins/A")).toEqual([]);
  expect(await workspace.list("backups/A_1")).toEqual(["Source/", "link", "notes.md"]);
  expect(readFileSync(join(root, "backups/A_1/Source/a.cpp"), "utf8")).toBe("a");
  expect(await workspace.move("plugins/A/notes.md", "backups/A_1/notes.md")).toEqual({
    kind: "installed",
  });
});

test("a place that is taken is left alone, and so is what should have moved", async () => {
  const root = scratch();
  mkdirSync(join(root, "taken/Source"), { recursive: true });
  writeFileSync(join(root, "taken/notes.md"), "theirs");
  const workspace = createWorkspace(root);
  for (const name of ["Source", "notes.md"]) {
    expect(await workspace.move(`plugins/A/${name}`, `taken/${name}`)).toEqual({ kind: "changed" });
    expect(existsSync(join(root, "plugins/A", name))).toBe(true);
  }
  expect(readFileSync(join(root, "taken/notes.md"), "utf8")).toBe("theirs");
});

test("a file that appears at the last moment is not replaced", async () => {
  const root = scratch();
  const onStep = (step: string): void => {
    if (step === "move.rename") writeFileSync(join(root, "to.md"), "theirs");
  };
  const answer = await createWorkspace(root, { onStep }).move("plugins/A/notes.md", "to.md");
  expect(answer).toEqual({ kind: "changed" });
  expect(readFileSync(join(root, "to.md"), "utf8")).toBe("theirs");
  expect(readFileSync(join(root, "plugins/A/notes.md"), "utf8")).toBe("n");
});

test("[PW-208] a crash between the two names of a file is finished by moving again", async () => {
  const root = scratch();
  linkSync(join(root, "plugins/A/notes.md"), join(root, "to.md"));
  const answer = await createWorkspace(root).move("plugins/A/notes.md", "to.md");
  expect(answer).toEqual({ kind: "installed" });
  expect(existsSync(join(root, "plugins/A/notes.md"))).toBe(false);
});

test("[PW-168] neither end leaves the worktree, and a directory does not move into itself", async () => {
  const root = scratch();
  const elsewhere = scratch();
  symlinkSync(elsewhere, join(root, "out"));
  const workspace = createWorkspace(root);
  const failed = { kind: "failed", code: "outside" };
  expect(await workspace.move("plugins/A", "out/A")).toMatchObject(failed);
  expect(await workspace.move("plugins/A", "../A")).toMatchObject(failed);
  expect(await workspace.move("out/plugins", "got")).toMatchObject(failed);
  expect(await workspace.move("plugins/A", ".git/A")).toMatchObject(failed);
  expect(await workspace.move("plugins/A", "plugins/A/B")).toMatchObject({ kind: "failed" });
  expect(existsSync(join(root, "plugins/A/Source/a.cpp"))).toBe(true);
});

function scratch(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "plugins/A/Source"), { recursive: true });
  writeFileSync(join(root, "plugins/A/Source/a.cpp"), "a");
  writeFileSync(join(root, "plugins/A/notes.md"), "n");
  return root;
}
