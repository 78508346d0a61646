import type { Workflow } from "../../core/state/state.ts";
import type { Family, View } from "../../ports/family.ts";
import type { FileRead } from "../../ports/workspace.ts";
import { overwrittenIn, tellEdit } from "../intake/edits.ts";
import type { Pending } from "../outcome.ts";
import type { Parts } from "../parts.ts";
import { streamOf } from "../parts.ts";
import { isUnmoved, renderView } from "./render.ts";

/** How often an install is retried when other processes write the same file. */
const INSTALL_TRIES_MAX = 64;

/** How often showing restarts because another process has recorded something. */
const OVERTAKEN_MAX = 8;

/** How often a write is retried that failed or could not be read back. */
const WRITE_RETRIES_MAX = 3;

export interface Showing {
  readonly pending: readonly Pending[];
  readonly warnings: readonly string[];
}

/**
 * Options: `evidence` is a step on the way to another command, which leaves files alone that it says nothing
 * about.
 */
type Shown = { readonly evidence?: boolean };

/**
 * Brings the state files up to the journal. Safe to repeat, because rendering depends only on the workflow and
 * the existing text. Text that has to be replaced is kept as a blob and named.
 */
export async function show(
  parts: Parts,
  family: Family,
  state: Workflow,
  { evidence = false }: Shown = {},
): Promise<Showing> {
  const stream = streamOf(family, state.id);
  const warnings: string[] = [];
  let now = state;
  for (let round = 0; round < OVERTAKEN_MAX; round += 1) {
    const showing = await showOnce(parts, family, now, { evidence, warnings }).catch(unkept);
    if (showing !== "overtaken") return { ...showing, warnings };
    now = (await parts.journal.load(stream)).state;
  }
  // Another process records newer states all the time, and it shows them too.
  return { pending: [], warnings };
}

/** The record is already made, so a full disk is reported as something pending and not as a failed command. */
function unkept(error: unknown): Pick<Showing, "pending"> {
  if (!(error instanceof Error) || !("syscall" in error)) throw error;
  const message = `What was shown cannot be kept: ${error.message}`;
  const fix = "Free some space or make the store writable, then reconcile.";
  return { pending: [{ effect: "show", code: "store-unwritable", message, fix }] };
}

async function showOnce(
  parts: Parts,
  family: Family,
  state: Workflow,
  { evidence, warnings }: { readonly evidence: boolean; readonly warnings: string[] },
): Promise<Pick<Showing, "pending"> | "overtaken"> {
  const stream = streamOf(family, state.id);
  const pending: Pending[] = [];
  const views: Record<string, string | null> = { ...(await parts.shown.read(stream))?.views };
  const isNewest = async (): Promise<boolean> =>
    (await parts.journal.load(stream)).head.seq === state.seq;
  for (const view of family.views(state)) {
    if (evidence && (await isUnmoved(parts, view, views[view.path]))) continue;
    parts.onStep(`show.${view.shared ? "shared" : "own"}`);
    // One at a time, because workflows of one process that share a file would keep overwriting each other's
    // attempts.
    const shown = await parts.turns.take(`file ${view.path}`, () =>
      showView(parts, view, { base: views[view.path], isNewest, warnings }),
    );
    if (shown === "overtaken") return shown;
    if (shown.kind === "failed") pending.push(shown.pending);
    else views[view.path] = shown.blob;
  }
  parts.onStep("show.shown");
  const { seq } = state;
  const { head } = await parts.journal.load(stream);
  // Another process has recorded more and shown that. Storing our older state now would overwrite its entry.
  if (head.seq !== seq) return "overtaken";
  if (pending.length === 0) await parts.shown.write(stream, { seq, hash: head.hash, views });
  return { pending };
}

type ShownView =
  | { readonly kind: "shown"; readonly blob: string | null }
  | { readonly kind: "failed"; readonly pending: Pending };

async function showView(
  parts: Parts,
  view: View,
  {
    base,
    isNewest,
    warnings,
  }: {
    readonly base: string | null | undefined;
    readonly isNewest: () => Promise<boolean>;
    /**
     * Collects which lines of other people's text were replaced, even if this showing is overtaken afterwards.
     */
    readonly warnings: string[];
  },
): Promise<ShownView | "overtaken"> {
  let failures = 0;
  for (let attempt = 0; attempt < INSTALL_TRIES_MAX; attempt += 1) {
    const file = await parts.workspace.read(view.path);
    if (file.kind === "unreadable") return { kind: "failed", pending: { effect: "show", ...file } };
    const now = file.kind === "text" ? file.text : null;
    const rendered = await renderView(parts, view, now, base);
    const text = rendered.kind === "text" ? rendered.text : null;
    // The text is the one last shown: its blob is already stored, under the digest of the file.
    if (text === now && isLast(file, base)) return { kind: "shown", blob: base ?? null };
    const blob = text === null ? null : await parts.blobs.put(text);
    if (text === now) return { kind: "shown", blob };
    // Asked after reading the file: a newer version written before that is noticed here, a later one by
    // `install`.
    if (!(await isNewest())) return "overtaken";
    const told = await keepAside(parts, view, file, base);
    const installed = await parts.workspace.install(view.path, text, now);
    // The file changed since it was read. Another process is showing too; nobody has edited.
    if (installed.kind === "changed") continue;
    warnings.push(...told);
    const problem = installed.kind === "failed" ? installed : await verify(parts, view, text);
    if (problem === "kept") return { kind: "shown", blob };
    if (problem === "edited") continue;
    failures += 1;
    if (failures > WRITE_RETRIES_MAX) {
      const { code, message, fix } = problem;
      return { kind: "failed", pending: { effect: "show", code, message, fix } };
    }
  }
  const message = `${view.path} is being rewritten all the time`;
  const fix = "Stop the program that writes it, then reconcile.";
  return { kind: "failed", pending: { effect: "show", code: "view-busy", message, fix } };
}

/** Reads back what was written. Somebody may already have added to it, but our part must be there. */
async function verify(
  parts: Parts,
  view: View,
  text: string | null,
): Promise<"kept" | "edited" | Omit<Pending, "effect">> {
  const file = await parts.workspace.read(view.path);
  if (file.kind === "unreadable") return file;
  const now = file.kind === "text" ? file.text : null;
  if (now === text) return "kept";
  const [drift] = view.drift(now);
  if (drift === undefined) return "edited";
  return {
    code: "view-not-kept",
    message: `${view.path} does not hold what was just written: ${drift}`,
    fix: "Stop the program that changes it, then reconcile.",
  };
}

/** Keeps other people's text before it is replaced, and reports which lines are lost. */
async function keepAside(
  parts: Parts,
  view: View,
  file: Exclude<FileRead, { kind: "unreadable" }>,
  base: string | null | undefined,
): Promise<readonly string[]> {
  if (file.kind === "absent" || isLast(file, base)) return [];
  const blob = await parts.blobs.put(file.text);
  if (base === undefined) return [];
  if (view.render(file.text).kind === "broken")
    return [`${view.path} could not be read; the text that was there is kept as blob ${blob}`];
  return tellEdit({ blob, reasons: await overwrittenIn(parts, view, { file, last: base }) });
}

function isLast(
  file: Exclude<FileRead, { kind: "unreadable" }>,
  base: string | null | undefined,
): boolean {
  return file.kind === "absent" ? base === null : file.digest === `sha256:${base}`;
}

/** False if the files still have to be brought up to the journal, after a crash between append and show. */
export async function isShown(parts: Parts, family: Family, state: Workflow): Promise<boolean> {
  const shown = await parts.shown.read(streamOf(family, state.id));
  return shown?.seq === state.seq;
}

/** Where the files disagree with the journal. */
export async function driftOf(
  parts: Pick<Parts, "workspace">,
  family: Family,
  state: Workflow,
): Promise<readonly string[]> {
  const found = await Promise.all(
    family.views(state).map(async (view) => {
      const file = await parts.workspace.read(view.path);
      if (file.kind === "unreadable") return [file.message];
      return view.drift(file.kind === "text" ? file.text : null);
    }),
  );
  return found.flat();
}
