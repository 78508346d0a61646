import type { ChainAudited } from "../../../operations/audit-chain.ts";
import type { Answered } from "../../../operations/parts/answers.ts";
import { audit } from "../../../operations/audit.ts";
import type { Audited, AuditInput } from "../../../operations/audit.ts";
import { compareTexts } from "../../../core/values/json.ts";
import { flag } from "../../../operations/operation.ts";
import { isFull } from "../terminal/fold.ts";
import { cited, safe, style } from "../terminal/style.ts";
import type { Verb } from "../verb.ts";

export const auditVerb: Verb<AuditInput, Answered<Audited | ChainAudited>> = {
  operation: audit,
  args: ["workflow"],
  options: { all: flag("also bookkeeping: settings, counters, leases") },
  text: (answer, { flags }) => {
    if ("journals" in answer) return chainText(answer);
    const story = journalText(answer, flags["all"] === true);
    return answer.page === undefined ? story : [pageText(answer.page), "", story].join("\n");
  },
};

/** The protocol's judgement: passed rules are counted, others are shown. */
function pageText(page: string): string {
  const lines = page.trimEnd().split("\n");
  const passed = lines.filter((line) => PASSED.test(line));
  if (isFull() || passed.length === 0) return page;
  const rest = lines.filter((line) => !PASSED.test(line));
  const failed = rest.some((line) => /^\| \d/.test(line));
  const told = failed ? rest : rest.filter((line) => !line.startsWith("|"));
  return [...told, `(${passed.length} checks passed: --full)`]
    .join("\n")
    .replaceAll(/\n{3,}/g, "\n\n");
}

const PASSED = /^\| [\d.]+ \| pass /;

function chainText({ journals, bad, doubts, signatures, commits, witness }: ChainAudited): string {
  const { dim, good, bad: red } = style();
  const records = journals.reduce((sum, one) => sum + one.records, 0);
  const looked = `${journals.length} journals with ${records} records, ${signatures} signatures, ${commits} commits`;
  return [
    ...doubts.map((one) => dim(safe(one))),
    ...bad.map(({ journal, seq, message }) =>
      red(`✗ ${safe(journal)}${seq === 0 ? "" : `, record ${seq}`}: ${safe(message)}`),
    ),
    bad.length === 0 ? good(`✓ ${looked}: they agree`) : red(`✗ ${looked}: they do not agree`),
    ...(witness === undefined
      ? []
      : [
          `The witness had seen ${witness.seen} times${witness.kept ? ", and has seen it again" : ", and was not shown this"}.`,
        ]),
  ].join("\n");
}

function journalText(answer: Audited, all: boolean): string {
  const { chain, forged, doubts } = answer;
  const { dim, good, bad } = style();
  const { damage } = chain;
  return [
    ...storyOf(answer, all).flatMap(({ at, lines: [first = "", ...rest] }) => [
      `${dim(clock(at))}  ${first}`,
      ...rest,
    ]),
    "",
    ...doubts.map((one) => dim(safe(one))),
    ...forged.map(({ seq, message }) => bad(`✗ record ${seq}: ${safe(message)}`)),
    damage === undefined
      ? good(`✓ ${chain.records} ${chain.records === 1 ? "record" : "records"}, chain unbroken`)
      : bad(`✗ ${safe(damage.message)}`),
  ].join("\n");
}

interface Moment {
  readonly at: string;
  readonly lines: readonly string[];
}

/** What was recorded and what was refused, in chronological order. */
function storyOf({ entries, refusals }: Audited, all: boolean): readonly Moment[] {
  const { bold, dim, bad } = style();
  const recorded = entries.map(({ seq, at, actor, agent, events, story }) => ({
    at,
    lines: [
      `${bold(nameOf(actor))} ${dim(`(${agent === undefined ? "" : `${safe(agent)}, `}record ${seq})`)}`,
      ...(all ? events : story).map((one) => `  ${safe(one)}`),
    ],
  }));
  const refused = refusals.map(({ at, actor, command, step, refusals: reasons }) => ({
    at,
    lines: [
      `${bold(nameOf(actor))}: ${safe(step === "" ? command : step)} was refused`,
      ...reasons.map((one) => `  ${bad("✗")} ${safe(one.message)}${cited(one)}`),
    ],
  }));
  const told = all ? recorded : recorded.filter(({ lines }) => lines.length > 1);
  return [...told, ...refused].toSorted((a, b) => compareTexts(a.at, b.at));
}

function nameOf(actor: string): string {
  return actor.startsWith("engine:") ? "Holdpoint" : safe(actor);
}

/** Date and time as in the journal, without fractions of a second. */
function clock(at: string): string {
  return at.replace("T", " ").replace(/\.\d+Z$/, "Z");
}
