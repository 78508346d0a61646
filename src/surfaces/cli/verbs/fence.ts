import { fence } from "../../../operations/fence.ts";
import type { FenceCheck, FenceInput, FenceStatus } from "../../../operations/fence.ts";
import type { Answered, Taken } from "../../../operations/parts/answers.ts";
import { exitOf, takenText } from "../text/reply.ts";
import { said } from "../text/said.ts";
import { safe, style } from "../terminal/style.ts";
import type { Verb } from "../verb.ts";

export const fenceVerb: Verb<FenceInput, Answered<FenceStatus | FenceCheck | Taken>> = {
  operation: fence,
  args: ["action", "what", "commit"],
  shows: { what: "branch|range" },
  exit: (answer) => ("events" in answer ? exitOf(answer) : answer.ok ? 0 : 10),
  text: (answer, more) => {
    if ("events" in answer) return takenText(answer, more);
    return "commits" in answer && "range" in answer ? checkText(answer) : statusText(answer);
  },
};

function statusText({ ok, up, since, branches, problems }: FenceStatus): string {
  const { good, bad, dim, bold } = style();
  const stands = up
    ? `${bold("The fence is up")} since ${since}.`
    : ok
      ? good("✓ The fence is down: git moves every branch for everybody")
      : bold("The fence does not hold.");
  return [
    ...branches.map(({ branch, tip, released }) =>
      tip === released
        ? good(`✓ ${safe(branch)} stands at ${short(tip)}, as released`)
        : bad(`✗ ${safe(branch)} stands at ${short(tip)}; released is ${short(released)}`),
    ),
    ...problems.flatMap(({ message, fix }) => [
      bad(`✗ ${safe(message)}`),
      dim(`  ${safe(said(fix))}`),
    ]),
    stands,
  ].join("\n");
}

function checkText({ ok, range, commits }: FenceCheck): string {
  const { good, bad, bold } = style();
  return [
    ...commits.map(({ oid, released, why }) =>
      released
        ? good(`✓ ${short(oid)} released: ${safe(why)}`)
        : bad(`✗ ${short(oid)} ${safe(why)}`),
    ),
    bold(
      ok
        ? `Every commit of ${safe(range)} was released: ${commits.length}.`
        : `Not every commit of ${safe(range)} was released. What people signed elsewhere comes with: git fetch origin '${CARRIED}:${CARRIED}'`,
    ),
  ].join("\n");
}

function short(oid: string): string {
  return oid === "" ? "nothing" : oid.slice(0, 12);
}

const CARRIED = "refs/holdpoint/releases/*";
