/** A terminal as one page that is drawn over and over; what stood there before comes back at the end. */
import { fit } from "./fit.ts";
import { printable } from "./style.ts";

export interface Screen {
  /** Show this text from the top; what does not fit below is left out. */
  readonly draw: (text: string) => void;
  readonly close: () => void;
}

const ESC = String.fromCodePoint(27);
const OPEN = `${ESC}[?1049h${ESC}[?25l`;
const CLOSE = `${ESC}[?25h${ESC}[?1049l`;
const HOME = `${ESC}[H`;
const LINE_END = `${ESC}[K`;
const REST = `${ESC}[J`;

export function openScreen(stream: NodeJS.WriteStream): Screen {
  let isOpen = true;
  const close = (): void => {
    if (isOpen) stream.write(CLOSE);
    isOpen = false;
  };
  stream.write(OPEN);
  // Also when the program ends in another way than this: a terminal without a cursor is of no use.
  process.once("exit", close);
  return {
    draw: (text) => {
      const lines = printable(fit(text, stream.columns)).split("\n").slice(0, stream.rows);
      stream.write(`${HOME}${lines.map((line) => line + LINE_END).join("\r\n")}${REST}`);
    },
    close,
  };
}
