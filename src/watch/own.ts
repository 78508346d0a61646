/**
 * Paths that nobody may write while something is held: the store, git's own files, and files that start the
 * hooks.
 */
import type { Denial } from "./call.ts";
import { isBelow, overlaps, patternNames } from "./paths.ts";
import type { Names } from "./paths.ts";
import type { Watch } from "./watch.ts";

/** Git's own files that people and tools do write. */
const WRITABLE: readonly string[] = ["COMMIT_EDITMSG", "MERGE_MSG", "info/exclude"];

/** Files by which a client is told to run our hooks, wherever they are. */
export const CLIENT_FILES: readonly string[] = [
  ".claude/settings*.json",
  ".claude/hooks/**",
  ".claude.json",
  ".mcp.json",
  ".codex/hooks.json",
  ".codex/config.toml",
  ".gemini/settings.json",
  ".gemini/trustedFolders.json",
  ".gemini/policies/**",
  "opencode.json",
  "opencode.jsonc",
  ".agents/holdpoint/**",
  ".opencode/plugin/**",
  ".opencode/plugins/**",
  ".config/opencode/**",
  ".github/hooks/**",
  ".copilot/hooks/**",
  ".copilot/config.json",
  ".copilot/mcp-config.json",
];

/** These files, and the folders whose removal would remove them. */
const HOOK_FILES: readonly Names[] = CLIENT_FILES.map((file) => ["**", ...file.split("/")]);
const HOOK_FOLDERS: readonly Names[] = HOOK_FILES.flatMap((file) =>
  file.slice(2).map((_, index) => file.slice(0, index + 2)),
);

/** `path` may contain unknown parts, and ends in `**` if everything below is meant. */
export function judgeOwn(
  watch: Watch,
  path: Names,
  programs: readonly string[],
): Denial | undefined {
  const own = watch.own.find(
    (root) => touches(path, patternNames(root, "")) && !isWritable(root, path),
  );
  if (own !== undefined) return storeDenial(own);
  if (programs.some((one) => one !== "" && touches(path, patternNames(one, ""))))
    return programDenial();
  return switchesOff(path) ? settingsDenial() : undefined;
}

/** A path with unknown parts must name something of ours: otherwise nearly every such path could lead there. */
function touches(path: Names, root: Names): boolean {
  const tree = path.at(-1) === "**";
  const base = tree ? path.slice(0, -1) : path;
  if (!base.some((name) => name.includes("*")))
    return isBelow(base, root) || (tree && isBelow(root, base));
  const named = root.at(-1) ?? "";
  return base.includes(named) && overlaps(path, [...root, "**"]);
}

export function switchesOff(path: Names): boolean {
  const tree = path.at(-1) === "**";
  const base = tree ? path.slice(0, -1) : path;
  const files = tree ? [...HOOK_FILES, ...HOOK_FOLDERS] : HOOK_FILES;
  return files.some((file) => base.some((name) => isNamed(name, file)) && overlaps(base, file));
}

/** `*` could be anything, but `settings*` or `.claude` shows what is meant. */
function isNamed(name: string, [, first = ""]: Names): boolean {
  return (
    name === first || (name.length > 1 && name.startsWith(first.replace(/\*.*$/, "").slice(0, 5)))
  );
}

function isWritable(root: string, path: Names): boolean {
  return (
    root.endsWith(".git") &&
    WRITABLE.some((file) => overlaps(path, patternNames(root, file)) && path.at(-1) !== "**")
  );
}

export const STORE_OWNED = "store-owned";

function storeDenial(root: string): Denial {
  return {
    code: STORE_OWNED,
    rule: "core",
    message: `${root} holds the journal and what git keeps; only the engine and git write there.`,
    fix: "Report what was done, or ask what is next; the record follows from that.",
    lift: "a person writes there in a terminal of their own; holdpoint verify --all then shows it.",
  };
}

function programDenial(): Denial {
  return {
    code: "program-owned",
    rule: "core",
    message: "These are the files of the program that holds this repository.",
    fix: "Leave them; say what is wrong with it in your last words.",
    lift: "a person updates it in a terminal of their own.",
  };
}

export function settingsDenial(file = "This file"): Denial {
  return {
    code: "client-settings",
    rule: "core",
    message: `${file} decides whether this client asks before it acts, and something is held here.`,
    fix: "Leave it until the work that is under way is reported.",
    lift: "a person edits it in a terminal of their own, or runs holdpoint uninstall.",
  };
}
