/**
 * File names for streams. Any string is a stream, and no stream leaves the directory: everything but
 * `a-z 0-9 _ -` is written as `%xx` or `%uxxxx`. Capitals too, because some file systems take `A`
 * and `a` for one file. A name too long for a file is cut and gets its digest behind a `~`.
 */
import { createHash } from "node:crypto";

export interface StreamName {
  /** Without extension. */
  readonly file: string;
  /** The file name is shortened; a `.name` file beside it has the full name. */
  readonly cut: boolean;
}

export function encodeName(stream: string): StreamName {
  // `_all.json` is the list's own file.
  const file = stream === "_all" ? "%5fall" : stream.replace(UNSAFE, encodeUnit);
  if (file.length <= FILE_CHARS_MAX) return { file, cut: false };
  const digest = createHash("sha256").update(stream, "utf16le").digest("hex");
  return { file: `${file.slice(0, CUT_CHARS)}~${digest}`, cut: true };
}

/** Undefined if the file's name was shortened. */
export function decodeName(file: string): string | undefined {
  if (file.includes("~")) return undefined;
  return file.replace(ENCODED, (_all, wide?: string, narrow?: string) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow ?? "", 16)),
  );
}

function encodeUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  const hex = code.toString(16);
  return code < 256 ? `%${hex.padStart(2, "0")}` : `%u${hex.padStart(4, "0")}`;
}

// Without the `u` flag, so that a lone surrogate is escaped as a unit and not replaced.
const UNSAFE = /[^a-z0-9_-]/g;
const ENCODED = /%u([0-9a-f]{4})|%([0-9a-f]{2})/g;
const FILE_CHARS_MAX = 200;
const CUT_CHARS = 100;
