import type { Client } from "../../../watch/call.ts";
import { claude } from "./claude.ts";
import type { Translation } from "./client.ts";
import { codex } from "./codex.ts";
import { copilot } from "./copilot.ts";
import { gemini } from "./gemini.ts";
import { opencode } from "./opencode.ts";

export const TRANSLATIONS: Readonly<Record<Client, Translation>> = {
  claude,
  codex,
  gemini,
  opencode,
  copilot,
};
