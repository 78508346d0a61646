import { EventEmitter } from "node:events";
import { describe, expect, test } from "vitest";
import { openScreen, pageOf } from "./screen.ts";
import type { Paper } from "./screen.ts";

const FOOT = "Ctrl-C ends it";

function paper(
  columns: number,
  rows: number,
): Paper & { told: string; columns: number; rows: number; emit: (event: string) => unknown } {
  const events = new EventEmitter();
  const it = {
    columns,
    rows,
    told: "",
    write: (text: string) => (it.told += text),
    on: (event: "resize", listener: () => void) => events.on(event, listener),
    off: (event: "resize", listener: () => void) => events.off(event, listener),
    emit: (event: string) => events.emit(event),
  };
  return it;
}

describe("a page", () => {
  test("has its foot at the end", () => {
    expect(pageOf("a\nb", FOOT, { columns: 80, rows: 24 })).toEqual(["a", "b", "", FOOT]);
  });

  test("that does not fit says how much is missing, and how to end it", () => {
    const long = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
    const page = pageOf(long, FOOT, { columns: 80, rows: 10 });
    expect(page).toHaveLength(10);
    expect(page.at(-1)).toBe(`21 more lines; ${FOOT}`);
  });

  test("counts what the terminal breaks by itself: a command to paste is left whole", () => {
    const command = `holdpoint advance ${"x".repeat(80)}`;
    const page = pageOf(`${command}\n${command}\n${command}`, FOOT, { columns: 40, rows: 8 });
    expect(page).toEqual([command, command, `1 more lines; ${FOOT}`]);
  });

  test("is drawn whole where the terminal does not know its size", () => {
    expect(pageOf("a", FOOT, { columns: 0, rows: 0 })).toEqual(["a", "", FOOT]);
    expect(pageOf("a", FOOT, {})).toEqual(["a", "", FOOT]);
  });
});

describe("a terminal that is resized", () => {
  test("has the page at once as it fits now, and none after the end", () => {
    const it = paper(80, 24);
    const screen = openScreen(it, FOOT);
    screen.draw("one two three four five six seven");
    it.told = "";
    it.columns = 20;
    it.emit("resize");
    expect(it.told).toContain("one two three four\r\n");
    screen.close();
    it.told = "";
    it.emit("resize");
    expect(it.told).toBe("");
  });
});
