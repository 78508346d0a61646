/** A question at the terminal. What breaks off or ends is no answer, and never one that was not given. */
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
    lines.once("SIGINT", () => {
      reject(new Unanswered("answer-interrupted", "The answer was interrupted"));
      lines.close();
    });
    // Behind an answer this changes nothing any more.
    lines.once("close", () =>
      reject(new Unanswered("answer-ended", "The input ended before an answer came")),
    );
    lines.question(prompt, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
