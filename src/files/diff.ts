/** A unified diff of what will change, for a person to approve. */

const CONTEXT = 2;
/** If the comparison would be larger, the whole middle part is shown as removed and added. */
const CELLS_MAX = 4_000_000;

type Row = readonly [" " | "-" | "+", string];

export function diffOf(before: string | undefined, after: string | undefined): string {
  const rows = rowsOf(linesIn(before), linesIn(after));
  const near = rows.map((_, index) =>
    rows.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([mark]) => mark !== " "),
  );
  const lines: string[] = [];
  for (const [index, [mark, line]] of rows.entries()) {
    if (near[index] !== true) continue;
    if (index > 0 && near[index - 1] !== true) lines.push("@@");
    lines.push(`${mark}${line}`);
  }
  return lines.join("\n");
}

/** How many lines were added and removed. */
export function diffCounts(
  before: string | undefined,
  after: string | undefined,
): { readonly added: number; readonly removed: number } {
  const rows = rowsOf(linesIn(before), linesIn(after));
  const count = (wanted: string): number => rows.filter(([mark]) => mark === wanted).length;
  return { added: count("+"), removed: count("-") };
}

function linesIn(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r\n|\n|\r/);
}

function rowsOf(before: readonly string[], after: readonly string[]): readonly Row[] {
  const [least, [a, b]] = [Math.min(before.length, after.length), [before, after]];
  let head = 0;
  while (head < least && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < least - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return [
    ...a.slice(0, head).map((line): Row => [" ", line]),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map((line): Row => [" ", line]),
  ];
}

/** Lines of the longest common subsequence stay; the others are removed or added. */
function middle(a: readonly string[], b: readonly string[]): readonly Row[] {
  if (a.length * b.length > CELLS_MAX)
    return [...a.map((line): Row => ["-", line]), ...b.map((line): Row => ["+", line])];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      common[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const rows: Row[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const same = i < a.length && j < b.length && a[i] === b[j];
    if (same) rows.push([" ", a[i] ?? ""]);
    else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      rows.push(["-", a[i] ?? ""]);
      i += 1;
      continue;
    } else {
      rows.push(["+", b[j] ?? ""]);
      j += 1;
      continue;
    }
    i += 1;
    j += 1;
  }
  return rows;
}
