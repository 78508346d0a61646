/** The controlling terminal of this process, whatever its standard input and output are connected to. */
import { closeSync, openSync } from "node:fs";
import { createInterface } from "node:readline";
import { ReadStream, WriteStream } from "node:tty";
import { printable } from "./style.ts";

export type Typed =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "ended" | "interrupted" | "late" };

export interface Tty {
  readonly write: (text: string) => void;
  readonly ask: (prompt: string) => Promise<Typed>;
  readonly close: () => void;
}

const WAIT_MS_MAX = 5 * 60_000;

/** Undefined if there is none, as is usual for programs run by an agent or a CI job. */
export function openTty(): Tty | undefined {
  let fd: number;
  try {
    fd = openSync("/dev/tty", "r+");
  } catch {
    return undefined;
  }
  try {
    const input = new ReadStream(fd);
    const output = new WriteStream(openSync("/dev/tty", "w"));
    const write = (text: string): void => {
      output.write(printable(text));
    };
    return {
      write,
      ask: async (prompt) => {
        // Listens before it asks, so that an immediate interruption is noticed.
        const typed = readLine(input);
        write(prompt);
        return await typed;
      },
      close: () => {
        input.destroy();
        output.destroy();
      },
    };
  } catch {
    closeSync(fd);
    return undefined;
  }
}

async function readLine(input: ReadStream): Promise<Typed> {
  const lines = createInterface({ input, terminal: false });
  return await new Promise((resolve) => {
    const end = (typed: Typed): void => {
      clearTimeout(timer);
      process.off("SIGINT", interrupted);
      lines.off("close", ended);
      lines.close();
      input.pause();
      resolve(typed);
    };
    const interrupted = (): void => end({ kind: "interrupted" });
    const ended = (): void => end({ kind: "ended" });
    const timer = setTimeout(() => end({ kind: "late" }), WAIT_MS_MAX);
    process.once("SIGINT", interrupted);
    lines.once("close", ended);
    lines.once("line", (text) => end({ kind: "line", text }));
  });
}
