import type { Markdown } from "./markdown.ts";

/**
 * Pipe tables, cell by cell with offsets.
 *
 *   | Plugin Name | Status |
 *   |-------------|--------|
 *   | TapeDelay   | 🚧 Stage 2 |
 *
 * `\|` and `\\` are a pipe and a backslash inside a cell. A line without a pipe ends the table.
 */
export interface Table {
  readonly header: TableRow;
  readonly rows: readonly TableRow[];
  /** Index of the first line after the table. */
  readonly until: number;
}

export interface TableRow {
  readonly at: number;
  readonly cells: readonly Cell[];
}

export interface Cell {
  /** Offsets of the content, without surrounding spaces. */
  readonly start: number;
  readonly end: number;
  /** Content with escapes undone. */
  readonly text: string;
}

export function findTables(text: string, markdown: Markdown): Table[] {
  const tables: Table[] = [];
  for (let at = 0; at + 1 < markdown.lines.length; at += 1) {
    const table = tableAt(text, markdown, at);
    if (table === undefined) continue;
    tables.push(table);
    at = table.until - 1;
  }
  return tables;
}

/** Makes text safe for a cell: one line, pipes and backslashes escaped. */
export function escapeCell(text: string): string {
  return text.replace(/[\\|]/g, (char) => `\\${char}`);
}

function tableAt(text: string, markdown: Markdown, at: number): Table | undefined {
  const header = rowAt(text, markdown, at);
  if (header === undefined || header.cells.length === 0) return undefined;
  const rule = rowAt(text, markdown, at + 1);
  if (rule === undefined || rule.cells.length !== header.cells.length) return undefined;
  if (!rule.cells.every((cell) => /^:?-+:?$/.test(cell.text))) return undefined;
  const rows: TableRow[] = [];
  let until = at + 2;
  for (
    let row = rowAt(text, markdown, until);
    row !== undefined;
    row = rowAt(text, markdown, until)
  ) {
    rows.push(row);
    until += 1;
  }
  return { header, rows, until };
}

function rowAt(text: string, markdown: Markdown, at: number): TableRow | undefined {
  const line = markdown.lines[at];
  if (line === undefined || markdown.kinds[at] !== "text") return undefined;
  const source = text.slice(line.start, line.end);
  if (!source.includes("|")) return undefined;
  return { at, cells: splitCells(source, line.start) };
}

function splitCells(source: string, offset: number): Cell[] {
  const bounds = pipesIn(source);
  const first = bounds[0] ?? 0;
  const last = bounds.at(-1) ?? 0;
  if (source.slice(0, first).trim() !== "") bounds.unshift(-1);
  if (source.slice(last + 1).trim() !== "") bounds.push(source.length);
  const cells: Cell[] = [];
  for (let index = 0; index + 1 < bounds.length; index += 1) {
    cells.push(cellBetween(source, (bounds[index] ?? 0) + 1, bounds[index + 1] ?? 0, offset));
  }
  return cells;
}

function pipesIn(source: string): number[] {
  const pipes: number[] = [];
  for (let index = 0; index < source.length; index += 1) {
    const char = source.charAt(index);
    if (char === "\\") index += 1;
    else if (char === "|") pipes.push(index);
  }
  return pipes;
}

function cellBetween(source: string, from: number, to: number, offset: number): Cell {
  const raw = source.slice(from, to);
  const content = raw.trim();
  const lead = content === "" ? Math.min(1, raw.length) : raw.length - raw.trimStart().length;
  const start = offset + from + lead;
  return { start, end: start + content.length, text: content.replace(/\\([\\|])/g, "$1") };
}
