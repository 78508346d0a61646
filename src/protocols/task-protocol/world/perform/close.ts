import type { Workflow } from "../../../../core/state/state.ts";
import { closeChangelog, closeTodo } from "../../files/close-lists.ts";
import type { Completion } from "../../files/close-lists.ts";
import { parseTodo } from "../../files/todo-md.ts";
import type { Branches, BranchMoved, Done, SettleText } from "../../../../ports/worktrees.ts";
import { text } from "../../../../core/values/json-read.ts";

export interface Closing {
  readonly state: Workflow;
  readonly branch: string;
  readonly base: string;
  /** Empty if none was given. */
  readonly message: string;
}

/** Makes one commit on top of the current main, with the task closed in both lists. */
export async function closeTask(branches: Branches, closing: Closing): Promise<Done<BranchMoved>> {
  const { state, branch, base } = closing;
  const { todo, changelog, completion } = state.vars;
  const how: Completion = completion === "mark" ? "mark" : "remove+changelog";
  const title = await titleOf(branches, closing);
  const change = { task: state.id, date: state.updatedAt.slice(0, 10), title };
  const list: SettleText = (versions) =>
    versions.ours === undefined && versions.theirs === undefined
      ? undefined
      : closeTodo(versions, state.id, how);
  const log: SettleText = (versions) => closeChangelog(versions, change);
  return await branches.squash({
    branch,
    base,
    task: state.id,
    message: closing.message || title,
    keepsMessage: closing.message === "",
    at: state.updatedAt,
    settles: { [text(todo)]: list, ...(how === "mark" ? {} : { [text(changelog)]: log }) },
  });
}

/** The task's purpose according to the list. The branch may already have removed its entry. */
async function titleOf(branches: Branches, { state, branch, base }: Closing): Promise<string> {
  for (const at of [base, branch]) {
    const list = await branches.file(at, text(state.vars["todo"]));
    const entry = parseTodo(list ?? "").entries.find((one) => one.name === state.id);
    const said = entry?.description.trim() ?? "";
    if (said !== "") return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
  }
  return `Finish ${state.id}`;
}
