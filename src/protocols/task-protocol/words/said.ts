/**
 * What an agent is told with its order: people's answers, rejections of others with their reasons, blockers and
 * failures, merge conflicts, and why the task went back; everything since it was last asked for the same work.
 */
import type { JsonObject } from "../../../core/values/json.ts";
import { text } from "../../../core/values/json-read.ts";
import type { Dispatch, Workflow } from "../../../core/state/state.ts";
import { saidSince } from "../../../family/said.ts";
import { LOG } from "../table/log.ts";
import { taskProtocol } from "../table/protocol.ts";

export function saidTo(state: Workflow, dispatch: Dispatch): readonly string[] {
  const { spec, unit, id } = dispatch;
  const counts = (one: Dispatch): boolean => one.spec === spec;
  const last = Object.values(state.dispatches).findLast(
    (one) => one.id !== id && one.unit === unit && counts(one) && one.status === "ended",
  );
  const since = last?.sentAt ?? "";
  const said = saidSince(taskProtocol, state, dispatch, { words: wordsOf, counts });
  return [
    ...said.map((one) => one.text),
    ...othersSaid(state, dispatch, since),
    ...wentBack(state, since),
    ...conflictOf(state, unit),
  ];
}

function wordsOf(claim: JsonObject): readonly string[] {
  return ["feedback", "blocked_by", "details", "justification", "error_message"].map((name) =>
    text(claim[name]),
  );
}

/** Which reports other than a plain yes matter to agents on the same branch. */
const CONCERNS: Readonly<Record<string, readonly string[]>> = {
  REJECTED: ["implementation", "round-review", "review", "clarification", "scope"],
  BLOCKED: ["clarification", "implementation"],
  DONE: ["implementation", "validation", "clarification"],
  RESOLVE_NOW: ["requirements", "implementation", "round-review", "review"],
  DEFER: ["requirements", "implementation", "round-review", "review"],
};

function othersSaid(state: Workflow, to: Dispatch, since: string): readonly string[] {
  return Object.values(state.dispatches)
    .filter((one) => one.id !== to.id && one.status === "ended" && (one.endedAt ?? "") >= since)
    .filter((one) => one.unit !== to.unit || one.outcome === "DONE")
    .filter((one) => CONCERNS[one.outcome ?? ""]?.includes(to.spec) === true)
    .flatMap((one) => {
      const words = wordsOf(one.claim ?? {}).filter((word) => word !== "");
      const head = `${one.unit} (${one.id}, ${one.spec}) said ${one.outcome ?? ""}`;
      return words.length === 0 ? [] : [`${head}: ${words.join("; ")}`];
    });
}

/** The reasons of moves back, including a person's wish for changes. */
function wentBack(state: Workflow, since: string): readonly string[] {
  return state.notes
    .filter((note) => note.list === LOG && note.at >= since && note.text !== "")
    .map((note) => `The task went from ${note.tag.replace(" ", " to ")}: ${note.text}`);
}

/** If the agent's last work could not be merged, that conflict must be resolved first. */
function conflictOf(state: Workflow, agent: string): readonly string[] {
  const last = Object.values(state.effects).findLast(
    (one) => one.kind === "merge-ff" && one.args["agent"] === agent,
  );
  if (last?.status !== "failed") return [];
  const why = text(last.detail["message"]);
  return [
    `Your last work could not be merged: ${why}. Run git rebase ${state.id} in your worktree and resolve it.`,
  ];
}
