/** `holdpoint mcp`: offers the operations as tools to agents whose client speaks the Model Context Protocol. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compose } from "../../compose/compose.ts";
import { isJsonObject, parseJson, showJson } from "../../core/values/json.ts";
import { failedAnswer, usage } from "../../operations/parts/answers.ts";
import type { FailedAnswer } from "../../operations/parts/answers.ts";
import { packageRoot } from "../cli/package-root.ts";
import { printable } from "../cli/terminal/style.ts";
import type { Reply } from "../cli/verb.ts";
import { openDesk } from "./call.ts";
import type { Desk } from "./call.ts";
import { PATH, overHttp } from "./http.ts";
import { serverFor } from "./server.ts";
import { overStdio } from "./stdio.ts";
import { HOST, keepIn } from "./token.ts";
import { toolsFor } from "./tools.ts";

/** How long running calls may take to end when the server stops. */
const GRACE_MS = 5_000;

export async function runMcp(args: readonly string[]): Promise<Reply | FailedAnswer> {
  const flags = readFlags(args);
  if ("ok" in flags) return flags;
  if (flags.background) return await inBackground(flags.cwd);
  const desk = openDesk(flags.cwd, flags.agent);
  const factory = serverFor(desk, version(), toolsFor(flags));
  // An unexpected error in one call must not end the others.
  process.on("unhandledRejection", (error) =>
    process.stderr.write(`${printable(String(error))}\n`),
  );
  const stopped = new Promise<void>((done) => {
    process.once("SIGTERM", () => done());
    process.once("SIGINT", () => done());
  });
  if (flags.http) {
    const problem = await listenOn(flags, factory, stopped);
    if (problem !== undefined) return problem;
  } else {
    await overStdio(factory, stopped);
  }
  await settled(desk);
  return { exit: 0, json: { ok: true }, text: "" };
}

/** Prints where the server listens, but not its token. */
async function inBackground(cwd: string): Promise<Reply | FailedAnswer> {
  const { ensureServer } = await import("./background.ts");
  const running = await ensureServer(cwd);
  if (running.kind === "failed") return failedAnswer(running);
  const url = `http://${HOST}:${running.port}${PATH}`;
  return { exit: 0, json: { ok: true, url }, text: url };
}

interface Flags {
  /** The one agent this server is started for, as named in that agent's own file. */
  readonly agent?: string;
  /** Agents have servers of their own; this one is for the agent that sends work out. */
  readonly lead: boolean;
  readonly http: boolean;
  readonly background: boolean;
  readonly cwd: string;
  readonly port?: number;
}

function readFlags(args: readonly string[]): Flags | FailedAnswer {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        http: { type: "boolean" },
        background: { type: "boolean" },
        lead: { type: "boolean" },
        agent: { type: "string" },
        port: { type: "string" },
        cwd: { type: "string" },
      },
    });
    const { port, http = false, background = false, lead = false, agent } = values;
    if (agent !== undefined && !(/^[\w-]{1,64}$/.test(agent) && !lead && !http))
      return usage("--agent names one agent, over stdio.", "holdpoint mcp --agent spec-agent");
    const number = port === undefined ? undefined : Number(port);
    if (number !== undefined && !(/^\d{1,5}$/.test(port ?? "") && number <= 65_535))
      return usage(`"${port}" is not a port.`, "Example: holdpoint mcp --http --port 4747");
    if (number !== undefined && !http)
      return usage("--port goes with --http.", "Example: holdpoint mcp --http --port 4747");
    if (background && (!http || number !== undefined))
      return usage("--background goes with --http alone.", "holdpoint mcp --http --background");
    return {
      lead,
      ...(agent === undefined ? {} : { agent }),
      http,
      background,
      cwd: directoryOf(values.cwd),
      ...(number === undefined ? {} : { port: number }),
    };
  } catch (error) {
    const said = error instanceof Error ? error.message.split(". ")[0] : undefined;
    return usage(said ?? "The command line cannot be read.", "See holdpoint mcp --help.");
  }
}

/** The directory it was started in may be gone. Each call then says so until it is back. */
function directoryOf(given: string | undefined): string {
  try {
    return resolve(given ?? ".");
  } catch {
    return given ?? process.env["PWD"] ?? "";
  }
}

async function listenOn(
  { cwd, port }: Flags,
  factory: Parameters<typeof overHttp>[0],
  stopped: Promise<void>,
): Promise<FailedAnswer | undefined> {
  const composed = await compose({ cwd });
  if (composed.kind === "failed") return failedAnswer(composed);
  await composed.parts.journal.close();
  const { token, file, ...keep } = keepIn(composed.dir);
  try {
    const opened = await overHttp(factory, { token, cwd, port: port ?? keep.port });
    keep.remember(opened.port);
    process.stderr.write(`http://${HOST}:${opened.port}${PATH}\ntoken: ${file}\n`);
    await stopped;
    await opened.close();
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    return failedAnswer({
      code: "port-taken",
      message: error.message,
      fix: "Use the server that listens there, or give another one: --port 0 takes any that is free.",
    });
  }
}

/** Finishes running calls. What is left undone, the next process finishes. */
async function settled(desk: Desk): Promise<void> {
  const timer = setTimeout(() => process.exit(0), GRACE_MS);
  await desk.idle();
  clearTimeout(timer);
}

function version(): string {
  const parsed = parseJson(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return isJsonObject(parsed) ? showJson(parsed["version"]) : "unknown";
}
