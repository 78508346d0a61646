import type { Consequence, Option, Question } from "../../../core/table/protocol.ts";
import { KEPT } from "./rows.ts";

/** The kinds of menus in the plugin workflow, and options shared by many of them. */

const PAUSE: readonly Consequence[] = [{ set: { paused: { value: "stage" } } }];

export function stageMenu(prompt: string, menu: string, options: readonly Option[]): Question {
  return { prompt, options, menu: `menu:${menu}`, grant: ["express"], rule: "PW-215" };
}

export function failureMenu(
  prompt: string,
  menu: string,
  rule: string,
  options: readonly Option[],
): Question {
  return { prompt, options, menu: `menu:${menu}`, rule };
}

/** After an error, advance grants no longer apply: a person must confirm each further step. */
export function errorMenu(
  prompt: string,
  menu: string,
  rule: string,
  options: readonly Option[],
): Question {
  const manual: Consequence = { set: { express: { value: false } } };
  const careful = options.map((one) =>
    one.leaves === "open" ? one : { ...one, does: [manual, ...one.does] },
  );
  return failureMenu(prompt, menu, rule, careful);
}

/** Binds an answer to what existed when it was given. */
export function bound(binds: readonly string[], question: Question): Question {
  return { ...question, binds };
}

/** The first option of a checkpoint. It moves the workflow on, which only a person may do. */
export function go(label: string, does: readonly Consequence[]): Option {
  const resumed: Consequence = { set: { paused: { value: null } } };
  return { id: "continue", label, recommended: true, does: [resumed, ...does] };
}

export function look(id: string, label: string, discovery?: string): Option {
  return { id, label, leaves: "open", does: [], ...(discovery === undefined ? {} : { discovery }) };
}

/** A paused workflow only continues when a person says so: see the question `resume`. */
export function pause(): Option {
  return { id: "pause", label: "Pause here", does: PAUSE };
}

export function retry(): Option {
  return {
    id: "retry",
    label: "Hand the work out again",
    recommended: true,
    does: [],
    report: "repeated",
  };
}

export function manual(): Option {
  return {
    id: "manual",
    label: "Fix it by hand; resume later",
    words: ["pause"],
    does: PAUSE,
  };
}

/** The answer is bound to exactly the changes made while no agent was at work. */
export function unorderedMenu(): Question {
  const binds = ["unordered:."];
  const kept: Consequence = { finding: KEPT, on: "root", value: { value: "kept" }, binds };
  const prompt = "No agent was ordered to do this: {about.message}. Is it meant?";
  const menu = errorMenu(prompt, "unordered_changes", "PW-222", [
    { id: "keep", label: "Keep it: it is meant", does: [kept] },
    { id: "restore", label: "I will take it back", does: [], recommended: true },
  ]);
  return bound(binds, menu);
}

/** Asked if commits of earlier checkpoints have changed. Accepting the report accepts that change. */
export function historyMenu(): Question {
  return errorMenu(
    "The commits of before are not as they were: {about.message}",
    "history",
    "PW-099",
    [
      {
        id: "again",
        label: "They are back: look again",
        recommended: true,
        does: [],
        report: "taken",
      },
      {
        id: "accept",
        label: "It is meant: take the report",
        why: true,
        does: [{ set: { rewritten: { value: true } } }],
        report: "taken",
      },
      { ...retry(), recommended: false },
    ],
  );
}
