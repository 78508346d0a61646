/** Uses the terminal as one page that is redrawn. Its earlier content comes back at the end. */
import { columnsOf, cutTo, fit } from "./fit.ts";
import { printable } from "./style.ts";

export interface Screen {
  /** Shows this text from the top, and says how much does not fit. */
  readonly draw: (text: string) => void;
  readonly close: () => void;
}

/** The parts of a terminal that a page needs. */
export interface Paper {
  readonly columns?: number;
  readonly rows?: number;
  readonly write: (text: string) => unknown;
  readonly on: (event: "resize", listener: () => void) => unknown;
  readonly off: (event: "resize", listener: () => void) => unknown;
}

const ESC = String.fromCodePoint(27);
const OPEN = `${ESC}[?1049h${ESC}[?25l`;
const CLOSE = `${ESC}[?25h${ESC}[?1049l`;
const HOME = `${ESC}[H`;
const REST = `${ESC}[J`;

/** The foot stays visible, however small the terminal is. */
export function openScreen(stream: Paper, foot: string): Screen {
  let isOpen = true;
  let shown = "";
  const draw = (): void => {
    stream.write(`${HOME}${REST}${pageOf(shown, foot, stream).join("\r\n")}`);
  };
  const close = (): void => {
    if (isOpen) stream.write(CLOSE);
    isOpen = false;
    stream.off("resize", draw);
    process.off("exit", close);
  };
  stream.write(OPEN);
  // After a change of width, the terminal has broken the old page, so it is drawn again.
  stream.on("resize", draw);
  // Also on any other exit, because it would leave the terminal without a cursor.
  process.once("exit", close);
  return {
    draw: (text) => {
      shown = text;
      draw();
    },
    close,
  };
}

/** The lines to draw: all of them and the foot, or as many as fit and how many more there are. */
export function pageOf(
  text: string,
  foot: string,
  paper: Pick<Paper, "columns" | "rows">,
): readonly string[] {
  const columns = paper.columns === 0 ? undefined : paper.columns;
  const rows = paper.rows === 0 ? Infinity : (paper.rows ?? Infinity);
  const lines = printable(fit(text, columns)).split("\n");
  const page = [...lines, "", foot];
  if (rowsOf(page, columns) <= rows) return page;
  let shown = lines.length;
  while (shown > 0 && rowsOf(lines.slice(0, shown), columns) > rows - 1) shown -= 1;
  return [
    ...lines.slice(0, shown),
    cutTo(`${lines.length - shown} more lines; ${foot}`, columns ?? Infinity),
  ];
}

/** Lines that are not broken by us take up several rows. */
function rowsOf(lines: readonly string[], columns = Infinity): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / columns)), 0);
}
