/** The terminal, as verbs see it. */
import { askHere } from "./ask-here.ts";
import { fit, widthOf } from "./fit.ts";
import { interruption } from "./interruption.ts";
import { err, out } from "./out.ts";
import type { Out } from "./out.ts";
import { openScreen } from "./screen.ts";
import { printable } from "./style.ts";
import type { Terminal } from "../verb.ts";

const INPUT_CHARS_MAX = 4 * 1024 * 1024;

export function terminalOf(json: boolean): Terminal {
  return {
    // In this order, because merely touching standard input opens it, and most calls do not come from a terminal.
    interactive: !json && out.isTTY && process.stdin.isTTY,
    json,
    readInput: async () => {
      let input = "";
      for await (const chunk of process.stdin.setEncoding("utf8")) {
        input += String(chunk);
        if (input.length > INPUT_CHARS_MAX) return undefined;
      }
      return input;
    },
    ask: async (prompt) => await askHere(printable(fit(prompt, out.columns))),
    note: (line) => writeLine(err, line),
    print: (line) => writeLine(out.stream(), line),
    screen: (foot) => openScreen(out.stream(), foot),
    ...interruption(),
  };
}

function writeLine(stream: Pick<Out, "isTTY" | "columns" | "write">, line: string): void {
  stream.write(`${printable(fit(line, widthOf(stream, process.env)))}\n`);
}
