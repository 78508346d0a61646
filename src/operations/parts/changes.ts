import { decodeText } from "../../core/values/bytes.ts";
import type { Parts } from "../../engine/parts.ts";
import { diffOf } from "../../files/diff.ts";

/** What has changed since a commit, by bytes, up to the amount a person reads. */

export interface Changed {
  readonly path: string;
  readonly change: string;
  readonly diff?: string;
  /** Why there is no diff, or what is left out of it. */
  readonly left?: string;
}

const FILES_MAX = 40;
const FILE_CHARS_MAX = 200_000;
const LINES_MAX = 60;
/** The limit with `full`: output that scrolls for minutes helps nobody. */
const FULL_FILES_MAX = 2_000;
const FULL_LINES_MAX = 20_000;

export async function changesIn(
  { git, workspace }: Pick<Parts, "git" | "workspace">,
  { base, at }: { readonly base: string; readonly at: string },
  full: boolean,
): Promise<{ readonly changes: readonly Changed[]; readonly more: number }> {
  const all = (await git.changesSince(base, at)) ?? [];
  const [files, lines] = full ? [FULL_FILES_MAX, FULL_LINES_MAX] : [FILES_MAX, LINES_MAX];
  let left = lines * 4;
  const changes: Changed[] = [];
  for (const { path, change, from } of all.slice(0, files)) {
    const named = from === undefined ? change : `${change} from ${from}`;
    const before = change === "added" ? undefined : await textAt(git, base, from ?? path);
    const after =
      change === "deleted"
        ? undefined
        : await textNow(workspace, at === "" ? path : `${at}/${path}`);
    const unread = [before, after].find((one) => typeof one === "object");
    if (typeof before === "object" || typeof after === "object") {
      changes.push({ path, change: named, left: typeof unread === "object" ? unread.left : "" });
      continue;
    }
    const rows = diffOf(before, after).split("\n");
    const most = Math.min(lines, Math.max(left, 0));
    left -= Math.min(rows.length, most);
    const cut = rows.length > most ? { left: `${rows.length - most} more lines` } : {};
    changes.push({ path, change: named, diff: rows.slice(0, most).join("\n"), ...cut });
  }
  return { changes, more: Math.max(0, all.length - files) };
}

type Read = string | undefined | { readonly left: string };

async function textAt(git: Parts["git"], base: string, path: string): Promise<Read> {
  return asText(await git.show(base, path));
}

async function textNow(workspace: Parts["workspace"], path: string): Promise<Read> {
  const file = await workspace.bytes(path);
  if (file.kind === "bytes") return asText(file.bytes);
  return file.kind === "absent" ? undefined : { left: file.message };
}

function asText(bytes: Uint8Array | undefined): Read {
  if (bytes === undefined) return undefined;
  if (bytes.length > FILE_CHARS_MAX) return { left: `${bytes.length} bytes, too many to show` };
  return decodeText(bytes) ?? { left: `${bytes.length} bytes that are no text` };
}
