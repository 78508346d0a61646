/**
 * Every place that one use of a tool could reach. What is held must be looked up in all of them, wherever the
 * agent is.
 */
import { ANY } from "./any.ts";
import type { HookCall, ToolUse } from "./call.ts";
import type { Deed } from "./deeds.ts";
import { gitPaths, readGit } from "./git.ts";
import { namesOf } from "./paths.ts";
import { deedsOf } from "./shell.ts";
import { namedIn, readUnknown } from "./unknown.ts";

export interface Reached {
  readonly path: string;
  /** Everything in it is included, or may be. */
  readonly below: boolean;
}

const REACHED_MAX = 4_000;

export function reachedBy({ cwd, tool }: HookCall, home: string): readonly Reached[] {
  const found = new Map<string, Reached>();
  const add = (path: string, from: string, below = false): void => {
    if (found.size >= REACHED_MAX || from.includes(ANY)) return;
    const plain = path.replace(/^file:\/\//, "").replace(/^~(?=\/|$)/, home);
    const one = placed(plain, from, below);
    if (one !== undefined) found.set(`${one.path}\0${one.below}`, one);
  };
  add(cwd, cwd);
  if (tool === undefined) return [...found.values()];
  for (const path of tool.kind === "edit" ? tool.paths : []) add(path, cwd);
  for (const text of textsIn(tool, cwd)) for (const path of pathsIn(text)) add(path, cwd);
  for (const { command, at } of commandsIn(tool, cwd)) {
    if (at !== undefined) add(at, cwd);
    const from = at === undefined ? cwd : `/${namesOf(at, cwd).join("/")}`;
    for (const deed of deedsOf({ command, cwd: from, home })) reach(deed, add);
  }
  return [...found.values()];
}

/** Up to the first unknown part, behind which anything may be meant. */
function placed(path: string, cwd: string, below: boolean): Reached | undefined {
  if (path.startsWith(ANY)) return undefined;
  const names = namesOf(path, cwd);
  const open = names.findIndex((name) => name.includes("*"));
  const known = open < 0 ? names : names.slice(0, open);
  return { path: `/${known.join("/")}`, below: below || open >= 0 };
}

type Add = (path: string, from: string, below?: boolean) => void;

function reach(deed: Deed, add: Add): void {
  switch (deed.kind) {
    case "write":
      add(deed.path, deed.cwd, deed.tree);
      return;
    case "names":
      add(deed.path, deed.cwd);
      return;
    case "git": {
      const { directory = "." } = readGit(deed.args, deed.env);
      const at = `/${namesOf(directory, deed.cwd).join("/")}`;
      add(at, deed.cwd);
      for (const path of gitPaths(readGit(deed.args, deed.env)).paths) add(path, at);
      // `--git-dir=` and other options may contain a path.
      for (const arg of deed.args) if (arg.includes("/")) add(arg.replace(/^--?[\w-]+=/, ""), at);
      return;
    }
    case "unclear":
    case "anywhere":
      add(".", deed.cwd);
      if (deed.kind === "unclear") for (const path of pathsIn(deed.text)) add(path, deed.cwd);
      return;
    case "names-in":
    case "holdpoint":
  }
}

function commandsIn(
  tool: ToolUse,
  cwd: string,
): readonly { readonly command: string; readonly at?: string | undefined }[] {
  if (tool.kind === "shell") return [{ command: tool.command, at: tool.cwd }];
  if (tool.kind !== "mcp" && tool.kind !== "unknown") return [];
  return readUnknown(tool, cwd).flatMap((one) => {
    if (one.kind === "shell") return [{ command: one.command }];
    return one.kind === "git" ? [{ command: "", at: one.cwd }] : [];
  });
}

/** Texts that are not commands may still name a path. */
function textsIn(tool: ToolUse, cwd: string): readonly string[] {
  if (tool.kind === "shell") return [tool.command];
  if (tool.kind !== "mcp" && tool.kind !== "unknown") return [];
  const written = readUnknown(tool, cwd).flatMap((one) =>
    one.kind === "write" ? [`"${one.path}"`] : [],
  );
  return [namedIn(tool), ...written];
}

const TEXT_CHARS_MAX = 256 * 1024;
const BARE = /(?:^|[\s=:(>])(~?\/[^\s"'`;|&<>()$]+|\.\.[^\s"'`;|&<>()$]*)/g;
const QUOTED = /(["'])([^"'\n]{1,4096})\1/g;

function pathsIn(text: string): readonly string[] {
  const few = text.slice(0, TEXT_CHARS_MAX);
  return [
    ...[...few.matchAll(QUOTED)].map((match) => match[2] ?? "").filter((one) => one.includes("/")),
    ...[...few.matchAll(BARE)].map((match) => match[1] ?? ""),
  ];
}
