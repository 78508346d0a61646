import type { Client } from "../../watch/call.ts";

/** Shorter than the timeout given to clients: one of them allows whatever its own timeout ends. */
const SECONDS = 8;
export const CLIENT_SECONDS = 20;

/** An agent's last words are its report, and accepting a report may run checks for minutes. */
export const END_SECONDS = 900;

/** If `timeout` is not available, the hook only has its own limits. */
function bounded(seconds: number): string {
  return `$(command -v timeout && echo -k 1 ${seconds})`;
}

/** A hook that stops nothing: if it fails, the client continues. */
export function openHook(words: string, client: Client, seconds: number = SECONDS): string {
  return `${bounded(seconds)} ${words} hook ${client}`;
}

/** The hook for the end of an agent or a turn. */
export function endHook(words: string, client: Client): string {
  return openHook(words, client, END_SECONDS - SECONDS);
}

/**
 * A hook that cannot be bypassed by breaking it. Only an answer that is one JSON object counts, as yes (0) or no
 * (2); anything else, even no output, is a no. The words on standard error are needed, because one client ignores
 * a no without words.
 */
export function closedHook(words: string, client: Client): string {
  const told = `HOLD: Holdpoint could not judge this, so it is stopped. A person runs: holdpoint doctor ${client}`;
  return `a=$(${openHook(words, client)}); s=$?; case $s$a in 0{*}|2{*}) printf '%s\\n' "$a"; exit $s;; *) echo '${told}' >&2; exit 2;; esac`;
}

/** Starts the server for the other hooks unless it is running, and then acts as a normal hook. */
export function startingHook(words: string, client: Client): string {
  return `${bounded(SECONDS)} ${words} mcp --http --background </dev/null >/dev/null 2>&1; ${openHook(words, client)}`;
}

/** Whether a command or address in a client's file is one of these, whichever program it calls. */
export function isHookCommand(command: string, client: Client): boolean {
  if (isHookUrl(command, client)) return true;
  return new RegExp(`\\bholdpoint(?:\\.js)?['"]? hook ${client}(?![\\w-])`).test(command);
}

export function hookUrl(port: number, client: Client): string {
  return `http://127.0.0.1:${port}/hook/${client}`;
}

function isHookUrl(text: string, client: Client): boolean {
  return new RegExp(`^http://127\\.0\\.0\\.1:\\d+/hook/${client}$`).test(text);
}
