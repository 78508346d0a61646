import type { Workflow } from "../core/state.ts";
import type { Family, Rendered, View } from "../ports/family.ts";
import type { FileRead } from "../ports/workspace.ts";
import type { Pending } from "./outcome.ts";
import type { Parts } from "./parts.ts";
import { streamOf } from "./parts.ts";

/** Whoever writes last looks last: two showers of one file converge within this many rounds. */
const INSTALL_TRIES_MAX = 64;

export interface Showing {
  readonly pending: readonly Pending[];
  readonly warnings: readonly string[];
}

/**
 * Bring the state files up to the journal. Safe to repeat: a rendering is a function of the workflow and
 * of the text that is there. Text that had to be replaced is kept as a blob, and named.
 */
export async function show(parts: Parts, family: Family, state: Workflow): Promise<Showing> {
  const stream = streamOf(family, state.id);
  const pending: Pending[] = [];
  const warnings: string[] = [];
  const views: Record<string, string | null> = { ...(await parts.shown.read(stream))?.views };
  for (const view of family.views(state)) {
    parts.onStep(`show.${view.shared ? "shared" : "own"}`);
    const shown = await showView(parts, view, views[view.path]);
    warnings.push(...shown.warnings);
    if (shown.kind === "failed") pending.push(shown.pending);
    else views[view.path] = shown.blob;
  }
  parts.onStep("show.shown");
  if (pending.length === 0) await parts.shown.write(stream, { seq: state.seq, views });
  return { pending, warnings };
}

type ShownView =
  | { readonly kind: "shown"; readonly blob: string | null; readonly warnings: readonly string[] }
  | { readonly kind: "failed"; readonly pending: Pending; readonly warnings: readonly string[] };

async function showView(
  parts: Parts,
  view: View,
  base: string | null | undefined,
): Promise<ShownView> {
  const warnings: string[] = [];
  for (let attempt = 0; attempt < INSTALL_TRIES_MAX; attempt += 1) {
    const file = await parts.workspace.read(view.path);
    if (file.kind === "unreadable")
      return { kind: "failed", pending: { effect: "show", ...file }, warnings };
    const rendered = await renderOnto(parts, view, file, base);
    const text = rendered.kind === "text" ? rendered.text : null;
    const blob = text === null ? null : await parts.blobs.put(text);
    const now = file.kind === "text" ? file.text : null;
    if (text === now) return { kind: "shown", blob, warnings };
    warnings.push(...(await keepAside(parts, view, file, base)));
    const installed = await parts.workspace.install(view.path, text, now);
    if (installed.kind === "installed") return { kind: "shown", blob, warnings };
    if (installed.kind === "failed")
      return { kind: "failed", pending: { effect: "show", ...installed }, warnings };
  }
  const message = `${view.path} is being rewritten all the time`;
  const fix = "Stop the program that writes it, and run holdpoint reconcile.";
  return { kind: "failed", pending: { effect: "show", code: "view-busy", message, fix }, warnings };
}

/** A text nobody can read is replaced by our last rendering, brought up to date. */
async function renderOnto(
  parts: Parts,
  view: View,
  file: Exclude<FileRead, { kind: "unreadable" }>,
  base: string | null | undefined,
): Promise<Exclude<Rendered, { kind: "broken" }>> {
  const rendered = view.render(file.kind === "text" ? file.text : null);
  if (rendered.kind !== "broken") return rendered;
  const last = typeof base === "string" ? await readBlob(parts, base) : null;
  const again = view.render(last);
  if (again.kind === "broken") throw new Error(`Cannot render ${view.path}: ${again.message}`);
  return again;
}

async function readBlob(parts: Parts, hex: string): Promise<string | null> {
  const blob = await parts.blobs.get(hex);
  return blob.kind === "found" ? new TextDecoder().decode(blob.bytes) : null;
}

/** What somebody else wrote is kept before it is replaced, unless our rendering only adds to it. */
async function keepAside(
  parts: Parts,
  view: View,
  file: Exclude<FileRead, { kind: "unreadable" }>,
  base: string | null | undefined,
): Promise<readonly string[]> {
  if (file.kind === "absent") return [];
  const blob = await parts.blobs.put(file.text);
  if (blob === base || base === undefined) return [];
  const broken = view.render(file.text).kind === "broken";
  return broken
    ? [`${view.path} could not be read; the text that was there is kept as blob ${blob}`]
    : [];
}

/** Whether the files still have to be brought up to the journal: a crash between append and show. */
export async function isShown(parts: Parts, family: Family, state: Workflow): Promise<boolean> {
  const shown = await parts.shown.read(streamOf(family, state.id));
  return shown?.seq === state.seq;
}

/** Where the files say something else than the journal. */
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
