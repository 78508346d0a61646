/**
 * The ignore rules of a commit, as one list of patterns relative to the top of the worktree. An uncommitted
 * `.gitignore` could hide the very file that is searched for, and itself.
 */
import type { Repository } from "../place/place.ts";
import { readFilesAt } from "../objects/objects.ts";

/**
 * `paths` are all files of the commit. If two rules match, git uses the later one, so deeper folders come later.
 */
export async function readRules(
  repo: Repository,
  commit: string,
  paths: Iterable<string>,
): Promise<string> {
  const named = [...paths].filter((path) => path === NAME || path.endsWith(`/${NAME}`));
  const files = named.toSorted((a, b) => depthOf(a) - depthOf(b));
  const texts = files.length === 0 ? [] : await readFilesAt(repo, commit, files);
  return texts
    .flatMap((bytes, at) => rulesIn(bytes, (files[at] ?? "").slice(0, -NAME.length)))
    .map((line) => `${line}\n`)
    .join("");
}

function depthOf(path: string): number {
  return path.split("/").length;
}

/** Undefined for a link: git does not follow links to ignore rules either. */
function rulesIn(bytes: Uint8Array | undefined, folder: string): readonly string[] {
  return new TextDecoder()
    .decode(bytes)
    .split("\n")
    .map((line) => line.replace(/\r$/, ""))
    .flatMap((line) => ruleFor(folder, line));
}

/** A pattern without a slash (except at its end) applies at every depth below its folder. */
export function ruleFor(folder: string, line: string): readonly string[] {
  if (line.startsWith("#") || /^!?\/? *$/.test(line)) return [];
  if (folder === "") return [line];
  const not = line.startsWith("!") ? "!" : "";
  const pattern = line.slice(not.length);
  const anchored = pattern.replace(/ +$/, "").replace(/\/$/, "").includes("/");
  const place = `/${folder.replaceAll(/[\\*?[]/g, "\\$&")}`;
  return [`${not}${place}${anchored ? pattern.replace(/^\//, "") : `**/${pattern}`}`];
}

const NAME = ".gitignore";
