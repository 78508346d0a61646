/** Whether a use of a tool reads a file, and whether it writes in a worktree, as far as its words show. */
import type { HookCall, ToolUse } from "./call.ts";
import { couldBe, isBelow, namesOf, patternNames } from "./paths.ts";
import { deedsOf } from "./shell.ts";
import { hasName } from "./places.ts";
import { readUnknown } from "./unknown.ts";

const TEXT_CHARS_MAX = 64 * 1024;

/** The listed files that the call names. How it reads them is not checked. */
export function readIn(call: HookCall, files: readonly string[]): readonly string[] {
  const text = saidTo(call.tool).slice(0, TEXT_CHARS_MAX);
  if (text === "") return [];
  const open = text
    .split(/[\s"'`;|&<>()=,:]+/)
    .filter((word) => word.includes("*"))
    .map((word) => word.slice(word.lastIndexOf("/") + 1));
  return files.filter((file) => {
    const name = file.slice(file.lastIndexOf("/") + 1);
    return hasName(text, name) || open.some((pattern) => couldBe(pattern, name));
  });
}

function saidTo(tool: ToolUse | undefined): string {
  if (tool === undefined || tool.kind === "edit" || tool.kind === "agent") return "";
  return tool.kind === "shell" ? tool.command : (tool.input ?? "");
}

/** Only certain writes count; doubtful ones are judged elsewhere. */
export function writesBelow({ tool, cwd }: HookCall, root: string, home: string): boolean {
  const top = patternNames(root, "");
  const isThere = (path: string, from: string): boolean => isBelow(namesOf(path, from), top);
  if (tool === undefined || tool.kind === "read" || tool.kind === "agent") return false;
  if (tool.kind === "edit") return tool.paths.some((path) => isThere(path, cwd));
  if (tool.kind === "shell")
    return deedsOf({ command: tool.command, cwd: tool.cwd ?? cwd, home }).some(
      (deed) => deed.kind === "write" && !deed.could && isThere(deed.path, deed.cwd),
    );
  return readUnknown(tool, cwd).some((one) => one.kind === "write" && isThere(one.path, cwd));
}
