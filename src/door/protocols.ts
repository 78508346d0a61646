/**
 * Loads the repository's own protocols from the files named in `holdpoint.config.json`. An unusable file is a
 * problem with its place and a remedy; it only stops its own workflows.
 */
import { protocolMistakes } from "../core/table/define.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { LoadedProtocols, ProtocolProblem } from "../engine/families.ts";
import { defineFamily } from "../family/define.ts";
import { plainPath } from "../core/values/paths.ts";
import { MEMBERS } from "../family/shape.ts";
import type { Family } from "../ports/family.ts";
import type { LoadModule } from "../ports/modules.ts";
import type { Settings } from "../ports/settings.ts";

const FILES_MAX = 64;

export interface LoadRequest {
  /** The directory of the files. */
  readonly root: string;
  readonly settings: Settings;
  readonly load: LoadModule;
  readonly files: readonly string[];
  /** Names already taken by shipped families. */
  readonly taken: readonly string[];
}

export async function loadProtocols(request: LoadRequest): Promise<LoadedProtocols> {
  const { files, taken } = request;
  const read = await Promise.all(
    files.slice(0, FILES_MAX).map(async (file) => ({ file, told: await loadOne(request, file) })),
  );
  const families: Family[] = [];
  const problems: ProtocolProblem[] = [];
  for (const { file, told } of read) {
    const problem = "code" in told ? told : clashOf(file, told, { families, taken });
    if (problem !== undefined) problems.push(problem);
    else if ("protocol" in told) families.push(told);
  }
  for (const file of files.slice(FILES_MAX))
    problems.push(
      unusable(file, `only the first ${FILES_MAX} are read`, "Name fewer files under protocols."),
    );
  return { families, problems };
}

async function loadOne(
  { root, settings, load }: LoadRequest,
  file: string,
): Promise<Family | ProtocolProblem> {
  const path = file.replace(/^\.\//, "");
  const text = await settings.read(path);
  const odd = settings.uncounted().find((one) => one.path === path);
  // A module is imported from the worktree, so the file there must be the committed one.
  if (odd !== undefined && (text.kind === "absent" || !/\.ya?ml$/.test(path)))
    return unusable(file, odd.message, odd.fix);
  if (text.kind === "absent")
    return unusable(file, "there is no such file", "Mend the path in holdpoint.config.json.");
  if (text.kind === "unreadable") return unusable(file, text.message, text.fix);
  if (/\.ya?ml$/.test(path)) return await fromYaml(file, text.text);
  if (!/\.(?:js|mjs)$/.test(path))
    return unusable(file, "it is neither .yaml, .yml, .js nor .mjs", "Write it in one of these.");
  const imported = await wrongImport(settings, path, text.text);
  if (imported !== undefined) return imported;
  const loaded = await load(`${root}/${path}`, text.digest, text.text);
  if (loaded.kind === "failed") return unusable(file, loaded.message, loaded.fix);
  return familyOf(file, defaultOf(loaded.exports), "its default export");
}

/**
 * Modules that a protocol imports affect it as much as the file itself, so they must be as committed too. They
 * are found by searching the text; a path that is computed at run time is missed.
 */
async function wrongImport(
  settings: LoadRequest["settings"],
  path: string,
  source: string,
): Promise<ProtocolProblem | undefined> {
  const seen = new Set([path]);
  const left = [{ from: path, source }];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    for (const [, named = ""] of one.source.matchAll(RELATIVE_IMPORT)) {
      const file = plainPath(`${one.from}/../${named}`);
      if (seen.has(file)) continue;
      seen.add(file);
      const text = file.startsWith("../") ? undefined : await settings.read(file);
      const odd = settings.uncounted().find(({ path: uncounted }) => uncounted === file);
      if (odd !== undefined) return unusable(path, odd.message, odd.fix);
      if (text?.kind !== "text" || seen.size > IMPORTS_MAX)
        return unusable(
          path,
          `it imports ${file}, which cannot be read from the commit`,
          "Commit that file inside the repository, or take the import out.",
        );
      left.push({ from: file, source: text.text });
    }
  }
  return undefined;
}

const RELATIVE_IMPORT = /\b(?:from|import|require)\s*\(?\s*["'`](\.{1,2}\/[^"'`\n]+)["'`]/g;
const IMPORTS_MAX = 100;

async function fromYaml(file: string, text: string): Promise<Family | ProtocolProblem> {
  const { readProtocolYaml } = await import("../authoring/yaml.ts");
  const read = readProtocolYaml(text, file);
  if (read.kind === "read") return familyOf(file, read.protocol);
  const [first] = read.problems;
  const told = read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
  return unusable(file, told.join("; "), first?.fix ?? "Mend the table.");
}

function defaultOf(exports: unknown): unknown {
  return typeof exports === "object" && exports !== null && "default" in exports
    ? exports.default
    : undefined;
}

/** Makes a family from what a file exports or a program passes in. */
export function familyOf(where: string, given: unknown, what = "it"): Family | ProtocolProblem {
  const family = isFamily(given) ? given : undefined;
  const protocol: unknown = family?.protocol ?? given;
  if (!isProtocol(protocol)) return unusable(where, `${what} is no protocol`, ANSWERED);
  try {
    const mistakes = protocolMistakes(protocol);
    if (mistakes.length > 0) return unusable(where, mistakes.join("; "), "Mend the table.");
    return family ?? defineFamily(protocol);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return unusable(where, message, ANSWERED);
  }
}

const ANSWERED =
  "Give what defineProtocol or defineFamily answers, such as export default defineProtocol({ ... }).";

function isFamily(value: unknown): value is Family {
  return (
    typeof value === "object" &&
    value !== null &&
    "protocol" in value &&
    MEMBERS.every((name) => ["object", "function"].includes(typeof Reflect.get(value, name)))
  );
}

function isProtocol(value: unknown): value is Protocol {
  if (typeof value !== "object" || value === null) return false;
  const { name, kinds }: Partial<Readonly<Record<string, unknown>>> = { ...value };
  return typeof name === "string" && typeof kinds === "object" && kinds !== null;
}

/** Two protocols with one name would share journals. */
function clashOf(
  file: string,
  { protocol: { name } }: Family,
  { families, taken }: { readonly families: readonly Family[]; readonly taken: readonly string[] },
): ProtocolProblem | undefined {
  if (taken.includes(name))
    return unusable(file, `Holdpoint has a protocol "${name}" itself`, "Give it another name.");
  return families.some((one) => one.protocol.name === name)
    ? unusable(file, `another file defines "${name}"`, "Give one of the two another name.")
    : undefined;
}

function unusable(file: string, why: string, fix: string): ProtocolProblem {
  return { code: "protocol-unusable", message: `Cannot use ${file}: ${why}`, fix, file };
}
