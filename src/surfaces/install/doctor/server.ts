/** Starts the MCP server as the client's file names it, greets it, and asks for its tools. */
import { isJsonArray, isJsonObject, parseJson, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { readLooseJson } from "../../../files/json/loose.ts";
import { nodeAt, toJson } from "../../../files/json/source.ts";
import type { ClientSetup, Place } from "../client.ts";
import { readTarget } from "../disk.ts";
import { hereProgram } from "../here.ts";
import { programFor } from "../program.ts";
import { serverWords } from "../server-entry.ts";
import { failed, proven } from "./check.ts";
import type { Check } from "./check.ts";
import { firstLine, runBounded } from "./run.ts";
import { plainEnv } from "./scene.ts";

const NAME = "MCP server";
const SERVER_MS = 15_000;

export async function checkServer(
  setup: ClientSetup,
  place: Pick<Place, "root" | "home">,
  user: boolean,
): Promise<Check> {
  const path = setup.serverFile(place, user);
  const again = `Run holdpoint install ${setup.client}${user ? " --user" : " --repository"}.`;
  const file = readTarget(path, place.root);
  const words = file.kind === "text" ? serverIn(file.text, path) : undefined;
  const [command, ...args] = words ?? [];
  if (command === undefined) return failed(NAME, `${path} names no server holdpoint`, again);
  if (!user && !isWritten(setup, place.root, [command, ...args]))
    return failed(
      NAME,
      `${path} names another program than install writes, so it was not run`,
      again,
    );
  let tools: readonly string[] | undefined;
  const ran = await runBounded(command, args, {
    cwd: place.root,
    env: plainEnv(),
    ms: SERVER_MS,
    input: message(1, "initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "holdpoint-doctor", version: "1" },
    }),
    talk: (line) => {
      const told = parseJson(line);
      if (!isJsonObject(told)) return "";
      if (told["id"] === 1)
        return `${message(undefined, "notifications/initialized")}${message(2, "tools/list")}`;
      if (told["id"] !== 2) return "";
      tools = toolsIn(told["result"]);
      return undefined;
    },
  });
  if (tools === undefined || tools.length === 0) {
    const why = firstLine(ran.stderr) || "it gave no list of tools";
    return failed(NAME, `${[command, ...args].join(" ")}: ${why}`, again);
  }
  return proven(NAME, `it answers with ${tools.length} tools (${ran.ms} ms): ${tools.join(", ")}`);
}

/** A repository's file may come from anybody, so only what install would have written is started. */
function isWritten({ client }: ClientSetup, root: string, words: readonly string[]): boolean {
  const program = programFor({ client, user: false, root, ...hereProgram() });
  if (program === undefined) return false;
  const { command, args } = serverWords(client, program);
  return JSON.stringify(words) === JSON.stringify([command, ...args]);
}

function message(id: number | undefined, method: string, params: JsonObject = {}): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params })}\n`;
}

function toolsIn(result: Json | undefined): readonly string[] {
  const list = isJsonObject(result) ? result["tools"] : undefined;
  return isJsonArray(list)
    ? list.map((one) => showJson(isJsonObject(one) ? one["name"] : undefined))
    : [];
}

/** The command that starts it: from JSON, or from the table that install writes into Codex's TOML. */
function serverIn(text: string, path: string): readonly string[] | undefined {
  if (path.endsWith(".toml")) {
    const [, table = ""] =
      /^\s*\[mcp_servers\.holdpoint\]\s*$([^]*?)(?=^\s*\[|(?![^]))/m.exec(text) ?? [];
    const command = parseJson(/^command\s*=\s*(.*)$/m.exec(table)?.[1] ?? "");
    const args = parseJson(/^args\s*=\s*(.*)$/m.exec(table)?.[1] ?? "[]");
    return wordsOf(command, args);
  }
  const { root } = readLooseJson(text);
  const node = nodeAt(root, ["mcpServers", "holdpoint"]) ?? nodeAt(root, ["mcp", "holdpoint"]);
  const entry = node === undefined ? undefined : toJson(node);
  return isJsonObject(entry) ? wordsOf(entry["command"], entry["args"]) : undefined;
}

function wordsOf(command: Json | undefined, args: Json | undefined): readonly string[] | undefined {
  const words = [
    ...(isJsonArray(command) ? command : [command]),
    ...(isJsonArray(args) ? args : []),
  ];
  return words.every((one) => typeof one === "string") ? words : undefined;
}
