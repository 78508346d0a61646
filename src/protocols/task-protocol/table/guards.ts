import type { CheckedGuard, Guard } from "../../../core/table/protocol.ts";
import { agentGuards } from "./guards-agents.ts";
import { placeGuards } from "./guards-place.ts";
import { releaseGuards } from "./guards-release.ts";
import { startGuards } from "./guards-start.ts";

/** The guards only this family has, by what they look at. */
export const guards: Readonly<Record<string, Guard | CheckedGuard>> = {
  ...startGuards,
  ...placeGuards,
  ...agentGuards,
  ...releaseGuards,
};
