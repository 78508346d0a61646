/** How each client is told of the scripted model, started and taken up again. Everything else `install` writes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client } from "../../src/watch/call.ts";
import { cacheDirectory } from "./pinned.ts";

/** Where a client runs: a repository, and a home that nothing else has used. */
export interface Room {
  readonly top: string;
  readonly home: string;
  /** Of the scripted model. */
  readonly url: string;
  /** The copy of Holdpoint that is installed there. */
  readonly program: string;
}

interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Adapter {
  /** The settings a person has before Holdpoint comes: which model, and that the repository is trusted. */
  readonly prepare: (room: Room) => void;
  /** A new session, or the one of that id once more. */
  readonly launch: (room: Room, prompt: string, session?: string) => Launch;
  /** A type of subagent that the client brings along. */
  readonly anyAgent: string;
}

const KEY = "no-key";

function put(file: string, content: object | string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

const claude: Adapter = {
  anyAgent: "general-purpose",
  prepare: ({ top, home }) =>
    put(join(home, ".claude.json"), { projects: { [top]: { hasTrustDialogAccepted: true } } }),
  launch: ({ url }, prompt, session) => ({
    args: [
      "-p",
      prompt,
      ...(session === undefined ? [] : ["--resume", session]),
      "--output-format",
      "stream-json",
      "--verbose",
      "--permission-mode",
      "bypassPermissions",
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // It refuses to do without asking as root, unless told that nothing is at stake.
      IS_SANDBOX: "1",
    },
  }),
};

/** It must be one that codex knows: with an unknown one there is no tool to edit. */
const CODEX_MODEL = "gpt-6.1-sol";

const codex: Adapter = {
  anyAgent: "default",
  prepare: ({ top, home, url }) =>
    put(
      join(home, ".codex/config.toml"),
      `model = "${CODEX_MODEL}"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

# Without these two it asks for names of hosts when it starts.
[features]
plugins = false
apps = false

# A task of high risk has four agents at work, and those that have ended count too.
[agents]
max_threads = 24

[model_providers.mock]
name = "mock"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "MOCK_KEY"
request_max_retries = 0
stream_max_retries = 0

[projects.${JSON.stringify(top)}]
trust_level = "trusted"
`,
    ),
  launch: ({ home }, prompt, session) => ({
    args: [
      "exec",
      "--json",
      "--dangerously-bypass-hook-trust",
      ...(session === undefined ? [] : ["resume", session]),
      prompt,
    ],
    env: { CODEX_HOME: join(home, ".codex"), MOCK_KEY: KEY, RUST_LOG: "error" },
  }),
};

const gemini: Adapter = {
  anyAgent: "generalist",
  prepare: ({ home }) =>
    put(join(home, ".gemini/settings.json"), {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      model: { name: "gemini-2.5-flash" },
    }),
  launch: ({ url }, prompt, session) => ({
    args: [
      ...(session === undefined ? [] : ["--resume", "latest"]),
      "-p",
      prompt,
      "-o",
      "json",
      "--approval-mode",
      "yolo",
    ],
    env: {
      GEMINI_API_KEY: KEY,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_TELEMETRY_ENABLED: "false",
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
  }),
};

const opencode: Adapter = {
  anyAgent: "general",
  prepare: ({ home, url }) =>
    put(join(home, ".config/opencode/opencode.json"), {
      autoupdate: false,
      share: "disabled",
      model: "mock/mock-model",
      small_model: "mock/mock-model",
      provider: {
        mock: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: `${url}/v1`, apiKey: KEY },
          models: {
            "mock-model": { tool_call: true, limit: { context: 200_000, output: 8_000 } },
          },
        },
      },
    }),
  launch: (_, prompt, session) => ({
    args: [
      "run",
      "--format",
      "json",
      "--auto",
      ...(session === undefined ? [] : ["-s", session]),
      prompt,
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_SHARE: "1",
      // Nothing answers there: what it would fetch it does without.
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_fetch_retries: "0",
    },
  }),
};

const copilot: Adapter = {
  anyAgent: "general-purpose",
  prepare: ({ top, home }) => put(join(home, ".copilot/config.json"), { trusted_folders: [top] }),
  launch: ({ home, url }, prompt, session) => ({
    args: [
      "-p",
      prompt,
      // It says its id when it ends: of one that was killed only the last can be meant.
      ...(session === undefined ? [] : [session === "" ? "--continue" : `--resume=${session}`]),
      "--output-format",
      "json",
      "--no-auto-update",
      "--disable-builtin-mcps",
      "--allow-all",
      ...(session === undefined ? ["--trust-folder"] : []),
    ],
    env: {
      // It unpacks 235 MB there, once for all runs.
      XDG_CACHE_HOME: join(cacheDirectory(), "copilot"),
      COPILOT_HOME: join(home, ".copilot"),
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_TYPE: "openai",
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: KEY,
      COPILOT_PROVIDER_WIRE_API: "completions",
      COPILOT_MODEL: "mock-model",
      CI: "1",
    },
  }),
};

export const ADAPTERS: Readonly<Record<Client, Adapter>> = {
  claude,
  codex,
  gemini,
  opencode,
  copilot,
};
