/** Vitest with every mutant in the sources, one file after the other in a process of its own. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { BaseSequencer, createVitest } from "vitest/node";
import type { TestModule, TestSpecification, Vitest } from "vitest/node";
import { readLines } from "./lines.ts";
import type { Line } from "./lines.ts";
import type { Job } from "./runner.ts";
import type { Scope } from "./scope.ts";

/** Silence of this length is a mutant in a loop that no switch is in. */
const HANGS_MS = 60_000;

export interface Playing {
  readonly root: string;
  readonly scope: Scope;
  readonly job: Job;
  /** Where the job is written for the processes that run tests. */
  readonly path: string;
}

/** Each test alone, then with each mutant it meets. Answers with the test files that could not be finished. */
export async function play(playing: Playing, tests: readonly string[]): Promise<readonly string[]> {
  const { job, path } = playing;
  writeFileSync(path, JSON.stringify(job));
  process.env["HOLDPOINT_MUTATION_JOB"] = path;
  const vitest = await open(playing, tests);
  const watch = setInterval(() => endHanging(job.lines), HANGS_MS);
  try {
    const specs = await vitest.globTestSpecifications([...tests]);
    const { testModules } = await vitest.runTestSpecifications(specs);
    return unfinished(playing.root, testModules, tests);
  } finally {
    clearInterval(watch);
    await vitest.close();
  }
}

/** What is read when a file is loaded has a mutant from the start on, and one run for each. */
export async function playLoaded(
  playing: Playing,
  loaded: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const vitest = await open(playing, playing.scope.tests, 1);
  const { digests } = playing.scope;
  const all = await vitest.globTestSpecifications([...playing.scope.tests]);
  const of = new Map(all.map((one) => [relative(playing.root, one.moduleId), one]));
  try {
    for (const [id, tests] of loaded) {
      process.env["HOLDPOINT_MUTANT"] = id;
      const by = await firstFailing(vitest, tests.map((test) => of.get(test)).filter(isThere));
      const test = by === undefined ? "" : relative(playing.root, by.moduleId);
      const line: Line =
        by === undefined
          ? { kind: "survived", id, by: tests.map((one) => digests[one]).join() }
          : { kind: "killed", id, by: `${test}@${digests[test] ?? ""}`, test: "" };
      appendFileSync(playing.job.lines, `${JSON.stringify(line)}\n`);
    }
  } finally {
    delete process.env["HOLDPOINT_MUTANT"];
    await vitest.close();
  }
}

async function firstFailing(
  vitest: Vitest,
  specs: readonly TestSpecification[],
): Promise<TestModule | undefined> {
  for (const spec of specs) {
    const { testModules } = await vitest.runTestSpecifications([spec]);
    const failed = testModules.find((one) => one.state() === "failed");
    if (failed !== undefined) return failed;
  }
  return undefined;
}

async function open({ root, scope }: Playing, tests: readonly string[], bail = 0): Promise<Vitest> {
  const order = new Map(tests.map((path, at) => [join(root, path), at]));
  class InOrder extends BaseSequencer {
    override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
      return await Promise.resolve(
        specs.toSorted((a, b) => (order.get(a.moduleId) ?? 0) - (order.get(b.moduleId) ?? 0)),
      );
    }
  }
  return await createVitest(
    "test",
    {
      root,
      config: false,
      watch: false,
      include: [...tests],
      runner: join(root, "test/mutation/runner.ts"),
      reporters: [{ onTestModuleEnd: (one) => tell(relative(root, one.moduleId), one) }],
      testTimeout: 180_000,
      hookTimeout: 180_000,
      maxWorkers: 1,
      fileParallelism: false,
      bail,
      sequence: { sequencer: InOrder },
    },
    {
      plugins: [
        {
          name: "mutants",
          enforce: "pre",
          transform: (_code, id) => scope.texts.get(relative(root, id.split("?")[0] ?? "")) ?? null,
        },
      ],
    },
  );
}

function tell(path: string, module: TestModule): void {
  const failed = [...module.children.allTests("failed")].map((one) => one.name);
  const seconds = (module.diagnostic().duration / 1000).toFixed(1);
  const trouble = failed.length === 0 ? "" : `, fails as it is: ${failed.slice(0, 3).join("; ")}`;
  if (process.env["HOLDPOINT_MUTANT"] === undefined)
    console.error(`${path} ${seconds} s, ${module.state()}${trouble}`);
}

function unfinished(
  root: string,
  modules: readonly TestModule[],
  tests: readonly string[],
): readonly string[] {
  const finished = modules
    .filter((one) => one.state() !== "queued" && one.state() !== "pending")
    .map((one) => relative(root, one.moduleId));
  return tests.filter((test) => !finished.includes(test));
}

function endHanging(path: string): void {
  const last = readLines(path).at(-1);
  const size = readFileSync(path).length;
  if (last?.kind === "begun" && hanging === size) {
    appendFileSync(
      path,
      `${JSON.stringify({ kind: "killed", id: last.id, by: "@", test: "never ends" } satisfies Line)}\n`,
    );
    process.kill(last.pid, "SIGKILL");
  }
  hanging = size;
}

let hanging = 0;

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
