/** Asks a question at the terminal. An interruption or the end of input is not an answer. */
import type { Refusal } from "../../../core/decide/answer.ts";

export class Unanswered extends Error {
  readonly refusal: Refusal;

  constructor(code: "answer-interrupted" | "answer-ended", message: string) {
    super(message);
    const fix = "Nothing was done; give the command again.";
    this.refusal = { code, message, fix, rule: "core" };
  }
}

export async function askHere(prompt: string): Promise<string> {
  const { createInterface } = await import("node:readline");
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  return await new Promise((resolve, reject) => {
    let why = new Unanswered("answer-ended", "The input ended before an answer came");
    const end = (): void => {
      // Following output must start on a new line.
      process.stdout.write("\n");
      reject(why);
    };
    lines.once("SIGINT", () => {
      why = new Unanswered("answer-interrupted", "The answer was interrupted");
      lines.close();
    });
    lines.once("close", end);
    lines.question(prompt, (answer) => {
      lines.off("close", end);
      resolve(answer);
      lines.close();
    });
  });
}
