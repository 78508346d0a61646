/** Programs that run the program after them: which one it is, and what they change for it. */
import { RUNNER_WORDS, RUNNERS } from "./programs.ts";

export interface Started {
  readonly words: readonly string[];
  /** Variables that are set or removed. */
  readonly env: readonly string[];
  readonly directory?: string;
  /** A text that is split into words again. */
  readonly split?: string;
}

export function startedBy(name: string, args: readonly string[]): Started {
  const valued = RUNNERS[name];
  const env: string[] = [];
  let directory: string | undefined;
  let split: string | undefined;
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (name === "env" && /^\w+=/.test(arg)) env.push(arg.split("=")[0] ?? "");
    else if (valued?.test(arg) === true) {
      const value = args[at + 1] ?? "";
      if (name === "env" && (arg === "-u" || arg === "--unset")) env.push(value);
      if (name === "env" && (arg === "-C" || arg === "--chdir")) directory = value;
      if (name === "env" && arg === "-S") split = value;
      at += 1;
    } else if (name === "env" && (arg === "-i" || arg === "-")) env.push("*");
    else if (arg.startsWith("--unset=")) env.push(arg.slice("--unset=".length));
    else if (!arg.startsWith("-")) break;
  }
  return {
    words: args.slice(at + (RUNNER_WORDS[name] ?? 0)),
    env,
    ...(directory === undefined ? {} : { directory }),
    ...(split === undefined ? {} : { split }),
  };
}
