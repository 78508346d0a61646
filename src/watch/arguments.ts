/** Small questions about the words behind a program. */
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

/** Where the words of our own command line begin, behind whatever starts it; negative where it is not ours. */
export function holdpointAt(first: string, args: readonly string[]): number {
  const isOurs = (word: string): boolean => /(?:^|\/)holdpoint(?:\.js)?$/.test(word);
  if (isOurs(first)) return 0;
  if (!/(?:^|\/)(?:node|bun|deno|tsx|npm|pnpm|yarn|corepack)$/.test(first)) return -1;
  const at = args.findIndex(isOurs);
  return at < 0 ? -1 : at + 1;
}

/** Where something is copied or moved to, and what: the last word, or the one behind `-t`. */
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

/** The files behind a program of an editor; without an option for it, the program is the first word. */
export function editedFiles(name: string, args: readonly string[]): readonly string[] {
  const option = /^(?:-\w*[ef]|--expression|--file|--from-file)$/;
  const given = args.some((arg) => option.test(arg) || /^--(?:expression|file)=/.test(arg));
  const valued = name.endsWith("awk") ? /^(?:-i|-v|-f|--include|--assign|--file)$/ : option;
  return operands(args, valued).slice(given && !name.endsWith("awk") ? 0 : 1);
}

/** Folders with everything in them. */
export function copiesFolders(name: string, args: readonly string[]): boolean {
  if (name === "rsync") return true;
  if (name === "ln") return args.some((arg) => /^-\w*[nT]|^--no-/.test(arg));
  return args.some((arg) => /^-(?!-)\w*[rRa]|^--(?:recursive|archive)/.test(arg));
}

export function makesLinks(name: string, args: readonly string[]): boolean {
  if (name !== "cp") return name === "ln";
  return args.some((arg) => /^-(?!-)\w*[ls]|^--(?:link|symbolic-link)$/.test(arg));
}

/** What is copied takes the folder's place, or lies over it. */
export function fillsFolder(name: string, args: readonly string[]): boolean {
  if (name === "ln") return true;
  return args.some((arg) => /^-(?!-)\w*T|^--no-target-directory$/.test(arg));
}

/** Settings of git that are commands, given for this once. */
export function commandsSet(args: readonly string[]): readonly string[] {
  const runs =
    /^(?:alias\..*|.*(?:pager|editor|fsmonitor|command|external|helper|program|cmd|askpass|textconv|clean|smudge|process))=!?(.+)$/is;
  return args.flatMap((arg, index) => {
    const given = args[index - 1] === "-c" ? arg : /^-c(.+)$/s.exec(arg)?.[1];
    return given === undefined ? [] : (runs.exec(given)?.[1] ?? []);
  });
}

/** Programs whose own language writes files. */
export function writesFromText(name: string, args: readonly string[]): boolean {
  const text = args.join(" ");
  // A sign that compares is no redirection: that one stands behind what is printed.
  if (name.endsWith("awk")) return /\bprintf?\b[^;}\n]*[>|]|\|&?\s*getline|system\s*\(/.test(text);
  if (/^(?:claude|codex|gemini|opencode|copilot)$/.test(name)) return true;
  return /^g?sed$/.test(name) && /(?:^|[\s;/}\d])[wW]\s*[\w./~]|\/e\b/.test(text);
}

/** A program behind `--eval=`. */
export function inlineTexts(args: readonly string[]): readonly string[] {
  return args.flatMap((arg) => /^--(?:eval|print|command|execute)=(.+)$/s.exec(arg)?.[1] ?? []);
}

/** What stands behind an option: apart, joined by `=`, or right behind its letter. */
export function optionValues(option: RegExp, args: readonly string[]): readonly string[] {
  return args.flatMap((arg, index) => {
    if (option.test(arg)) return args[index + 1] ?? [];
    const [, long, value] = /^(-{0,2}[\w-]+)=(.+)$/.exec(arg) ?? [];
    if (long !== undefined && value !== undefined && option.test(long)) return value;
    const [, short, joined] = /^(-[a-zA-Z])(.+)$/.exec(arg) ?? [];
    return short !== undefined && joined !== undefined && option.test(short) ? joined : [];
  });
}
