/**
 * `npm run test:mutation`: every mutant of core, engine, the measuring of trees and the families' guards must
 * fail a test, or be listed in equivalent.json as one that no test could fail.
 *
 *   --only <text>    mutants of files whose path holds this text
 *   --tests <text>   tests whose path holds this text
 *   --sample <n>     so many mutants, chosen by --seed <n>
 *   --slow <ms>      tests that take longer are left out (2000)
 *   --told           no test is run: what is known is told again
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "./judge.ts";
import type { Equivalent } from "./judge.ts";
import { readLines } from "./lines.ts";
import { digestOf } from "./mutants.ts";
import { play, playLoaded } from "./play.ts";
import type { Playing } from "./play.ts";
import { scopeOf } from "./scope.ts";

const ROUNDS_MAX = 20;
const root = join(import.meta.dirname, "../..");
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    tests: { type: "string", default: "" },
    sample: { type: "string" },
    seed: { type: "string", default: "1" },
    slow: { type: "string", default: "2000" },
    told: { type: "boolean", default: false },
  },
});

const scope = scopeOf(root);
const asked = scope.mutants.filter(({ file }) => file.includes(values.only));
const chosen = values.sample === undefined ? asked : sample(asked, Number(values.sample));
const kept = join(root, "node_modules/.cache/holdpoint-mutation");
mkdirSync(kept, { recursive: true });
const lines = join(kept, "lines.jsonl");
appendFileSync(lines, "");
tidy();

const tests = scope.tests.filter((path) => path.includes(values.tests));
for (
  let left: readonly string[] = tests, round = 0;
  !values.told && left.length > 0 && round < ROUNDS_MAX;
  round += 1
)
  left = await play(playing(), left);
if (!values.told) await playLoaded(playing(), loadedOnly());

const { killed, met } = known();
const equivalents = JSON.parse(
  readFileSync(join(import.meta.dirname, "equivalent.json"), "utf8"),
) as readonly Equivalent[];
const whole = chosen.length === scope.mutants.length;
const { text, isGood } = judge({ mutants: chosen, killed, met, equivalents, whole });
console.log(text);
process.exitCode = isGood ? 0 : 1;

function playing(): Playing {
  const { killed } = known();
  const wanted = chosen.map(({ id }) => id).filter((id) => !killed.has(id));
  const job = { wanted, digests: scope.digests, lines, times: 20, milliseconds: 3000 };
  const path = join(kept, "job.json");
  return { root, scope, path, job: { ...job, slow: Number(values.slow) } };
}

/** What was begun and is over, and what is said of other texts or by other tests, is not read again. */
function tidy(): void {
  const ids = new Set(scope.mutants.map(({ id }) => id));
  const kept = readLines(lines).filter((line) => {
    if (line.kind === "stood") return true;
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
function isToday(by: string): boolean {
  const [test = "", digest = ""] = by.split("@");
  return test === "" || scope.digests[test] === digest;
}

/** Mutants that are read while a file is loaded, each with the tests that load it. */
function loadedOnly(): ReadonlyMap<string, readonly string[]> {
  const { killed } = known();
  const wanted = new Set(chosen.map(({ id }) => id).filter((id) => !killed.has(id)));
  const loaded = new Map<string, string[]>();
  const survived = new Map<string, string>();
  for (const line of readLines(lines)) {
    if (line.kind === "survived") survived.set(line.id, line.by);
    if (line.kind !== "loaded" || !wanted.has(line.id)) continue;
    const [test = "", digest] = line.by.split("@");
    const by = loaded.get(line.id) ?? [];
    const fits = scope.digests[test] === digest && tests.includes(test) && isNear(line.id, test);
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
function isNear(id: string, test: string): boolean {
  if (id.startsWith("src/engine/")) return /^src\/(?:engine|door|family)\/|^test\//.test(test);
  const room = /^src\/(?:protocols\/)?[^/]+\//.exec(id)?.[0] ?? id;
  return test.startsWith(room);
}

/** The same ones for the same seed. */
function sample<T extends { readonly id: string }>(all: readonly T[], count: number): readonly T[] {
  const order = new Map(all.map((one) => [one, digestOf(`${values.seed} ${one.id}`)]));
  return all
    .toSorted((a, b) => ((order.get(a) ?? "") < (order.get(b) ?? "") ? -1 : 1))
    .slice(0, count);
}
