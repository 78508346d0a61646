export const LINE_MAX: number = 400;

/** Makes one line of limited length. Details can be asked for. */
export function clip(text: string, max: number = LINE_MAX): string {
  const line = text
    .slice(0, 4 * max)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= max && text.length <= 4 * max ? line : `${line.slice(0, max - 1)}…`;
}

/** The first ones, and how many more there are. */
export function some(lines: readonly string[], max: number): readonly string[] {
  return lines.length <= max ? lines : [...lines.slice(0, max), `(and ${lines.length - max} more)`];
}
