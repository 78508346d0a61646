/**
 * Loads modules that a repository brings along. Each is tried in a separate process first, because an endless
 * loop, an exit or a crash while loading would take this process down. Only a module that loaded there is loaded
 * here.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as nodeModule from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { JsonObject } from "../../core/values/json.ts";
import type { LoadedModule, LoadModule } from "../../ports/modules.ts";
import { makeDirectory, replaceOwn } from "../store/durable.ts";

type Failed = Extract<LoadedModule, { kind: "failed" }>;

/** Loads modules. The directory remembers which have been tried, so that each is tried once. */
export function createModules(tried: string): LoadModule {
  return async (file, digest, text) => {
    const url = pathToFileURL(file).href;
    const mark = join(tried, `${digest.replace("sha256:", "")}-${process.version}`);
    const isKnown = importsNothing(text) && existsSync(mark);
    const failed = isKnown ? undefined : await tryModule(url);
    if (failed !== undefined) return failed;
    if (!isKnown) remember(tried, mark);
    return await importModule(`${url}?${digest}`);
  };
}

/** Whether the module imports nothing but Holdpoint. Other files may change while this one stays the same. */
function importsNothing(text: string): boolean {
  return [...text.matchAll(/\b(?:from|import|require)\b\s*\(?\s*(?:["'`]([^"'`]*)|(\S))/g)].every(
    ([, name, other]) => name === LIBRARY || (name === undefined && /[{*\w]/.test(other ?? "")),
  );
}

function remember(tried: string, mark: string): void {
  try {
    makeDirectory(tried);
    replaceOwn(mark, "");
  } catch {
    // If nothing can be written there, it is tried every time.
  }
}

async function importModule(url: string): Promise<LoadedModule> {
  useHook();
  const load: unknown = nodeModule.createRequire(import.meta.url)(join(ROOT, "bin/import.cjs"));
  if (typeof load !== "function") throw new Error("Cannot find bin/import.cjs");
  try {
    const exports: unknown = await load(url);
    return { kind: "loaded", exports };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "failed", message, fix: "Mend what it says." };
  }
}

/** Time to start Node and Holdpoint on a busy machine, and then to load the module. */
const START_MS_MAX = 60_000;
const LOAD_MS_MAX = 5_000;
const OUTPUT_CHARS_MAX = 4_096;

/** The import that a protocol's file uses. It is loaded before the timer starts. */
const LIBRARY = "holdpoint";

/** The exit code for a completed trial, unlikely to be used by a module that exits itself. */
const TRIED = 87;

async function tryModule(url: string): Promise<Failed | undefined> {
  const code = [
    'import{register}from"node:module";import{writeSync}from"node:fs";',
    `${hookCode()}await import(${JSON.stringify(LIBRARY)}).catch(()=>{});writeSync(3,".");`,
    // Otherwise Node prints the source line that threw, which in a bundled library is most of the library.
    `await import(${JSON.stringify(url)}).catch((error)=>{if(!(error instanceof Error)||error.name==="SyntaxError")throw error;`,
    `writeSync(2,error.stack??"");process.exit(1)});process.exit(${TRIED})`,
  ].join("");
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    timeout: START_MS_MAX,
    killSignal: "SIGKILL",
  });
  let printed = "";
  let said = "";
  let limit: NodeJS.Timeout | undefined;
  child.stdout?.on("data", (chunk) => (printed = `${printed}${chunk}`.slice(0, OUTPUT_CHARS_MAX)));
  child.stderr?.on("data", (chunk) => (said = `${said}${chunk}`.slice(0, OUTPUT_CHARS_MAX)));
  child.stdio[3]?.on(
    "data",
    () => (limit ??= setTimeout(() => child.kill("SIGKILL"), LOAD_MS_MAX)),
  );
  const ended = await new Promise<number | string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("close", (exit, signal) => resolve(exit ?? signal ?? ""));
  });
  clearTimeout(limit);
  return verdictOf(ended, printed, { text: said, url });
}

interface Said {
  readonly text: string;
  readonly url: string;
}

function verdictOf(ended: number | string, printed: string, said: Said): Failed | undefined {
  if (ended === "SIGKILL")
    return failed(
      `it does not come to an end within ${LOAD_MS_MAX / 1_000} seconds`,
      "Load nothing and wait for nothing at the top of the file.",
    );
  if (ended === TRIED && printed === "") return undefined;
  if (ended === TRIED)
    return failed(
      `it prints ${JSON.stringify(printed.trim().slice(0, 60))}`,
      "Print nothing at load: answers go there.",
    );
  if (said.text === "") return failed(`it ends the program (${ended})`, "Do not exit at load.");
  return failed(tell(said), "Mend the file there.");
}

function failed(message: string, fix: string): Failed {
  return { kind: "failed", message, fix };
}

/** Describes the error in Node's own words, with the line of the file in which it happened. */
function tell({ text: said, url }: Said): string {
  const lines = said.split("\n").map((line) => line.trimEnd());
  const error = lines.find((line) => /^\w*(?:Error|Exception)\b/.test(line)) ?? lines[0] ?? "";
  const place = /^(?:file:\/\/)?\S*?([^/\\\s]+:\d+)$/.exec(lines[0] ?? "")?.[1];
  const frame = lines.find((line) => line.includes(url)) ?? said;
  const deeper = /\/([^/\\\s)?]+)(?:\?[^\s:]*)?(:\d+):\d+/.exec(frame)?.slice(1).join("");
  const where = place ?? deeper;
  return where === undefined ? error : `${where}: ${error}`;
}

/** The directory of this package, whether bundled or not. */
const ROOT: string = packageRoot();

function packageRoot(): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at))
    if (existsSync(join(at, "package.json")) || dirname(at) === at) return at;
}

/** If a repository has no Holdpoint among its packages, `import "holdpoint"` gets the running one. */
const HOOK = `let own;
export function initialize(given){own=given}
export async function resolve(name,context,next){
  const found=await next(name,context).catch((error)=>error);
  const url=found instanceof Error?own.names[name]:own.instead[found.url];
  if(url!==undefined)return{url,format:"module",shortCircuit:true};
  if(found instanceof Error)throw found;
  return found;
}`;

/** The bundled library loads faster than its modules, even if it is among the repository's packages. */
function ownModules(): JsonObject {
  const url = (file: string): string => pathToFileURL(join(ROOT, "dist", file)).href;
  return {
    names: { [LIBRARY]: url("library.mjs"), [`${LIBRARY}/testing`]: url("testing.js") },
    instead: { [url("index.js")]: url("library.mjs") },
  };
}

function hookUrl(): string {
  return `data:text/javascript,${encodeURIComponent(HOOK)}`;
}

function hookCode(): string {
  return `register?.(${JSON.stringify(hookUrl())},{data:${JSON.stringify(ownModules())}});`;
}

let isHooked = false;

function useHook(): void {
  // Node 20.0 to 20.5 cannot add hooks later; there, Holdpoint must be among the packages.
  if (isHooked || typeof nodeModule.register !== "function") return;
  isHooked = true;
  nodeModule.register(hookUrl(), { data: ownModules() });
}
