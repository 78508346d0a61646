/**
 * A second opinion: the published protocols' own checks, written from their texts and from nothing of ours.
 * It sees what an outsider sees: the state files, git, and what the command line answers.
 */

/** One thing a check objects to. `check` names it for both sides; `why` is for whoever reads a failed test. */
export interface Objection {
  readonly check: string;
  readonly why: string;
}

export function objection(check: string, why: string): Objection {
  return { check, why };
}

/** An objection if it does not hold. */
export function unless(holds: boolean, check: string, why: string): readonly Objection[] {
  return holds ? [] : [objection(check, why)];
}

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isFilled(value: unknown): value is string {
  return isText(value) && value.trim() !== "";
}

/** A text as it is, anything else as JSON. */
export function said(value: unknown): string {
  return isText(value) ? value : (JSON.stringify(value) ?? "nothing");
}

/** JSON, or undefined where it is none. */
export function readJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A calendar date without a time. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** An ISO-8601 time with any offset and any number of decimals. */
export function isTime(value: unknown): value is string {
  return (
    isText(value) &&
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
