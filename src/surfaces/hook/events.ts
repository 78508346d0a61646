import { ALLOWED } from "../../watch/call.ts";
import type { HookCall, Verdict } from "../../watch/call.ts";
import type { Env } from "./clients/client.ts";

/** Everything a client tells besides the use of a tool that is still ahead. Loaded only when one of them comes. */
export async function answerEvent(_call: HookCall, _env: Env): Promise<Verdict> {
  return ALLOWED;
}
