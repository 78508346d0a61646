import { plainPath } from "../../../core/values/paths.ts";

/**
 * One item or row of a plan's File Manifest.
 *
 *   `Makefile` - modify, one target       in backticks: any name, with spaces or without an ending
 *   src/Parser.java - create              without: one word, or a path with a folder and an ending
 *   create: `src/util/`                   a folder stands for what is in it
 *   | `src/Parser.java` | create | 200 |
 */
export interface ManifestItem {
  readonly path: string | undefined;
  /** It seems to name a file, but it is unclear which. */
  readonly unread: string | undefined;
}

export function readManifestItem(entry: string): ManifestItem {
  const [line = "", ...below] = entry.split("\n");
  const cell = line.split("|").find((one) => one.trim().replace(VERB, "") !== "") ?? "";
  const said = cell
    .trim()
    .replace(/^\[[ xX]\]\s+/, "")
    .replaceAll("**", "");
  const named = said.replace(LEADING_VERB, "");
  const path = nameIn(named, line.includes("|") || named !== said);
  if (path !== undefined) return { path: plain(path), unread: undefined };
  const seems = SEPARATED.test(said) || /\w\.\w|\w\/\w/.test(said);
  const isGroup = below.some((one) => /^\s*(?:[-*+]|\d+[.)])\s/.test(one));
  return { path: undefined, unread: seems && !isGroup ? line.trim() : undefined };
}

/** `isNamed`: a column or a verb already says that this is a file name. */
function nameIn(said: string, isNamed: boolean): string | undefined {
  const quoted = /`([^`]+)`/.exec(said);
  if (quoted !== null) {
    const name = (quoted[1] ?? "").trim();
    return isName(name) && (quoted.index === 0 || /[./]/.test(name)) ? name : undefined;
  }
  const bare = (said.split(/:\s|\s+(?:[-–—:]\s+|\()/)[0] ?? "").trim();
  if (!isName(bare) || NOBODY.test(bare)) return undefined;
  if (/\s/.test(bare)) return /^\S*[./]\S*\s.*\.\w+$/.test(bare) ? bare : undefined;
  return /[./]/.test(bare) || isNamed || SEPARATED.test(said) ? bare : undefined;
}

function isName(text: string): boolean {
  return text !== "" && !/[|*:]/.test(text) && !text.endsWith("()");
}

function plain(path: string): string {
  return path.endsWith("/") ? `${plainPath(path)}/` : plainPath(path);
}

const WORD =
  "(?:creat|modif|add|new|updat|chang|delet|remov|renam|mov|edit)(?:e|es|s|y|ies|ied|d|ed)?:?";
const VERB = new RegExp(`^${WORD}$`, "i");
const LEADING_VERB = new RegExp(`^${WORD}\\s+`, "i");
const SEPARATED = /\s+[-–—]\s+/;
const NOBODY = /^(?:none|nothing|n\/a|no|tbd)\.?$/i;
