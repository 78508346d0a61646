/** Programs that write the contents of an archive or patch, which cannot be seen here. */
import { operands, optionValues, patchedPaths } from "./arguments.ts";
import { FIXERS } from "./programs.ts";
import type { Written } from "./deeds.ts";

/** The folders they write to; empty if they only read. */
export function unpackedInto(name: string, args: readonly string[]): readonly string[] {
  const has = (option: RegExp): boolean => args.some((arg) => option.test(arg));
  const into = (option: RegExp): readonly string[] => {
    const named = optionValues(option, args);
    return named.length === 0 ? ["."] : named;
  };
  switch (name) {
    case "tar":
    case "bsdtar":
      return isExtracting(args) && !has(/^(?:-O|--to-stdout)$/) ? into(/^(?:-C|--directory)$/) : [];
    case "unzip":
      return has(/^-\w*[ltpvZ]/) ? [] : into(/^-d$/);
    case "7z":
    case "7za":
      return args[0] === "x" || args[0] === "e" ? into(/^-o$/) : [];
    case "cpio":
      if (has(/^(?:-\w*p|--pass-through)/)) return operands(args).slice(-1);
      return has(/^(?:-\w*i|--extract)/) ? into(/^(?:-D|--directory)$/) : [];
    case "pax":
      if (!has(/^-\w*r/)) return [];
      return has(/^-\w*w/) ? operands(args).slice(-1) : ["."];
    default:
      return [];
  }
}

const PACKERS = /^(?:g(?:un)?zip|b(?:un)?zip2|(?:un)?(?:xz|lzma|zstd|compress)|pigz|lz4)$/;
const PRINTS = /^(?:-(?!-)\w*[clt]\w*|--(?:stdout|to-stdout|test|list|help|version))$/;

export function packsToOutput(name: string, args: readonly string[]): boolean {
  return PACKERS.test(name) && args.some((arg) => PRINTS.test(arg));
}

/** They replace the file they are given by another one. */
function repacked(name: string, args: readonly string[]): readonly string[] {
  if (!PACKERS.test(name) || packsToOutput(name, args)) return [];
  return operands(args).flatMap((path) => [
    path,
    path.replace(/\.(?:gz|bz2|xz|lzma|zst|lz4|Z)$/, ""),
  ]);
}

/** Files that are unpacked, or overwritten by a program told to fix them. */
export function fixedBy(name: string, args: readonly string[]): readonly string[] {
  const option = Object.hasOwn(FIXERS, name) ? FIXERS[name] : undefined;
  const fixes = args.some((arg) => option?.test(arg) === true);
  if (fixes) return operands(args);
  const packed = repacked(name, args);
  return packed.length > 0 ? packed : unpackedInto(name, args);
}

/** `tar xf`, `tar -xf` or `tar --extract`. */
function isExtracting([first = "", ...rest]: readonly string[]): boolean {
  const short = (arg: string): boolean =>
    /^-(?!-)\w*x/.test(arg) || /^--(?:extract|get)$/.test(arg);
  return /^[A-Za-z]*x[A-Za-z]*$/.test(first) || [first, ...rest].some(short);
}

/** What a patch changes: the files it names if it can be read, the file it is for, or anything around. */
export function patchedBy(
  name: string,
  args: readonly string[],
  fed: readonly string[],
): readonly Written[] {
  if (name !== "apply_patch" && name !== "patch") return [];
  const texts = [...fed, ...args].filter((one) => one.includes("*** ") || one.includes("+++ "));
  if (texts.length > 0) return texts.flatMap(patchedPaths).map((path) => ({ path, tree: false }));
  if (args.includes("--dry-run")) return [];
  const [file] = operands(args, /^(?:-[dipDFogrVYzB]|--(?:directory|input|strip))$/);
  if (file !== undefined) return [{ path: file, tree: false }];
  const named = optionValues(/^(?:-d|--directory)$/, args);
  return (named.length === 0 ? ["."] : named).map((path) => ({ path, tree: true, could: true }));
}
