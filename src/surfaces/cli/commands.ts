/** Commands of the program that are not operations. Each is loaded when it is called. */
import type { FailedAnswer } from "../../operations/parts/answers.ts";
import type { Reply } from "./verb.ts";

export interface Command {
  /** What it is for, in one line. */
  readonly purpose: string;
  /** What may be typed after its name. */
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
  mcp: {
    purpose: "Serve agents over the Model Context Protocol",
    usage:
      "[--http [--port <number> | --background]] [--agent <name> | --lead] [--cwd <directory>]",
    options: {
      "--http": "listen on 127.0.0.1 instead of standard input, with a token",
      "--port <number>": "which port; without it, the one of last time",
      "--background": "goes on after the command, and only one for each store, for hooks to ask",
      "--agent <name>":
        "for this agent alone, whose client starts a server for each: its orders and reports",
      "--lead": "without them, where agents have servers of their own",
      "--cwd <directory>": "the repository it is about",
    },
    examples: ["claude mcp add holdpoint -- holdpoint mcp", "holdpoint mcp --http --port 4747"],
    run: async (args) => await (await import("../mcp/main.ts")).runMcp(args),
  },
  store: {
    purpose: "Set up the shared store, move everything there or back, check it",
    usage: "setup|move|check [--to postgres|embedded] [--role <name>] [--url <address>]",
    options: {
      "--to <store>": "postgres or embedded: where everything is moved to",
      "--role <name>": "who may read and append, and gets no right to rewrite (setup)",
      "--url <address>": "another address than the configured one, such as the owner's",
      "--cwd <directory>": "the repository it is about",
    },
    examples: [
      "holdpoint store setup --url postgresql://owner@db/team --role agents",
      "holdpoint store move --to postgres",
      "holdpoint doctor store",
    ],
    run: async (args) => await (await import("../store/main.ts")).runStore(args),
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
