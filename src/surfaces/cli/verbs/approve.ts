/** What a person can vouch for, each with an id. Several can be named, or all after one look at the list. */
import { approve } from "../../../operations/approve.ts";
import type { ApproveInput, ToApprove } from "../../../operations/approve.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { flag } from "../../../operations/operation.ts";
import type { Answer } from "../../../operations/operation.ts";
import { usage } from "../../../operations/parts/answers.ts";
import type { Answered, Taken } from "../../../operations/parts/answers.ts";
import { takenText } from "../text/reply.ts";
import { safe, style } from "../terminal/style.ts";
import type { Call, Verb } from "../verb.ts";

export const approveVerb: Verb<ApproveInput, Answered<Taken | ToApprove>> = {
  operation: approve,
  args: ["workflow", "...what"],
  options: { yes: flag("with --all: do not ask") },
  prepare: withAll,
  text: (answer, more) =>
    "vouchable" in answer ? listLines(answer).join("\n") : takenText(answer, more),
};

/** Replaces "all" by the ids that were shown, so that nothing else is vouched for. */
async function withAll(
  { context, flags, terminal }: Call,
  typed: JsonObject,
): Promise<JsonObject | Answer> {
  const { workflow, what: named, all, ...rest } = typed;
  if (all !== true || named !== undefined || typeof workflow !== "string") return typed;
  const told = await approve.run(context, { workflow });
  if (!("vouchable" in told)) return told;
  const open = told.vouchable.filter(({ by }) => by === null);
  if (open.length === 0) return typed;
  const shown = { ...rest, workflow, what: open.map(({ id }) => id).join(" ") };
  if (flags["yes"] === true) return shown;
  if (!terminal.interactive)
    return usage(
      `--all would vouch for ${open.length}, and nobody can be asked here.`,
      `Look at them with holdpoint approve ${workflow}, then add --yes.`,
    );
  const said = await terminal.ask(
    `${listLines(told).join("\n")}\n\nVouch for all ${open.length} that are open? [y/N] `,
  );
  return ["y", "yes"].includes(said.trim().toLowerCase())
    ? shown
    : usage("Nothing was vouched for.", "Name those that hold by their ids.");
}

function listLines({ workflow, vouchable, waivable }: ToApprove): readonly string[] {
  const { good, warn, dim, bold } = style();
  const rows = vouchable.map(({ id, what, by }) =>
    by === null
      ? `${warn("?")} ${bold(id)}  ${safe(what)}`
      : `${good("✓")} ${bold(id)}  ${safe(what)} ${dim(`(${safe(by)})`)}`,
  );
  const open = vouchable.filter(({ by }) => by === null);
  return [
    ...(rows.length === 0
      ? [`${workflow} has nothing that a person vouches for by hand.`]
      : [bold("For a person to look at:"), ...rows]),
    ...(open.length === 0
      ? []
      : [
          "",
          "Vouch for what you have seen:",
          `    holdpoint approve ${workflow} ${open[0]?.id ?? ""}`,
          ...(open.length === 1 ? [] : [`    holdpoint approve ${workflow} --all`]),
        ]),
    ...(waivable.length === 0
      ? []
      : ["", dim(`Can be done without, with --waive --reason: ${safe(waivable.join(", "))}`)]),
  ];
}
