import type { Workspace } from "../ports/workspace.ts";

export interface Shelving {
  readonly id: string;
  /** Names below `.ideas/` that stay; when empty, everything goes. */
  readonly keep: readonly string[];
  readonly label: string;
}

export type Shelved =
  | { readonly kind: "shelved"; readonly to: string; readonly paths: readonly string[] }
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };

/** Move a plugin's implementation out of the way into a backup. Nothing is deleted, only moved. */
export async function shelve(
  workspace: Workspace,
  { id, keep, label }: Shelving,
): Promise<Shelved> {
  const home = `plugins/${id}`;
  const to = `backups/rollbacks/${id}_${label}`;
  const names = (await workspace.list(home)).filter(
    (name) => keep.length === 0 || name !== ".ideas/",
  );
  const ideas = keep.length === 0 ? [] : await workspace.list(`${home}/.ideas`);
  const sources = [
    ...names.map((name) => name.replace(/\/$/, "")),
    ...ideas
      .map((name) => name.replace(/\/$/, ""))
      .filter((name) => !keep.includes(name))
      .map((name) => `.ideas/${name}`),
  ];
  for (const source of sources) {
    const moved = await workspace.move(`${home}/${source}`, `${to}/${source}`);
    if (moved.kind === "failed") return moved;
    if (moved.kind === "changed") return taken(to, source);
  }
  return { kind: "shelved", to, paths: sources };
}

function taken(to: string, source: string): Shelved {
  const message = `There is already something at ${to}/${source}`;
  return { kind: "failed", code: "backup-exists", message, fix: "Move it away, then try again." };
}
