/** Which store a repository's truth is in, opened: files in the git directory, or PostgreSQL where somebody says so. */
import type { Workflow } from "./core/state/state.ts";
import { createRunGit } from "./adapters/git/run/run.ts";
import { openEmbeddedJournal } from "./adapters/store/embedded/embedded.ts";
import type { Failed } from "./engine/outcome.ts";
import { workflowFold } from "./engine/parts.ts";
import type { Config } from "./ports/family.ts";
import type { Journal } from "./ports/journal.ts";

type Env = Readonly<Record<string, string | undefined>>;

export interface StoreAt {
  readonly dir: string;
  readonly root: string;
  readonly readOnly: boolean;
  readonly env: Env;
  readonly config: Config;
  readonly onStep: (step: string) => void;
}

export type OpenedStore = { readonly kind: "open"; readonly journal: Journal<Workflow> } | Failed;

/** The address of the store; none for the files of this clone. */
export function storeUrl(env: Env, { store }: Pick<Config, "store">): string | undefined {
  const named = env["HOLDPOINT_STORE"] ?? "";
  const url = named === "" ? store?.postgres : named;
  return url === "embedded" ? undefined : url;
}

export async function openStore(at: StoreAt): Promise<OpenedStore> {
  const { dir, readOnly, onStep, env, config } = at;
  const url = storeUrl(env, config);
  if (url !== undefined) return await openShared(at, url);
  const opened = await openEmbeddedJournal<Workflow>({ dir, fold: workflowFold, readOnly, onStep });
  return opened.kind === "refused" ? { ...opened, kind: "failed" } : opened;
}

async function openShared(
  { dir, root, readOnly, env }: StoreAt,
  url: string,
): Promise<OpenedStore> {
  // Loaded only here: whoever works on one machine pays nothing for it.
  const { openPostgres } = await import("./adapters/store/postgres/open.ts");
  const projects = async (): Promise<readonly string[]> => await firstCommits(root);
  const clone = { dir, readOnly, projects };
  const opened = await openPostgres({ url, env, fold: workflowFold, clone });
  return opened.kind === "refused" ? { ...opened, kind: "failed" } : opened;
}

/** The commits that a repository began with: two clones have the same. A shallow one does not know them. */
async function firstCommits(root: string): Promise<readonly string[]> {
  const run = createRunGit("git", process.env);
  const shallow = await run(["rev-parse", "--is-shallow-repository"], { cwd: root });
  if (shallow.stdout.toString().trim() !== "false") return [];
  const roots = await run(["rev-list", "--max-parents=0", "HEAD"], { cwd: root });
  return roots.code === 0
    ? roots.stdout
        .toString()
        .split("\n")
        .filter((oid) => oid !== "")
    : [];
}
