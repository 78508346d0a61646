import { readFile, stat } from "node:fs/promises";
import type { Refusal } from "../../../core/answer.ts";
import { act } from "../../../engine/engine.ts";
import type { Found } from "../../../engine/engine.ts";
import { openWorkflow } from "../open.ts";
import { refusedReply, replyTo, stateJson, usageReply } from "../reply.ts";
import { safe } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";
import { withOrder } from "./advance.ts";

const REPORT_BYTES_MAX = 4 * 1024 * 1024;

export const reportVerb: Verb = {
  summary: "Give an agent's report; it counts only if the evidence holds",
  usage: "report <name> [<file>|-] [--dispatch <id>]",
  options: {
    dispatch: {
      type: "string",
      about: "which dispatch it answers (default: the one that is open)",
    },
  },
  examples: [
    "holdpoint report TapeDelay report.json",
    "my-agent | holdpoint report TapeDelay - --json",
  ],
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, file = "-", extra] = call.args;
  if (id === undefined || extra !== undefined)
    return usageReply("report needs a name and one file.", `Usage: holdpoint ${reportVerb.usage}`);
  const found = await openWorkflow(call, id);
  if ("exit" in found) return found;
  const text = await readText(call, file);
  if (typeof text !== "string") return text;
  return await takeReport(call, found, text);
}

async function readText(call: Call, file: string): Promise<string | Reply> {
  if (file === "-") return (await call.terminal.readInput()) ?? tooLarge("the input", "more");
  const stats = await stat(file).catch(() => undefined);
  if (stats?.isFile() !== true)
    return refusedReply([
      {
        code: "report-unreadable",
        message: `There is no file ${file}`,
        fix: "Give the path of the report, or - for standard input.",
        rule: "PW-073",
      },
    ]);
  if (stats.size > REPORT_BYTES_MAX) return tooLarge(file, `${stats.size}`);
  return await readFile(file, "utf8");
}

function tooLarge(what: string, bytes: string): Reply {
  return refusedReply([
    {
      code: "report-too-large",
      message: `A report has at most ${REPORT_BYTES_MAX} bytes; ${what} has ${bytes}`,
      fix: "Report what was done, not the files themselves.",
      rule: "PW-074",
    },
  ]);
}

async function takeReport(call: Call, found: Found, text: string): Promise<Reply> {
  const { family, state } = found;
  const wanted = call.flags["dispatch"];
  const all = Object.values(state.dispatches);
  const open =
    typeof wanted === "string"
      ? all.find((one) => one.id === wanted)
      : (all.find((one) => one.status === "open") ?? all.find((one) => one.status === "parked"));
  if (open === undefined) {
    const message =
      typeof wanted === "string"
        ? `${state.id} never handed out ${wanted}`
        : `${state.id} has handed out no work that is still open`;
    return refusedReply([
      {
        code: "dispatch-unknown",
        message,
        fix: `holdpoint next ${state.id} shows what is open.`,
        rule: "PW-102",
      },
    ]);
  }
  const read = family.work.read(text, open, state);
  if (read.kind === "refused") return refusedReply(read.refusals);
  if (read.kind === "advice") {
    const command = { type: "note.add", list: "advice", tag: open.id, text: read.text } as const;
    return replyTo(await act(call.parts, found, command, call.caller), family);
  }
  if (read.kind === "report")
    for (const warning of read.warnings) call.terminal.note(`! ${warning}`);
  const command = { type: "dispatch.report", dispatch: open.id, claim: read.claim } as const;
  const outcome = await act(call.parts, found, command, call.caller);
  if (read.kind === "report" || outcome.kind === "refused" || outcome.kind === "failed")
    return await withOrder(call, found, outcome);
  return voidReply(read.refusals, { family, state: outcome.state });
}

/** The attempt is recorded, and whoever sent the text must not take that for a yes. */
function voidReply(refusals: readonly Refusal[], found: Found): Reply {
  const reply = refusedReply(refusals, { workflow: found.state.id, ...stateJson(found) });
  const { closing } = found.family.words.describe(found.state);
  const rest = closing === undefined ? [] : [closing.message, closing.fix];
  return { ...reply, text: [reply.text, ...rest.map((line) => `  ${safe(line)}`)].join("\n") };
}
