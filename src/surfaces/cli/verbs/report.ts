import { readFile, stat } from "node:fs/promises";
import type { JsonObject } from "../../../core/values/json.ts";
import { find } from "../../../engine/engine.ts";
import { refusedAnswer } from "../../../operations/parts/answers.ts";
import type { Answered, RefusedAnswer, Taken } from "../../../operations/parts/answers.ts";
import { REPORT_BYTES_MAX, report, tooLarge } from "../../../operations/report.ts";
import type { ReportInput } from "../../../operations/report.ts";
import { takenText } from "../text/reply.ts";
import type { Call, Verb } from "../verb.ts";

export const reportVerb: Verb<ReportInput, Answered<Taken>> = {
  operation: report,
  args: ["workflow", "text"],
  shows: { text: "<file>|-" },
  prepare: withText,
  text: takenText,
};

/** Reads the report from a file or from standard input. */
async function withText(call: Call, typed: JsonObject): Promise<JsonObject | RefusedAnswer> {
  const { workflow, text: file = "-" } = typed;
  if (typeof workflow !== "string" || typeof file !== "string") return typed;
  if (file === "-" && call.terminal.interactive) {
    // Checked before asking anybody to paste a report.
    const found = await find(call.context.parts, workflow);
    if (found.kind === "refused") return refusedAnswer(found.refusals);
    call.terminal.note("Paste the report, then press Enter and Ctrl-D.");
  }
  const text = file === "-" ? await call.terminal.readInput() : await readReport(file);
  if (typeof text === "object") return text;
  return text === undefined ? refusedAnswer([tooLarge("the input", "more")]) : { ...typed, text };
}

async function readReport(file: string): Promise<string | RefusedAnswer> {
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() !== true)
    return refusedAnswer([
      {
        code: "report-unreadable",
        message:
          stats === undefined
            ? `There is no file ${file}`
            : `${file} is ${stats.isDirectory() ? "a folder" : "no regular file"}, not a report`,
        fix: "Give the path of the report's file, or - for standard input.",
        rule: "core",
      },
    ]);
  if (stats.size > REPORT_BYTES_MAX) return refusedAnswer([tooLarge(file, String(stats.size))]);
  return await readFile(file, "utf8");
}
