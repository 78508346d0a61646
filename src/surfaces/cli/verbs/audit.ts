import type { RefusedAnswer } from "../../../operations/answers.ts";
import { audit } from "../../../operations/audit.ts";
import type { Audited, AuditInput } from "../../../operations/audit.ts";
import { safe, style } from "../style.ts";
import type { Verb } from "../verb.ts";

export const auditVerb: Verb<AuditInput, Audited | RefusedAnswer> = {
  operation: audit,
  args: ["workflow"],
  text: (answer) =>
    answer.page === undefined
      ? journalText(answer)
      : [answer.page, "## Journal", "", journalText(answer)].join("\n"),
};

function journalText({ chain, entries, refusals, forged, doubts }: Audited): string {
  const { dim, bold, good, bad } = style();
  const { damage } = chain;
  return [
    ...entries.flatMap(({ seq, at, actor, agent, events }) => [
      `${bold(String(seq).padStart(4))} ${dim(at)} ${safe(whoDid(actor, agent))}`,
      ...events.map((event) => `       ${safe(event)}`),
    ]),
    ...(refusals.length === 0 ? [] : ["", bold("Refused")]),
    ...refusals.flatMap(({ at, actor, agent, command, step, refusals: reasons }) =>
      reasons.map(
        (one) =>
          `     ${dim(at)} ${safe(whoDid(actor, agent))} ${safe(step === "" ? command : step)}: ${safe(one.message)} ${dim(`(${one.code})`)}`,
      ),
    ),
    "",
    ...doubts.map((one) => dim(safe(one))),
    ...forged.map(({ seq, message }) => bad(`✗ record ${seq}: ${safe(message)}`)),
    damage === undefined
      ? good(`✓ ${chain.records} ${chain.records === 1 ? "record" : "records"}, chain unbroken`)
      : bad(`✗ ${safe(damage.message)}`),
  ].join("\n");
}

/** The agent by its client's name for it, where there is one. */
function whoDid(actor: string, agent: string | undefined): string {
  return agent === undefined ? actor : `${actor} (${agent})`;
}
