import type { Refusal } from "../core/decide/answer.ts";
import type { StartOption, StartOptions, Started } from "../ports/family.ts";

/** Turns each option given into the variable of the same name, if its value is allowed. */
export function varsFromOptions(
  options: Readonly<Record<string, StartOption>>,
  given: StartOptions,
): Started {
  const refusals = Object.entries(options).flatMap(([name, option]) =>
    wrongValue(name, option, given[name]),
  );
  if (refusals.length > 0) return { kind: "refused", refusals };
  const entries = Object.keys(options).flatMap((name) => {
    const value = given[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { kind: "ready", vars: Object.fromEntries(entries) };
}

function wrongValue(
  name: string,
  { type, values }: StartOption,
  value: string | boolean | undefined,
): readonly Refusal[] {
  if (value === undefined) return [];
  const shown = JSON.stringify(value);
  const rule = "core";
  if (typeof value !== type)
    return [
      {
        code: "option-type",
        message: `--${name} takes ${type === "string" ? "a text" : "no value"}, not ${shown}`,
        fix: type === "string" ? `Write --${name} <text>.` : `Write --${name} alone.`,
        rule,
      },
    ];
  if (values === undefined || values.some((one) => one === value)) return [];
  return [
    {
      code: "option-unknown-value",
      message: `--${name} cannot be ${shown}`,
      fix: `Use one of ${values.join(", ")}.`,
      rule,
    },
  ];
}
