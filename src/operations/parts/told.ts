/**
 * Answers mix our sentences with other people's words: file names, reasons, reports. Before any surface gets an
 * answer, words of others that would begin a line are marked as quoted. Data stays as it is.
 */
import { plain, quoted } from "../../core/values/line.ts";
import type { Answer, Context, Operation } from "../operation.ts";
import { withOwners } from "./whose.ts";

export function told<Input, Result extends Answer>(
  operation: Operation<Input, Result>,
): Operation<Input, Result> {
  const run = async (context: Context, input: Input): Promise<Result> =>
    quoteAll(await withOwners(context, await operation.run(context, input)));
  return { ...operation, run };
}

function quoteAll<T>(value: T): T;
function quoteAll(value: unknown): unknown {
  if (typeof value === "string") return quoted(value);
  if (Array.isArray(value)) return value.map((one: unknown) => quoteAll(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [quoted(key), quoteMember(key, one)]),
  );
}

function quoteMember(key: string, value: unknown): unknown {
  if (OURS.has(key) && typeof value === "string") return plain(value);
  return DATA.has(key) ? value : quoteAll(value);
}

/** Texts of several lines that we lay out ourselves, in which each line shows whose words it has. */
const OURS: ReadonlySet<string> = new Set(["prompt", "diff", "page"]);

/** Texts of several lines, and data that programs use as it is. */
const DATA: ReadonlySet<string> = new Set([
  "shown",
  "input",
  "files",
  "file",
  "path",
  "paths",
  "vars",
  "before",
  "after",
]);
