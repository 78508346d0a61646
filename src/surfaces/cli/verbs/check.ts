import type { CheckFinding, Step } from "../../../core/check/check.ts";
import type { Answered } from "../../../operations/parts/answers.ts";
import { check } from "../../../operations/check.ts";
import type { CheckInput, CheckedAnswer } from "../../../operations/check.ts";
import { safe, style } from "../terminal/style.ts";
import type { Verb } from "../verb.ts";

export const checkVerb: Verb<CheckInput, Answered<CheckedAnswer>> = {
  operation: check,
  args: ["protocol"],
  exit: ({ ok }) => (ok ? 0 : 10),
  text: ({ protocol, version, places, steps, proved, findings }) => {
    const { good, bold, dim } = style();
    const size = dim(`${places} places, ${steps} steps`);
    return [
      `${bold(safe(protocol))} ${version}  ${size}`,
      ...proved.map(({ says }) => `${good("✓")} ${says}`),
      ...findings.flatMap(findingLines),
    ].join("\n");
  },
};

function findingLines({ code, message, fix, steps, loop = [] }: CheckFinding): readonly string[] {
  const { bad, dim } = style();
  return [
    `${bad("✗")} ${safe(message)} ${dim(`(${code})`)}`,
    ...steps.map((step, index) => `    ${index + 1}. ${stepLine(step)}`),
    ...(loop.length === 0 ? [] : ["    and then, again and again:"]),
    ...loop.map((step) => `    ↻ ${stepLine(step)}`),
    `    ${safe(fix)}`,
  ];
}

function stepLine({ by, does, at, asks }: Step): string {
  const open = asks.length === 0 ? "" : `, and ${asks.join(", ")} is asked`;
  return safe(`${by} ${does}: now at ${at}${open}`);
}
