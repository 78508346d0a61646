import type { Roots } from "../../ports/family.ts";
import { SESSIONS } from "./files/session-name.ts";

/** Section names in other languages, each with its words. */
const TEAM = {
  type: "object",
  properties: {
    aliases: {
      type: "object",
      description: "words for the sections of its documents in another language",
      additionalProperties: { type: "array", items: { type: "string", pattern: "\\S" } },
    },
  },
  additionalProperties: false,
} as const;

export const teamRoots: Roots = {
  marks: [SESSIONS],
  worktrees: () => null,
  settings: { team: TEAM },
  files: [],
};
