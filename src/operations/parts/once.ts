import { find, resettle } from "../../engine/engine.ts";
import { streamOf } from "../../engine/parts.ts";
import { answeredBefore } from "../../engine/intake/repeated.ts";
import { answerTo, failedAnswer, usage } from "./answers.ts";
import type { Answered, Taken } from "./answers.ts";
import { freshOrder } from "./open.ts";
import type { Answer, Context, Operation } from "../operation.ts";

/** Printable and short, because it is stored in the journal. */
const ID = /^[\x21-\x7e]{1,128}$/;

/** Keeps ids chosen by callers apart from the engine's own. */
const GIVEN = "given:";

/**
 * Runs an operation once for an id chosen by the caller: the same id again returns the first answer, even after a
 * restart. A refusal is not recorded, and the same id may succeed later.
 */
export async function runOnce<Input, Result extends Answer>(
  operation: Operation<Input, Result>,
  { parts, caller: as, ...rest }: Context,
  input: Input,
  { id, workflow }: { readonly id: string; readonly workflow: string },
): Promise<Result | Answered<Taken>> {
  if (!ID.test(id))
    return usage(`${JSON.stringify(id).slice(0, 80)} is no id.`, "Use 1 to 128 letters.");
  const context = { ...rest, parts, caller: { ...as, id: `${GIVEN}${id}` } };
  return (await repeated(context, workflow)) ?? (await operation.run(context, input));
}

/** The answer of a command that was recorded before, after finishing what it left undone. */
async function repeated(
  { parts, caller }: Context,
  id: string,
): Promise<Answered<Taken> | undefined> {
  const found = await find(parts, id);
  if (found.kind === "refused" || caller.id === undefined) return undefined;
  const stream = streamOf(found.family, found.state.id);
  const before = await answeredBefore(parts, stream, caller.id);
  if (before === undefined) return undefined;
  const settled = await resettle(parts, found, caller.session, caller.actor);
  if (settled.kind === "failed") return failedAnswer(settled);
  const outcome = { ...before, pending: settled.pending };
  return answerTo(outcome, found, await freshOrder(parts, found, outcome));
}
