import { texts } from "../../../core/values/json-read.ts";
import { showJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Effect, Workflow } from "../../../core/state/state.ts";
import type { Memory, Performed, World } from "../../../ports/family.ts";
import type { Workspace } from "../../../ports/workspace.ts";

/** Reset and removal move files to a backup. */
export async function performShelve(
  world: World,
  state: Workflow,
  effect: Effect,
  memory?: Memory,
): Promise<Performed> {
  const keep = keptBy(effect.args);
  // After an interruption, files already moved are no longer found, so the earlier list is remembered.
  const before = texts((await memory?.recall())?.["paths"]);
  const left = await sourcesOf(world.workspace, state.id, keep);
  const paths = [...new Set([...before, ...left])];
  await memory?.keep({ paths });
  const shelved = await shelve(world.workspace, { id: state.id, keep, label: effect.id });
  if (shelved.kind === "failed")
    return { kind: "pending", pending: { effect: effect.id, ...shelved } };
  const { to } = shelved;
  return { kind: "done", detail: { to, paths }, warnings: [`what was removed is kept in ${to}`] };
}

/** Every file that shelving will move. */
export async function shelvedFiles(
  { workspace }: World,
  { id }: Workflow,
  args: JsonObject,
): Promise<readonly string[]> {
  const files: string[] = [];
  const queue = (await sourcesOf(workspace, id, keptBy(args))).map((one) => `plugins/${id}/${one}`);
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const names = await workspace.list(path);
    if (names.length === 0) files.push(path);
    for (const name of names) queue.push(`${path}/${name.replace(/\/$/, "")}`);
  }
  return files;
}

function keptBy(args: JsonObject): readonly string[] {
  return showJson(args["keep"] ?? "")
    .split(",")
    .filter((name) => name !== "");
}

interface Shelving {
  readonly id: string;
  /** Names below `.ideas/` that stay; if empty, everything is moved. */
  readonly keep: readonly string[];
  readonly label: string;
}

type Shelved =
  | { readonly kind: "shelved"; readonly to: string }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };

/** Moves a plugin's implementation into a backup. Nothing is deleted. */
async function shelve(workspace: Workspace, { id, keep, label }: Shelving): Promise<Shelved> {
  const home = `plugins/${id}`;
  const to = `backups/rollbacks/${id}_${label}`;
  const sources = await sourcesOf(workspace, id, keep);
  for (const source of sources) {
    const moved = await workspace.move(`${home}/${source}`, `${to}/${source}`);
    if (moved.kind === "failed") return moved;
    if (moved.kind === "changed") return taken(to, source);
  }
  return { kind: "shelved", to };
}

/** What is moved, relative to the plugin's directory. */
async function sourcesOf(
  workspace: Workspace,
  id: string,
  keep: readonly string[],
): Promise<readonly string[]> {
  const home = `plugins/${id}`;
  const bare = (name: string): string => name.replace(/\/$/, "");
  const names = (await workspace.list(home)).map(bare);
  if (keep.length === 0) return names;
  const ideas = (await workspace.list(`${home}/.ideas`)).map(bare);
  return [
    ...names.filter((name) => name !== ".ideas"),
    ...ideas.filter((name) => !keep.includes(name)).map((name) => `.ideas/${name}`),
  ];
}

function taken(to: string, source: string): Shelved {
  const message = `There is already something at ${to}/${source}`;
  return { kind: "failed", code: "backup-exists", message, fix: "Move it away, then try again." };
}
