import type { VerifiedWorkflow, VerifyFinding } from "../../../../core/guards/verified.ts";
import { parseMainLock } from "../main-lock.ts";
import { parseStateJson } from "../state-json.ts";
import { parseTaskJson } from "../task-json.ts";
import { checkTaskName } from "../task-name.ts";
import { finding, located, type Subject, type TaskTree } from "./finding.ts";
import {
  verifyAgents,
  verifyDocument,
  verifyReleases,
  verifyTodo,
  verifyTrail,
  verifyWorktrees,
} from "./task-parts.ts";

/**
 * Do the folders of tasks written by others hold together? Texts in, findings out, nothing changed.
 *
 *   exit  means                        when
 *   0     sound                        nothing found
 *   1     no lock                      a task's folder without task.json
 *   4     left over                    task.json says CLEANUP, and the folder is still there
 *   3     a release does not hold      approvals that are flags only, or missing where they are needed
 *   2     the state disagrees          anything else
 */
export function verifyTaskTree(tree: TaskTree): readonly VerifiedWorkflow[] {
  const judged = taskNames(tree).map((id): VerifiedWorkflow => {
    const findings = id === "main" ? verifyMain(tree) : verifyTask(tree, id);
    return { id, protocol: "task-protocol", exit: exitOf(findings), findings };
  });
  // The main worktree is not a task; it is reported only if its lock is wrong.
  return judged.filter((one) => one.id !== "main" || one.findings.length > 0);
}

function exitOf(findings: readonly VerifyFinding[]): VerifiedWorkflow["exit"] {
  const codes = new Set(findings.map((one) => one.code));
  if (codes.size === 0) return 0;
  if (codes.has("lock-missing")) return 1;
  if (codes.has("cleanup-left-over")) return 4;
  return [...codes].some((code) => code.startsWith("approval-")) ? 3 : 2;
}

/** Folders below the root that contain anything. Hidden ones are archives and caches. */
function taskNames({ root, texts }: TaskTree): readonly string[] {
  const names = [...texts.keys()]
    .filter((path) => path.startsWith(`${root}/`))
    .map((path) => path.slice(root.length + 1).split("/"))
    .filter((parts) => parts.length > 1 && parts[0]?.startsWith(".") === false)
    .map((parts) => parts[0] ?? "");
  return [...new Set(names)].toSorted();
}

function verifyTask(tree: TaskTree, id: string): readonly VerifyFinding[] {
  const dir = `${tree.root}/${id}`;
  const text = tree.texts.get(`${dir}/task.json`);
  const parsed = text === undefined ? undefined : parseTaskJson(text, { task: id });
  const subject: Subject = { tree, id, dir, lock: parsed?.value };
  const name = checkTaskName(id);
  return [
    ...(name === undefined ? [] : [finding(dir, "task-name", name)]),
    ...(parsed === undefined ? [noLock(subject)] : located(`${dir}/task.json`, parsed.problems)),
    ...misplacedLocks(subject),
    ...verifyState(subject),
    ...verifyDocument(subject),
    ...verifyAgents(subject),
    ...verifyReleases(subject),
    ...verifyTrail(subject),
    ...verifyTodo(subject),
    ...verifyWorktrees(subject),
  ];
}

function noLock({ dir, id }: Subject): VerifyFinding {
  return finding(`${dir}/task.json`, "lock-missing", `${id} has a folder but no task.json`);
}

/** Only `task.json` at the task's root is a lock. Similar files elsewhere are reported and ignored. */
function misplacedLocks({ tree, dir }: Subject): readonly VerifyFinding[] {
  return [...tree.texts]
    .filter(([path]) => path.startsWith(`${dir}/`) && path !== `${dir}/task.json`)
    .filter(
      ([path, text]) => /(?:^|\/)task\.(?:json|lock|txt)$/.test(path) && /session_id/.test(text),
    )
    .map(([path]) =>
      finding(path, "lock-misplaced", "This is no lock: only task.json at the task's root is"),
    );
}

function verifyState({ tree, dir, lock }: Subject): readonly VerifyFinding[] {
  const file = `${dir}/state.json`;
  const text = tree.texts.get(file);
  if (text !== undefined) return located(file, parseStateJson(text, lock).problems);
  if (lock === undefined) return [];
  return [finding(file, "state-missing", "There is no state.json")];
}

function verifyMain(tree: TaskTree): readonly VerifyFinding[] {
  const file = `${tree.root}/main/task.json`;
  const text = tree.texts.get(file);
  return text === undefined ? [] : located(file, parseMainLock(text).problems);
}
