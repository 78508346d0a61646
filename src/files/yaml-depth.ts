/**
 * A limit on YAML nesting, checked before the parser runs.
 * The parser is recursive. Near the end of the stack V8 may have to compile one of its regular expressions, which
 * ends the whole process ("RegExpCompiler Allocation failed") and cannot be caught. 60 kB of `[` is enough. So
 * nesting is counted here, as a rough upper bound.
 */
export function tooDeepLine(yaml: string): number | undefined {
  let flow = 0;
  let number = 0;
  for (const line of yaml.split("\n")) {
    number += 1;
    const blanks = line.length - line.trimStart().length;
    flow = Math.max(0, flow + flowChange(line));
    if (flow > DEPTH_MAX || blanks > INDENT_MAX || indicators(line) > DEPTH_MAX) return number;
  }
  return undefined;
}

const DEPTH_MAX = 32;
const INDENT_MAX = 64;

/** The most levels that `line` can add: its opening brackets, minus the closing ones after them. */
function flowChange(line: string): number {
  let depth = 0;
  let highest = 0;
  for (const char of line) {
    if (char === "[" || char === "{") depth += 1;
    else if (char === "]" || char === "}") depth -= 1;
    highest = Math.max(highest, depth);
  }
  return highest > DEPTH_MAX ? highest : depth;
}

/** In `- - - x` and `? ? ? x`, each mark opens a collection inside the one before. */
function indicators(line: string): number {
  return line.match(/[-?:](?=[ \t\r]|$)/g)?.length ?? 0;
}
