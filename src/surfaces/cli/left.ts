/** Leaves a command in the inbox if this shell may not write to the store, as in an agent's sandbox. */
import { randomUUID } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, toJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { failedAnswer, refusedAnswer } from "../../operations/parts/answers.ts";
import { mayBeLeft, notLeft, takeInInbox, writeEntry } from "../../operations/parts/inbox.ts";
import type { Answer, Context } from "../../operations/operation.ts";
import { INBOX } from "../../ports/inbox.ts";
import { phrased } from "./text/phrase.ts";
import { isFailed } from "./text/reply.ts";
import type { Verb } from "./verb.ts";
import { VERBS } from "./verbs/index.ts";

/** The code of the answer to a command that was left. */
export const LEFT = "left-in-inbox";

/** Leaves the command. The answer says so, and where the result will be. */
export function leaveCommand(verb: Verb, { parts, caller }: Context, input: JsonObject): Answer {
  const { name } = verb.operation;
  if (!mayBeLeft(name)) return refusedAnswer([notLeft(name)]);
  const id = randomUUID();
  if (parts.inbox.leave(id, writeEntry(name, input, caller)) === "full")
    return failedAnswer({
      code: "inbox-full",
      message: `Too many commands wait in ${INBOX}`,
      fix: "Wait until they are taken in: any holdpoint command outside this sandbox does so.",
    });
  return failedAnswer({
    code: LEFT,
    message: `This shell may not write the store, so the command is left in ${INBOX}/${id}.json; nothing is decided yet`,
    fix: `The next hook, MCP call or command outside this sandbox takes it in; then read ${INBOX}/${id}.answer.json.`,
  });
}

/** Tries whether writing to the store fails for lack of permission. */
export function isShut(dir: string): boolean {
  const probe = join(dir, "tmp", `probe-${randomUUID()}`);
  try {
    writeFileSync(probe, "", { flag: "wx" });
    rmSync(probe, { force: true });
    return false;
  } catch (error) {
    return isDenied(error);
  }
}

const DENIED: readonly string[] = ["EROFS", "EACCES", "EPERM"];

export function isDenied(error: unknown): boolean {
  return error instanceof Error && "code" in error && DENIED.includes(String(error.code));
}

/** Whether the command failed because it could not write. Nothing was recorded for it then. */
export function isUnwritten(answer: Answer): boolean {
  return isFailed(answer) && ["journal-disk", "denied"].includes(answer.error.code);
}

/** Takes in waiting commands first. A problem with one is reported but stops nothing. */
export async function takeInLeft(context: Context): Promise<void> {
  try {
    const { taken } = await takeInInbox(context, inWords);
    for (const { id, operation, answer } of taken)
      context.progress?.(
        `! taken in from ${INBOX}: ${operation} (${id}): ${answer.ok ? "done" : "not done"}`,
      );
  } catch (error) {
    context.progress?.(`! ${INBOX}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export function inWords(answer: Answer): JsonObject {
  const said = phrased(VERBS, toJson(answer));
  return isJsonObject(said) ? said : {};
}
