import { readMarkdown } from "../../../files/markdown.ts";

/**
 * Session folders: `.agents-work/YYYY-MM-DD_<slug>/`, the start date and a kebab-case summary of two to four
 * words. New names follow this exactly; older folders may have more words.
 */
export const SESSIONS = ".agents-work";

const NEW_NAME = /^\d{4}-\d{2}-\d{2}_[a-z0-9]+(?:-[a-z0-9]+){1,3}$/;
const READ_NAME = /^\d{4}-\d{2}-\d{2}_[a-z0-9]+(?:-[a-z0-9]+)*$/;

export function isNewSessionName(name: string): boolean {
  return NEW_NAME.test(name) && isDate(name.slice(0, 10));
}

export function isSessionName(name: string): boolean {
  return READ_NAME.test(name) && isDate(name.slice(0, 10));
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const FILLERS = new Set(["a", "an", "the", "to", "of", "for", "and", "in", "on", "with", "please"]);

/** Two to four words of the goal; `new-session` if it has no usable words. */
export function slugOf(goal: string): string {
  const words = goal
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  const telling = words.filter((word) => !FILLERS.has(word));
  const chosen = (telling.length >= 2 ? telling : words).slice(0, 4);
  if (chosen.length === 0) return "new-session";
  return (chosen.length === 1 ? [...chosen, "session"] : chosen).join("-");
}

/** A name that no folder has yet. If the day already has this one, a number replaces the last word. */
export function sessionName(date: string, goal: string, taken: ReadonlySet<string>): string {
  const slug = slugOf(goal);
  const name = `${date}_${slug}`;
  if (!taken.has(name)) return name;
  const base = slug.split("-").slice(0, 3).join("-");
  for (let number = 2; number < NAMES_MAX; number += 1) {
    const next = `${date}_${base}-${number}`;
    if (!taken.has(next)) return next;
  }
  throw new RangeError(`Cannot name another session like "${name}": ${NAMES_MAX} are taken`);
}

const NAMES_MAX = 10_000;

export function sessionPath(session: string, file: string): string {
  return `${SESSIONS}/${session}/${file}`;
}

/** `design-specs/design-spec-<slug>.md` for a feature's name. */
export function designSpecPath(feature: string): string {
  return `design-specs/design-spec-${slugOf(feature)}.md`;
}

/** The longest design spec that a reply may contain. A longer one must be a file. */
export const INLINE_LINES_MAX = 80;

export function isInline(spec: string): boolean {
  return readMarkdown(spec).lines.length <= INLINE_LINES_MAX;
}
