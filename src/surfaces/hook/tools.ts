/**
 * Programs that the workflows here need and that are missing. Reported when a session starts; nothing is stopped.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import type { Parts } from "../../engine/parts.ts";
import type { Env } from "./clients/client.ts";

const TOLD_MAX = 5;

export function missingTools({ config, workspace }: Parts, env: Env): readonly string[] {
  const found = (program: string): boolean => isThere(program, workspace.root, env);
  const git = found("git") ? [] : ["git is missing, so nothing can be committed: install git."];
  const checks = Object.entries(config.checks).flatMap(
    ([
      name,
      {
        run: [program = ""],
      },
    ]) =>
      found(program)
        ? []
        : [
            `${program} is missing, which the check "${name}" runs: install it, or correct holdpoint.config.json.`,
          ],
  );
  return [...git, ...checks].slice(0, TOLD_MAX);
}

function isThere(program: string, root: string, env: Env): boolean {
  if (program === "") return true;
  if (program.includes("/"))
    return isProgram(isAbsolute(program) ? program : resolve(root, program));
  return (env["PATH"] ?? "")
    .split(delimiter)
    .some((dir) => dir !== "" && isProgram(join(dir, program)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
