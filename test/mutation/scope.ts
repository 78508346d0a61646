/** What is mutated, and by which tests it is held. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { digestOf, mutate } from "./mutants.ts";
import type { Mutant } from "./mutants.ts";

const MUTATED: readonly RegExp[] = [
  /^src\/core\//,
  /^src\/engine\//,
  /^src\/adapters\/workspace\/measure\//,
  /^src\/protocols\/[^/]+\/table\/(?:guards[^/]*|paths)\.ts$/,
];

/** Tests in one process, the quick ones nearest to the rules first. Those of the built program are not: a mutant is not in it. */
const TESTS: readonly RegExp[] = [
  /^src\/core\/(?!check\/)/,
  /^src\/(?:testing|engine|authoring)\//,
  /^src\/adapters\/workspace\/measure\//,
  /^src\/protocols\/[^/]+\/table\//,
  /^src\/core\/check\//,
  /^src\/(?:family|operations)\//,
  /^src\/protocols\/[^/]+\/(?:world|words)\//,
  /^src\/protocols\/[^/]+\/[^/]+$/,
  /^src\/door\//,
  /^test\/(?!architecture)[^/]+$/,
];

const HELPERS = /^(?:test|src\/testing)[/.]/;

export interface Scope {
  readonly mutants: readonly Mutant[];
  /** The text of each mutated file with its mutants in it. */
  readonly texts: ReadonlyMap<string, string>;
  readonly tests: readonly string[];
  /** Of each test with the helpers it imports: together they say what it says. */
  readonly digests: Readonly<Record<string, string>>;
  /** Of each test with everything it imports: while it is the same, the test passes the same mutants. */
  readonly reaches: Readonly<Record<string, string>>;
  /** The mutated files that each test imports. */
  readonly imports: Readonly<Record<string, ReadonlySet<string>>>;
}

export function scopeOf(root: string): Scope {
  const files = [...filesBelow(root, "src"), ...filesBelow(root, "test")];
  const isTest = (path: string): boolean => path.endsWith(".test.ts");
  const mutants: Mutant[] = [];
  const texts = new Map<string, string>();
  for (const path of files.filter((one) => !isTest(one) && MUTATED.some((of) => of.test(one)))) {
    const mutated = mutate(path, readFileSync(join(root, path), "utf8"));
    mutants.push(...mutated.mutants);
    texts.set(path, mutated.text);
  }
  const tests = TESTS.flatMap((of) => files.filter((path) => isTest(path) && of.test(path)));
  const all = new Map(tests.map((path) => [path, [...imported(root, path)]] as const));
  const of = <T>(value: (files: readonly (readonly [string, string])[]) => T): Record<string, T> =>
    Object.fromEntries([...all].map(([path, files]) => [path, value(files)]));
  const joined = (files: readonly (readonly [string, string])[]): string =>
    digestOf(files.map(([, text]) => text).join("\0"));
  return {
    mutants,
    texts,
    tests,
    digests: of((files) => joined(files.filter(([path]) => isTest(path) || HELPERS.test(path)))),
    reaches: of(joined),
    imports: of((files) => new Set(files.map(([path]) => path).filter((one) => texts.has(one)))),
  };
}

/** A file and all it imports, with their texts. What is imported by a computed name is not followed. */
function imported(root: string, test: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const left = [test];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const known = files.get(join(root, path)) ?? readFileSync(join(root, path), "utf8");
    files.set(join(root, path), known);
    texts.set(path, known);
    for (const [, from = ""] of known.matchAll(/(?:from|import\() ?"(\.[^"]+\.ts)"/g)) {
      const next = join(path, "..", from).replaceAll("\\", "/");
      if (!texts.has(next)) left.push(next);
    }
  }
  return texts;
}

const files = new Map<string, string>();

function filesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(folder, path).replaceAll("\\", "/"))
    .toSorted();
}
