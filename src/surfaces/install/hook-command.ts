import type { Client } from "../../watch/call.ts";

/** Shorter than what clients are told: one of them lets pass whatever its own clock has ended. */
const SECONDS = 8;
export const CLIENT_SECONDS = 20;

/** The last words of an agent are its report, and taking a report may run checks that take minutes. */
export const END_SECONDS = 900;

/** Where `timeout` is not to be had, the hook has only its own bounds. */
function bounded(seconds: number): string {
  return `$(command -v timeout && echo -k 1 ${seconds})`;
}

/** A hook that can stop nothing: when it fails, the client goes on. */
export function openHook(words: string, client: Client, seconds: number = SECONDS): string {
  return `${bounded(seconds)} ${words} hook ${client}`;
}

/** The hook on the end of an agent or a turn. */
export function endHook(words: string, client: Client): string {
  return openHook(words, client, END_SECONDS - SECONDS);
}

/**
 * A hook that must not be passed by breaking it: only an answer that is one object is a yes (0) or a no (2), and
 * everything else, nothing at all included, is a no. The words on standard error are needed: there is a client for
 * which a no without words is none.
 */
export function closedHook(words: string, client: Client): string {
  const told = `HOLD: Holdpoint could not judge this, so it is stopped. A person runs: holdpoint doctor ${client}`;
  return `a=$(${openHook(words, client)}); s=$?; case $s$a in 0{*}|2{*}) printf '%s\\n' "$a"; exit $s;; *) echo '${told}' >&2; exit 2;; esac`;
}

/** Starts the server that other hooks ask, if none answers, and then is a hook like any other. */
export function startingHook(words: string, client: Client): string {
  return `${bounded(SECONDS)} ${words} mcp --http --background </dev/null >/dev/null 2>&1; ${openHook(words, client)}`;
}

/** Whether a command or an address in a client's file is one of these, whichever program it names. */
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
