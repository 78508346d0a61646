/** What programs write of what their words name. */
import {
  copiesFolders,
  destination,
  editedFiles,
  fillsFolder,
  lastName,
  optionValues,
  writesInPlace,
} from "./arguments.ts";
import { OUTPUTS, VALUED, WRITERS } from "./programs.ts";
import { fixedBy } from "./unpack.ts";

export interface Written {
  readonly path: string;
  /** With everything below it. */
  readonly tree: boolean;
  /** Somewhere there. */
  readonly could?: true;
}

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
    // What is put into a folder keeps its name.
    ...sources.map((from) => ({ path: `${into}/${lastName(from)}`, tree: deep })),
    ...(name === "ln" ? sources.map((path) => ({ path, tree: true })) : []),
  ];
}

/** An option may name a file or the folder that files are put into. */
export function outputsOf(name: string, args: readonly string[]): readonly string[] {
  const option = Object.hasOwn(OUTPUTS, name) ? OUTPUTS[name] : undefined;
  return option === undefined ? [] : optionValues(option, args);
}
