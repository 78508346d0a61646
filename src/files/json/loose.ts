import { readJsonText } from "./source.ts";
import type { JsonText } from "./source.ts";

/**
 * JSON as some programs take their settings: with comments, and a comma behind the last entry. Both are blanked
 * out in place before it is read, so that every position is one of the text as it lies there.
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
