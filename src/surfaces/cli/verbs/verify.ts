import type { FailedAnswer } from "../../../operations/answers.ts";
import { verify } from "../../../operations/verify.ts";
import type { Verified, VerifyInput } from "../../../operations/verify.ts";
import { said } from "../reply.ts";
import { safe, style } from "../style.ts";
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
      ...(workflows.length === 0 ? ["No workflow files here."] : workflows.flatMap(linesOf)),
      ...warningLines(warnings),
    ].join("\n"),
};

function linesOf({
  id,
  exit,
  heading,
  findings,
  ended,
}: Verified["workflows"][number]): readonly string[] {
  const { good, bad, bold, dim } = style();
  return [
    `${exit === 0 || ended === true ? good("✓") : bad("✗")} ${bold(safe(id))}  ${heading}`,
    ...findings.map(
      ({ code, file, line, message, fix, rule }) =>
        `    ${file}${line > 0 ? `:${line}` : ""}  ${safe(message)}\n      ${safe(said(fix))} ${dim(`(${code}, ${rule})`)}`,
    ),
  ];
}
