/** All refusals of the file adapter. */
import { ProblemError } from "../../ports/problem.ts";
import type { Problem as AnyProblem } from "../../ports/problem.ts";
import type { FileProblem } from "../../ports/workspace.ts";
import { errorCode } from "../store/durable.ts";

export type Problem<Code extends string = FileProblem> = AnyProblem<Code>;

/** Carries a problem out of nested calls; caught at the edge of the adapter. */
export class FileRefused extends ProblemError {
  override readonly name = "FileRefused";
  declare readonly problem: Problem;
}

export function outside(path: string): Problem {
  return {
    code: "outside",
    message: `Cannot use ${quote(path)}: it is not a path inside the worktree.`,
    fix: "Use a path relative to the worktree's top, without `..`, and outside `.git`.",
  };
}

export function leadsOutside(path: string): Problem {
  return {
    code: "outside",
    message: `Cannot use ${quote(path)}: a link on the way leads out of the worktree.`,
    fix: "Replace the link by a real directory.",
  };
}

export function isLink(path: string): Problem {
  return {
    code: "link",
    message: `Cannot use ${quote(path)}: it is a symbolic link.`,
    fix: "Replace the link by the file itself.",
  };
}

export function notAFile(path: string, what: string): Problem {
  return {
    code: "not-a-file",
    message: `Cannot use ${quote(path)}: it is ${what}, not a file.`,
    fix: "Move it away, or name a file.",
  };
}

export function tooLarge(path: string, size: number, max: number): Problem {
  return {
    code: "too-large",
    message: `Cannot read ${quote(path)}: it has ${size} bytes, and the limit is ${max}.`,
    fix: "Split the file, or leave out what does not belong into it.",
  };
}

export function tooLong(path: string): Problem {
  return {
    code: "too-long",
    message: `Cannot use ${quote(path)}: the path is longer than the system allows.`,
    fix: "Use shorter names, or fewer folders inside each other.",
  };
}

export function notText(path: string, why: string): Problem {
  return {
    code: "not-text",
    message: `Cannot read ${quote(path)} as text: it has ${why}.`,
    fix: "Save it as UTF-8.",
  };
}

/** The system's error as a problem. Errors that do not come from the system are thrown on. */
export function systemProblem(path: string, error: unknown): Problem<FileProblem | "disk-full"> {
  if (error instanceof FileRefused) return error.problem;
  const system = errorCode(error);
  if (system === undefined) throw error;
  const known = SYSTEM[system] ?? { code: "io", said: `the system says ${system}`, fix: IO_FIX };
  return {
    code: known.code,
    message: `Cannot use ${quote(path)}: ${known.said}.`,
    fix: known.fix,
  };
}

function quote(path: string): string {
  return JSON.stringify(path.length > SHOWN_MAX ? `${path.slice(0, SHOWN_MAX)}...` : path);
}

interface Known {
  readonly code: FileProblem | "disk-full";
  readonly said: string;
  readonly fix: string;
}

const SHOWN_MAX = 300;
const IO_FIX = "Look at the disk and its file system, then try again.";
const DENIED: Known = {
  code: "denied",
  said: "permission denied",
  fix: "Give this user the right to read and write it and its directory.",
};
const FULL: Known = {
  code: "disk-full",
  said: "the disk is full",
  fix: "Free some space, then try again.",
};
const BLOCKED: Known = {
  code: "not-a-file",
  said: "a part of it is a file where a directory is needed",
  fix: "Move that file away.",
};
const SYSTEM: Readonly<Record<string, Known | undefined>> = {
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: { ...DENIED, said: "the file system is read-only" },
  ENOSPC: FULL,
  EDQUOT: FULL,
  ELOOP: {
    code: "link",
    said: "it is a symbolic link",
    fix: "Replace the link by the file itself.",
  },
  EISDIR: { code: "not-a-file", said: "it is a directory", fix: "Move it away, or name a file." },
  ENOTDIR: BLOCKED,
  EEXIST: BLOCKED,
  ENAMETOOLONG: { ...tooLong(""), said: "the path is longer than the system allows" },
  EXDEV: {
    code: "io",
    said: "it is on another file system than the worktree's top",
    fix: "Move it onto the same file system: it cannot be replaced safely across two.",
  },
};
