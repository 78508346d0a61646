/** What a client can say about itself without a model: its version, and what it trusts. */
import { isJsonArray, isJsonObject, parseJson, showJson } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Client } from "../../../watch/call.ts";
import type { Place } from "../client.ts";
import { readTarget } from "../disk.ts";
import { isHookCommand } from "../hook-command.ts";
import { onPath } from "../program.ts";
import { failed, proven, unknown } from "./check.ts";
import type { Check } from "./check.ts";
import { firstLine, runBounded } from "./run.ts";
import { join } from "node:path";

const ASK_MS = 20_000;

type Where = Pick<Place, "root" | "home">;
type Ask = (program: string, where: Where, user: boolean) => Promise<readonly Check[]>;

const ASKS: Readonly<Partial<Record<Client, Ask>>> = {
  claude: askClaude,
  codex: askCodex,
  gemini: async (_, where, user) => (user ? [] : [geminiTrust(where)]),
  copilot: async (_, __, user) => (user ? [] : [copilotTrust()]),
  opencode: async () => [
    unknown(
      "client",
      "whether OpenCode loads the plugin cannot be asked; it was loaded here instead",
    ),
  ],
};

export async function askClient(
  client: Client,
  where: Where,
  user: boolean,
): Promise<readonly Check[]> {
  const program = onPath(client, process.env["PATH"] ?? "");
  if (program === undefined)
    return [
      unknown(
        "client",
        `${client} is not on PATH, so it could not be asked whether it uses the hooks`,
      ),
    ];
  return (await ASKS[client]?.(program, where, user)) ?? [];
}

/** The first version that can treat a failing hook as a no. Older ones rely on the wrapped command alone. */
const ON_FAILURE = [2, 1, 325] as const;

async function askClaude(program: string, { root }: Where): Promise<readonly Check[]> {
  const ran = await runBounded(program, ["--version"], { cwd: root, env: process.env, ms: ASK_MS });
  const [, ...found] = /(\d+)\.(\d+)\.(\d+)/.exec(ran.stdout) ?? [];
  if (found.length === 0) return [unknown("client", `claude --version: ${firstLine(ran.stderr)}`)];
  const version = found.join(".");
  const isOld = older(found.map(Number), ON_FAILURE);
  return [
    isOld
      ? unknown(
          "client",
          `Claude Code ${version} ignores onFailure; the wrapped command alone stops when the hook breaks`,
          "Update Claude Code to 2.1.325 or later.",
        )
      : proven("client", `Claude Code ${version} takes a hook that fails for a no`),
  ];
}

function older(version: readonly number[], least: readonly number[]): boolean {
  const at = least.findIndex((part, index) => (version[index] ?? 0) !== part);
  return at >= 0 && (version[at] ?? 0) < (least[at] ?? 0);
}

const TRUST =
  "Start codex here and open /hooks; `codex exec` skips hooks that nobody has trusted, without a word.";

/** Codex says for each hook whether a person has trusted its current text. */
async function askCodex(program: string, { root }: Where): Promise<readonly Check[]> {
  let listed: Json | undefined;
  const ran = await runBounded(program, ["app-server"], {
    cwd: root,
    env: process.env,
    ms: ASK_MS,
    input: `${JSON.stringify({ id: 1, method: "initialize", params: { clientInfo: { name: "holdpoint-doctor", version: "1" } } })}\n`,
    talk: (line) => {
      const told = parseJson(line);
      if (!isJsonObject(told)) return "";
      if (told["id"] === 1)
        return `{"method":"initialized"}\n${JSON.stringify({ id: 2, method: "hooks/list", params: { cwds: [root] } })}\n`;
      if (told["id"] !== 2) return "";
      listed = told["result"] ?? null;
      return undefined;
    },
  });
  const data = isJsonObject(listed) ? listed["data"] : undefined;
  if (!isJsonArray(data))
    return [unknown("client", `codex app-server: ${firstLine(ran.stderr) || "no answer"}`, TRUST)];
  const hooks = data.flatMap((one) =>
    isJsonObject(one) && isJsonArray(one["hooks"]) ? one["hooks"] : [],
  );
  const ours = hooks.filter((one) => isHookCommand(JSON.stringify(one), "codex"));
  if (ours.length === 0)
    return [
      failed(
        "client",
        "codex does not see our hooks here",
        `Trust this folder: start codex in it once. ${TRUST}`,
      ),
    ];
  const untrusted = ours.filter((one) => !isJsonObject(one) || one["trustStatus"] !== "trusted");
  return [
    untrusted.length === 0
      ? proven("client", `codex trusts all ${ours.length} hooks`)
      : failed(
          "client",
          `codex does not trust ${untrusted.length} of ${ours.length} hooks (${statuses(untrusted)}): it skips them`,
          TRUST,
        ),
  ];
}

function statuses(hooks: readonly Json[]): string {
  return [
    ...new Set(hooks.map((one) => showJson(isJsonObject(one) ? one["trustStatus"] : ""))),
  ].join(", ");
}

function geminiTrust({ root, home }: Where): Check {
  const file = readTarget(join(home.gemini, "trustedFolders.json"), root);
  const folders = file.kind === "text" ? parseJson(file.text) : undefined;
  const trusts = (path: string, how: Json): boolean =>
    how === "TRUST_FOLDER"
      ? root === path || root.startsWith(`${path}/`)
      : how === "TRUST_PARENT" && root.startsWith(`${path.replace(/\/[^/]*$/, "")}/`);
  const isTrusted =
    process.env["GEMINI_CLI_TRUST_WORKSPACE"] === "true" ||
    (isJsonObject(folders) && Object.entries(folders).some(([path, how]) => trusts(path, how)));
  return isTrusted
    ? proven("client", "Gemini CLI trusts this folder")
    : failed(
        "client",
        "Gemini CLI does not trust this folder, and skips its hooks",
        "Answer its question once, set GEMINI_CLI_TRUST_WORKSPACE=true, or install with --user.",
      );
}

function copilotTrust(): Check {
  return unknown(
    "client",
    "whether Copilot CLI trusts this folder cannot be asked; it skips a repository's hooks where it does not",
    "Install with --user: those hooks always count.",
  );
}
