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

export function isHoldpoint(name: string, args: readonly string[]): boolean {
  return (
    name === "holdpoint" ||
    name === "holdpoint.js" ||
    (name === "node" && /(?:^|\/)holdpoint(?:\.js)?$/.test(args[0] ?? ""))
  );
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
