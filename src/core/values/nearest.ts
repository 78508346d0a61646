/** The name that somebody who typed `given` probably meant; undefined if none is close. */
export function nearest(given: string, names: readonly string[]): string | undefined {
  if (given.length > NAME_LENGTH_MAX) return undefined;
  const rated = names
    .map((name) => ({ name, steps: distance(given.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.steps - b.steps);
  const [best] = rated;
  if (best === undefined) return undefined;
  const starts = names.filter((name) => given.length >= 3 && name.startsWith(given));
  if (starts.length === 1) return starts[0];
  return best.steps <= Math.max(1, Math.floor(best.name.length / 3)) ? best.name : undefined;
}

const NAME_LENGTH_MAX = 64;

/** How many letters must be changed, added, removed or swapped with a neighbour. */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : change;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, change, swap));
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
