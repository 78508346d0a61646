import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, afterEach, describe, expect, test } from "vitest";
import { createWorkspace } from "../../adapters/workspace/workspace.ts";
import type { Reading } from "../../ports/workspace.ts";
import { readOnce } from "./reading.ts";

let root: string;
let reads: string[];
let reading: Reading;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "reading-"));
  reads = [];
  const workspace = createWorkspace(root);
  reading = readOnce({
    ...workspace,
    read: async (path) => {
      reads.push(path);
      return await workspace.read(path);
    },
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(root, name), text);
const textOf = async (name: string): Promise<string | undefined> => {
  const file = await reading.read(name);
  return file.kind === "text" ? file.text : undefined;
};

describe("one command sees one world", () => {
  test("a tree without any rules is another reading than one with the rules that are there", async () => {
    write(".gitignore", "hidden\n");
    write("hidden", "1");
    const all = await reading.measure(".", { rules: new Map() });
    expect([...all.files.keys()]).toEqual([".gitignore", "hidden"]);
    expect([...(await reading.measure(".")).files.keys()]).toEqual([".gitignore"]);
  });

  test("by rules that are still the same a tree is measured once, by others anew", async () => {
    write(".gitignore", "hidden\n.gitignore\n");
    write("hidden", "1");
    let measured = 0;
    const workspace = createWorkspace(root);
    const once = readOnce({
      ...workspace,
      measure: async (...asked) => {
        measured += 1;
        return await workspace.measure(...asked);
      },
    });
    const { rules } = await once.measure(".");
    await Promise.all([once.measure(".", { rules: new Map(rules) }), once.measure(".")]);
    expect(measured).toBe(1);
    await once.measure(".", { rules: new Map() });
    expect(measured).toBe(2);
    expect(await once.holds()).toBe(true);
    write(".gitignore", ".gitignore\n");
    expect(await once.holds()).toBe(false);
  });

  test("a file is read once, and its digest is that of the text that was read", async () => {
    write("a", "one\n");
    const [first, second] = await Promise.all([reading.read("a"), reading.read("a")]);
    write("a", "two\n");
    expect(await reading.read("a")).toBe(first);
    expect(second).toBe(first);
    expect(await reading.digest("a")).toBe(first.kind === "text" ? first.digest : "");
    expect(reads).toEqual(["a"]);
  });

  test("what still reads so holds, also where a file was written again with the same text", async () => {
    write("a", "one\n");
    await reading.read("a");
    await reading.read("absent");
    await reading.list(".");
    expect(await reading.holds()).toBe(true);
    write("a", "one\n");
    expect(await reading.holds()).toBe(true);
  });

  test.each<[string, () => void]>([
    ["another text of the same length", () => write("a", "two\n")],
    [
      "another text under the old time",
      () => {
        write("a", "two\n");
        utimesSync(join(root, "a"), 1, 1);
      },
    ],
    ["a file that came", () => write("absent", "here\n")],
    ["a file that went", () => rmSync(join(root, "a"))],
  ])("%s does not hold", async (_, change) => {
    write("a", "one\n");
    utimesSync(join(root, "a"), 1, 1);
    await textOf("a");
    await textOf("absent");
    change();
    expect(await reading.holds()).toBe(false);
    reading.refresh();
    await textOf("a");
    expect(await reading.holds()).toBe(true);
  });

  test("a digest and a list are held to as well", async () => {
    write("a", "one\n");
    await reading.digest("a");
    write("a", "two\n");
    expect(await reading.holds()).toBe(false);
    reading.refresh();
    await reading.list(".");
    expect(await reading.holds()).toBe(true);
    write("b", "new\n");
    expect(await reading.holds()).toBe(false);
  });

  test("after an install the file is read anew", async () => {
    write("a", "one\n");
    await textOf("a");
    expect(await reading.install("a", "two\n", "one\n")).toEqual({ kind: "installed" });
    expect(await textOf("a")).toBe("two\n");
  });
});
