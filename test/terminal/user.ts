/** Somebody who does what the screen says, and nothing else: reads it, types the command that stands there, plays the agents. */
import { appendFileSync } from "node:fs";
import { expect } from "vitest";
import { openTerminal } from "./terminal.ts";
import type { Screen, Terminal, TerminalOptions } from "./terminal.ts";

const STEPS_MAX = 150;

export interface User {
  readonly type: (line: string, until?: RegExp) => Promise<string>;
  /** Go on as the screen says until it shows this. */
  readonly followTo: (end: RegExp, plays: Plays) => Promise<string>;
  readonly terminal: Terminal;
  /** Every line that was typed. */
  readonly typed: readonly string[];
}

export interface Plays {
  readonly workflow: string;
  /** The agent of an order does its work; gives the file its report is in. */
  readonly work: (role: string, order: string) => string;
  /** What a person chooses where nothing is recommended, by a word of the question. */
  readonly choose?: Readonly<Record<string, string>>;
  /** The screen says what is missing: the person does it, or types this first. False where it is nothing they could. */
  readonly mend?: (screen: string) => boolean | string;
}

export async function openUser(options: TerminalOptions): Promise<User> {
  const terminal = await openTerminal(options);
  const typed: string[] = [];
  const type: User["type"] = async (line, until) => {
    typed.push(line);
    const screen = await terminal.type(line, until);
    const log = process.env["HOLDPOINT_SCREENS"];
    if (log !== undefined) appendFileSync(log, `${screen.text}\n\f\n`);
    expectReadable(screen, line, options.columns ?? 80);
    return screen.text;
  };
  return {
    type,
    typed,
    terminal,
    followTo: async (end, plays) => {
      let screen = await type(`holdpoint status ${plays.workflow}`);
      for (let steps = 0; steps < STEPS_MAX; steps += 1) {
        if (end.test(screen)) return screen;
        screen = await type(nextLine(screen, plays) ?? typed.at(-1) ?? "");
      }
      throw new Error(`It does not end:\n${typed.slice(-10).join("\n")}\n${screen}`);
    },
  };
}

/** What is to be typed, by what is to be read; nothing where the same is to be tried again. */
function nextLine(
  screen: string,
  { workflow, work, choose = {}, mend }: Plays,
): string | undefined {
  if (/^(?:Choose \(1-\d+\)|Answer): _$/m.test(screen)) {
    const chosen = Object.entries(choose).find(([word]) => screen.includes(word));
    const [, number] = /^(\d+)\. .*\(recommended\)/m.exec(screen.replaceAll(/\n {2,}/g, " ")) ?? [];
    return `holdpoint answer ${workflow} ${chosen?.[1] ?? number ?? "1"}`;
  }
  const [, role = "", dispatch] =
    /^Order for (\S+) \((W-\d+)\)$/m.exec(screen) ??
    /^You are (\S+?)[.,] [^]*?--dispatch (W-\d+)/m.exec(screen) ??
    [];
  if (dispatch !== undefined)
    return `holdpoint report ${workflow} --dispatch ${dispatch} - < ${work(role, screen)}`;
  const says = screen.includes("✗");
  const mended = says ? (mend?.(screen) ?? false) : true;
  if (mended === false) throw new Error(`The screen says no, and not what to write:\n${screen}`);
  if (typeof mended === "string") return mended;
  const refused = screen.match(/: (holdpoint advance .*)$/m)?.[1];
  const command =
    screen.match(/^ {4}holdpoint (?:advance|order|answer) .*$/m)?.[0].trim() ?? refused;
  if (command === undefined && !says)
    throw new Error(`The screen does not say what to type:\n${screen}`);
  return command;
}

/** Nothing garbled, and only what is pasted as it stands is wider than the screen. */
function expectReadable({ text, overflowing }: Screen, line: string, columns: number): void {
  expect(text, line).not.toMatch(/\uFFFD|\[\d+(?:;\d+)*m/);
  // An order is copied whole.
  if (line.startsWith("holdpoint order ")) return;
  const broken = overflowing.filter(
    (one) =>
      !line.startsWith(one.trim().slice(0, 20)) &&
      !/^\s*(?:holdpoint |\{)/.test(one) &&
      one.split(/\s+/).every((word) => word.length < columns),
  );
  expect(broken, `lines that the terminal broke after: ${line}`).toEqual([]);
}
