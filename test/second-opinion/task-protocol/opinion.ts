/** All that the protocol says of one task's files. */
import { type Objection, fieldsOf, said, unless } from "../opinion.ts";
import { judgeArtifacts } from "./artifacts.ts";
import { type TaskFiles, logOf, stateOf } from "./files.ts";
import { judgeLock, judgeState } from "./lock.ts";

export function judgeTask(files: TaskFiles): readonly Objection[] {
  return [...judgeLock(files), ...judgeState(files), ...judgeArtifacts(files)];
}

/** The log only grows, the lock stays with its owner, and what is shown is what the branch holds. */
export function judgeKept(before: TaskFiles, after: TaskFiles): readonly Objection[] {
  const old = logOf(before.lock);
  const same = JSON.stringify(logOf(after.lock).slice(0, old.length)) === JSON.stringify(old);
  const [was, is] = [before, after].map(({ lock }) => said(lock?.["session_id"]));
  if (after.lock === undefined) return [];
  const entered = stateOf(before) !== stateOf(after) && stateOf(after) === "AWAITING_USER_APPROVAL";
  const shown = fieldsOf(after.lock["checkpoint"])["commit_sha"];
  return [
    ...unless(!entered || shown === after.head, "history:shown", `${said(shown)} was shown`),
    ...unless(same, "history:log", "the log was rewritten"),
    ...unless(was === is, "history:owner", `it went from ${was} to ${is}`),
  ];
}
