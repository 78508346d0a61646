/** What an outsider can read of one task: its folder, its worktrees, and where he himself stands. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { type Fields, isFields, isText, listOf, readJson } from "../opinion.ts";

/** A tree with git below it. */
export interface Tree {
  readonly top: string;
  readonly has: (path: string) => boolean;
  readonly read: (path: string) => string;
  readonly git: (...args: readonly string[]) => string;
}

/** Who asks, and in which directory. */
export interface Asker {
  readonly session: string;
  readonly cwd: string;
}

export interface TaskFiles {
  readonly id: string;
  readonly asker: Asker;
  /** The task's own worktree, as a whole path. */
  readonly code: string;
  readonly texts: Readonly<Record<string, string | undefined>>;
  /** task.json and state.json, or undefined where one is no JSON object. */
  readonly lock: Fields | undefined;
  readonly state: Fields | undefined;
  readonly trail: Fields | undefined;
  readonly agents: readonly string[];
  readonly statuses: Readonly<Record<string, Fields | undefined>>;
  /** The size of each agent's report, in bytes. */
  readonly reports: Readonly<Record<string, number | undefined>>;
  /** Paths that git knows as worktrees and that are there. */
  readonly worktrees: readonly string[];
  /** The newest commit of the task's branch. */
  readonly head: string;
}

export const FILES = ["task.json", "state.json", "audit-trail.json", "task.md"] as const;
export const PLAN_FLAG = "user-plan-approval-obtained.flag";
export const CHANGE_FLAG = "user-approval-obtained.flag";

export function dirOf(id: string): string {
  return `.holdpoint/tasks/${id}`;
}

export function readTask(tree: Tree, id: string, asker: Asker): TaskFiles {
  const dir = dirOf(id);
  const text = (file: string): string | undefined =>
    tree.has(`${dir}/${file}`) ? tree.read(`${dir}/${file}`) : undefined;
  const lock = fields(text("task.json"));
  const agents = listOf(lock?.["required_agents"]).filter(isText);
  const each = <T>(read: (agent: string) => T): Readonly<Record<string, T>> =>
    Object.fromEntries(agents.map((agent) => [agent, read(agent)]));
  const size = (file: string): number | undefined => {
    const report = text(file);
    return report === undefined ? undefined : Buffer.byteLength(report);
  };
  return {
    id,
    asker,
    code: join(tree.top, dir, "code"),
    texts: Object.fromEntries([...FILES, PLAN_FLAG, CHANGE_FLAG].map((file) => [file, text(file)])),
    lock,
    state: fields(text("state.json")),
    trail: fields(text("audit-trail.json")),
    agents,
    statuses: each((agent) => fields(text(`agents/${agent}/status.json`))),
    reports: each((agent) => size(`${id}-${agent}-requirements.md`)),
    worktrees: worktreesOf(tree),
    head: headOf(tree, id),
  };
}

function fields(text: string | undefined): Fields | undefined {
  const value = readJson(text);
  return isFields(value) ? value : undefined;
}

function worktreesOf(tree: Tree): readonly string[] {
  return tree
    .git("worktree", "list", "--porcelain")
    .split("\n")
    .filter((line) => line.startsWith("worktree "))
    .flatMap((line) => realPath(line.slice("worktree ".length)) ?? []);
}

export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function headOf(tree: Tree, id: string): string {
  return tree.git("for-each-ref", "--format=%(objectname)", `refs/heads/${id}`);
}

export function stateOf({ lock }: TaskFiles): string {
  const state = lock?.["state"];
  return isText(state) ? state : "";
}

export interface Moved {
  readonly from: unknown;
  readonly to: unknown;
  readonly timestamp: unknown;
}

export function logOf(record: Fields | undefined): readonly Moved[] {
  return listOf(record?.["transition_log"]).map((one) => {
    const { from, to, timestamp } = isFields(one) ? one : {};
    return { from, to, timestamp };
  });
}
