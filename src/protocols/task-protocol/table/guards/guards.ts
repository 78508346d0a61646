import type { CheckedGuard, Guard } from "../../../../core/table/protocol.ts";
import { agentGuards } from "./agents.ts";
import { placeGuards } from "./place.ts";
import { releaseGuards } from "./release.ts";
import { startGuards } from "./start.ts";

/** Guards of this family, by what they check. */
export const guards: Readonly<Record<string, Guard | CheckedGuard>> = {
  ...startGuards,
  ...placeGuards,
  ...agentGuards,
  ...releaseGuards,
};
