import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";

const MODULE = new URL("./out.ts", import.meta.url).href;
const SIZE = 2_000_000;

/** A process that writes much at once, then its last word. */
function writer(): ReturnType<typeof spawn> {
  const program = `import { out } from ${JSON.stringify(MODULE)};
out.write("x".repeat(${SIZE}));
out.write("end");`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", program];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

test("a reader that takes its time gets all of it, in order", async () => {
  const child = writer();
  const ended = once(child, "close");
  await pause(300);
  let read = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (read += text));
  expect(await ended).toEqual([0, null]);
  expect(read.length).toBe(SIZE + "end".length);
  expect(read.endsWith("xend")).toBe(true);
});

test("a reader that goes away changes nothing about how it ends", async () => {
  const child = writer();
  const ended = once(child, "close");
  child.stdout?.destroy();
  expect(await ended).toEqual([0, null]);
});
