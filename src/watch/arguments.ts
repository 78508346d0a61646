/** Questions about the arguments of a program. */
import { RUN_OPTIONS, STARTS } from "./programs.ts";

/** The files that a patch adds, changes, deletes or renames. */
export function patchedPaths(patch: string): readonly string[] {
  const own = /^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to|Rename to): (.+?)\s*$/gm;
  const plain = /^(?:\+\+\+|---) (?:[ab]\/)?([^\t\n]+)/gm;
  return [...patch.matchAll(own), ...patch.matchAll(plain)]
    .map((match) => match[1] ?? "")
    .filter((path) => path !== "/dev/null");
}

export function operands(args: readonly string[], valued?: RegExp): readonly string[] {
  const found: string[] = [];
  for (let at = 0, plain = false; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (plain || !arg.startsWith("-") || arg === "-") found.push(arg);
    else if (arg === "--") plain = true;
    else if (valued?.test(arg) === true) at += 1;
  }
  return found;
}

export function lastName(path: string): string {
  return path.replace(/\/+$/, "").split("/").at(-1) ?? "";
}

export function writesInPlace(name: string, args: readonly string[]): boolean {
  if (name === "sed" || name === "gsed")
    return args.some((arg) => /^(?:-\w*i|--in-place)/.test(arg));
  if (name === "yq") return args.some((arg) => /^(?:-i|--inplace)$/.test(arg));
  return /^g?awk$/.test(name) && args.includes("inplace");
}

/** Where the words of our own command line begin, after whatever starts it; negative if it is not ours. */
export function holdpointAt(first: string, args: readonly string[]): number {
  if (isOurs(first)) return 0;
  if (!/(?:^|\/)(?:node|bun|deno|tsx|npm|pnpm|yarn|corepack)$/.test(first)) return -1;
  const at = args.findIndex(isOurs);
  // If another program comes first, our name is only one of its arguments.
  const leads = args
    .slice(0, Math.max(at, 0))
    .every(
      (one, index) =>
        one.startsWith("-") || STARTS.test(one) || args[index - 1]?.startsWith("-") === true,
    );
  return at >= 0 && leads ? at + 1 : -1;
}

function isOurs(word: string): boolean {
  return /(?:^|\/)holdpoint(?:@[\w.^~-]*)?(?:\.c?js)?$/.test(word);
}

/** The target and the sources of copying or moving: the target is the last word, or follows `-t`. */
export function destination(
  args: readonly string[],
  valued: RegExp | undefined,
): {
  readonly into: string;
  readonly sources: readonly string[];
  readonly paths: readonly string[];
} {
  const at = args.findIndex((arg) => arg === "-t" || arg === "--target-directory");
  const joined = args.find((arg) => arg.startsWith("--target-directory="))?.split("=")[1];
  const named = at >= 0 ? args[at + 1] : joined;
  const rest = at >= 0 ? args.toSpliced(at, 2) : args;
  const paths = operands(rest, valued);
  return named === undefined
    ? { into: paths.at(-1) ?? "", sources: paths.slice(0, -1), paths }
    : { into: named, sources: paths, paths };
}

/** The files edited by a program such as sed. Without an option for the script, the script is the first word. */
export function editedFiles(name: string, args: readonly string[]): readonly string[] {
  const option = /^(?:-\w*[ef]|--expression|--file|--from-file)$/;
  const given = args.some((arg) => option.test(arg) || /^--(?:expression|file)=/.test(arg));
  const valued = name.endsWith("awk") ? /^(?:-i|-v|-f|--include|--assign|--file)$/ : option;
  return operands(args, valued).slice(given && !name.endsWith("awk") ? 0 : 1);
}

/** Whether it copies folders with everything in them. */
export function copiesFolders(name: string, args: readonly string[]): boolean {
  if (name === "rsync") return true;
  if (name === "ln") return args.some((arg) => /^-\w*[nT]|^--no-/.test(arg));
  return args.some((arg) => /^-(?!-)\w*[rRa]|^--(?:recursive|archive)/.test(arg));
}

/** What is copied is changed as well: it goes, or can then be written through its other name. */
export function touchesSources(name: string, args: readonly string[]): boolean {
  if (name === "rsync") return args.includes("--remove-source-files");
  if (name !== "cp") return name === "ln";
  return args.some((arg) => /^-(?!-)\w*[ls]|^--(?:link|symbolic-link)$/.test(arg));
}

/** Whether the copy replaces the folder or is merged into it. */
export function fillsFolder(name: string, args: readonly string[]): boolean {
  if (name === "ln") return true;
  return args.some((arg) => /^-(?!-)\w*T|^--no-target-directory$/.test(arg));
}

/** Git settings on the command line whose values are commands. */
export function commandsSet(args: readonly string[]): readonly string[] {
  const runs =
    /^(?:alias\..*|.*(?:pager|editor|fsmonitor|command|external|helper|program|cmd|askpass|textconv|clean|smudge|process))=!?(.+)$/is;
  return args.flatMap((arg, index) => {
    const given = args[index - 1] === "-c" ? arg : /^-c(.+)$/s.exec(arg)?.[1];
    return given === undefined ? [] : (runs.exec(given)?.[1] ?? []);
  });
}

/** Programs whose own language can write files. */
export function writesFromText(name: string, args: readonly string[]): boolean {
  const text = args.join(" ");
  // A comparison sign is not a redirection; a redirection follows what is printed.
  if (name.endsWith("awk")) return /\bprintf?\b[^;}\n]*[>|]|\|&?\s*getline|system\s*\(/.test(text);
  if (/^(?:claude|codex|gemini|opencode|copilot)$/.test(name)) return true;
  return /^g?sed$/.test(name) && /(?:^|[\s;/}\d])[wW]\s*[\w./~]|\/e\b/.test(text);
}

/** Programs given as `--eval=...`. */
export function inlineTexts(args: readonly string[]): readonly string[] {
  return args.flatMap((arg) => /^--(?:eval|print|command|execute)=(.+)$/s.exec(arg)?.[1] ?? []);
}

/** The value of an option: separate, joined by `=`, or directly after its letter. */
export function optionValues(option: RegExp, args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (option.test(arg)) return args[index + 1] ?? [];
    const [, long, value] = /^(-{0,2}[\w-]+)=(.+)$/.exec(arg) ?? [];
    if (long !== undefined && value !== undefined && option.test(long)) return value;
    const [, short, joined] = /^(-[a-zA-Z])(.+)$/.exec(arg) ?? [];
    return short !== undefined && joined !== undefined && option.test(short) ? joined : [];
  });
}

/** Commands that stand behind options of a program, such as the one that `tar` hands what it unpacks. */
export function commandsGiven(name: string, args: readonly string[]): readonly string[] {
  const option = Object.hasOwn(RUN_OPTIONS, name) ? RUN_OPTIONS[name] : undefined;
  return option === undefined
    ? []
    : optionValues(option, args).map((one) => one.replace(/^exec=/, ""));
}
