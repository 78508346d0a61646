/**
 * Puts texts into a private index that are not in the worktree yet. Git reads them from a small temporary
 * worktree, as it would from the real one, including line ends and modes.
 */
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { FULL_LOOK_SETTINGS, withSettings } from "../run/environment.ts";
import { readModes, setEntries, type PrivateIndex } from "./private-index.ts";
import { succeed, together } from "../run/run.ts";

/** Content by path; null removes a file. */
export type Texts = Readonly<Record<string, string | null>>;

interface Command {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Views {
  readonly texts: Texts;
  /** No attributes in the repository change how they are stored. */
  readonly isPlain: boolean;
  /** The command that adds them; undefined if a filter must run in the real worktree. */
  readonly command: Command | undefined;
}

/** Writes the texts where git can read them. They are removed with the private index. */
export function layOut({ repo, env, place }: PrivateIndex, texts: Texts): Views {
  const attributes = readAttributes(repo.top, Object.keys(texts));
  const own = readIfThere(join(repo.commonDir, "info", "attributes")) ?? "";
  const said = [own, ...Object.values(attributes)].filter((text) => text !== "");
  if (said.some((text) => text.includes("filter")))
    return { texts, isPlain: false, command: undefined };
  const worktree = join(place, "views");
  mkdirSync(worktree);
  for (const [path, text] of Object.entries({ ...attributes, ...texts })) {
    if (text === null) continue;
    mkdirSync(dirname(join(worktree, path)), { recursive: true });
    writeFileSync(join(worktree, path), text);
  }
  const args = [`--git-dir=${repo.gitDir}`, `--work-tree=${worktree}`, "update-index", "--add"];
  args.push("--remove", "--replace", "--", ...Object.keys(texts));
  // An executable file stays executable: the mode comes from the index and not from the temporary file.
  const settings = withSettings({ ...FULL_LOOK_SETTINGS, "core.fileMode": "false" });
  return { texts, isPlain: said.length === 0, command: { args, env: { ...settings, ...env } } };
}

export async function setViews(index: PrivateIndex, { texts, command }: Views): Promise<void> {
  if (Object.keys(texts).length === 0) return;
  const { repo } = index;
  if (command === undefined) return await setFiltered(index, texts);
  await succeed(repo.run(command.args, { cwd: repo.top, ...command }));
}

/** A filter's program may be named relative to the worktree, so it runs there, one file at a time. */
async function setFiltered(index: PrivateIndex, texts: Texts): Promise<void> {
  const modes = await readModes(index, Object.keys(texts));
  const entries = Object.entries(texts).map(async ([path, text]) => {
    if (text === null) return [path, undefined] as const;
    const mode = modes.get(path) === "100755" ? "100755" : "100644";
    return [path, { mode, oid: await hashText(index, path, text) }] as const;
  });
  await setEntries(index, new Map(await together(entries)));
}

async function hashText({ repo }: PrivateIndex, path: string, input: string): Promise<string> {
  const args = ["hash-object", "-w", "--stdin", `--path=${path}`];
  return (await succeed(repo.run(args, { cwd: repo.top, input }))).trim();
}

/** The attributes that apply to these paths, by the files that define them. */
function readAttributes(top: string, paths: readonly string[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const seen = new Set<string>();
  for (const path of paths) {
    for (let at = posix.dirname(path); !seen.has(at); at = posix.dirname(at)) {
      seen.add(at);
      const file = posix.join(at, ".gitattributes");
      const text = readIfThere(join(top, file));
      if (text !== undefined) found[file] = text;
    }
  }
  return found;
}

function readIfThere(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats?.isFile() === true ? readFileSync(file, "utf8") : undefined;
}
