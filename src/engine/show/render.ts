import { decodeText } from "../../core/values/bytes.ts";
import type { Rendered, View } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";

/**
 * The content that a state file should have: this workflow's part, put into the existing text. If the text is
 * unreadable, or the workflow's own file was deleted, the last shown text is brought up to date instead, so that
 * words written by agents and people are not lost.
 */
export async function renderView(
  parts: Pick<Parts, "blobs">,
  view: View,
  text: string | null,
  last: string | null | undefined,
): Promise<Exclude<Rendered, { kind: "broken" }>> {
  const rendered = view.render(text);
  const wanted = rendered.kind === "text" || (rendered.kind === "absent" && rendered.lost === true);
  const lost = text === null && wanted && !view.shared;
  if (rendered.kind !== "broken" && !lost) return rendered;
  const shown = typeof last === "string" ? await readBlob(parts, last) : null;
  const shownAgain = view.render(shown);
  const again = shownAgain.kind === "broken" ? view.render(null) : shownAgain;
  if (again.kind === "broken") throw new Error(`Cannot render ${view.path}: ${again.message}`);
  // It cannot be written anew. Replacing the file would delete somebody's work.
  return again.kind === "absent" && text !== null ? { kind: "text", text } : again;
}

/** Whether the text last shown still says everything. */
export async function isUnmoved(
  parts: Pick<Parts, "blobs">,
  view: View,
  last: string | null | undefined,
): Promise<boolean> {
  if (last === undefined) return false;
  const shown = last === null ? null : await readBlob(parts, last);
  const rendered = view.render(shown);
  if (rendered.kind === "absent") return shown === null;
  return rendered.kind === "text" && rendered.text === shown;
}

export async function readBlob(parts: Pick<Parts, "blobs">, hex: string): Promise<string | null> {
  const blob = await parts.blobs.get(hex);
  return blob.kind === "found" ? (decodeText(blob.bytes) ?? null) : null;
}
