/** Verbs of our own command line that only people may use. An agent's shell is told so before it tries. */
import type { Denial } from "./call.ts";

const PERSONS: Readonly<Record<string, string>> = {
  answer: "a question is answered by the person it was asked",
  approve: "what is held is released by a person",
  hold: "a hold is set and ended by a person",
  adopt: "taking files over as they are is a person's decision",
  uninstall: "the hooks are taken out by a person",
  policy: "who may release what is a person's decision",
  keys: "keys are a person's",
  fence: "the fence around a branch is a person's",
};

/** Variables that a client sets in its agents' shells. Removing them would hide the agent. */
const MARKS =
  /^(?:\*|CLAUDECODE|CLAUDE_CODE_\w+|CODEX_\w+|GEMINI_CLI|COPILOT_\w+|OPENCODE\w*|CURSOR_AGENT|CLINE_ACTIVE|AI_AGENT|HOLDPOINT_ACTOR)$/;

export function judgeHoldpoint(args: readonly string[], env: readonly string[]): readonly Denial[] {
  if (args.includes("--help") || args.includes("-h")) return [];
  const verb = args.find((one) => !one.startsWith("-")) ?? "";
  if (Object.hasOwn(PERSONS, verb)) return [personal(verb, PERSONS[verb] ?? "")];
  if (verb === "reconcile" && args.includes("--settings"))
    return [
      personal("reconcile --settings", "settings that decide about gates are accepted by a person"),
    ];
  if (verb === "order" && args.includes("--take"))
    return [personal("order --take", "work is given free by a person")];
  const claims = args.some(
    (one, at) =>
      one.startsWith("--as=person") ||
      (one === "--as" && args[at + 1]?.startsWith("person") === true),
  );
  if (claims || env.some((name) => MARKS.test(name)))
    return [personal(verb, "an agent acts under its own name")];
  return [];
}

/** A text that cannot be parsed as a command but asks for one of these verbs. */
export function personalIn(text: string): Denial | undefined {
  const verbs = Object.keys(PERSONS).join("|");
  const [, verb] =
    new RegExp(
      `\\bholdpoint(?:@[\\w.-]*)?(?:\\.c?js)?(?:\\W{1,4}main\\b)?[\\W_]{1,8}(${verbs})\\b`,
    ).exec(text) ?? [];
  return verb === undefined ? undefined : personal(verb, PERSONS[verb] ?? "");
}

function personal(verb: string, why: string): Denial {
  return {
    code: "person-only",
    rule: "core",
    message: `holdpoint ${verb} is not an agent's: ${why}.`,
    fix: "Say what is asked and what you would advise, and end your turn.",
    lift: `a person types holdpoint ${verb} in a terminal of their own.`,
  };
}
