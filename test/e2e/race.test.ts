/** Many processes at once: nobody's state, text or commit is lost, and every loser is told. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { compose } from "../../src/compose/compose.ts";
import { act, find, start } from "../../src/engine/engine.ts";
import { copyOf, preparedOnce, repository } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import { NAME, codesOf, doWork, handoffOf, pluginAt, reportText, writeIdeas } from "./plugin.ts";

const MINUTES = 60_000;
const EDITOR = fileURLToPath(new URL("../fixtures/agents/editor.mjs", import.meta.url));
const PLUGINS: readonly string[] = Array.from({ length: 20 }, (_, index) => `Plugin${index + 1}`);
const HELD = 11;

/** Twenty plugins whose planning agents have done their work, and none has reported. */
function twenty(): Promise<Scratch> {
  built ??= buildTwenty();
  return built.then(copyOf);
}

let built: Promise<Scratch> | undefined;

async function buildTwenty(): Promise<Scratch> {
  const scratch = preparedOnce("race-empty", repository);
  const top = copyOf(scratch);
  const composed = await compose({ cwd: top.top, env: top.env });
  if (composed.kind === "failed") throw new Error(composed.message);
  const { parts } = composed;
  const caller = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;
  const family = await parts.families.get("plugin-workflow");
  if (family === undefined) throw new Error("there is no plugin workflow");
  for (const id of PLUGINS) {
    await start(parts, family, { id, options: { brief: `the brief of ${id}` }, caller });
    writeIdeas(top, id);
    const found = await find(parts, id);
    if (found.kind === "refused") throw new Error(`${id} did not start`);
    await act(parts, found, { type: "dispatch.send", spec: "research", unit: "." }, caller);
    doWork(top, "0", { name: id });
  }
  await parts.journal.close();
  return top;
}

async function reportLater(scratch: Scratch, name: string): Promise<Reply> {
  return await scratch.holdLater(["report", name, "-"], {
    stdin: reportText("0", { name }),
    env: { HOLDPOINT_SESSION: "human:ada" },
  });
}

function rowsOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => /^\| Plugin\d/.test(line));
}

function statusLines(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.startsWith("**Status:**"));
}

describe("twenty plugins that complete at once", () => {
  test(
    "[PW-047] [PW-046] [PW-195] [PW-206] [PW-209] all rows, all entries, one commit each, each with its own plugin only",
    async () => {
      const scratch = await twenty();
      const replies = await Promise.all(PLUGINS.map((name) => reportLater(scratch, name)));
      for (const reply of replies) {
        expect(reply.exit, reply.stdout).toBe(HELD);
        expect(reply.json.pending, reply.stdout).toEqual([]);
      }
      const registry = scratch.read("PLUGINS.md");
      expect(rowsOf(registry)).toHaveLength(PLUGINS.length);
      expect(rowsOf(registry).every((row) => row.includes("🚧 Stage 0"))).toBe(true);
      expect(statusLines(registry)).toEqual(PLUGINS.map(() => "**Status:** 🚧 Stage 0"));
      expect(scratch.git("status", "--porcelain")).toBe("");
      expectOneCommitEach(scratch);
      const verified = scratch.hold("verify --all");
      expect(verified.exit, verified.stdout).toBe(0);
    },
    10 * MINUTES,
  );
});

function expectOneCommitEach(scratch: Scratch): void {
  const commits = scratch.git("log", "--format=%H %P", "--reverse").split("\n").slice(1);
  expect(commits).toHaveLength(PLUGINS.length);
  const done = new Set<string>();
  for (const commit of commits) {
    const [oid = "", parent = "", second] = commit.split(" ");
    expect(second).toBeUndefined();
    const paths = scratch.git("diff-tree", "-r", "--name-only", parent, oid).split("\n");
    const names = new Set(
      paths.filter((path) => path !== "PLUGINS.md").map((path) => path.split("/")[1]),
    );
    const [name = ""] = names;
    expect(names.size, paths.join()).toBe(1);
    done.add(name);
    const registry = scratch.git("show", `${oid}:PLUGINS.md`);
    // No row without its code, no code without its row.
    expect(new Set(rowsOf(registry).map((row) => row.split("|")[1]?.trim()))).toEqual(done);
    expect(statusLines(registry)).toHaveLength(done.size);
    expect(scratch.git("show", `${oid}:${handoffOf(name)}`)).toContain("status: complete");
  }
  expect(done.size).toBe(PLUGINS.length);
}

describe("two at once", () => {
  test("[PW-242] two answers to one question: one wins, the other is told the outcome", async () => {
    const scratch = pluginAt("s0");
    const [one, two] = await Promise.all([
      scratch.holdLater(["answer", NAME, "1", "--decision", "D-1"]),
      scratch.holdLater(["answer", NAME, "pause", "--decision", "D-1"]),
    ]);
    const [winner, loser] = one.exit === 10 ? [two, one] : [one, two];
    expect(winner.json.ok, winner.stdout).toBe(true);
    expect(loser.exit, loser.stdout).toBe(10);
    const settled = scratch
      .hold(`audit ${NAME}`)
      .json.entries?.flatMap((entry) => entry.events)
      .filter((event) => event.startsWith("D-1 answered"));
    expect(settled).toHaveLength(1);
    const chosen = /: (\w+)$/.exec(settled?.[0] ?? "")?.[1] ?? "nothing";
    expect(loser.json.refusals?.[0]?.message).toContain(chosen);
  });

  test("[PW-101] two sessions take the next step of one plugin: one has it, the other gets 12 and its name", async () => {
    const scratch = pluginAt("new");
    const replies = await Promise.all(
      ["left", "right"].map((session) =>
        scratch.holdLater(`advance ${NAME}`, { env: { HOLDPOINT_SESSION: session } }),
      ),
    );
    expect(
      replies.map((reply) => reply.exit).toSorted((a, b) => a - b),
      replies.map((one) => one.stdout).join(),
    ).toEqual([0, 12]);
    const { lease, dispatches } = scratch.hold(`status ${NAME}`).json;
    expect(dispatches).toHaveLength(1);
    const loser = replies.find((reply) => reply.exit === 12);
    expect(loser?.json.refusals?.[0]?.message).toContain(lease?.session ?? "nobody");
    expect(loser?.json.refusals?.[0]?.fix).toContain("--take");
  });

  test("[PW-102] the same report twice at once: it counts once, and is committed once", async () => {
    const scratch = pluginAt("p0");
    doWork(scratch, "0");
    const give = (): Promise<Reply> =>
      scratch.holdLater(["report", NAME, "-", "--dispatch", "W-1"], { stdin: reportText("0") });
    const replies = await Promise.all([give(), give(), give()]);
    expect(
      replies.filter((reply) => reply.exit === HELD),
      replies.map((one) => one.stdout).join(),
    ).toHaveLength(1);
    for (const loser of replies.filter((reply) => reply.exit !== HELD))
      expect(codesOf(loser).length, loser.stdout).toBeGreaterThan(0);
    expect(scratch.git("rev-list", "--count", "HEAD")).toBe("2");
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("[PW-047] a new plugin and a report at the same moment: the registry has both", async () => {
    const scratch = pluginAt("p0");
    doWork(scratch, "0");
    const [begun, reported] = await Promise.all([
      scratch.holdLater("start ClapMachine --protocol plugin-workflow"),
      scratch.holdLater(["report", NAME, "-"], { stdin: reportText("0") }),
    ]);
    expect([begun.exit, reported.exit], begun.stdout + reported.stdout).toEqual([0, HELD]);
    const registry = scratch.read("PLUGINS.md");
    expect(registry).toContain(`| ${NAME} | 🚧 Stage 0 |`);
    expect(registry).toContain("| ClapMachine | 💡 Ideated |");
    expect(scratch.git("show", "HEAD:PLUGINS.md")).not.toContain("ClapMachine");
  });
});

describe("a session that was taken over", () => {
  test("[PW-101] [PW-102] its late report changes nothing, its dispatch is gone, and it is told so", () => {
    const scratch = pluginAt("new");
    const [old, fresh] = [{ HOLDPOINT_SESSION: "old" }, { HOLDPOINT_SESSION: "fresh" }];
    expect(scratch.hold(`advance ${NAME}`, { env: old }).exit).toBe(0);
    const alive = scratch.hold(`advance ${NAME} --take`, { env: fresh });
    expect(alive.exit, "a living session is not taken over").toBe(12);
    pretendRestarted(scratch, "old");
    const taken = scratch.hold(`advance ${NAME} --take`, { env: fresh });
    expect(taken.exit, taken.stdout).toBe(0);
    doWork(scratch, "0");
    const before = scratch.hold(`audit ${NAME}`).json.chain?.records;
    const late = scratch.hold(["report", NAME, "-", "--dispatch", "W-1"], {
      stdin: reportText("0"),
      env: old,
    });
    expect([10, 12], late.stdout).toContain(late.exit);
    expect(scratch.hold(`audit ${NAME}`).json.chain?.records).toBe(before);
    expect(scratch.git("rev-list", "--count", "HEAD")).toBe("1");
    const right = scratch.hold(["report", NAME, "-"], { stdin: reportText("0"), env: fresh });
    expect(right.exit, right.stdout).toBe(HELD);
  });
});

/** As after a restart of the machine: its last sign of life is from another boot. */
function pretendRestarted(scratch: Scratch, session: string): void {
  const file = join(scratch.top, ".git/holdpoint/beats", `${session}.json`);
  const beat = readFileSync(file, "utf8").replace(/"boot":"[^"]*"/, '"boot":"another boot"');
  expect(beat).toContain("another boot");
  writeFileSync(file, beat);
}

describe("a person edits PLUGINS.md while reports land", () => {
  test.each(["in-place", "rename"])(
    "[PW-165] [PW-046] %s: no finished line is lost, no plugin's row and entry either",
    async (how) => {
      const scratch = await twenty();
      const names = PLUGINS.slice(0, 8);
      const [edited, ...replies] = await Promise.all([
        promisify(execFile)(process.execPath, [EDITOR, join(scratch.top, "PLUGINS.md"), how, "60"]),
        ...names.map((name) => reportLater(scratch, name)),
      ]);
      const lines = edited.stdout.trimEnd().split("\n");
      expect(lines).toHaveLength(60);
      const texts = everyText(scratch);
      expect(lines.filter((line) => !texts.includes(line))).toEqual([]);
      const registry = scratch.read("PLUGINS.md");
      expect(rowsOf(registry)).toHaveLength(PLUGINS.length);
      expect(statusLines(registry)).toHaveLength(PLUGINS.length);
      for (const reply of replies) expect([1, 10, HELD], reply.stdout).toContain(reply.exit);
      expectRestorable(scratch, names);
    },
    10 * MINUTES,
  );
});

/** All text that is anywhere a person can get at: the file, what was taken aside, what was kept. */
function everyText(scratch: Scratch): string {
  const texts = [scratch.read("PLUGINS.md")];
  for (const root of [".holdpoint/aside", ".git/holdpoint/blobs"]) {
    const top = join(scratch.top, root);
    if (!existsSync(top)) continue;
    for (const name of readdirSync(top, { recursive: true, encoding: "utf8" })) {
      if (statSync(join(top, name)).isFile()) texts.push(readFileSync(join(top, name), "utf8"));
    }
  }
  return texts.join("\n");
}

/** An editor that wrote an older row over ours made a difference, which the journal's side ends. */
function expectRestorable(scratch: Scratch, names: readonly string[]): void {
  const prose = scratch
    .read("PLUGINS.md")
    .split("\n")
    .filter((line) => line.includes(" note "));
  for (const name of names) scratch.hold(`reconcile ${name} --restore`);
  const after = scratch.read("PLUGINS.md");
  expect(prose.filter((line) => !after.includes(line))).toEqual([]);
  expect(rowsOf(after)).toHaveLength(PLUGINS.length);
  for (const name of names) {
    const { drift, pending } = scratch.hold(`status ${name}`).json;
    expect({ drift, pending }, name).toEqual({ drift: [], pending: [] });
  }
}
