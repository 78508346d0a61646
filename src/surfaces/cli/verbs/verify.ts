import type { FailedAnswer } from "../../../operations/parts/answers.ts";
import { verify } from "../../../operations/verify.ts";
import type { Verified, VerifyInput } from "../../../operations/verify.ts";
import { said } from "../said.ts";
import { cited, safe, style } from "../style.ts";
import type { ExitCode, Verb } from "../verb.ts";
import { warningLines } from "./list.ts";

/** `verify` has the exit codes of the protocols: with several workflows the highest. */
export const verifyVerb: Verb<VerifyInput, Verified | FailedAnswer> = {
  operation: verify,
  args: ["workflow"],
  exit: ({ ok, workflows }) =>
    ok ? 0 : workflows.reduce<ExitCode>((worst, { exit }) => (exit > worst ? exit : worst), 0),
  text: ({ workflows, warnings = [] }) =>
    [
      ...(workflows.length === 0 ? ["No workflow files here."] : summary(workflows)),
      ...worstFirst(workflows).flatMap(linesOf),
      ...warningLines(warnings),
    ].join("\n"),
};

/** How many and how bad, before the details. */
function summary(workflows: Verified["workflows"]): readonly string[] {
  const { good, bad, bold } = style();
  if (workflows.length === 1) return [];
  const wrong = workflows.filter((one) => !isSound(one));
  if (wrong.length === 0) return [good(`✓ All ${workflows.length} workflows are sound`)];
  const findings = wrong.reduce((sum, one) => sum + one.findings.length, 0);
  const many = findings === 1 ? "1 finding" : `${findings} findings`;
  return [bad("✗ ") + bold(`${wrong.length} of ${workflows.length} workflows: ${many}`), ""];
}

function worstFirst(workflows: Verified["workflows"]): Verified["workflows"] {
  return workflows.toSorted((a, b) => Number(isSound(a)) - Number(isSound(b)) || b.exit - a.exit);
}

function isSound({ exit, ended }: Verified["workflows"][number]): boolean {
  return exit === 0 || ended === true;
}

function linesOf(one: Verified["workflows"][number]): readonly string[] {
  const { id, heading, findings } = one;
  const { good, bad, bold } = style();
  return [
    `${isSound(one) ? good("✓") : bad("✗")} ${bold(safe(id))}  ${heading}`,
    ...findings.map(
      ({ file, line, message, fix, ...finding }) =>
        `    ${file}${line > 0 ? `:${line}` : ""}  ${safe(message)}\n      ${safe(said(fix))}${cited(finding)}`,
    ),
  ];
}
