import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTicker } from "./ticker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function screen(isTTY: boolean): { isTTY: boolean; write: (text: string) => void; seen: string[] } {
  const seen: string[] = [];
  return { isTTY, seen, write: (text) => void seen.push(text) };
}

test("after a second it says what is waited for, and leaves nothing behind", () => {
  const terminal = screen(true);
  const ticker = startTicker(terminal, "verify");
  vi.advanceTimersByTime(900);
  expect(terminal.seen).toEqual([]);
  vi.advanceTimersByTime(1_200);
  expect(terminal.seen.join("")).toBe(`verify: 1 s\r${" ".repeat(11)}\rverify: 2 s`);
  ticker.stop();
  expect(terminal.seen.at(-1)).toBe(`\r${" ".repeat(11)}\r`);
  vi.advanceTimersByTime(5_000);
  expect(terminal.seen).toHaveLength(4);
});

test("a pipe hears nothing of it", () => {
  const pipe = screen(false);
  const ticker = startTicker(pipe, "verify");
  vi.advanceTimersByTime(5_000);
  ticker.clear();
  ticker.stop();
  expect(pipe.seen).toEqual([]);
});
