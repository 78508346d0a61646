/** The tables of the threat model, as a reader has them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = join(import.meta.dirname, "../docs/explanation/threat-model.md");

/** The rows below a heading, without the table's own head; cells without emphasis. */
export function tableBelow(heading: string): readonly (readonly string[])[] {
  const text = readFileSync(PAGE, "utf8");
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  return (section.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("|"))
    .slice(2)
    .map((line) => line.replaceAll("**", "").split("|").slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}
