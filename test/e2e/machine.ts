/** A machine with a home directory, Holdpoint on its PATH, and a repository where plugins are made. */
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { BIN, repository } from "./cli.ts";
import type { Scratch } from "./cli.ts";

export interface Machine extends Scratch {
  readonly home: string;
  readonly path: string;
}

export function machine(): Machine {
  const scratch = repository();
  const home = dirname(scratch.top);
  mkdirSync(join(home, "bin"));
  symlinkSync(BIN, join(home, "bin/holdpoint"));
  scratch.write("PLUGINS.md", "# Plugins\n");
  return { ...scratch, home, path: `${join(home, "bin")}:${scratch.env["PATH"] ?? ""}` };
}

/** Another program in the place of Holdpoint. */
export function replaceProgram({ home }: Machine, script: string): void {
  rmSync(join(home, "bin/holdpoint"));
  writeFileSync(join(home, "bin/holdpoint"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(home, "bin/holdpoint"), 0o755);
}

export function run(
  here: Machine,
  words: string,
  env: Readonly<Record<string, string>> = {},
): ReturnType<Machine["hold"]> {
  return here.hold(words, { env: { PATH: here.path, ...env } });
}

/** Every file of the machine by its bytes. */
export function bytes({ home }: Machine): Readonly<Record<string, string>> {
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() || one.isSymbolicLink())
    .map((one) => join(one.parentPath, one.name))
    .filter((one) => !one.includes("/.git/"));
  return Object.fromEntries(
    files.toSorted().map((one) => [relative(home, one), readFileSync(one, "latin1")]),
  );
}

export function put(here: Machine, path: string, text: string): void {
  mkdirSync(dirname(join(here.home, path)), { recursive: true });
  writeFileSync(join(here.home, path), text);
}
