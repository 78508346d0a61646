/**
 * `kill -9` before every step of a command that changes something. Whatever the moment, the next command
 * finds the workflow before it or after it, and finishes what was begun. The seam is in compose:
 * HOLDPOINT_TRACE_STEPS writes the steps down, HOLDPOINT_DIE_AT=*:n dies before the n-th.
 */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compose } from "../../src/compose/compose.ts";
import { find, resettle } from "../../src/engine/engine.ts";
import { eventsOf, workflowFold } from "../../src/engine/parts.ts";
import { driftOf } from "../../src/engine/show/show.ts";
import type { JournalRecord } from "../../src/ports/journal.ts";
import { copyOf, repository, scratchDirectory } from "./cli.ts";
import type { Args, RunOptions, Scratch } from "./cli.ts";
import { NAME, doWork, handoffOf, pluginAt, reportText, sha256, steady } from "./plugin.ts";

const MINUTES = 60_000;
/** Two cores: more at once gain nothing. */
const AT_ONCE = 3;
const KILLED = -1;

const PERSONS_LINE = "A person wrote this line, and has not committed it.";
const AGENTS_LINE = "The agent wants you to remember the wow of the motor.";

interface Case {
  readonly name: string;
  readonly workflow: string;
  readonly args: Args;
  readonly stdin?: string;
  readonly before: () => Scratch;
  /** Whether there is something to look at before it is done. */
  readonly looks?: boolean;
}

const CASES: readonly Case[] = [
  {
    name: "report",
    looks: true,
    workflow: NAME,
    args: ["report", NAME, "-"],
    stdin: reportText("2", { outputs: { parameter_count: 3 } }),
    before: () => {
      const scratch = pluginAt("p2");
      doWork(scratch, "2");
      scratch.edit(handoffOf(), (text) =>
        text.replace(
          "## Context to Preserve\n\nNone yet.",
          `## Context to Preserve\n\n${AGENTS_LINE}`,
        ),
      );
      return withPersonsWork(scratch);
    },
  },
  {
    name: "start",
    workflow: "ClapMachine",
    args: ["start", "ClapMachine", "--brief", "Claps", "--protocol", "plugin-workflow"],
    before: () => withPersonsWork(pluginAt("s0")),
  },
  {
    name: "advance",
    workflow: NAME,
    args: ["advance", NAME],
    before: () => withPersonsWork(pluginAt("new")),
  },
  {
    name: "answer",
    workflow: NAME,
    args: ["answer", NAME, "1"],
    before: () => withPersonsWork(pluginAt("s0")),
  },
  {
    name: "adopt",
    workflow: NAME,
    args: ["adopt", NAME, "--yes"],
    before: () => {
      const grown = pluginAt("s2");
      const scratch = repository();
      scratch.git("pull", "--quiet", "--rebase=false", "--allow-unrelated-histories", grown.top);
      return withPersonsWork(scratch);
    },
  },
];

/** Something staged and something written, both not ours. */
function withPersonsWork(scratch: Scratch): Scratch {
  scratch.write("staged.txt", "staged by a person\n");
  scratch.git("add", "staged.txt");
  scratch.write("staged.txt", "changed again, not staged\n");
  scratch.write("loose.txt", "never added\n");
  if (scratch.has("PLUGINS.md"))
    scratch.edit("PLUGINS.md", (text) => text.replace("\n\n", `\n\n${PERSONS_LINE}\n\n`));
  return scratch;
}

/** What a run without a kill does, and the repository it starts from. */
interface Reference {
  readonly start: Scratch;
  readonly steps: readonly string[];
  readonly records: readonly JournalRecord[];
  readonly before: readonly JournalRecord[];
  readonly picture: Picture;
}

async function referenceOf(one: Case): Promise<Reference> {
  const start = one.before();
  const before = (await look(start, one.workflow)).records;
  const scratch = copyOf(start);
  const trace = join(scratchDirectory(), "steps");
  const reply = scratch.hold(one.args, optionsOf(one, { HOLDPOINT_TRACE_STEPS: trace }));
  expect(reply.json.refusals ?? [], reply.stdout).toEqual([]);
  const steps = readFileSync(trace, "utf8").trimEnd().split("\n");
  const { records } = await look(scratch, one.workflow);
  expect(records.length).toBeGreaterThan(before.length);
  return { start, steps, before, records, picture: pictureOf(scratch) };
}

function optionsOf(one: Case, env: Record<string, string> = {}): RunOptions {
  return { env, ...(one.stdin === undefined ? {} : { stdin: one.stdin }) };
}

/** Everything that must be the same whether a kill came between or not. */
interface Picture {
  readonly head: readonly string[];
  readonly status: string;
  readonly index: string;
  readonly views: Readonly<Record<string, string>>;
  readonly committed: Readonly<Record<string, string>>;
  readonly top: readonly string[];
}

const VIEWS: readonly string[] = [
  "PLUGINS.md",
  handoffOf(),
  handoffOf("ClapMachine"),
  "loose.txt",
  "staged.txt",
];

function pictureOf(scratch: Scratch): Picture {
  const read = (path: string): string => (scratch.has(path) ? steady(scratch.read(path)) : "");
  const show = (path: string): string => {
    const there = scratch.git("ls-tree", "--name-only", "HEAD", "--", path) !== "";
    return there ? steady(scratch.git("show", `HEAD:${path}`)) : "";
  };
  return {
    head: scratch.git("log", "--format=%s%n%an %ae").split("\n"),
    status: scratch.git("status", "--porcelain"),
    index: scratch.git("ls-files", "--stage", "--", "staged.txt", ".gitignore"),
    views: Object.fromEntries(VIEWS.map((path) => [path, read(path)])),
    committed: Object.fromEntries(VIEWS.map((path) => [path, show(path)])),
    top: readdirSync(scratch.top)
      .filter((name) => name !== ".holdpoint")
      .sort(),
  };
}

interface Looked {
  readonly records: readonly JournalRecord[];
  readonly drift: readonly string[];
  readonly seq: number;
}

/** Reopen in this process, looking only: chain, folds and files. */
async function look(scratch: Scratch, workflow: string): Promise<Looked> {
  const composed = await compose({ cwd: scratch.top, readOnly: true, env: scratch.env });
  if (composed.kind === "failed") throw new Error(composed.message);
  const { parts } = composed;
  try {
    const stream = `plugin-workflow:${workflow}`;
    const { damage, torn } = await parts.journal.verify(stream);
    expect({ damage, torn }).toEqual({ damage: undefined, torn: 0 });
    const records = await parts.journal.read(stream);
    const found = await find(parts, workflow);
    if (found.kind === "refused") return { records, drift: [], seq: 0 };
    const fromZero = records.reduce(workflowFold.evolve, workflowFold.initial(stream));
    expect(found.state).toEqual(fromZero);
    expectOneAfterAnother(records);
    return {
      records,
      drift: await driftOf(parts, found.family, found.state),
      seq: found.state.seq,
    };
  } finally {
    await parts.journal.close();
  }
}

function expectOneAfterAnother(records: readonly JournalRecord[]): void {
  const times = records.map((one) => one.at);
  expect(times).toEqual(times.toSorted());
  expect(records.map((one) => one.seq)).toEqual(records.map((_, index) => index + 1));
}

/** A record's content without what differs from run to run. */
function essence(records: readonly JournalRecord[]): readonly string[] {
  return records.map((record) =>
    eventsOf(record)
      .map((event) => event.type)
      .join(" "),
  );
}

async function killAndRecover(
  one: Case,
  reference: Reference,
  kills: readonly number[],
): Promise<void> {
  const scratch = copyOf(reference.start);
  for (const kill of kills) {
    const killed = await scratch.holdLater(
      one.args,
      optionsOf(one, { HOLDPOINT_DIE_AT: `*:${kill}` }),
    );
    // The second kill may be planned for later than the recovery takes.
    if (killed.exit !== KILLED && kill === kills[0])
      throw new Error(`not killed: ${killed.stdout}`);
    const between = await look(scratch, one.workflow);
    expect(between.records.slice(0, reference.before.length)).toEqual(reference.before);
    expect(essence(reference.records).slice(0, between.seq)).toEqual(essence(between.records));
    expect(scratch.read("staged.txt")).toBe("changed again, not staged\n");
  }
  // Looking at a workflow in any of these states changes nothing and finds no fault with the journal.
  const status = one.looks ? await scratch.holdLater(`status ${one.workflow}`) : undefined;
  expect(status?.exit ?? 0, status?.stdout).toBe(0);
  const again = await scratch.holdLater(one.args, optionsOf(one));
  expect([0, 10, 11], again.stdout).toContain(again.exit);
  await expectSound(scratch, one, reference);
  await expectSettled(scratch, one.workflow);
}

async function expectSound(scratch: Scratch, one: Case, reference: Reference): Promise<void> {
  const { records, drift } = await look(scratch, one.workflow);
  expect(essence(records)).toEqual(essence(reference.records));
  expect(drift).toEqual([]);
  expect(pictureOf(scratch)).toEqual(reference.picture);
  expect(scratch.read("PLUGINS.md")).toContain(PERSONS_LINE);
  expectOneCommitEach(scratch, records.slice(reference.before.length));
  expectNothingLeft(scratch);
}

/** Each record that wanted a commit has one, and the commit names it. */
function expectOneCommitEach(scratch: Scratch, records: readonly JournalRecord[]): void {
  const trailers = scratch
    .git("log", "--format=%(trailers:key=Holdpoint-Record,valueonly)")
    .split("\n")
    .filter((line) => line !== "");
  for (const record of records) {
    const wants = eventsOf(record).some(
      (event) => event.type === "effect.wanted" && event.kind === "commit",
    );
    expect(trailers.filter((hash) => hash === record.hash)).toHaveLength(wants ? 1 : 0);
  }
}

/** No lock and no backup anywhere; what was taken aside is an older text of ours, not the only copy of one. */
function expectNothingLeft(scratch: Scratch): void {
  const files = readdirSync(scratch.top, { recursive: true, encoding: "utf8" });
  expect(files.filter((name) => /\.(lock|backup|orig|rej)$/.test(name))).toEqual([]);
  const asides = files.filter((name) => name.startsWith(".holdpoint/aside/"));
  for (const name of asides.filter((one) => statSync(join(scratch.top, one)).isFile())) {
    const [, digest] = /^\.holdpoint\/aside\/[0-9a-z]+\.([0-9a-f]{64})/.exec(name) ?? [];
    expect(sha256(scratch.read(name)), name).toBe(`sha256:${digest}`);
  }
}

/** Recovering twice is recovering once: journal, files, index and branch stay as they are. */
async function expectSettled(scratch: Scratch, workflow: string): Promise<void> {
  const state = (): string =>
    [
      scratch.git("rev-parse", "HEAD"),
      scratch.git("ls-files", "--stage"),
      ...VIEWS.map((path) => (scratch.has(path) ? scratch.read(path) : "")),
    ].join("\n");
  const before = state();
  const composed = await compose({ cwd: scratch.top, env: scratch.env });
  if (composed.kind === "failed") throw new Error(composed.message);
  const found = await find(composed.parts, workflow);
  if (found.kind === "refused") throw new Error("it is gone");
  const settled = await resettle(composed.parts, found, "test");
  await composed.parts.journal.close();
  expect(settled).toMatchObject({ kind: "settled", commits: [], pending: [] });
  expect(settled.kind === "settled" && settled.state.seq).toBe(found.state.seq);
  expect(state()).toBe(before);
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function expectRecovered(
  one: Case,
  reference: Reference,
  kills: readonly (readonly number[])[],
): Promise<void> {
  await inParallel(kills, (kill) => named(kill, reference, killAndRecover(one, reference, kill)));
}

async function named(
  kills: readonly number[],
  reference: Reference,
  work: Promise<void>,
): Promise<void> {
  const where = kills.map((kill) => `${kill} ${reference.steps[kill - 1] ?? ""}`).join(", then ");
  await work.catch((error: unknown) => {
    throw new Error(`killed before step ${where}`, { cause: error });
  });
}

describe.each(CASES)("kill -9 in $name", (one) => {
  test(
    "[PW-048] [PW-208] [PW-223] before every step: the workflow is before or after it, never between",
    async () => {
      const reference = await referenceOf(one);
      const kills = reference.steps.map((_, index) => [index + 1]);
      await expectRecovered(one, reference, kills);
    },
    10 * MINUTES,
  );
});

describe("kill -9 again while the first one is recovered from", () => {
  test(
    "[PW-048] [PW-208] in report: the third run finishes it",
    async () => {
      const [report] = CASES;
      if (report === undefined) throw new Error("no case");
      const reference = await referenceOf(report);
      const at = (step: string): number => reference.steps.indexOf(step) + 1;
      const first = [
        at("readback"),
        at("view.check"),
        at("view.link"),
        at("git.index"),
        at("git.update-ref"),
        at("git.done"),
      ];
      const kills = first.flatMap((kill) => [1, 4, 9].map((second) => [kill, second]));
      await expectRecovered(report, reference, kills);
    },
    10 * MINUTES,
  );
});
