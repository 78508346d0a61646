/** Shows what has changed since a question was last asked. */
import type { Again, AgainFile } from "../../../operations/parts/again.ts";
import { ageOf } from "./age.ts";
import { columnsOf, padTo } from "../terminal/fit.ts";
import { folded } from "../terminal/fold.ts";
import { safe, style } from "../terminal/style.ts";

export function againLines(
  { before, files, more, said, unknown }: Again,
  how: string,
): readonly string[] {
  const { bold, warn } = style();
  const rows = files.map((file) => [safe(`${file.change} ${file.path}`), linesOf(file)] as const);
  const width = rows.reduce((most, [name]) => Math.max(most, columnsOf(name)), 0);
  const changed = [
    ...rows.map(([name, count]) => `  ${padTo(name, width)}  ${count}`.trimEnd()),
    ...(more === 0 ? [] : [`  and ${more} more files`]),
    ...(unknown === undefined
      ? []
      : [warn(`  ! which files changed is not known: ${safe(unknown)}`)]),
  ];
  return [
    bold(`Asked before, ${ageOf(before, new Date().toISOString())}. Since then:`),
    ...(changed.length === 0 ? ["  no file changed"] : folded(changed, how)),
    ...folded(
      said.map((one) => `  › ${safe(one)}`),
      how,
    ),
  ];
}

function linesOf({ added, removed }: AgainFile): string {
  if (added === undefined || removed === undefined) return "";
  const { good, bad } = style();
  return `${good(`+${added}`)} ${bad(`-${removed}`)}`;
}
