import { adopt } from "../../../operations/adopt.ts";
import type { AdoptAnswer, AdoptInput } from "../../../operations/adopt.ts";
import type { FailedAnswer } from "../../../operations/parts/answers.ts";
import { said } from "../said.ts";
import { cited, safe, style } from "../style.ts";
import type { Verb } from "../verb.ts";

export const adoptVerb: Verb<AdoptInput, AdoptAnswer | FailedAnswer> = {
  operation: adopt,
  args: ["workflow"],
  exit: ({ ok, refusals }) => (refusals.length > 0 ? 10 : ok ? 0 : 11),
  text: ({ workflows }) =>
    workflows.length === 0
      ? "There is nothing here to adopt."
      : workflows.flatMap(linesOf).join("\n"),
};

function linesOf(one: AdoptAnswer["workflows"][number]): readonly string[] {
  const { good, bad, bold, dim, warn } = style();
  const marks = {
    adopted: good("✓ adopted"),
    already: dim("✓ already adopted"),
    preview: dim("would adopt"),
    unsure: warn("? needs --yes"),
    refused: bad("✗ refused"),
  };
  return [
    `${marks[one.result]} ${bold(safe(one.id))}`,
    ...one.summary.map((line) => `    ${safe(line)}`),
    ...(one.changes?.length === 0 ? ["    no file would change"] : []),
    ...(one.changes ?? []).flatMap(({ file, diff }) => [
      `    ${bold(safe(file))}`,
      ...diff.split("\n").map((line) => `      ${painted(safe(line))}`),
    ]),
    ...one.refusals.map(
      (refusal) =>
        `    ${safe(refusal.message)}\n      ${safe(said(refusal.fix))}${cited(refusal)}`,
    ),
  ];
}

function painted(line: string): string {
  const { good, bad, dim } = style();
  if (line.startsWith("+")) return good(line);
  return line.startsWith("-") ? bad(line) : dim(line);
}
