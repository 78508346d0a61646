import { decodeText } from "../../core/values/bytes.ts";
import type { Part, Rendered, View } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";

/** A view as it will be committed; null means that the commit removes the file. */
export type OwnPart =
  | { readonly kind: "part"; readonly text: string | null }
  | {
      readonly kind: "rejected";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };

export interface Carrying {
  readonly view: View;
  /** The workflow that the commit is for. */
  readonly owner: string;
  readonly rendered: Exclude<Rendered, { kind: "broken" }>;
  /** The commit it is built on; empty for none. */
  readonly base: string;
}

/**
 * A shared file is committed with only this workflow's part changed, because another workflow's step may be half
 * done. The result is read back: our part must be there, and all others must be unchanged.
 */
export async function ownPart(parts: Parts, carrying: Carrying): Promise<OwnPart> {
  const { view, owner, rendered, base } = carrying;
  if (rendered.kind === "absent") return { kind: "part", text: null };
  const bytes =
    view.carry === undefined || base === "" ? undefined : await parts.git.show(base, view.path);
  const head = bytes === undefined ? null : decodeText(bytes);
  if (head === undefined) return unreadable(view.path);
  const text = carried(view, head, rendered.text);
  const wrong = misread(view, { owner, head, text });
  if (wrong === undefined) return { kind: "part", text };
  return {
    kind: "rejected",
    code: "read-back-failed",
    message: `${view.path} would not say what was recorded: ${wrong}`,
    fix: `Mend ${view.path}, so that every workflow has its part once, then try again.`,
  };
}

function carried(view: View, head: string | null, shown: string): string {
  if (view.carry === undefined) return shown;
  if (head !== null) return view.carry(head, shown);
  const fresh = view.render(null);
  return fresh.kind === "text" ? view.carry(fresh.text, shown) : shown;
}

function misread(
  view: View,
  of: { readonly owner: string; readonly head: string | null; readonly text: string },
): string | undefined {
  const [drift] = view.drift(of.text);
  return drift ?? lostPart(view, of);
}

/** Names a workflow whose part is not the same as in HEAD; undefined if there is none. */
export function lostPart(
  view: View,
  {
    owner,
    head,
    text,
  }: { readonly owner: string; readonly head: string | null; readonly text: string },
): string | undefined {
  const others = (of: string): readonly Part[] =>
    view.reads?.(of).filter((part) => part.owner !== owner) ?? [];
  const [before, after] = [others(head ?? ""), others(text)];
  const lost = before.find(
    (part, index) => after[index]?.owner !== part.owner || after[index]?.text !== part.text,
  );
  const changed = lost ?? after[before.length];
  return changed === undefined ? undefined : `the part of ${changed.owner} is not what it was`;
}

function unreadable(path: string): OwnPart {
  return {
    kind: "rejected",
    code: "read-back-failed",
    message: `${path} is not UTF-8 text as it was last committed`,
    fix: `Commit ${path} as UTF-8, then try again.`,
  };
}
