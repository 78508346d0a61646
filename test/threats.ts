/** The tables of the threat model, as a reader has them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(import.meta.dirname, "../docs/explanation/threat-model.md");

/** The rows below a heading, without the heads of the tables; cells without emphasis. */
export function tableBelow(heading: string): readonly (readonly string[])[] {
  const text = readFileSync(PAGE, "utf8");
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  return (section.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line, at, lines) => line.startsWith("|") && !isHead(lines.slice(at - 1, at + 2)))
    .map((line) => line.replaceAll("**", "").split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

/** A line with the ones around it: the first of a table, or the rule below it. */
function isHead([before = "", line = "", after = ""]: readonly string[]): boolean {
  return line.startsWith("|--") || (!before.startsWith("|") && after.startsWith("|--"));
}
