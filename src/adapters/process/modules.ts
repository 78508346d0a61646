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
import { texts } from "../../core/values/json-read.ts";
import { parseJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { LoadedModule, LoadModule } from "../../ports/modules.ts";
import { makeDirectory, replaceOwn } from "../store/durable.ts";

type Failed = Extract<LoadedModule, { kind: "failed" }>;

/** Loads modules. The directory remembers which have been tried, so that each is tried once. */
export function createModules(tried: string): LoadModule {
  return async (file, digest, text) => {
    const url = pathToFileURL(file).href;
    const mark = join(tried, `${digest.replace("sha256:", "")}-${process.version}-2`);
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
  let limit: NodeJS.Timeout | undefined;
  try {
    const waits = new Promise<Failed>((resolve) => {
      limit = setTimeout(() => resolve(ENDLESS), LOAD_MS_MAX);
    });
    const loads = Promise.resolve<unknown>(load(url)).then((exports): LoadedModule => ({
      kind: "loaded",
      exports,
    }));
    return await Promise.race([loads, waits]);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "failed", message, fix: "Mend what it says." };
  } finally {
    clearTimeout(limit);
  }
}

/** Time to start Node and Holdpoint on a busy machine, and then to load the module. */
const START_MS_MAX = 60_000;
const LOAD_MS_MAX = 5_000;
const OUTPUT_CHARS_MAX = 4_096;

/** The import that a protocol's file uses. It is loaded before the timer starts. */
const LIBRARY = "holdpoint";

async function tryModule(url: string): Promise<Failed | undefined> {
  const given = { url, hook: hookUrl(), data: ownModules(), library: LIBRARY };
  // In a process group of its own, so that everything it starts can be ended with it.
  const child = spawn(process.execPath, [join(ROOT, "bin/try.mjs"), JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const end = (): void => endGroup(child.pid);
  const heard = { out: "", err: "", left: "" };
  const keep = (name: keyof typeof heard) => (chunk: unknown) =>
    (heard[name] = `${heard[name]}${String(chunk)}`.slice(0, OUTPUT_CHARS_MAX));
  const starting = setTimeout(end, START_MS_MAX);
  let limit: NodeJS.Timeout | undefined;
  let drain: NodeJS.Timeout | undefined;
  child.stdout?.on("data", keep("out"));
  child.stderr?.on("data", keep("err"));
  child.stdio[3]?.on("data", keep("left"));
  child.stdio[3]?.on("data", () => (limit ??= setTimeout(end, LOAD_MS_MAX)));
  const ended = await new Promise<number | string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    // Its output usually ends now, unless a process that it started keeps the pipes open.
    child.on("exit", (exit, signal) => {
      drain = setTimeout(() => resolve(exit ?? signal ?? ""), DRAIN_MS_MAX);
    });
    child.on("close", (exit, signal) => resolve(exit ?? signal ?? ""));
  });
  for (const timer of [starting, limit, drain]) clearTimeout(timer);
  end();
  for (const stream of child.stdio) stream?.destroy();
  return verdictOf(ended, heard, url);
}

/** How long to wait for the rest of the output after the module has ended. */
const DRAIN_MS_MAX = 500;

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}

interface Heard {
  readonly out: string;
  readonly err: string;
  readonly left: string;
}

function verdictOf(
  ended: number | string,
  { out, err, left }: Heard,
  url: string,
): Failed | undefined {
  if (ended === "SIGKILL") return ENDLESS;
  // The trial writes a dot, and then a list of what the module left behind. A module that exits writes neither.
  const told = ended === 0 ? parseJson(left.slice(1)) : undefined;
  const isTold = told !== undefined;
  if (isTold && texts(told).length > 0)
    return failed(`it ${texts(told).join(", ")}`, "At load, make the table and nothing else.");
  if (isTold && out !== "")
    return failed(
      `it prints ${JSON.stringify(out.trim().slice(0, 60))}`,
      "Print nothing at load: answers go there.",
    );
  if (isTold) return undefined;
  if (ended === UNSETTLED)
    return failed("it waits for what never comes", "Wait for nothing at the top of the file.");
  if (err === "") return failed(`it ends the program (${ended})`, "Do not exit at load.");
  return failed(tell({ text: err, url }), "Mend the file there.");
}

const ENDLESS: Failed = {
  kind: "failed",
  message: `it does not come to an end within ${LOAD_MS_MAX / 1_000} seconds`,
  fix: "Load nothing and wait for nothing at the top of the file.",
};

/** Node's exit code for a top-level `await` that can never settle. */
const UNSETTLED = 13;

interface Said {
  readonly text: string;
  readonly url: string;
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

let isHooked = false;

function useHook(): void {
  // Node 20.0 to 20.5 cannot add hooks later; there, Holdpoint must be among the packages.
  if (isHooked || typeof nodeModule.register !== "function") return;
  isHooked = true;
  nodeModule.register(hookUrl(), { data: ownModules() });
}
