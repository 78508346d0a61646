/** A how-to page, done as its reader would do it: files are written, commands are run, and what it shows is seen. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export type Step =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "command"; readonly command: string; readonly shows: readonly string[] };

/**
 * A fence with a language and a name (```` ```js release.js ````) is a file. One of `console` has commands behind `$`,
 * each followed by lines of what it prints; lines may be left out. `YYYY-MM-DD` in a name or a command is today.
 */
export function stepsOf(page: string): readonly Step[] {
  const fences = page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm);
  return [...fences].flatMap(([, language = "", name, text = ""]): readonly Step[] => {
    if (name !== undefined) return [{ kind: "file", name: dated(name), text }];
    return language === "console" ? commandsIn(text) : [];
  });
}

function commandsIn(text: string): readonly Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = "", ...rest] = part.split("\n");
      const shows = rest.map((line) => line.trim()).filter((line) => line !== "" && line !== "...");
      return { kind: "command", command: dated(command), shows };
    });
}

function dated(text: string): string {
  return text.replaceAll("YYYY-MM-DD", new Date().toISOString().slice(0, 10));
}

/** Do the steps in `top`. Answers what was to be seen and was not, with what was printed instead. */
export function follow(
  steps: readonly Step[],
  top: string,
  env: Readonly<Record<string, string>>,
): readonly string[] {
  const missed: string[] = [];
  for (const step of steps) {
    if (step.kind === "file") {
      mkdirSync(dirname(join(top, step.name)), { recursive: true });
      writeFileSync(join(top, step.name), step.text);
      continue;
    }
    const ran = spawnSync("sh", ["-c", `${step.command} 2>&1`], {
      cwd: top,
      env,
      encoding: "utf8",
      timeout: COMMAND_MS_MAX,
    });
    const lacking = firstLacking(ran.stdout, step.shows);
    if (lacking === undefined) continue;
    missed.push(`$ ${step.command}\nshould show: ${lacking}\nbut showed:\n${ran.stdout}`);
    break;
  }
  return missed;
}

const COMMAND_MS_MAX = 60_000;

/** The first line that is not there, looking for each behind the one before it. */
function firstLacking(printed: string, shows: readonly string[]): string | undefined {
  let from = 0;
  for (const line of shows) {
    const at = printed.indexOf(line, from);
    if (at < 0) return line;
    from = at + line.length;
  }
  return undefined;
}
