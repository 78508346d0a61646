/**
 * `npm run test:mutation`: every mutant of core, engine, the measuring of trees and the families' guards must
 * fail a test, or be listed in equivalent.json as one that no test could fail.
 *
 *   --file <text>    mutants of files whose path holds this text
 *   --since <commit> mutants of files that changed since this commit, committed or not
 *   --tests <text>   tests whose path holds this text
 *   --sample <n>     so many mutants, chosen by --seed <n>
 *   --slow <ms>      tests that take longer are left out (2000)
 *   --kept <folder>  where what was found is kept; two runs at once need two folders
 *   --told           no test is run: what is known is told again
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "./judge.ts";
import type { Equivalent } from "./judge.ts";
import { isNear, readLines, stoodBy, unpack } from "./lines.ts";
import type { Took } from "./lines.ts";
import { digestOf } from "./mutants.ts";
import { play, playLoaded } from "./play.ts";
import type { Playing } from "./play.ts";
import { scopeOf } from "./scope.ts";

const ROUNDS_MAX = 20;
const QUICK_MS = 200;
const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({
  options: {
    file: { type: "string", default: "" },
    since: { type: "string" },
    tests: { type: "string", default: "" },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    slow: { type: "string", default: "2000" },
    kept: { type: "string", default: "node_modules/.cache/holdpoint-mutation" },
    told: { type: "boolean", default: false },
  },
});

const scope = scopeOf(root);
const changed = values.since === undefined ? undefined : changedSince(values.since);
const asked = scope.mutants.filter(
  ({ file }) => file.includes(values.file) && changed?.has(file) !== false,
);
const chosen = values.sample === undefined ? asked : sample(asked, Number(values.sample));
const kept = resolve(root, values.kept);
mkdirSync(kept, { recursive: true });
const lines = join(kept, "lines.jsonl");
appendFileSync(lines, "");
tidy();

const tests = scope.tests.filter((path) => path.includes(values.tests));
if (!values.told) {
  for (const took of spans(Number(values.slow))) await ask(took);
  await playLoaded(playing({ from: 0, to: 0, near: false }), loadedOnly());
}

const { killed, met } = known();
const equivalents = JSON.parse(
  readFileSync(join(import.meta.dirname, "equivalent.json"), "utf8"),
) as readonly Equivalent[];
const whole = chosen.length === scope.mutants.length;
const { text, isGood } = judge({ mutants: chosen, killed, met, equivalents, whole });
console.log(text);
process.exitCode = isGood ? 0 : 1;

/**
 * Most mutants fail a quick test beside them; what is left is asked of quick tests anywhere, and then of slower ones.
 * A test may take longer at one time than at another, so the spans overlap.
 */
function spans(slow: number): readonly Took[] {
  const quick = Math.min(QUICK_MS, slow);
  return [
    { from: 0, to: quick, near: true },
    { from: 0, to: quick, near: false },
    ...(slow <= QUICK_MS ? [] : [{ from: QUICK_MS / 2, to: slow, near: false }]),
  ];
}

/** Every test file that could still fail one; those that a hanging mutant ended are begun again. */
async function ask(took: Took): Promise<void> {
  for (let left = unasked(took), round = 0; left.length > 0 && round < ROUNDS_MAX; round += 1)
    left = await play(playing(took), left);
}

/** Tests that import a mutated file, without those of which it is known that all they pass is killed or was let pass. */
function unasked(took: Took): readonly string[] {
  const { wanted } = playing(took).job;
  const ids = new Set(wanted);
  const sources = new Set(wanted.map((id) => id.split("#")[0] ?? ""));
  const told = readLines(lines);
  return tests.filter((test) => {
    const isMeant = (file: string): boolean =>
      sources.has(file) && (!took.near || isNear(file, test));
    if (![...(scope.imports[test] ?? [])].some(isMeant)) return false;
    const reach = `${test}@${scope.reaches[test] ?? ""}`;
    const reached = told.find((line) => line.kind === "reached" && line.by === reach);
    if (reached?.kind !== "reached") return true;
    const by = stoodBy(`${test}@${scope.digests[test] ?? ""}`, took);
    const stood = new Set(
      told.flatMap((line) => (line.kind === "stood" && line.by === by ? line.ids : [])),
    );
    return unpack(reached.ids).some(
      (id) => ids.has(id) && !stood.has(id) && (!took.near || isNear(id, test)),
    );
  });
}

function playing(took: Took): Playing {
  const { killed } = known();
  const wanted = chosen.map(({ id }) => id).filter((id) => !killed.has(id));
  const { digests, reaches } = scope;
  const job = { wanted, digests, reaches, lines, times: 20, milliseconds: 3000, took };
  return { root, scope, path: join(kept, "job.json"), job };
}

/** What was begun and is over, and what is said of other texts or by other tests, is not read again. */
function tidy(): void {
  const ids = new Set(scope.mutants.map(({ id }) => id));
  const kept = readLines(lines).filter((line) => {
    if (line.kind === "stood") return isToday(line.by.split(" ")[0] ?? "");
    if (line.kind === "reached") return isToday(line.by, scope.reaches);
    if (line.kind === "killed" && !isToday(line.by)) return false;
    return "id" in line && line.kind !== "begun" && ids.has(line.id);
  });
  const texts = new Set(kept.map((line) => JSON.stringify(line)));
  writeFileSync(lines, [...texts, ""].join("\n"));
}

/** What earlier runs found counts while the mutant's file and the test that killed it read the same. */
function known(): { readonly killed: ReadonlySet<string>; readonly met: ReadonlySet<string> } {
  const killed = new Set<string>();
  const met = new Set<string>();
  for (const line of readLines(lines)) {
    if (line.kind === "met" || line.kind === "survived") met.add(line.id);
    if (line.kind === "killed" && isToday(line.by)) killed.add(line.id);
  }
  return { killed, met };
}

/** Whether the test that said it still reads the same. */
function isToday(by: string, digests = scope.digests): boolean {
  const [test = "", digest = ""] = by.split("@");
  return test === "" || digests[test] === digest;
}

/** Mutants that are passed while a file is loaded and in no test, each with the tests that load it. */
function loadedOnly(): ReadonlyMap<string, readonly string[]> {
  const { killed } = known();
  const told = readLines(lines);
  const tried = new Set(told.flatMap((line) => (line.kind === "met" ? line.id : [])));
  const asked = chosen.map(({ id }) => id);
  const wanted = new Set(asked.filter((id) => !killed.has(id) && !tried.has(id)));
  const loaded = new Map<string, string[]>();
  const survived = new Map<string, string>();
  for (const line of told) {
    if (line.kind === "survived") survived.set(line.id, line.by);
    if (line.kind !== "loaded" || !wanted.has(line.id)) continue;
    const [test = "", digest] = line.by.split("@");
    const by = loaded.get(line.id) ?? [];
    const fits = scope.digests[test] === digest && tests.includes(test) && isAround(line.id, test);
    if (fits && !by.includes(test)) by.push(test);
    loaded.set(line.id, by);
  }
  for (const [id, by] of loaded) {
    by.sort((a, b) => scope.tests.indexOf(a) - scope.tests.indexOf(b));
    if (survived.get(id) === by.map((test) => scope.digests[test]).join()) loaded.delete(id);
  }
  return loaded;
}

/** A process for each mutant and test file is dear: those of the same room are asked, and of the engine's neighbours. */
function isAround(id: string, test: string): boolean {
  if (id.startsWith("src/engine/")) return /^src\/(?:engine|door|family)\/|^test\//.test(test);
  const room = /^src\/(?:protocols\/)?[^/]+\//.exec(id)?.[0] ?? id;
  return test.startsWith(room);
}

function changedSince(commit: string): ReadonlySet<string> {
  const git = (...args: readonly string[]): readonly string[] =>
    execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n");
  const committed = git("diff", "--name-only", "--end-of-options", commit);
  return new Set([...committed, ...git("ls-files", "--others", "--exclude-standard")]);
}

/** The same ones for the same seed. */
function sample<T extends { readonly id: string }>(all: readonly T[], count: number): readonly T[] {
  const order = new Map(all.map((one) => [one, digestOf(`${values.seed} ${one.id}`)]));
  return all
    .toSorted((a, b) => ((order.get(a) ?? "") < (order.get(b) ?? "") ? -1 : 1))
    .slice(0, count);
}
