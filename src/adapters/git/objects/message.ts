/**
 * The trailer that ties a commit to its record: `Holdpoint-Record: <hash>`. It is placed by our own code, because
 * `git interpret-trailers` depends on the user's configuration, and the same savepoint must always give the same
 * commit id.
 */

export const RECORD_TRAILER = "Holdpoint-Record";

/** The journal and record, for somebody who finds the commit but not the record. */
export const JOURNAL_TRAILER = "Holdpoint-Journal";

export function addTrailer(message: string, recordHash: string, journal = ""): string {
  if (!/^[\w.:+/=-]+$/.test(recordHash)) throw new RangeError(`Not a record hash: ${recordHash}`);
  const text = message.trimEnd();
  const paragraphs = text.split(/\n[ \t]*\n/);
  const last = paragraphs.length > 1 ? (paragraphs.at(-1) ?? "") : "";
  const gap = isTrailerBlock(last) ? "\n" : "\n\n";
  const named = journal === "" ? "" : `${JOURNAL_TRAILER}: ${journal.replaceAll(/\s+/g, " ")}\n`;
  return `${text}${gap}${named}${RECORD_TRAILER}: ${recordHash}\n`;
}

export function subjectOf(message: string): string {
  return message.trimStart().split("\n", 1)[0] ?? "";
}

function isTrailerBlock(paragraph: string): boolean {
  const [first = "", ...rest] = paragraph.split("\n");
  return TRAILER.test(first) && rest.every((line) => TRAILER.test(line) || /^[ \t]/.test(line));
}

const TRAILER = /^[A-Za-z0-9-]+[ \t]*:/;
