/**
 * `holdpoint fence-hook <hook> <directory of hooks> <store>`: called by git's hooks for references that may be
 * protected.
 * Exit 0 lets git continue. Any other exit, and any error here, keeps every reference where it is.
 */
import { readFileSync, realpathSync } from "node:fs";
import { delimiter } from "node:path";
import { compose } from "../../compose/compose.ts";
import { atHook } from "../../compose/fence.ts";
import { judgeAll } from "../../engine/fence/judge-all.ts";
import type { Trouble } from "../../engine/fence/state.ts";

export async function main(words: readonly string[]): Promise<number> {
  const [, directory = "", store = ""] = words;
  try {
    const problems = await judge(directory, store);
    for (const { message, fix } of problems) say(`${message}.\n  ${await phrase(fix)}`);
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    say(`the fence cannot judge this, so nothing moves: ${why}\n  ${MEND}`);
    return 1;
  }
}

/**
 * The environment is controlled by whoever moves the branch, so nothing in it may choose a program or a setting.
 */
function disown(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env))
    if (
      /^(?:GIT_(?:EXEC_PATH|CONFIG\w*|TRACE\w*|SSH\w*|ASKPASS)|HOLDPOINT_\w*|TMPDIR|TMP|TEMP|LD_\w*|NODE_\w*|SSH_\w*)$/.test(
        name,
      )
    )
      Reflect.deleteProperty(env, name);
  env["PATH"] = ["/usr/bin", "/bin", "/usr/local/bin", env["PATH"] ?? ""].join(delimiter);
}

/** Phrased for the command line; its code is loaded only if something is refused. */
async function phrase(fix: Trouble["fix"]): Promise<string> {
  if (typeof fix === "string") return fix;
  const { phraseFix } = await import("../cli/text/phrase.ts");
  const { fenceVerb } = await import("../cli/verbs/fence.ts");
  const { verifyVerb } = await import("../cli/verbs/verify.ts");
  return phraseFix({ fence: fenceVerb, verify: verifyVerb }, fix);
}

const MEND =
  "See what is wrong with: holdpoint fence status; put it up again with: holdpoint fence install";

async function judge(directory: string, store: string): Promise<readonly Trouble[]> {
  disown(process.env);
  const moves = readFileSync(0, "utf8");
  const at = atHook(realpathSync(directory), store, { cwd: process.cwd(), env: process.env });
  const composed = await compose({ ...at, readOnly: true });
  if (composed.kind === "failed") return [{ ...composed, fix: MEND }];
  const { parts } = composed;
  try {
    return await judgeAll(parts, linesOf(moves));
  } finally {
    await parts.journal.close();
  }
}

function linesOf(text: string): readonly { readonly to: string; readonly ref: string }[] {
  return text.split("\n").flatMap((line) => {
    const [, to, ref] = /^(?:[0-9a-f]+|ref:\S+) ([0-9a-f]+|ref:\S+) (.+)$/.exec(line) ?? [];
    return to === undefined || ref === undefined ? [] : [{ to: /^0+$/.test(to) ? "" : to, ref }];
  });
}

function say(text: string): void {
  process.stderr.write(`holdpoint: ${text}\n`);
}
