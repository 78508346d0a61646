import { textBody } from "../text.ts";
import type { Json } from "../../core/values/json.ts";

/** Parses JSON that comes from outside: bounded in size and depth, and never throws. */
export type ReadJson =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

const SIZE_MAX = 1024 * 1024;
const DEPTH_MAX = 64;

export function readJson(source: string): ReadJson {
  const text = textBody(source);
  if (text.length > SIZE_MAX) return { ok: false, message: `longer than ${SIZE_MAX} characters` };
  if (isDeep(text)) return { ok: false, message: `nested deeper than ${DEPTH_MAX} levels` };
  try {
    const value: Json = JSON.parse(text);
    return { ok: true, value };
  } catch (error) {
    return {
      ok: false,
      message: error instanceof Error ? error.message.slice(0, 200) : "not JSON",
    };
  }
}

/** Whether the brackets outside strings nest deeper than we parse. */
function isDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (inString && char === "\\") index += 1;
    else if (char === '"') inString = !inString;
    else if (!inString && (char === "{" || char === "[")) depth += 1;
    else if (!inString && (char === "}" || char === "]")) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}
