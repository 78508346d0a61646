import type { Failed } from "../engine/outcome.ts";
import { failedAnswer } from "../operations/parts/answers.ts";
import type { FailedAnswer } from "../operations/parts/answers.ts";
import { ProblemError } from "../ports/problem.ts";

/** Turns a thrown error into an answer that says what failed and what to do, the same on every surface. */
export function failureOf(error: unknown): FailedAnswer {
  if (error instanceof ProblemError) return failedAnswer(error.problem);
  return failedAnswer(
    systemFailure(error) ?? {
      code: "internal",
      message: error instanceof Error ? error.message : String(error),
      fix: "This is a mistake in Holdpoint; HOLDPOINT_DEBUG=1 shows where.",
    },
  );
}

/** Recognises a full disk or missing permissions as a failure of the machine and not of the program. */
function systemFailure(error: unknown): Omit<Failed, "kind"> | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  const { message } = error;
  switch (error.code) {
    case "ENOSPC":
    case "EDQUOT":
      return {
        code: "disk-full",
        message: `The disk is full: ${message}`,
        fix: "Free some space, then try again; holdpoint status shows where the workflow stands.",
      };
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return {
        code: "denied",
        message: `Not allowed: ${message}`,
        fix: "Give this user the right to read and write it, then try again.",
      };
    default:
      return {
        code: "io",
        message: `The system says ${message}`,
        fix: "Look at what it names, put it right, then try again.",
      };
  }
}
