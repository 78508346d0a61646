/** Verbs whose answer is the result of a command. */
import { advance } from "../../../operations/advance.ts";
import type { AdvanceInput } from "../../../operations/advance.ts";
import type { Answered, Taken } from "../../../operations/parts/answers.ts";
import { ask } from "../../../operations/ask.ts";
import type { AskInput } from "../../../operations/ask.ts";
import { lock } from "../../../operations/lock.ts";
import type { LockInput } from "../../../operations/lock.ts";
import { start } from "../../../operations/start.ts";
import type { StartInput } from "../../../operations/start.ts";
import { takenText } from "../text/reply.ts";
import type { Verb } from "../verb.ts";

/** The options of `start` come from the protocol. */
export const startVerb: Verb<StartInput, Answered<Taken>> = {
  operation: start,
  args: ["workflow"],
  hides: ["options"],
  text: takenText,
};

export const advanceVerb: Verb<AdvanceInput, Answered<Taken>> = {
  operation: advance,
  args: ["workflow", "step"],
  text: takenText,
};

export const askVerb: Verb<AskInput, Answered<Taken>> = {
  operation: ask,
  args: ["workflow", "...question"],
  text: takenText,
};

export const lockVerb: Verb<LockInput, Answered<Taken>> = {
  operation: lock,
  args: ["workflow"],
  text: takenText,
};
