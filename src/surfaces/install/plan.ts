import type { Refusal } from "../../core/decide/answer.ts";
import { diffOf } from "../../files/diff.ts";
import { readTarget, writeTarget } from "./disk.ts";
import type { OnDisk } from "./disk.ts";
import type { Edited, Part } from "./parts.ts";

export interface Change {
  readonly path: string;
  readonly was: OnDisk;
  readonly text: string | undefined;
  readonly secret: boolean;
}

export interface Plan {
  readonly changes: readonly Change[];
  /** Files that belong to somebody else and stay as they are. */
  readonly kept: readonly { readonly path: string; readonly why: string }[];
  /** If there is any, nothing at all is written. */
  readonly refusals: readonly Refusal[];
}

/** What the parts make of the existing files. Two paths to the same file count as one. */
export function planOf(parts: readonly Part[], root: string, how: "put" | "take"): Plan {
  const files = new Map<string, Change>();
  const kept: { path: string; why: string }[] = [];
  const refusals: Refusal[] = [];
  for (const part of parts) {
    const was = readTarget(part.path, root);
    if (was.kind === "refused") {
      refusals.push(unusable(part.path, was.why));
      continue;
    }
    const file = files.get(was.real) ?? {
      path: part.path,
      was,
      text: was.kind === "text" ? was.text : undefined,
      secret: part.secret === true,
    };
    const edited = edit(part, file.text, how);
    if (edited.kind === "text") files.set(was.real, { ...file, text: edited.text });
    else if (edited.kind === "kept") kept.push({ path: part.path, why: edited.why });
    else refusals.push(unreadable(part.path, edited));
  }
  const changes = [...files.values()].filter(
    ({ was, text }) => text !== (was.kind === "text" ? was.text : undefined),
  );
  return { changes, kept, refusals };
}

function edit(part: Part, text: string | undefined, how: "put" | "take"): Edited {
  if (how === "put") return part.put(text);
  return text === undefined ? { kind: "text", text } : part.take(text);
}

/** Carries out the plan. If something fails, what was written stays, and running it again completes it. */
export function carryOut({ changes }: Plan, root: string): readonly Refusal[] {
  return changes.flatMap(({ path, was, text, secret }) => {
    const wrong = writeTarget(was, path, root, { text, secret });
    return wrong === undefined ? [] : [unusable(path, wrong)];
  });
}

export interface ToldChange {
  readonly path: string;
  readonly change: "create" | "change" | "remove";
  readonly diff: string;
}

export function toldChange({ path, was, text, secret }: Change): ToldChange {
  const before = was.kind === "text" ? was.text : undefined;
  const change = before === undefined ? "create" : text === undefined ? "remove" : "change";
  const diff = diffOf(before, text);
  return { path, change, diff: secret ? diff.replaceAll(/Bearer \w+/g, "Bearer ...") : diff };
}

function unreadable(path: string, { line, why }: Extract<Edited, { kind: "broken" }>): Refusal {
  return {
    code: "settings-unreadable",
    message: `${path}:${line}: ${why}`,
    fix: "Put the file right, then try again; nothing was written.",
    rule: "core",
  };
}

function unusable(path: string, why: string): Refusal {
  return {
    code: "settings-unusable",
    message: `${path}: ${why}`,
    fix: "Make it a file that can be read and written, then try again.",
    rule: "core",
  };
}
