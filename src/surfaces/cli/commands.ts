/** What can be asked of the program besides operations: each is loaded when it is asked for. */
import type { FailedAnswer } from "../../operations/answers.ts";
import type { Reply } from "./verb.ts";

export interface Command {
  /** What it is for, in a line. */
  readonly purpose: string;
  /** What may be typed behind its name. */
  readonly usage: string;
  readonly options: Readonly<Record<string, string>>;
  readonly examples: readonly string[];
  readonly run: (args: readonly string[]) => Promise<Reply | FailedAnswer>;
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  demo: {
    purpose: "Watch a whole workflow with agents that lie, cheat and die",
    usage: "[--auto]",
    options: { "--auto": "answer its questions by itself, also on a terminal" },
    examples: ["holdpoint demo", "holdpoint demo --auto"],
    run: async (args) => await (await import("./demo/demo.ts")).runDemo(args),
  },
  completion: {
    purpose: "Complete verbs, options and names in bash, zsh or fish",
    usage: "bash|zsh|fish",
    options: {},
    examples: [
      'eval "$(holdpoint completion bash)"',
      "holdpoint completion fish > ~/.config/fish/completions/holdpoint.fish",
    ],
    run: async (args) => (await import("./completion.ts")).completion(args, COMMANDS),
  },
};
