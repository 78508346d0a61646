/** Code and state are saved together: whoever clones the newest commit has the plugin as it lies in the worktree. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Objection, objection } from "../opinion.ts";

export function judgeClone(top: string, name: string): readonly Objection[] {
  const place = mkdtempSync(join(tmpdir(), "holdpoint-clone-"));
  try {
    execFileSync("git", ["clone", "--quiet", "--no-local", top, place], { stdio: "pipe" });
    const home = join("plugins", name);
    const [here, there] = [readAll(join(top, home)), readAll(join(place, home))];
    return [...new Set([...here.keys(), ...there.keys()])]
      .filter((path) => here.get(path) !== there.get(path))
      .map((path) => objection("git:kept", `${path} is not in the commit as it is here`));
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** What is read at each path, links read through, and whether it can be run. */
function readAll(folder: string, below = ""): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const name of readdirSync(join(folder, below))) {
    const path = join(below, name);
    const place = join(folder, path);
    const stats = statSync(place, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true)
      for (const [inner, text] of readAll(folder, path)) found.set(inner, text);
    else found.set(path, stats?.isFile() === true ? tell(place, stats.mode) : "nothing");
  }
  return found;
}

function tell(place: string, mode: number): string {
  const digest = createHash("sha256").update(readFileSync(place)).digest("hex");
  return `${digest} ${(mode & 0o100) === 0 ? "file" : "program"}`;
}
