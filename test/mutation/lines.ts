import { readFileSync } from "node:fs";

/** What is said of one mutant, or of a test, while tests run. `by` is a test file and its digest. */
export type Line =
  | { readonly kind: "begun"; readonly id: string; readonly pid: number }
  | { readonly kind: "met"; readonly id: string }
  | { readonly kind: "loaded"; readonly id: string; readonly by: string }
  | { readonly kind: "killed"; readonly id: string; readonly by: string; readonly test: string }
  | { readonly kind: "survived"; readonly id: string; readonly by: string }
  | { readonly kind: "stood"; readonly ids: readonly string[]; readonly by: string }
  | { readonly kind: "unfit"; readonly by: string; readonly test: string };

export function readLines(path: string): readonly Line[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}
