import { StoreProblem } from "../../ports/problem.ts";
import type { Pending } from "../outcome.ts";

/**
 * The record is already made, so a full or lost store is reported as something pending and not as a failed
 * command.
 */
export function undoneBy(error: unknown): Pending {
  if (error instanceof StoreProblem) return { effect: "settle", ...error.problem };
  if (!(error instanceof Error) || !("syscall" in error)) throw error;
  return {
    effect: "settle",
    code: "store-unwritable",
    message: `What is recorded cannot be carried out: ${error.message}`,
    fix: "Free some space or make the store writable, then reconcile.",
  };
}
