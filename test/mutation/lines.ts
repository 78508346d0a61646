import { readFileSync } from "node:fs";
import { dirname } from "node:path";

/** What is said of one mutant, or of a test, while tests run. `by` is a test file and its digest. */
export type Line =
  | { readonly kind: "begun"; readonly id: string; readonly pid: number }
  | { readonly kind: "met"; readonly id: string }
  | { readonly kind: "loaded"; readonly id: string; readonly by: string }
  | { readonly kind: "killed"; readonly id: string; readonly by: string; readonly test: string }
  | { readonly kind: "survived"; readonly id: string; readonly by: string }
  | { readonly kind: "stood"; readonly ids: readonly string[]; readonly by: string }
  | { readonly kind: "reached"; readonly ids: Packed; readonly by: string }
  | { readonly kind: "unfit"; readonly by: string; readonly test: string };

/** Mutants by their file and its digest: a test passes thousands of them. */
export type Packed = Readonly<Record<string, readonly number[]>>;

export function pack(ids: Iterable<string>): Packed {
  const packed: Record<string, number[]> = {};
  for (const id of ids) {
    const [file = "", number = "", digest = ""] = id.split(/[#@]/);
    (packed[`${file}@${digest}`] ??= []).push(Number(number));
  }
  return packed;
}

export function unpack(packed: Packed): readonly string[] {
  return Object.entries(packed).flatMap(([of, numbers]) => {
    const [file = "", digest = ""] = of.split("@");
    return numbers.map((number) => `${file}#${String(number)}@${digest}`);
  });
}

/** The tests that are asked: those that take so long, about mutants of their own folder or about all. */
export interface Took {
  readonly from: number;
  readonly to: number;
  readonly near: boolean;
}

/** What a file let pass, it let pass in these tests. */
export function stoodBy(file: string, { from, to }: Took): string {
  return `${file} ${String(from)}-${String(to)}`;
}

/** Whether a test lies in the folder of what it is asked about. */
export function isNear(mutant: string, test: string): boolean {
  return dirname(mutant) === dirname(test);
}

export function readLines(path: string): readonly Line[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}
