/** The clients as they were measured, each in a folder of its own below a cache. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Client } from "../../src/watch/call.ts";

interface Pinned {
  readonly package: string;
  readonly version: string;
  readonly program: string;
}

/** On Node 20 npm would choose older ones by itself, though the programs run without Node. */
export const PINNED: Readonly<Record<Client, Pinned>> = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.325", program: "claude" },
  codex: { package: "@openai/codex", version: "0.166.0", program: "codex" },
  gemini: { package: "@google/gemini-cli", version: "0.61.0", program: "gemini" },
  opencode: { package: "opencode-ai", version: "1.18.33", program: "opencode" },
  copilot: { package: "@github/copilot", version: "1.0.102", program: "copilot" },
};

/** All five with what they unpack. */
const DISK_BYTES_MIN = 3e9;
const INSTALL_MS_MAX = 15 * 60_000;

export function cacheDirectory(): string {
  return process.env["HOLDPOINT_CLIENTS"] ?? join(homedir(), ".cache", "holdpoint-clients");
}

/** The client's program, installed if it was not; throws where that cannot be done. */
export function programOf(client: Client): string {
  const { package: name, version, program } = PINNED[client];
  const room = join(cacheDirectory(), "apps", client);
  if (versionIn(room, name) !== version) install(room, `${name}@${version}`);
  const found = versionIn(room, name);
  if (found !== version) throw new Error(`${name} is ${found ?? "not there"}, not ${version}`);
  return join(room, "node_modules", ".bin", program);
}

function versionIn(room: string, name: string): string | undefined {
  const file = join(room, "node_modules", name, "package.json");
  if (!existsSync(file)) return undefined;
  const { version }: { version?: string } = JSON.parse(readFileSync(file, "utf8"));
  return version;
}

function install(room: string, what: string): void {
  mkdirSync(room, { recursive: true });
  const { bavail, bsize } = statfsSync(room);
  if (bavail * bsize < DISK_BYTES_MIN) throw new Error(`too little disk space to install ${what}`);
  writeFileSync(join(room, "package.json"), '{ "private": true }\n');
  const npm = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", what], {
    cwd: room,
    encoding: "utf8",
    timeout: INSTALL_MS_MAX,
  });
  if (npm.status !== 0) throw new Error(`${what} could not be installed: ${npm.stderr}`);
}
