/**
 * Runs every test as it is, then once again with each mutant awake that it passes, until some test fails.
 * What was found is appended to a file, line by line: a run that was stopped goes on from there.
 */
import { setMaxListeners } from "node:events";
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import type { File, Suite, Test } from "@vitest/runner";
import { TestRunner } from "vitest";
import type { SerializedConfig } from "vitest";
import { isNear, pack, readLines, stoodBy } from "./lines.ts";
import type { Line, Took } from "./lines.ts";
import { ENDLESS, install, state } from "./switch.ts";

export interface Job {
  /** The mutants that are asked about. */
  readonly wanted: readonly string[];
  /** The digest of each test file: who kills today need not tomorrow. */
  readonly digests: Readonly<Record<string, string>>;
  /** The digest of each test file with all it imports. */
  readonly reaches: Readonly<Record<string, string>>;
  /** Where the lines go. */
  readonly lines: string;
  /** A test is given this many times what it takes as it is, and this much at least. */
  readonly times: number;
  readonly milliseconds: number;
  /** Near and quick tests are asked first, and about what is left of the mutants the others. */
  readonly took: Took;
}

install();
// Each of a test's runs listens to the same signal.
setMaxListeners(0);

export default class Mutating extends TestRunner {
  readonly #job = JSON.parse(
    readFileSync(process.env["HOLDPOINT_MUTATION_JOB"] ?? "", "utf8"),
  ) as Job;
  readonly #left: Set<string>;
  readonly #met = new Set<string>();
  /** Whatever its tests pass, asked about or not. */
  readonly #reached = new Set<string>();
  /** What this very file let pass before. */
  readonly #stood = new Set<string>();
  #file = "";
  #reach = "";

  constructor(config: SerializedConfig) {
    super(config);
    this.#left = new Set(this.#job.wanted);
    for (const line of readLines(this.#job.lines))
      if (line.kind === "killed") this.#left.delete(line.id);
  }

  override onCollectStart(file: File): void {
    super.onCollectStart(file);
    const path = relative(process.cwd(), file.filepath);
    this.#file = `${path}@${this.#job.digests[path] ?? ""}`;
    this.#reach = `${path}@${this.#job.reaches[path] ?? ""}`;
    state.met.clear();
  }

  onCollected(): void {
    for (const line of readLines(this.#job.lines))
      if (line.kind === "stood" && line.by === this.#so())
        for (const id of line.ids) this.#stood.add(id);
    for (const id of state.met) this.#reached.add(id);
    for (const id of state.met)
      if (this.#left.has(id)) this.#say({ kind: "loaded", id, by: this.#file });
  }

  async runTask(test: Test): Promise<void> {
    state.met = new Set();
    const began = performance.now();
    await TestRunner.getTestFn(test)();
    if (process.env["HOLDPOINT_MUTANT"] !== undefined) return;
    const took = performance.now() - began;
    for (const id of state.met) this.#reached.add(id);
    const met = [...state.met].filter((id) => this.#left.has(id));
    for (const id of met) if (!this.#met.has(id)) this.#say({ kind: "met", id });
    for (const id of met) this.#met.add(id);
    const { from, to } = this.#job.took;
    if (took < from || took > to) return;
    const limit = Math.max(this.#job.milliseconds, took * this.#job.times);
    for (const id of met.filter((one) => this.#isAsked(one) && !this.#stood.has(one))) {
      this.#say({ kind: "begun", id, pid: process.pid });
      if (await this.#passes(test, id, limit)) continue;
      // What a mutant left behind must not fail the test for the next ones.
      if (!(await this.#passes(test, undefined, limit)))
        return this.#say({ kind: "unfit", by: this.#file, test: test.name });
      this.#left.delete(id);
      this.#say({ kind: "killed", id, by: this.#file, test: test.name });
    }
  }

  override onAfterRunFiles(): void {
    super.onAfterRunFiles();
    const ids = [...this.#reached].filter((id) => this.#left.has(id) && this.#isAsked(id));
    if (process.env["HOLDPOINT_MUTANT"] !== undefined) return;
    this.#say({ kind: "stood", ids, by: this.#so() });
    this.#say({ kind: "reached", ids: pack(this.#reached), by: this.#reach });
  }

  #isAsked(id: string): boolean {
    return !this.#job.took.near || isNear(id, this.#file);
  }

  #so(): string {
    return stoodBy(this.#file, this.#job.took);
  }

  async #passes(test: Test, id: string | undefined, limit: number): Promise<boolean> {
    const suites = suitesOf(test);
    const hooks = suites.map((suite) => TestRunner.getSuiteHooks(suite));
    state.awake = id;
    state.left = ENDLESS;
    const cleanups: (() => unknown)[] = [];
    try {
      for (const [at, { beforeEach }] of hooks.entries())
        for (const hook of beforeEach) {
          const cleanup: unknown = await hook(test.context, suites[at] as Suite);
          if (typeof cleanup === "function") cleanups.push(() => cleanup() as unknown);
        }
      super.onBeforeTryTask(test);
      await within(limit, TestRunner.getTestFn(test)());
      super.onAfterTryTask(test);
      return test.result?.state !== "fail";
    } catch {
      return false;
    } finally {
      state.awake = undefined;
      if (test.result !== undefined) test.result.state = "run";
      for (const [at, { afterEach }] of hooks.entries())
        for (const hook of afterEach) await hook(test.context, suites[at] as Suite);
      for (const cleanup of cleanups) await cleanup();
    }
  }

  #say(line: Line): void {
    appendFileSync(this.#job.lines, `${JSON.stringify(line)}\n`);
  }
}

function suitesOf(test: Test): readonly Suite[] {
  const suites: Suite[] = [];
  for (let one = test.suite; one !== undefined; one = one.suite) suites.unshift(one);
  return [test.file, ...suites];
}

async function within(limit: number, work: unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("too slow")), limit);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
