import { matchesGlob } from "../../../core/values/glob.ts";

/**
 * Who may write where, read off the tasks as they stand. Hooks ask this about every tool call; what slips
 * past them is found again at the gates, by the diff of each worktree.
 */
export interface Access {
  /** Relative to the top of the main worktree, resolved. */
  readonly path: string;
  readonly writes: boolean;
  readonly session: string;
  /** The agent that acts, or undefined for the coordinator. */
  readonly agent?: string;
}

export interface TaskSeen {
  readonly id: string;
  readonly state: string;
  readonly session: string;
}

export interface AccessRules {
  readonly root: string;
  readonly tasks: readonly TaskSeen[];
  /** The session that may touch the main working tree, if one may. */
  readonly mainSession: string | undefined;
  /** Paths that need a task; the rest is free. */
  readonly guarded: readonly string[];
}

export const GUARDED_PATHS: readonly string[] = [
  "src/**",
  "test/**",
  "tests/**",
  "**/module-info.java",
];

export type Verdict =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      readonly code: string;
      readonly message: string;
      readonly rule: string;
    };

const ALLOWED: Verdict = { allowed: true };

export function judgeAccess(access: Access, rules: AccessRules): Verdict {
  const inside = access.path.startsWith(`${rules.root}/`);
  return inside ? judgeTaskPath(access, rules) : judgeMainPath(access, rules);
}

function deny(code: string, message: string, rule: string): Verdict {
  return { allowed: false, code, message, rule };
}

function judgeTaskPath(access: Access, rules: AccessRules): Verdict {
  const [id = "", ...rest] = access.path.slice(rules.root.length + 1).split("/");
  const task = rules.tasks.find((one) => one.id === id);
  if (task === undefined) return ALLOWED;
  if (task.session !== access.session)
    return deny("task-foreign", `${id} belongs to session ${task.session}`, "TP-022");
  if (!access.writes) return ALLOWED;
  if (rest[0] === "agents") return judgeAgentPlace(access, task, rest);
  return rest[0] === "code" ? judgeTaskCode(access, task, rest) : judgeDocument(access, rest);
}

function judgeAgentPlace({ agent }: Access, task: TaskSeen, rest: readonly string[]): Verdict {
  const [, owner = "", place = ""] = rest;
  if (agent !== owner)
    return deny(
      "worktree-foreign",
      `that is the place of ${owner}, not of ${agent ?? "the coordinator"}`,
      "TP-154",
    );
  if (place === "code" && task.state !== "IMPLEMENTATION")
    return deny("mode-invalid", `in ${task.state} agents write no source`, "TP-092");
  return ALLOWED;
}

const MECHANICAL: readonly string[] = ["VALIDATION", "SYNTHESIS", "AWAITING_USER_APPROVAL"];

/** The task worktree is the coordinator's, but not for source while agents implement. */
function judgeTaskCode({ agent }: Access, task: TaskSeen, rest: readonly string[]): Verdict {
  if (agent !== undefined)
    return deny("worktree-foreign", `${agent} writes in its own worktree only`, "TP-154");
  const file = rest.slice(1).join("/");
  if (/^(?:todo|changelog)\.md$/.test(file) || MECHANICAL.includes(task.state)) return ALLOWED;
  return deny(
    "coordinator-implements",
    `in ${task.state} the coordinator writes no ${file}`,
    "TP-153",
  );
}

function judgeDocument({ agent }: Access, rest: readonly string[]): Verdict {
  const file = rest.join("/");
  const own = agent === undefined ? file === "task.md" : file.endsWith(`-${agent}-requirements.md`);
  if (own) return ALLOWED;
  return deny(
    "view-owned",
    `${file} is written by Holdpoint`,
    agent === undefined ? "TP-067" : "TP-092",
  );
}

function judgeMainPath({ path, writes, session, agent }: Access, rules: AccessRules): Verdict {
  if (!writes) return ALLOWED;
  const own = rules.tasks.some((one) => one.session === session);
  if (agent !== undefined && own)
    return deny("worktree-foreign", `${agent} writes in its own worktree only`, "TP-154");
  if (rules.guarded.some((pattern) => matchesGlob(pattern, path)) && !own)
    return deny("task-required", `${path} is changed by a task only`, "TP-228");
  if (rules.mainSession === session) return ALLOWED;
  if (!own && !rules.guarded.some((pattern) => matchesGlob(pattern, path))) return ALLOWED;
  return deny(
    "main-lock-missing",
    "a task's lock is no licence for the main working tree",
    "TP-043",
  );
}

const MAIN_VERBS: readonly string[] = [
  "status",
  "log",
  "diff",
  "show",
  "worktree",
  "branch",
  "fetch",
  "rev-parse",
  "ls-files",
];

export interface GitCall {
  readonly args: readonly string[];
  readonly session: string;
  readonly onMain: boolean;
}

/** What git may be asked for on the main working tree: reading, worktrees, and a fast-forward under the lock. */
export function judgeGit({ args, session, onMain }: GitCall, rules: AccessRules): Verdict {
  const verb = args.find((one) => !one.startsWith("-")) ?? "";
  const rest = args.slice(args.indexOf(verb) + 1);
  if (verb === "branch" && rest.some((one) => /^(?:-f|--force|-M|-C)$/.test(one)))
    return deny("branch-forced", "no branch is moved by force", "TP-193");
  const foreign = rules.tasks.find(
    (one) => one.session !== session && rest.some((word) => names(word, one.id, rules.root)),
  );
  if (foreign !== undefined && DESTRUCTIVE.includes(verb))
    return deny("task-foreign", `${foreign.id} belongs to session ${foreign.session}`, "TP-035");
  if (!onMain || MAIN_VERBS.includes(verb)) return ALLOWED;
  if (
    (verb === "checkout" || verb === "switch") &&
    rules.tasks.some((one) => rest.some((word) => names(word, one.id, rules.root)))
  )
    return deny("main-branch", "the main working tree stays on its branch", "TP-045");
  if (rules.mainSession !== session)
    return deny("main-lock-missing", `git ${verb} on main needs the main lock`, "TP-037");
  const forward = verb === "merge" && rest.includes("--ff-only");
  return forward || verb === "pull" || verb === "checkout"
    ? ALLOWED
    : deny("main-verb", `git ${verb} is not done on main`, "TP-046");
}

const DESTRUCTIVE: readonly string[] = [
  "worktree",
  "branch",
  "checkout",
  "reset",
  "update-ref",
  "push",
];

/** A word that names a task's branch, one of its agents' branches, or its folder. */
function names(word: string, id: string, root: string): boolean {
  return (
    word === id ||
    word === `refs/heads/${id}` ||
    word.includes(`${root}/${id}/`) ||
    word.endsWith(`${root}/${id}`)
  );
}
