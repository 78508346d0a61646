/** Markdown as another reader sees it: the reference parser, not ours. */
import { fromMarkdown } from "mdast-util-from-markdown";

export interface Section {
  readonly level: number;
  readonly title: string;
  /** The lines below the heading, up to the next heading of its level or above. */
  readonly lines: readonly string[];
}

/** The text's sections; headings in code, quotes and comments are none. */
export function sectionsOf(text: string): readonly Section[] {
  const lines = text.split(/\r?\n/);
  const headings = fromMarkdown(text).children.flatMap((node) => {
    if (node.type !== "heading" || node.position === undefined) return [];
    const first = node.position.start.line;
    const title = (lines[first - 1] ?? "").replace(/^\s*#+\s*/, "").replace(/\s*#*\s*$/, "");
    return [{ level: node.depth, title, first, last: node.position.end.line }];
  });
  return headings.map(({ level, title, last }, index) => {
    const next = headings.slice(index + 1).find((one) => one.level <= level);
    return {
      level,
      title,
      lines: lines.slice(last, next === undefined ? undefined : next.first - 1),
    };
  });
}

/** The lines that are not in a code block. */
export function proseOf(text: string): readonly string[] {
  const hidden = new Set<number>();
  for (const node of fromMarkdown(text).children) {
    if (node.type !== "code" || node.position === undefined) continue;
    for (let line = node.position.start.line; line <= node.position.end.line; line += 1)
      hidden.add(line);
  }
  return text.split(/\r?\n/).filter((_, index) => !hidden.has(index + 1));
}
