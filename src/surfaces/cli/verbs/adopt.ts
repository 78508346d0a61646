import type { JsonObject } from "../../../core/json.ts";
import { adoptOne, unadopted } from "../../../engine/adopt.ts";
import type { Adoption } from "../../../engine/adopt.ts";
import { usageReply } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, ExitCode, Reply, Verb } from "../verb.ts";

export const adoptVerb: Verb = {
  summary: "Give existing files a journal",
  usage:
    "adopt <name> | adopt --all  [--dry-run] [--side handoff|registry] [--numbering old|new] [--yes]",
  options: {
    all: { type: "boolean", about: "every workflow the files show that has no journal yet" },
    "dry-run": { type: "boolean", about: "say what would be done, and change nothing" },
    side: { type: "string", about: "which file is right when they contradict" },
    numbering: { type: "string", about: "old or new stage numbers, where the files do not tell" },
    yes: { type: "boolean", about: "accept a state that had to be made up from other files" },
  },
  examples: ["holdpoint adopt --all --dry-run", "holdpoint adopt TapeDelay --side registry"],
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, extra] = call.args;
  const all = call.flags["all"] === true;
  if (extra !== undefined || all === (id !== undefined))
    return usageReply("adopt needs one name, or --all.", `Usage: holdpoint ${adoptVerb.usage}`);
  const names = all ? await unadopted(call.parts) : [id ?? ""];
  const options = optionsOf(call.flags);
  const adoptions: Adoption[] = [];
  for (const name of names)
    adoptions.push(await adoptOne(call.parts, { id: name, options, caller: call.caller }));
  return replyFor(adoptions);
}

function optionsOf(flags: Call["flags"]): JsonObject {
  const { side = null, numbering = null, yes = false } = flags;
  return { side, numbering, yes, dryRun: flags["dry-run"] === true };
}

function replyFor(adoptions: readonly Adoption[]): Reply {
  const { good, bad, bold, dim, warn } = style();
  const refused = adoptions.filter((one) => one.kind === "refused");
  const unsure = adoptions.some((one) => one.kind === "unsure");
  const exit: ExitCode = refused.length > 0 ? 10 : unsure ? 11 : 0;
  const marks = {
    adopted: good("✓ adopted"),
    already: dim("✓ already adopted"),
    preview: dim("would adopt"),
    unsure: warn("? needs --yes"),
    refused: bad("✗ refused"),
  };
  const text = adoptions.flatMap((one) => [
    `${marks[one.kind]} ${bold(safe(one.id))}`,
    ...one.summary.map((line) => `    ${safe(line)}`),
    ...one.refusals.map(
      ({ message, fix, code, rule }) =>
        `    ${safe(message)}\n      ${safe(fix)} ${dim(`(${code}, ${rule})`)}`,
    ),
  ]);
  return {
    exit,
    json: {
      ok: exit === 0,
      workflows: adoptions.map(({ kind, id, summary, refusals }) => ({
        id,
        result: kind,
        summary: [...summary],
        refusals: refusals.map((one) => ({ ...one })),
      })),
      refusals: refused.flatMap((one) => one.refusals.map((refusal) => ({ ...refusal }))),
    },
    text: text.length === 0 ? "There is nothing here to adopt." : text.join("\n"),
  };
}
