import { readJsonText } from "./source.ts";
import type { JsonText } from "./source.ts";

/**
 * Reads JSON with comments and trailing commas, as some programs use for settings. Both are replaced by spaces
 * before parsing, so that every position is still right for the original text.
 */
export function readLooseJson(text: string): JsonText {
  return { ...readJsonText(withoutTrailing(withoutComments(text))), text };
}

const STRING_OR_COMMENT = /"(?:\\[^]|[^"\\\r\n])*"?|\/\/[^\r\n]*|\/\*[^]*?\*\//g;

export function withoutComments(text: string): string {
  return text.replaceAll(STRING_OR_COMMENT, (found) =>
    found.startsWith("/") ? blank(found) : found,
  );
}

const STRING_OR_COMMA = /"(?:\\[^]|[^"\\\r\n])*"?|,(?=[ \t\r\n]*[}\]])/g;

function withoutTrailing(text: string): string {
  return text.replaceAll(STRING_OR_COMMA, (found) => (found === "," ? " " : found));
}

function blank(text: string): string {
  return text.replaceAll(/[^\r\n]/g, " ");
}
