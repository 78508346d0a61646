/** Reads where a branch stands from its files, because the hook's input may leave things out. */
import { join } from "node:path";
import type { Logged, Stands } from "../../../ports/fence.ts";
import { readRegular } from "../../store/durable.ts";
import { exists } from "../place/place.ts";

export function readStands(commonDir: string, ref: string): Stands {
  const loose = textOf(join(commonDir, ref)).trim();
  const packed = packedIn(commonDir, ref);
  const [, symbolic = ""] = /^ref:\s*(\S+)/.exec(loose) ?? [];
  const oid = symbolic === "" ? (OID.test(loose) ? loose : packed) : "";
  const locked = exists(join(commonDir, "packed-refs.lock"));
  return { oid, symbolic, packed, locked };
}

function packedIn(commonDir: string, ref: string): string {
  const text = textOf(join(commonDir, "packed-refs"));
  const end = text.indexOf(` ${ref}\n`);
  const start = text.lastIndexOf("\n", end) + 1;
  const oid = end < 0 ? "" : text.slice(start, end);
  return OID.test(oid) ? oid : "";
}

/** An unusual file counts as missing. Then no move of the branch can pass as no change. */
function textOf(file: string): string {
  try {
    const read = readRegular(file);
    return read.kind === "found" ? read.bytes.toString("utf8") : "";
  } catch {
    return "";
  }
}

export function readLogged(commonDir: string, ref: string): readonly Logged[] {
  const lines = textOf(join(commonDir, "logs", ref))
    .slice(-LOG_BYTES_MAX)
    .split("\n");
  return lines.slice(-ENTRIES_MAX).flatMap((line) => {
    const [, from = "", to = "", at = ""] =
      /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d+) [+-]\d+(?:\t|$)/.exec(line) ?? [];
    return to === "" ? [] : [{ from: known(from), to: known(to), at: Number(at) }];
  });
}

/** Empty if the id stands for no commit. */
export function known(oid: string): string {
  return /^0+$/.test(oid) ? "" : oid;
}

const OID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const ENTRIES_MAX = 2_000;
const LOG_BYTES_MAX = 4 * 1024 * 1024;
