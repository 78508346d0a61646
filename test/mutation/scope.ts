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
  /^src\/core\/[^/]*$/,
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

export interface Scope {
  readonly mutants: readonly Mutant[];
  /** The text of each mutated file with its mutants in it. */
  readonly texts: ReadonlyMap<string, string>;
  readonly tests: readonly string[];
  readonly digests: Readonly<Record<string, string>>;
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
  const digests = tests.map((path) => [path, digestOf(readFileSync(join(root, path), "utf8"))]);
  return { mutants, texts, tests, digests: Object.fromEntries(digests) as Scope["digests"] };
}

function filesBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => join(folder, path).replaceAll("\\", "/"))
    .toSorted();
}
