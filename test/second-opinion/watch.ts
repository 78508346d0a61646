/** A scratch repository whose every command is looked at afterwards, whoever gives it. */
import type { Args, Reply, RunOptions, Scratch } from "../e2e/cli.ts";
import type { Verdict } from "./agree.ts";

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

/** What Holdpoint says of one workflow's files; nothing of one whose files are gone. */
export function verdictOn(scratch: Scratch, id: string): Verdict {
  const { workflows = [] } = scratch.hold("verify --all").json;
  return workflows.find((one) => one.id === id) ?? { exit: 0, findings: [] };
}
