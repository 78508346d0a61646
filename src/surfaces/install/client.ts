import { homedir } from "node:os";
import { join } from "node:path";
import type { Family } from "../../ports/family.ts";
import type { Client } from "../../watch/call.ts";
import { isHookCommand } from "./hook-command.ts";
import type { Part } from "./parts.ts";
import type { Program } from "./program.ts";
import type { Json } from "../../core/values/json.ts";

/** Where, and for whom, something is installed. */
export interface Place {
  /** The top of the repository. */
  readonly root: string;
  readonly home: Homes;
  /** Hooks and server go into the user's own configuration. */
  readonly user: boolean;
  readonly families: readonly Family[];
  readonly program: Program;
  /** Names of the MCP server's tools. */
  readonly tools: readonly string[];
  /** A running server, for clients whose hooks can send requests. */
  readonly server?: { readonly port: number; readonly token: string };
}

/** How one client is set up, as data and pure functions. */
export interface ClientSetup {
  readonly client: Client;
  readonly title: string;
  /** Whether hooks go into the user's configuration by default, and why. */
  readonly byDefault: { readonly user: boolean; readonly why: string };
  readonly parts: (place: Place) => readonly Part[];
  /** A further file for hooks that only concern this clone. */
  readonly localFile?: (place: Pick<Place, "root">) => string;
  /** The file with the hooks, which shows whether they are installed. */
  readonly hookFile: (place: Pick<Place, "root" | "home">, user: boolean) => string;
  /** Another client whose files in a repository it reads too, so that they need not be installed twice. */
  readonly reads?: Client;
  readonly serverFile: (place: Pick<Place, "root" | "home">, user: boolean) => string;
  /** The client's name for the event before a tool is used. In OpenCode the plugin is asked. */
  readonly beforeTool: string;
  /** What a person must still do to make it work. */
  readonly traps: (place: Place) => readonly string[];
}

export interface Homes {
  readonly claude: string;
  readonly claudeState: string;
  readonly codex: string;
  readonly gemini: string;
  readonly copilot: string;
  readonly opencode: string;
}

export function homesIn(env: Readonly<Record<string, string | undefined>>): Homes {
  const home = given(env["HOME"]) ?? homedir();
  const config = given(env["XDG_CONFIG_HOME"]) ?? join(home, ".config");
  const claude = given(env["CLAUDE_CONFIG_DIR"]);
  return {
    claude: claude ?? join(home, ".claude"),
    claudeState: join(claude ?? home, ".claude.json"),
    codex: given(env["CODEX_HOME"]) ?? join(home, ".codex"),
    gemini: join(given(env["GEMINI_CLI_HOME"]) ?? home, ".gemini"),
    copilot: given(env["COPILOT_HOME"]) ?? join(home, ".copilot"),
    opencode: join(config, "opencode"),
  };
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : value;
}

/** Every file that may contain hooks in this scope. */
export function hookFiles(
  { hookFile, localFile }: ClientSetup,
  place: Pick<Place, "root" | "home">,
  user: boolean,
): readonly string[] {
  const local = user || localFile === undefined ? [] : [localFile(place)];
  return [hookFile(place, user), ...local];
}

/** Whether an entry in a client's list of hooks is ours. */
export function isOurHook(client: Client): (item: Json) => boolean {
  return (item) => commandsIn(item).some((command) => isHookCommand(command, client));
}

/** Every text in an entry that could be a command. */
export function commandsIn(item: Json): readonly string[] {
  if (typeof item === "string") return [item];
  if (typeof item !== "object" || item === null) return [];
  return Object.values(item).flatMap((one) => commandsIn(one));
}
