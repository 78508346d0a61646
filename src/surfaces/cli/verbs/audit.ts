import { audit, tell } from "../../../engine/audit.ts";
import type { Audit } from "../../../engine/audit.ts";
import { find } from "../../../engine/engine.ts";
import { refusedReply, usageReply } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const auditVerb: Verb = {
  summary: "Who did what and when, with the chain checked and every gap named",
  usage: "audit <name>",
  options: {},
  examples: ["holdpoint audit TapeDelay", "holdpoint audit TapeDelay --json"],
  readOnly: () => true,
  run,
};

async function run({ parts, args }: Call): Promise<Reply> {
  const [id] = args;
  if (id === undefined)
    return usageReply("audit needs a name.", `Usage: holdpoint ${auditVerb.usage}`);
  const found = await find(parts, id);
  if (found.kind === "refused") return refusedReply(found.refusals);
  const report = await audit(parts, found);
  const sound = report.chain.damage === undefined;
  const { compliance } = report;
  const text =
    compliance === undefined
      ? textOf(report)
      : [compliance.markdown, "## Journal", "", textOf(report)].join("\n");
  return { exit: sound ? 0 : 1, json: jsonOf(id, report), text };
}

function jsonOf(workflow: string, { chain, entries, refusals, compliance }: Audit): Reply["json"] {
  const { damage } = chain;
  return {
    ok: damage === undefined,
    workflow,
    chain: {
      records: chain.records,
      void: chain.void,
      torn: chain.torn,
      head: { ...chain.head },
      ...(damage === undefined ? {} : { damage: { ...damage } }),
    },
    entries: entries.map(({ events, ...entry }) => ({ ...entry, events: events.map(tell) })),
    refusals: refusals.map(({ refusals: reasons, ...entry }) => ({
      ...entry,
      refusals: reasons.map((one) => ({ ...one })),
    })),
    ...(compliance === undefined ? {} : { compliance: compliance.json }),
  };
}

function textOf({ chain, entries, refusals }: Audit): string {
  const { dim, bold, good, bad } = style();
  const { damage } = chain;
  return [
    ...entries.flatMap(({ seq, at, actor, events }) => [
      `${bold(String(seq).padStart(4))} ${dim(at)} ${safe(actor)}`,
      ...events.map((event) => `       ${safe(tell(event))}`),
    ]),
    ...(refusals.length === 0 ? [] : ["", bold("Refused")]),
    ...refusals.flatMap(({ at, actor, command, step, refusals: reasons }) =>
      reasons.map(
        (one) =>
          `     ${dim(at)} ${safe(actor)} ${safe(step === "" ? command : step)}: ${safe(one.message)} ${dim(`(${one.code})`)}`,
      ),
    ),
    "",
    damage === undefined
      ? good(`✓ ${chain.records} ${chain.records === 1 ? "record" : "records"}, chain unbroken`)
      : bad(`✗ ${safe(damage.message)}`),
  ].join("\n");
}
