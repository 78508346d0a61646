/** What programs write, according to their arguments. */
import {
  copiesFolders,
  destination,
  editedFiles,
  fillsFolder,
  lastName,
  touchesSources,
  optionValues,
  writesInPlace,
} from "./arguments.ts";
import type { Written } from "./deeds.ts";
import { isUnknown } from "./expand.ts";
import { OUTPUTS, VALUED, WRITERS } from "./programs.ts";
import { fixedBy } from "./unpack.ts";

export function writtenBy(name: string, args: readonly string[]): readonly Written[] {
  if (name === "dd") return optionValues(/^of$/, args).map((path) => ({ path, tree: false }));
  if (Object.hasOwn(WRITERS, name)) return byWriter(name, args);
  if (writesInPlace(name, args))
    return editedFiles(name, args).map((path) => ({ path, tree: false }));
  return fixedBy(name, args).map((path) => ({ path, tree: true, could: true }));
}

function byWriter(name: string, args: readonly string[]): readonly Written[] {
  const how = WRITERS[name];
  const { into, sources, paths } = destination(args, VALUED[name]);
  const copied = how === "last" || name === "mv" ? copiedTo(name, args, { into, sources }) : [];
  if (how === "last") return copied;
  if (how === "second") return paths.slice(1, 2).map((path) => ({ path, tree: false }));
  const recursive = args.some((arg) => /^-\w*[rR]/.test(arg) || arg === "--recursive");
  const skip = how === "rest" && !args.some((arg) => arg.startsWith("--reference")) ? 1 : 0;
  const tree = how === "rest" || name === "rm" ? recursive : how === "tree";
  return [...copied, ...paths.slice(skip).map((path) => ({ path, tree }))];
}

function copiedTo(
  name: string,
  args: readonly string[],
  { into, sources }: { readonly into: string; readonly sources: readonly string[] },
): readonly Written[] {
  const deep = copiesFolders(name, args);
  const whole = fillsFolder(name, args) || sources.some((from) => /(?:^|\/)\.?$|\*/.test(from));
  return [
    { path: into, tree: deep && whole },
    // A file put into a folder keeps its name.
    ...sources.map((from) => ({ path: `${into}/${lastName(from)}`, tree: deep })),
    ...(touchesSources(name, args) ? sources.map((path) => ({ path, tree: true })) : []),
  ];
}

/** An option may name an output file, or the folder for output files (but not those below it). */
export function outputsOf(name: string, args: readonly string[]): readonly string[] {
  const option = Object.hasOwn(OUTPUTS, name) ? OUTPUTS[name] : undefined;
  const named = option === undefined ? [] : optionValues(option, args);
  return named.flatMap((path) => (isUnknown(path) ? [path] : [path, `${path}/*`]));
}
