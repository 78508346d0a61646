/** `holdpoint hook <client>`: reads one payload and prints one answer, nothing else. */
import { readSync } from "node:fs";
import { CLIENTS } from "../../watch/call.ts";
import { err, out } from "../cli/terminal/out.ts";
import { answerHook } from "./answer.ts";

/** `program` is the directory of this package; its own files are protected too. */
export async function main(words: readonly string[], program = ""): Promise<number> {
  const [name] = words;
  const client = CLIENTS.find((one) => one === name);
  if (client === undefined) return usage(name);
  const env = { ...process.env, HOLDPOINT_PROGRAM: program };
  const { stdout, stderr, exit } = await answerHook(client, readPayload(), env, cwdHere());
  if (stderr !== "") err.write(`${stderr}\n`);
  if (stdout !== "") out.write(`${stdout}\n`);
  return exit;
}

function usage(name: string | undefined): number {
  const said = name === undefined || name.startsWith("-") ? "" : "There is no such client. ";
  err.write(
    `${said}holdpoint hook ${CLIENTS.join("|")}, with the client's payload on standard input\n`,
  );
  return 2;
}

/** A longer payload is cut, so it is no valid JSON any more and is treated as unreadable. */
const PAYLOAD_BYTES_MAX = 32 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;
/** A pipe that is not ready is polled every millisecond, for ten seconds. */
const WAITS_MAX = 10_000;

/** Reads standard input without Node's stream, which would take time to load. */
function readPayload(): string {
  const chunks: Buffer[] = [];
  let [size, waits] = [0, 0];
  while (size < PAYLOAD_BYTES_MAX) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const count = readSome(chunk);
    if (count === 0) break;
    if (count < 0) {
      waits += 1;
      if (waits > WAITS_MAX) break;
      pause();
      continue;
    }
    chunks.push(chunk.subarray(0, count));
    size += count;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** How many bytes were read; 0 at the end, -1 for "not yet". */
function readSome(chunk: Buffer): number {
  try {
    return readSync(0, chunk, 0, chunk.length, null);
  } catch (error) {
    return isBusy(error) ? -1 : 0;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAGAIN";
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
}

/** Empty if the directory no longer exists. */
function cwdHere(): string {
  try {
    return process.cwd();
  } catch {
    return process.env["PWD"] ?? "";
  }
}
