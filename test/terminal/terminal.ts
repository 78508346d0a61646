/** A real terminal: what a person types, and the screen they read. tmux is the terminal, so what is broken shows as it would. */
import { spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { columnsOf } from "../../src/surfaces/cli/terminal/fit.ts";

/** Why there is none; undefined where there is one. */
export const NO_TERMINAL: string | undefined =
  spawnSync("tmux", ["-V"]).status === 0 ? undefined : "tmux is not installed here";

const SCREEN_MS_MAX = 60_000;
const LOOK_MS = 50;
const PROMPT = /(?:^|\n)[$#]$/;

export interface Terminal {
  /** Type a line, and wait until the shell asks for the next one, or until the screen ends so. */
  readonly type: (line: string, until?: RegExp) => Promise<Screen>;
  /** Press keys by their names, such as `C-c`. */
  readonly press: (...keys: readonly string[]) => void;
  readonly screen: () => Screen;
  /** Wait until the shell asks for the next line, or the screen ends so. */
  readonly settled: (until?: RegExp) => Promise<Screen>;
  readonly resize: (columns: number, rows: number) => void;
  readonly close: () => void;
}

export interface Screen {
  /** Everything since the line was typed, as it stands there. */
  readonly text: string;
  /** Lines that the terminal itself had to break. */
  readonly overflowing: readonly string[];
}

export interface TerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

let opened = 0;

export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { cwd, env, columns = 80, rows = 40 } = options;
  opened += 1;
  const socket = `holdpoint-test-${process.pid}-${opened}`;
  const tmux = (...args: readonly string[]): string => {
    const ran = spawnSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], {
      cwd,
      env: { ...env, TERM: "xterm-256color" },
      encoding: "utf8",
    });
    if (ran.status !== 0) throw new Error(`tmux ${args.join(" ")}: ${ran.stderr}`);
    return ran.stdout;
  };
  const size = ["-x", String(columns), "-y", String(rows)];
  tmux("new-session", "-d", "-s", "t", ...size, "-c", cwd, "sh");
  tmux("set", "-g", "status", "off");
  tmux("set", "-g", "history-limit", "5000");
  const read = (...more: readonly string[]): string =>
    tmux("capture-pane", "-p", "-S", "-", "-t", "t", ...more).trimEnd();
  const screen = (): Screen => ({
    text: read(),
    overflowing: read("-J")
      .split("\n")
      .map((line) => line.trimEnd())
      .filter((line) => columnsOf(line) > columns),
  });
  const settled = async (until = PROMPT): Promise<Screen> => {
    const end = Date.now() + SCREEN_MS_MAX;
    while (!until.test(read())) {
      if (Date.now() > end) throw new Error(`The screen did not come to ${until}:\n${read()}`);
      await setTimeout(LOOK_MS);
    }
    return screen();
  };
  await settled();
  return {
    type: async (line, until = PROMPT) => {
      tmux("send-keys", "-R", "-t", "t");
      tmux("clear-history", "-t", "t");
      tmux("send-keys", "-l", "-t", "t", line);
      tmux("send-keys", "-t", "t", "Enter");
      return await settled(until);
    },
    press: (...keys) => void tmux("send-keys", "-t", "t", ...keys),
    screen,
    settled,
    resize: (wide, high) =>
      void tmux("resize-window", "-t", "t", "-x", String(wide), "-y", String(high)),
    close: () => void spawnSync("tmux", ["-L", socket, "kill-server"]),
  };
}
