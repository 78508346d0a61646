/** Colours and marks, for terminals only; a file or pipe gets plain text. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
}

export function styleFor(colour: boolean): Style {
  const paint = (code: number) => (text: string) =>
    colour ? `\u001B[${code}m${text}\u001B[0m` : text;
  return { bold: paint(1), dim: paint(2), good: paint(32), bad: paint(31), warn: paint(33) };
}

export function wantsColour(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  if (env["FORCE_COLOR"] !== undefined && env["FORCE_COLOR"] !== "0") return true;
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

let current: Style = styleFor(false);
let rules = false;

/** Set once, when the program starts. */
export function useStyle(
  style: Style,
  cites: { readonly rules: boolean } = { rules: false },
): void {
  current = style;
  rules = cites.rules;
}

/** The code and rule behind a sentence, shown on request. */
export function cited({ code, rule }: { readonly code: string; readonly rule: string }): string {
  return rules ? ` ${current.dim(`(${code}, ${rule})`)}` : "";
}

export function style(): Style {
  return current;
}

const CONTROL = "(?![\\t\\n])[\\p{Cc}\\u2028-\\u202E\\u2066-\\u2069]";

/**
 * Removes control characters except line ends, tabs and the colours of `styleFor`. Applied to everything the
 * program prints as text.
 */
export function printable(text: string): string {
  return text.replaceAll(PAINT_OR_CONTROL, (found) => (isPaint(found) ? found : "\uFFFD"));
}

/** JSON only escapes control characters below U+0020; this escapes the others too. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    new RegExp(CONTROL, "gu"),
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function isPaint(found: string): boolean {
  return found.length > 1 && current.bold("") !== "";
}

/** Removes escape sequences from agents' texts, which a terminal would execute. */
export function safe(text: string): string {
  return text.replaceAll(new RegExp(CONTROL, "gu"), "\uFFFD");
}

const PAINT_OR_CONTROL = new RegExp(`\u001B\\[(?:0|1|2|31|32|33)m|${CONTROL}`, "gu");
