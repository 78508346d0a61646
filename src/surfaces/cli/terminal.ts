/** The terminal around the program, as verbs see it. */
import { askHere } from "./ask-here.ts";
import { fit, widthOf } from "./fit.ts";
import { interruption } from "./interruption.ts";
import { openScreen } from "./screen.ts";
import { printable } from "./style.ts";
import type { Terminal } from "./verb.ts";

const INPUT_CHARS_MAX = 4 * 1024 * 1024;

export function terminalOf(json: boolean): Terminal {
  return {
    // In this order: only to look at standard input opens it, and most calls are not from a terminal.
    interactive: !json && process.stdout.isTTY && process.stdin.isTTY,
    json,
    readInput: async () => {
      let input = "";
      for await (const chunk of process.stdin.setEncoding("utf8")) {
        input += String(chunk);
        if (input.length > INPUT_CHARS_MAX) return undefined;
      }
      return input;
    },
    ask: async (prompt) => await askHere(printable(fit(prompt, process.stdout.columns))),
    note: (line) => writeLine(process.stderr, line),
    print: (line) => writeLine(process.stdout, line),
    screen: () => openScreen(process.stdout),
    ...interruption(),
  };
}

function writeLine(stream: NodeJS.WriteStream, line: string): void {
  stream.write(`${printable(fit(line, widthOf(stream, process.env)))}\n`);
}
