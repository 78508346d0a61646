/** Clients' files on disk: read completely or not at all, and written by rename with the permissions they had. */
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, join, sep } from "node:path";

export type OnDisk =
  | { readonly kind: "none"; readonly real: string }
  | { readonly kind: "text"; readonly real: string; readonly text: string; readonly mode: number }
  | { readonly kind: "refused"; readonly why: string };

const BYTES_MAX = 4 * 1024 * 1024;

/**
 * A file and its real path. A link in the home directory is followed, because people organise their settings that
 * way. A link in a repository must not lead out of it, because anybody could have committed it.
 */
export function readTarget(path: string, root: string): OnDisk {
  try {
    return readIt(path, root);
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { kind: "refused", why: said };
  }
}

function readIt(path: string, root: string): OnDisk {
  const real = realOf(path);
  if (real === undefined) return { kind: "refused", why: "a link on the way leads nowhere" };
  const inside = path.startsWith(root + sep);
  if (inside && !real.startsWith(realpathSync(root) + sep))
    return { kind: "refused", why: `a link leads out of the repository, to ${real}` };
  const found = statIfThere(real);
  if (found === undefined) {
    accessSync(nearestAbove(real), constants.W_OK | constants.X_OK);
    return { kind: "none", real };
  }
  if (!found.isFile()) return { kind: "refused", why: "it is no file" };
  if (found.size > BYTES_MAX)
    return { kind: "refused", why: `it has more than ${BYTES_MAX} bytes` };
  const mode = found.mode & 0o777;
  if ((mode & 0o222) === 0) return { kind: "refused", why: "it is read-only" };
  accessSync(real, constants.R_OK | constants.W_OK);
  const bytes = readFileSync(real);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) return { kind: "refused", why: "it is not UTF-8" };
  return { kind: "text", real, text, mode };
}

/** The real path of a file that may not exist yet; undefined behind a dangling link. */
function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    if (lstatIfThere(path) !== undefined || dirname(path) === path) return undefined;
    const above = realOf(dirname(path));
    return above === undefined ? undefined : join(above, basename(path));
  }
}

function lstatIfThere(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function statIfThere(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function nearestAbove(path: string): string {
  const above = dirname(path);
  return statIfThere(above) === undefined && above !== path ? nearestAbove(above) : above;
}

/** Writes what was planned, unless somebody has changed the file meanwhile. Undefined text removes the file. */
export function writeTarget(
  was: OnDisk,
  path: string,
  root: string,
  { text, secret }: { readonly text: string | undefined; readonly secret: boolean },
): string | undefined {
  const now = readTarget(path, root);
  if (now.kind === "refused" || was.kind === "refused") return "it cannot be read any more";
  if ((now.kind === "text" ? now.text : undefined) !== (was.kind === "text" ? was.text : undefined))
    return "somebody has written it meanwhile";
  if (text === undefined) {
    rmSync(now.real, { force: true });
    removeEmpty(dirname(now.real));
    return undefined;
  }
  mkdirSync(dirname(now.real), { recursive: true });
  const fresh = join(dirname(now.real), `.${basename(now.real)}.holdpoint-${process.pid}`);
  try {
    writeFileSync(fresh, text, {
      flag: "wx",
      mode: secret ? 0o600 : now.kind === "text" ? now.mode : 0o644,
    });
    renameSync(fresh, now.real);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  return undefined;
}

/** Removes the folders made for our files, deepest first, if they are empty. */
function removeEmpty(folder: string): void {
  const ours =
    /^(?:agents|commands|skills|hooks|holdpoint|\.agents|\.claude|\.codex|\.gemini|\.github)$/;
  const isSkill = basename(dirname(folder)) === "skills";
  if (!ours.test(basename(folder)) && !isSkill) return;
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  removeEmpty(dirname(folder));
}
