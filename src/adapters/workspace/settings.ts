/** Settings from the commit, compared with the files in the worktree. */
import { textBody } from "../../files/text.ts";
import type { Setting, Settings, Uncounted } from "../../ports/settings.ts";
import type { FileRead, Workspace } from "../../ports/workspace.ts";
import type { Committed } from "../git/compare/committed.ts";

export interface SettingsOptions {
  readonly workspace: Workspace;
  readonly committed: (path: string) => Promise<Committed>;
  readonly sha256: (text: string) => string;
}

export function createSettings(options: SettingsOptions): Settings {
  const known = new Map<string, Promise<Setting>>();
  const uncounted = new Map<string, Uncounted>();
  const read = async (path: string): Promise<Setting> => {
    const here = await options.workspace.read(path);
    const base = await options.committed(path);
    const told = compare(path, here, base);
    if (told !== undefined) uncounted.set(path, told);
    return settingOf(options, path, here, base);
  };
  return {
    read: (path) => {
      const setting = known.get(path) ?? read(path);
      known.set(path, setting);
      return setting;
    },
    uncounted: () => [...uncounted.values()],
  };
}

function settingOf(
  { sha256 }: SettingsOptions,
  path: string,
  here: FileRead,
  base: Committed,
): Setting {
  if (base.kind === "committed") {
    if (base.bytes === undefined) return { kind: "absent", digest: NONE };
    const text = textOf(base.bytes);
    const digest = sha256(plain(text ?? Buffer.from(base.bytes).toString("latin1")));
    if (text !== undefined) return { kind: "text", text, digest };
    const message = `The committed ${path} is no text`;
    return { kind: "unreadable", message, fix: "Commit it as UTF-8.", digest };
  }
  // Marked, so that content git could not confirm never equals content it could.
  const mark = base.kind === "unread" ? "unread:" : "";
  if (here.kind === "text")
    return {
      kind: "text",
      text: textBody(here.text),
      digest: `${mark}${sha256(plain(here.text))}`,
    };
  if (here.kind === "absent") return { kind: "absent", digest: `${mark}${NONE}` };
  return { ...here, digest: `${mark}${here.code}` };
}

/** The digest of a missing file. */
const NONE = "none";

/** Line ends depend on the checkout, and a byte order mark on the editor. */
function plain(text: string): string {
  return textBody(text).replaceAll("\r\n", "\n");
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** How the worktree's file differs from the one that counts. */
function compare(path: string, here: FileRead, base: Committed): Uncounted | undefined {
  if (base.kind === "worktree") return undefined;
  if (base.kind === "unread")
    return {
      path,
      message: `${path} counts as it lies in the worktree, because the commit cannot be read: ${base.why}`,
      fix: "Let git answer, then try again.",
    };
  const { bytes } = base;
  if (bytes === undefined) {
    if (here.kind === "absent") return undefined;
    return { path, message: `${path} is not committed and does not count`, fix: commitIt(path) };
  }
  if (here.kind === "text" && plain(here.text) === plain(textOf(bytes) ?? "")) return undefined;
  const how = {
    text: "differs from the committed one",
    absent: "is gone from the worktree",
    unreadable: "cannot be read in the worktree",
  }[here.kind];
  return {
    path,
    message: `${path} ${how}; the committed one counts`,
    fix: `${commitIt(path)} Or take it back: git checkout -- :/${path}.`,
  };
}

function commitIt(path: string): string {
  return `If it is meant, let a person review and commit it: git add :/${path} && git commit.`;
}
