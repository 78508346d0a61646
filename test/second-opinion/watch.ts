/** A scratch repository whose every command is looked at afterwards, whoever gives it. */
import type { Args, Reply, RunOptions, Scratch } from "../e2e/cli.ts";

export interface Step {
  readonly words: readonly string[];
  readonly options: RunOptions;
  readonly reply: Reply;
}

/** Verbs that only look: after them there is nothing new to judge. */
const LOOKING = new Set(["next", "status", "verify", "audit", "agents", "list", "show", "graph"]);

export interface Eyes {
  readonly before?: (words: readonly string[], options: RunOptions) => void;
  readonly after: (step: Step) => void;
}

export function watched(scratch: Scratch, { before, after }: Eyes): Scratch {
  const seen = (run: Scratch["hold"]): Scratch["hold"] => {
    return (args, options = {}) => {
      const words = wordsOf(args);
      const looks = LOOKING.has(words[0] ?? "");
      if (!looks) before?.(words, options);
      const reply = run(args, options);
      if (!looks) after({ words, options, reply });
      return reply;
    };
  };
  return { ...scratch, hold: seen(scratch.hold), say: seen(scratch.say) };
}

function wordsOf(args: Args): readonly string[] {
  return typeof args === "string" ? args.split(" ") : args;
}
