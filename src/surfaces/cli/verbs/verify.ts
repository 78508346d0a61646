import type { FailedAnswer } from "../../../operations/parts/answers.ts";
import { verify } from "../../../operations/verify.ts";
import type { Verified, VerifyInput } from "../../../operations/verify.ts";
import { refusalText, said } from "../text/said.ts";
import { isFull } from "../terminal/fold.ts";
import { cited, safe, style } from "../terminal/style.ts";
import type { ExitCode, Verb } from "../verb.ts";
import { warningLines } from "./list.ts";

type Finding = Verified["workflows"][number]["findings"][number];

/** `verify` uses the protocols' exit codes; with several workflows, the highest. */
export const verifyVerb: Verb<VerifyInput, Verified | FailedAnswer> = {
  operation: verify,
  args: ["workflow"],
  exit: ({ ok, workflows }) =>
    ok ? 0 : workflows.reduce<ExitCode>((worst, { exit }) => (exit > worst ? exit : worst), 0),
  text: ({ workflows, warnings = [], next = [], mended, refusals = [] }, { flags }) =>
    [
      ...(mended ?? []).map((id) => `${style().good("✓")} mended ${style().bold(safe(id))}`),
      ...refusals.map(refusalText),
      ...(workflows.length === 0 ? ["No workflow files here."] : summary(workflows)),
      ...worstFirst(workflows).flatMap((one) =>
        linesOf(one, { fixing: flags["fix"] === true, alone: workflows.length === 1 }),
      ),
      ...fixHint(workflows, flags["fix"] === true),
      ...warningLines(warnings),
      ...next.map((one) => `    ${safe(said(one))}`),
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

/** Says once, with the command, how many could be repaired without a decision. */
function fixHint(workflows: Verified["workflows"], fixing: boolean): readonly string[] {
  const count = workflows.filter(({ mends }) => mends !== undefined).length;
  if (count === 0 || fixing) return [];
  const [only] = workflows.length === 1 ? workflows : [];
  const which = only === undefined ? "--all" : only.id;
  return [
    "",
    "Marked with +: lines or files are only missing. See, then mend them:",
    `    holdpoint verify ${which} --fix --dry-run`,
  ];
}

/** How many findings are shown for each of several workflows, with a note on how to see the rest. */
const FINDINGS_MAX = 3;

function linesOf(
  one: Verified["workflows"][number],
  { fixing, alone }: { readonly fixing: boolean; readonly alone: boolean },
): readonly string[] {
  const { id, heading, findings, mends = [] } = one;
  const { good, bad, bold, dim } = style();
  const told = alone || isFull() ? findings : findings.slice(0, FINDINGS_MAX);
  const more = findings.length - told.length;
  const files = [...new Set(told.map(({ file }) => file))];
  return [
    `${isSound(one) ? good("✓") : bad("✗")} ${bold(safe(id))}  ${heading}`,
    ...files.flatMap((file) => {
      const here = told.filter((finding) => finding.file === file);
      const isMissing = mends.some((mend) => mend.file === file);
      const mark = isMissing && here.some(({ code }) => code === "state-mismatch");
      return [
        ...(file === "" ? [] : [`  ${mark ? good("+") : " "} ${safe(file)}`]),
        ...here.flatMap(findingLines),
      ];
    }),
    ...(more === 0 ? [] : [dim(`    and ${more} more: holdpoint verify ${safe(id)}`)]),
    ...(fixing ? mends : []).flatMap(({ file, diff }) => [
      `    ${bold(safe(file))} would be:`,
      ...diff
        .split("\n")
        .map((line) => `      ${line.startsWith("+") ? good(safe(line)) : safe(line)}`),
    ]),
  ];
}

function findingLines({ line, message, fix, ...finding }: Finding): readonly string[] {
  const place = line > 0 ? `${line}` : "";
  return [
    `  ${place.padStart(5)}  ${safe(message)}`,
    `         ${safe(said(fix))}${cited(finding)}`,
  ];
}
