import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTicker } from "./ticker.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function screen(isTTY: boolean): { isTTY: boolean; write: (text: string) => void; seen: string[] } {
  const seen: string[] = [];
  return { isTTY, seen, write: (text) => void seen.push(text) };
}

async function after<T>(ms: number, value: T): Promise<T> {
  return await new Promise((resolve) => {
    setTimeout(() => resolve(value), ms);
  });
}

test("after a second it says what is waited for, and leaves nothing behind", () => {
  const terminal = screen(true);
  const ticker = startTicker(terminal, "verify");
  vi.advanceTimersByTime(900);
  expect(terminal.seen).toEqual([]);
  vi.advanceTimersByTime(1_200);
  expect(terminal.seen.join("")).toBe(`verify, 1 s\r${" ".repeat(11)}\rverify, 2 s`);
  ticker.stop();
  expect(terminal.seen.at(-1)).toBe(`\r${" ".repeat(11)}\r`);
  vi.advanceTimersByTime(5_000);
  expect(terminal.seen).toHaveLength(4);
});

test("while a check runs it names that, counted from its own beginning, and then the verb again", async () => {
  const terminal = screen(true);
  const ticker = startTicker(terminal, "advance");
  vi.advanceTimersByTime(2_100);
  const ran = ticker.during("npm test", after(12_500, "red"));
  vi.advanceTimersByTime(12_000);
  expect(terminal.seen.at(-1)).toBe("npm test, 12 s");
  vi.advanceTimersByTime(500);
  expect(await ran).toBe("red");
  vi.advanceTimersByTime(1_000);
  expect(terminal.seen.at(-1)).toBe("advance, 15 s");
  ticker.stop();
});

test("without a name of its own it speaks only while something runs, on one line and without escapes", async () => {
  const terminal = screen(true);
  const ticker = startTicker(terminal);
  vi.advanceTimersByTime(5_000);
  expect(terminal.seen).toEqual([]);
  const ran = ticker.during(`sh -c \u001B[2J${"long\n".repeat(50)}`, after(3_500, ""));
  vi.advanceTimersByTime(3_000);
  expect(terminal.seen.at(-1)).toMatch(/^sh -c \uFFFD\[2Jlong long .*…, 3 s$/);
  expect(terminal.seen.at(-1)?.length).toBeLessThan(80);
  vi.advanceTimersByTime(500);
  await ran;
  const before = terminal.seen.length;
  vi.advanceTimersByTime(5_000);
  expect(terminal.seen).toHaveLength(before);
  ticker.stop();
});

test("a pipe hears nothing of it", async () => {
  const pipe = screen(false);
  const ticker = startTicker(pipe, "verify");
  vi.advanceTimersByTime(5_000);
  ticker.clear();
  expect(await ticker.during("npm test", Promise.resolve(1))).toBe(1);
  ticker.stop();
  expect(pipe.seen).toEqual([]);
});
