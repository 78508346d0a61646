import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { asNobody } from "../../../test/nobody.ts";
import type { FileRead } from "../../ports/workspace.ts";
import { createWorkspace, excludeFromGit } from "./workspace.ts";

describe("read", () => {
  test("gives the exact text, byte order mark and line endings included, and its digest", async () => {
    const root = scratch();
    const text = "\uFEFFä\r\nb\n\nc";
    write(root, "dir/Größe 1.md", text);
    const hex = createHash("sha256").update(text).digest("hex");
    const workspace = createWorkspace(root);
    expect(await workspace.read("dir/Größe 1.md")).toEqual({
      kind: "text",
      text,
      digest: `sha256:${hex}`,
    });
    expect(await workspace.digest("dir/Größe 1.md")).toBe(`sha256:${hex}`);
  });

  test("what is not there is absent, also below a missing directory or a file", async () => {
    const root = scratch();
    write(root, "file", "x");
    for (const path of ["a", "a/b/c", "file/below"]) {
      expect(await createWorkspace(root).read(path)).toEqual({ kind: "absent" });
      expect(await createWorkspace(root).digest(path)).toBeUndefined();
    }
  });

  test("NUL bytes and invalid UTF-8 are not text", async () => {
    const root = scratch();
    writeFileSync(join(root, "nul"), "a\0b");
    writeFileSync(join(root, "latin1"), Buffer.from([0x61, 0xe4, 0x62]));
    expect(await problem(root, "nul")).toMatchObject({ code: "not-text" });
    expect(await problem(root, "latin1")).toMatchObject({ code: "not-text" });
  });

  test("more than 2 MiB is too large for a text, with its size in the message, but has a digest", async () => {
    const root = scratch();
    const size = 4 * 1024 * 1024 + 1;
    writeFileSync(join(root, "big"), "x".repeat(size));
    writeFileSync(join(root, "fits"), "x".repeat(size - 1));
    const answer = await problem(root, "big");
    expect(answer).toMatchObject({ code: "too-large" });
    expect(answer.message).toContain(String(size));
    expect((await createWorkspace(root).read("fits")).kind).toBe("text");
    expect(await createWorkspace(root).digest("big")).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  test.each(["../x", "/etc/hosts", "a/../../x", "", ".", "a//b", "a/./b", ".git/config", "x\0y"])(
    "[PW-168] %j is outside",
    async (path) => {
      const root = scratch();
      expect(await problem(root, path)).toMatchObject({ code: "outside" });
      expect(await createWorkspace(root).digest(path)).toBeUndefined();
    },
  );

  test("[PW-168] a link is refused, and so is a parent that leads outside", async () => {
    const root = scratch();
    const elsewhere = scratch();
    write(elsewhere, "secret", "s");
    write(root, "real/file", "inside");
    symlinkSync(join(elsewhere, "secret"), join(root, "link"));
    symlinkSync(elsewhere, join(root, "out"));
    symlinkSync("real", join(root, "in"));
    symlinkSync("/nowhere", join(root, "dangling"));
    expect(await problem(root, "link")).toMatchObject({ code: "link" });
    expect(await problem(root, "out/secret")).toMatchObject({ code: "outside" });
    expect(await problem(root, "dangling/x")).toMatchObject({ code: "link" });
    expect(await createWorkspace(root).digest("out/secret")).toBeUndefined();

    expect(await createWorkspace(root).read("in/file")).toMatchObject({ text: "inside" });
  });

  test("directories, pipes, devices and sockets are not files, and reading a pipe does not wait", async () => {
    const root = scratch();
    mkdirSync(join(root, "dir"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    const server = createServer().listen(join(root, "socket"));
    onTestFinished(() => void server.close());
    for (const path of ["dir", "pipe", "socket"]) {
      expect(await problem(root, path)).toMatchObject({ code: "not-a-file" });
      expect(await createWorkspace(root).digest(path)).toBeUndefined();
    }
    expect(await createWorkspace("/dev").read("null")).toMatchObject({ code: "not-a-file" });
  });

  test("[PW-144] a file that may not be read is denied", async () => {
    const root = scratch();
    write(root, "closed", "x");
    chmodSync(join(root, "closed"), 0o000);
    await asNobody(async () => {
      expect(await problem(root, "closed")).toMatchObject({ code: "denied" });
      expect(await createWorkspace(root).digest("closed")).toBeUndefined();
    });
  });
});

describe("list", () => {
  test("names are sorted, directories end with a slash, absent is empty", async () => {
    const root = scratch();
    write(root, "b", "");
    write(root, "a/x", "");
    symlinkSync("a", join(root, "c"));
    const workspace = createWorkspace(root);
    expect(await workspace.list(".")).toEqual(["a/", "b", "c"]);
    expect(await workspace.list("a/")).toEqual(["x"]);
    expect(await workspace.list("b")).toEqual([]);
    expect(await workspace.list("none")).toEqual([]);
    expect(await workspace.list("../..")).toEqual([]);
    expect(await createWorkspace(join(root, "c")).list(".")).toEqual(["x"]);
  });

  test("a directory that may not be read is not taken for an empty one", async () => {
    const root = scratch();
    mkdirSync(join(root, "closed"), { mode: 0o000 });
    await asNobody(async () => {
      await expect(createWorkspace(root).list("closed")).rejects.toThrow("EACCES");
    });
  });
});

describe("excludeFromGit", () => {
  test("appends once, keeps what is there, and git obeys", async () => {
    const root = scratch();
    execFileSync("git", ["init", "--quiet"], { cwd: root });
    const commonDir = join(root, ".git");
    writeFileSync(join(commonDir, "info/exclude"), "*.log");
    excludeFromGit(commonDir);
    excludeFromGit(commonDir);
    const text = execFileSync("cat", [join(commonDir, "info/exclude")], { encoding: "utf8" });
    expect(text).toBe("*.log\n.holdpoint/\n");
    write(root, ".holdpoint/tmp/x", "x");
    const status = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
    expect(status).toBe("");
    rmSync(join(commonDir, "info"), { recursive: true });
    excludeFromGit(commonDir);
  });
});

test("forget removes only what recover can name", async () => {
  const root = scratch();
  write(root, "plugins/A/notes.md", "n");
  const workspace = createWorkspace(root);
  for (const path of ["plugins/A/notes.md", ".holdpoint/aside/../../plugins", "../x"]) {
    await expect(workspace.forget(path)).rejects.toThrow("not a path inside");
  }
  expect((await workspace.read("plugins/A/notes.md")).kind).toBe("text");
  // Another process has kept the same edit and forgotten it first.
  await workspace.forget(`.holdpoint/aside/a1.${"0".repeat(64)}.done/plugins/A/notes.md`);
});

function scratch(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-")));
  chmodSync(root, 0o755);
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

function write(root: string, path: string, text: string): void {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), text);
}

async function problem(
  root: string,
  path: string,
): Promise<Extract<FileRead, { kind: "unreadable" }>> {
  const answer = await createWorkspace(root).read(path);
  if (answer.kind !== "unreadable") throw new Error(`readable: ${JSON.stringify(answer)}`);
  return answer;
}

describe("what would hold every command up", () => {
  test("a hole of a hundred gigabytes has no digest, and is not read", async () => {
    const root = scratch();
    const workspace = createWorkspace(root);
    writeFileSync(join(root, "hole"), "");
    truncateSync(join(root, "hole"), 100 * 1024 ** 3);
    const started = performance.now();
    expect(await workspace.digest("hole")).toBeUndefined();
    expect(await workspace.read("hole")).toMatchObject({ code: "too-large" });
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  test("a path beyond what the system takes is no path: none of its folders is looked for", async () => {
    const root = scratch();
    const workspace = createWorkspace(root);
    const started = performance.now();
    for (const path of ["a/".repeat(2_000_000) + "b", "a".repeat(300), "a/".repeat(2_100) + "b"]) {
      expect(await workspace.digest(path)).toBeUndefined();
      expect(await workspace.read(path)).toMatchObject({ kind: "unreadable", code: "too-long" });
      expect(await workspace.check(path)).toMatchObject({ kind: "failed", code: "too-long" });
    }
    await expect(workspace.list("a/".repeat(2_100) + "b")).rejects.toThrow("longer than");
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("gigabytes in the aside folder are named and not read; what is missing is put back all the same", async () => {
    const root = scratch();
    const aside = (id: string): string => join(root, `.holdpoint/aside/${id}.${"0".repeat(64)}`);
    for (let at = 0; at < 40; at += 1) {
      mkdirSync(aside(`${at}`), { recursive: true });
      writeFileSync(join(aside(`${at}`), "PLUGINS.md"), "");
      truncateSync(join(aside(`${at}`), "PLUGINS.md"), 1_900_000_000);
    }
    writeFileSync(join(root, "PLUGINS.md"), "here");
    mkdirSync(aside("z"), { recursive: true });
    writeFileSync(join(aside("z"), "missing.md"), "text");
    let deep = join(root, ".holdpoint/aside");
    for (let at = 0; at < 15; at += 1)
      deep = join(deep, at === 0 ? `y.${"0".repeat(64)}` : "d".repeat(250));
    mkdirSync(deep, { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const started = performance.now();
    const left = await createWorkspace(root).recover();
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(left).toContainEqual({ kind: "restored", path: "missing.md" });
    expect(left.some((one) => one.kind === "edited" && one.path === "PLUGINS.md")).toBe(true);
  });
});
