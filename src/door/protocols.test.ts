/** Protocols that a repository brings along: what is wrong with one is named, and nothing else suffers. */
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../compose/compose.ts";
import { find, inspect, start } from "../engine/engine.ts";
import type { Parts } from "../engine/parts.ts";

const ADA = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;

let cwd = "";
const opened: Parts[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "own-protocols-"));
});
afterEach(async () => {
  for (const parts of opened.splice(0)) await parts.journal.close();
  rmSync(cwd, { recursive: true, force: true });
});

describe("a protocol of one's own", () => {
  test("is found by its name beside the shipped ones, and its workflows by theirs", async () => {
    write("release.mjs", table("release"));
    const parts = await open(["./release.mjs"]);
    expect((await parts.families.all()).map((one) => one.protocol.name)).toContain("release");
    expect(await parts.families.problems()).toEqual([]);
    const family = await parts.families.get("release");
    if (family === undefined) throw new Error("there is no release");
    const begun = await start(parts, family, { id: "v1", options: {}, caller: ADA });
    expect(begun.kind).toBe("done");
    const found = await find(await open(["./release.mjs"]), "v1");
    expect(found).toMatchObject({
      kind: "found",
      state: { protocol: { name: "release", version: 1 } },
    });
  });

  test("may be written in YAML, and what is wrong with it is named by line and column", async () => {
    const yaml = [
      "name: release",
      "version: 1",
      "title: Release",
      "states: [open, done]",
      "start: open",
      "ends: [done]",
      "moves: { finish: { from: open, to: done } }",
    ].join("\n");
    write("release.yaml", yaml);
    write("bad.yaml", yaml.replace("to: done", "to: dome"));
    const parts = await open(["./release.yaml", "./bad.yaml"]);
    expect((await parts.families.get("release"))?.protocol.title).toBe("Release");
    expect(await parts.families.problems()).toMatchObject([
      {
        file: "./bad.yaml",
        message: expect.stringContaining('7:36 release.finish: no state "dome"'),
      },
    ]);
  });

  test("a family with capabilities may be exported as well", async () => {
    write(
      "release.mjs",
      `import { defineFamily } from "holdpoint";\n${table("release").replace("export default", "const protocol =")}\nexport default defineFamily(protocol, {});`,
    );
    const parts = await open(["release.mjs"]);
    expect(await parts.families.problems()).toEqual([]);
    expect((await parts.families.get("release"))?.protocol.name).toBe("release");
  });
});

describe("a file that cannot be used", () => {
  test.each([
    ["there is none", [], "there is no such file"],
    ["a syntax error", ["bad.mjs", "export default {\n  name: : 2,\n};"], "bad.mjs:2: SyntaxError"],
    ["it throws", ["bad.mjs", "const a = 1;\nthrow new Error('no');"], "bad.mjs:2: Error: no"],
    ["it ends the program", ["bad.mjs", "process.exit(0)"], "it ends the program (0)"],
    ["it prints", ["bad.mjs", "console.log('hello'); export default {}"], 'it prints "hello"'],
    ["it exports nothing", ["bad.mjs", "export const a = 1"], "its default export is no protocol"],
    ["it exports nonsense", ["bad.mjs", "export default 7"], "its default export is no protocol"],
    [
      "half a protocol",
      ["bad.mjs", "export default { name: 'x', version: 1, kinds: { a: {} } }"],
      "Cannot use bad.mjs: ",
    ],
    [
      "a table that contradicts itself",
      ["bad.mjs", table("bad").replace('to: "done"', 'to: "dome"')],
      'no state "dome"',
    ],
    [
      "10,000 states",
      [
        "bad.mjs",
        `const states = Array.from({ length: 10000 }, (_, n) => "s" + n);\n${table("bad").replace('states: ["open", "done"]', 'states: [...states, "open", "done"]')}`,
      ],
      "it has 10002 states, and 1000 is the limit",
    ],
    ["a name that ships", ["bad.mjs", table("team-contract")], 'has a protocol "team-contract"'],
    ["a name that is none", ["bad.mjs", table("a:b")], '"a:b" is no name for a protocol'],
    ["YAML that is none", ["bad.yaml", "name: [release\n"], "Cannot use bad.yaml: 2:1"],
    [
      "a YAML bomb",
      [
        "bad.yaml",
        `a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*${n === 0 ? "a" : `b${n - 1}`}, *${n === 0 ? "a" : `b${n - 1}`}]`).join("\n")}\n`,
      ],
      "Cannot use bad.yaml: ",
    ],
    ["an odd ending", ["bad.txt", "x"], "neither .yaml, .yml, .js nor .mjs"],
  ])("%s", async (_, [file = "bad.mjs", text], says) => {
    if (text !== undefined) write(file, text);
    write("release.mjs", table("release"));
    const parts = await open([file, "release.mjs"]);
    const problems = await parts.families.problems();
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(says)]);
    expect(problems[0]).toMatchObject({ code: "protocol-unusable", file });
    expect(problems[0]?.fix).not.toBe("");
    // The others go on.
    expect((await parts.families.get("release"))?.protocol.name).toBe("release");
  });

  test.each([
    ["setInterval(() => {}, 1000).unref()", "it leaves a timer running"],
    ["(await import('node:http')).createServer().listen(0)", "it leaves a server running"],
    ["new (await import('node:worker_threads')).Worker('for (;;) {}', { eval: true })", "a worker"],
    ["process.on('exit', () => {})", 'it changes process.on("exit")'],
    ["process.env.HOLDPOINT_STORE = 'embedded'", "it changes process.env.HOLDPOINT_STORE"],
    ["process.chdir('/')", "it changes the working directory"],
    ["Object.prototype.odd = 1", "it changes Object.prototype.odd"],
    ["Array.prototype.map = () => []", "it changes Array.prototype.map"],
    ["JSON.parse = () => ({})", "it changes JSON.parse"],
    ["globalThis.fetch = 1", "it changes global fetch"],
    ["process.stdout.write = () => true", "it changes process.stdout.write"],
    ["Promise.reject(new Error('unseen'))", "Error: unseen"],
    ["await new Promise(() => {})", "it waits for what never comes"],
    ["process.exit(87)", "it ends the program (87)"],
  ])("at load: %s", async (line, says) => {
    write("bad.mjs", `${table("bad")}\n${line};`);
    const { families } = await open(["bad.mjs"]);
    expect((await families.problems()).map(({ message }) => message)).toEqual([
      expect.stringContaining(says),
    ]);
    expect(await families.get("bad")).toBeUndefined();
  });

  test("what a module uses up at load is its own affair", async () => {
    const uses = [
      "structuredClone({ a: [1] });",
      "new TextEncoder().encode('x'); new URL('http://a/'); new AbortController();",
      "await new Promise((done) => setTimeout(done, 20));",
      "crypto.getRandomValues(new Uint8Array(4)); await crypto.subtle.digest('SHA-256', new Uint8Array(4));",
      "(await import('node:child_process')).execFileSync(process.execPath, ['-e', '']);",
      "await (await import('node:fs/promises')).readFile(new URL(import.meta.url));",
    ];
    write("good.mjs", `${table("good")}\n${uses.join("\n")}`);
    const { families } = await open(["good.mjs"]);
    expect(await families.problems()).toEqual([]);
    expect(await families.get("good")).toBeDefined();
  });

  test("a child process that it leaves running is ended with it", async () => {
    const script = "setInterval(() => {}, 1000)";
    write(
      "bad.mjs",
      `${table("bad")}
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const child = spawn(process.execPath, ["-e", ${JSON.stringify(script)}], { detached: true });
writeFileSync(new URL("pid", import.meta.url), String(child.pid));
child.unref();`,
    );
    const [problem] = await (await open(["bad.mjs"])).families.problems();
    expect(problem?.message).toContain("it leaves a child process running");
    const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  test("an endless loop is ended", async () => {
    write("bad.mjs", "for (;;) {}");
    const [problem] = await (await open(["bad.mjs"])).families.problems();
    expect(problem?.message).toContain("it does not come to an end within 5 seconds");
  });

  test("what was tried once is not tried again, unless it brings other files along", async () => {
    write("release.mjs", table("release"));
    write("other.mjs", `import "./part.mjs";\n${table("other")}`);
    write("part.mjs", "");
    const files = ["release.mjs", "other.mjs"];
    await (await open(files)).families.problems();
    expect(readdirSync(join(cwd, ".holdpoint/tried")).length).toBeGreaterThan(0);
    write("part.mjs", "for (;;) {}");
    const problems = await (await open(files)).families.problems();
    expect(problems.map(({ file }) => file)).toEqual(["other.mjs"]);
  });

  test("two files with one name: the second is named", async () => {
    for (const file of ["a.mjs", "b.mjs"]) write(file, table("release"));
    const problems = await (await open(["a.mjs", "b.mjs"])).families.problems();
    expect(problems.map(({ file, message }) => [file, message])).toEqual([
      ["b.mjs", 'Cannot use b.mjs: another file defines "release"'],
    ]);
  });

  test.each(["../out.mjs", "/etc/out.mjs", ".git/x.mjs", "link.mjs", "away/out.mjs"])(
    "%s leads out of the repository, and is not even read",
    async (file) => {
      const away = mkdtempSync(join(tmpdir(), "away-"));
      writeFileSync(join(away, "out.mjs"), table("release"));
      symlinkSync(join(away, "out.mjs"), join(cwd, "link.mjs"));
      symlinkSync(away, join(cwd, "away"));
      const parts = await open([file]);
      expect(await parts.families.problems()).toHaveLength(1);
      expect(await parts.families.get("release")).toBeUndefined();
      rmSync(away, { recursive: true });
    },
  );

  test("stops its own workflows with its place, and the journal waits for it", async () => {
    write("release.mjs", table("release"));
    const parts = await open(["release.mjs"]);
    const family = await parts.families.get("release");
    if (family === undefined) throw new Error("there is no release");
    await start(parts, family, { id: "v1", options: {}, caller: ADA });
    write("release.mjs", "export default {");
    const broken = await find(await open(["release.mjs"]), "v1");
    expect(broken).toMatchObject({ kind: "refused", refusals: [{ code: "protocol-unusable" }] });
    const gone = await find(await open([]), "v1");
    expect(gone).toMatchObject({ kind: "refused", refusals: [{ code: "protocol-missing" }] });
    write("release.mjs", table("release"));
    expect((await find(await open(["release.mjs"]), "v1")).kind).toBe("found");
  });

  test("a list that is none is a broken configuration", async () => {
    write("holdpoint.config.json", '{"protocols":"release.mjs"}');
    const composed = await compose({ cwd, env: {} });
    expect(composed).toMatchObject({ kind: "failed", code: "config-broken" });
  });
});

describe("a definition that changed", () => {
  test("is told by the status, and the text alone of a comment is no change", async () => {
    write("release.mjs", table("release"));
    const parts = await open(["release.mjs"]);
    const family = await parts.families.get("release");
    if (family === undefined) throw new Error("there is no release");
    await start(parts, family, { id: "v1", options: {}, caller: ADA });
    write("release.mjs", `// a comment\n${table("release")}`);
    expect(await pending()).toEqual([]);
    write("release.mjs", table("release").replace('title: "Release"', 'title: "Other"'));
    expect(await pending()).toEqual(["definition-changed"]);
  });

  async function pending(): Promise<readonly string[]> {
    const parts = await open(["release.mjs"]);
    const found = await find(parts, "v1");
    if (found.kind === "refused") throw new Error("there is no v1");
    return (await inspect(parts, found, ADA)).pending.map(({ code }) => code);
  }
});

function table(name: string): string {
  return `export default {
  name: ${JSON.stringify(name)}, version: 1, title: "Release", root: "job", lease: "dispatch",
  looks: [], vars: {}, guards: {}, questions: {}, work: {},
  kinds: { job: { states: ["open", "done"], start: "open", ends: ["done"],
    moves: [{ id: "finish", from: ["open"], to: "done", rule: "R-1" }] } },
};`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

async function open(protocols: readonly string[]): Promise<Parts> {
  write("holdpoint.config.json", JSON.stringify({ protocols }));
  const composed = await compose({ cwd, env: {} });
  if (composed.kind === "failed") throw new Error(composed.message);
  opened.push(composed.parts);
  return composed.parts;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // One that has ended and was not fetched by anybody is not alive either.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
