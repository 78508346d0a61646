/** Lines that are in only one of two texts. */
export function changedLines(before: string, after: string): readonly string[] {
  const [left, right] = [before.split("\n"), after.split("\n")];
  const gone = left.filter((line) => !right.includes(line)).map((line) => `-${line}`);
  return [...gone, ...right.filter((line) => !left.includes(line)).map((line) => `+${line}`)];
}
