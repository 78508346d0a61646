/** Describes a failed git command: a message, and what to do. */
import type { Problem } from "../../../ports/problem.ts";

export interface GitAnswer {
  readonly args: readonly string[];
  /** Exit code; -1 unless `end` is "exit". */
  readonly code: number;
  readonly end: "exit" | "missing" | "timeout" | "overflow" | "killed";
  readonly stdout: Buffer;
  /** The end of standard error; for hooks, of both streams. */
  readonly stderr: string;
  /** If it did not end in time: the hooks it may have waited for, by path. */
  readonly heldBy?: { readonly hooks: readonly string[]; readonly seconds: number };
}

export function failureOf(answer: GitAnswer): Problem {
  const said = lastLines(answer.stderr);
  const command = `git ${answer.args.find((word) => /^[a-z][a-z-]+$/.test(word)) ?? ""}`.trim();
  if (/No space left on device|Disk quota exceeded|Out of diskspace/.test(said)) {
    return {
      code: "disk-full",
      message: `Cannot write to the repository: the disk is full (${command}).`,
      fix: "Free some space, then try again.",
    };
  }
  const { heldBy } = answer;
  if (heldBy !== undefined && heldBy.hooks.length > 0) {
    const hooks = heldBy.hooks.join(" or ");
    return {
      code: "hook-slow",
      message: `\`${command}\` did not end within ${heldBy.seconds} seconds and was stopped: it waits for ${hooks}.`,
      fix: `Have that hook end sooner, or take it away (chmod -x ${heldBy.hooks[0]}), then give the command again.`,
    };
  }
  const how =
    answer.end === "exit" ? `failed with exit ${answer.code}` : `ended with ${answer.end}`;
  return {
    code: "git-failed",
    message: `\`${command}\` ${how}.${said === "" ? "" : `\n${said}`}`,
    fix: "Correct what git names, then try again.",
  };
}

/** The end of the output, where hooks say what is wrong, without terminal escape sequences. */
export function lastLines(output: string): string {
  const plain = output
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    .replace(/\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
    .trim();
  // Git's hints are about the settings used here, not about what went wrong.
  const lines = plain.split("\n").filter((line) => !line.startsWith("hint:"));
  return lines.slice(-LINES_MAX).join("\n").slice(-CHARS_MAX);
}

const LINES_MAX = 20;
const CHARS_MAX = 2_000;
