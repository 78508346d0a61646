/** Verbs for releases: what is to be released, how it must be proven, and with which keys. */
import { hold } from "../../../operations/hold.ts";
import type { Held, HoldInput } from "../../../operations/hold.ts";
import { keys } from "../../../operations/keys.ts";
import type { KeysInput, KeysTold } from "../../../operations/keys.ts";
import type { Answered, Taken } from "../../../operations/parts/answers.ts";
import { policy } from "../../../operations/policy.ts";
import type { PolicyInput, PolicyTold } from "../../../operations/policy.ts";
import { cardLines, ruleText } from "../text/card-text.ts";
import { againOf, takenText } from "../text/reply.ts";
import { isFull } from "../terminal/fold.ts";
import { said } from "../text/said.ts";
import { safe, style } from "../terminal/style.ts";
import type { Verb } from "../verb.ts";

export const holdVerb: Verb<HoldInput, Answered<Held>> = {
  operation: hold,
  args: ["workflow"],
  text: heldText,
};

function heldText(held: Held): string {
  const { workflow, card, digest, since, changes, more, shownBefore, again = [] } = held;
  const { dim, bold } = style();
  const named = since === "" ? "the first commit" : since.slice(0, 12);
  return [
    ...cardLines(card),
    "",
    ...againOf({ id: held.hold }, again, workflow),
    bold(changes.length === 0 ? `Nothing changed since ${named}` : `Changed since ${named}:`),
    ...changes.flatMap(({ path, change, diff = "", left }) => [
      `  ${safe(`${change} ${path}`)}${left === undefined ? "" : dim(safe(` (${left}${diff === "" || isFull() ? "" : ": --full"})`))}`,
      ...(diff === "" ? [] : diff.split("\n").map((line) => `    ${safe(line)}`)),
    ]),
    ...(more === 0 ? [] : [`  (${more} more files: --full)`]),
    "",
    ...(held.hold === ""
      ? [`Nothing waits for a person: there is nothing to release in ${safe(workflow)} now.`]
      : [
          `card ${digest}`,
          ...(shownBefore === false ? ["It is not what was last shown here."] : []),
          dim(safe(`holdpoint answer ${workflow} <choice> answers it; --sign signs it`)),
        ]),
  ].join("\n");
}

export const policyVerb: Verb<PolicyInput, Answered<PolicyTold | Taken>> = {
  operation: policy,
  args: [],
  text: (answer, more) => ("rule" in answer ? policyText(answer) : takenText(answer, more)),
};

function policyText({
  rule,
  gates,
  from,
  signers,
  weakened,
  problems,
  choices,
}: PolicyTold): string {
  const { bold, warn, dim } = style();
  return [
    `${bold("Every gate:")} ${safe(ruleText(rule))}`,
    ...gates.map((one) => `${bold(safe(one.gate))}: ${safe(ruleText(one.rule))}`),
    from.length === 0
      ? dim('No policy is committed. "policy" in holdpoint.config.json makes one.')
      : `from ${safe(from.join(" and "))}; of several, what asks for more counts`,
    ...(signers.length === 0
      ? []
      : ["Keys that count:", ...signers.map((one) => `  ${safe(one)}`)]),
    ...weakened.map((one) => warn(safe(`! not counted: ${one}`))),
    ...problems.map((one) => warn(safe(`! ${one}`))),
    ...choices.map((one) => `To let it count: ${safe(said(one))}`),
  ].join("\n");
}

export const keysVerb: Verb<KeysInput, Answered<KeysTold>> = {
  operation: keys,
  args: [],
  text: keysText,
};

function keysText({ keys: own, file, added, made, next }: KeysTold): string {
  const { warn, bold, dim } = style();
  return [
    ...(made === undefined ? [] : [`${bold("Made a new key:")} ${safe(made)}`]),
    ...(added === undefined ? [] : [`${bold("Added to")} ${safe(file)}: ${safe(added)}`]),
    ...(own.length === 0 ? [dim("You have no keys in ~/.ssh.")] : []),
    ...own.flatMap(({ file: key, type, names, warnings }) => [
      `${safe(key)} ${dim(safe(type))}  ${names.length === 0 ? "does not count here" : `counts as ${safe(names.join(", "))}`}`,
      ...warnings.map((one) => warn(safe(`  ! ${one}`))),
    ]),
    ...(next.length === 0 ? [] : [bold("Then:"), ...next.map((one) => `    ${safe(one)}`)]),
  ].join("\n");
}
