/**
 * A user whom permission bits bind. Root passes them all, so for root the program runs as `nobody`, who can read
 * neither root's home nor a clone, a Node or a temporary directory that lies in it: whatever `nobody` needs is
 * copied to a place that is open to all.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { NOBODY as NOBODY_UID } from "../nobody.ts";
import { BIN, scratchAt, scratchDirectory } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import { asReply, odd } from "./hostile.ts";

/** Undefined where we are not root: then the bits bind ourselves. */
const NOBODY = process.getuid?.() === 0 ? NOBODY_UID : undefined;

/** The same repository, in a place where that user can work. */
export function ownedByOther(scratch: Scratch): Scratch {
  if (NOBODY === undefined) return scratch;
  const top = join(openDirectory(), "work tree");
  cpSync(scratch.top, top, { recursive: true, preserveTimestamps: true });
  chown(top, NOBODY);
  return scratchAt(top);
}

/** Run `holdpoint <args> --json` as that user. */
export function holdAsOther(
  scratch: Scratch,
  args: readonly string[],
  input = "",
  env: Readonly<Record<string, string>> = {},
): Reply {
  const asOther = NOBODY === undefined ? {} : { uid: NOBODY, program: programFor(NOBODY) };
  return asReply(
    odd(scratch, [...args, "--json"], {
      ...asOther,
      input,
      env: { HOLDPOINT_SESSION: "other", TMPDIR: join(scratch.top, "../.."), ...env },
    }),
  );
}

let program: { readonly node: string; readonly bin: string } | undefined;

/** The program and, where its own is out of reach, the Node to start it with; copied once. */
function programFor(uid: number): NonNullable<typeof program> {
  if (program !== undefined) return program;
  const room = openDirectory();
  const node = join(room, "node");
  const isNodeOpen = spawnSync(process.execPath, ["--version"], { uid }).status === 0;
  if (!isNodeOpen) cpSync(process.execPath, node);
  for (const part of ["bin", "dist/bin"])
    cpSync(join(dirname(BIN), "..", part), join(room, part), {
      recursive: true,
      // What other calls are just writing there may be gone again.
      filter: (from) => !basename(from).startsWith(".new-"),
    });
  chown(room, uid);
  program = { node: isNodeOpen ? process.execPath : node, bin: join(room, "bin/holdpoint.js") };
  return program;
}

function openDirectory(): string {
  const canEnter = (place: string): boolean =>
    spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", place], { uid: NOBODY ?? 0 }).status === 0;
  const parent = [tmpdir(), "/tmp", "/var/tmp"].find(canEnter);
  if (parent === undefined) throw new Error("no temporary directory here is open to all users");
  const room = scratchDirectory(parent);
  chmodSync(room, 0o755);
  return room;
}

function chown(top: string, uid: number): void {
  for (const name of ["", ...readdirSync(top, { recursive: true, encoding: "utf8" })])
    chownSync(join(top, name), uid, uid);
}
