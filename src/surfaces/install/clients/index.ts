import type { Client } from "../../../watch/call.ts";
import type { ClientSetup } from "../client.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export const SETUPS: Readonly<Record<Client, ClientSetup>> = {
  claude,
  codex,
  gemini,
  opencode,
  copilot,
};
