import type { Refusal } from "../core/decide/answer.ts";

const NAME_CHARS_MAX = 80;

/** A name that is a safe path segment on every system: no separators, no leading dot, no special characters. */
const SAFE = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9_-])?$/;

/** Device names, which Windows opens whatever the extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

export function checkSafeName(id: string): Refusal | undefined {
  const safe =
    SAFE.test(id) && !DEVICE.test(id) && !id.includes("..") && id.length <= NAME_CHARS_MAX;
  if (safe) return undefined;
  return {
    code: "name-illegal",
    message: `${JSON.stringify(id.slice(0, NAME_CHARS_MAX))} cannot be a name, because names become paths`,
    fix: `Use at most ${NAME_CHARS_MAX} letters, digits, dots, hyphens and underscores, such as v1.4.0.`,
    rule: "core",
  };
}
