/**
 * Signing on another machine. The text to sign is written to a file with its card beside it; a person signs it
 * there with plain `ssh-keygen -Y sign` and hands in the signature, which is verified like any other.
 */
import { closeSync, constants, fstatSync, openSync, readSync, writeFileSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { Refusal } from "../../core/decide/answer.ts";
import { NAMESPACE, readStatement } from "../../core/decide/decisions/statement.ts";
import { canonicalJson } from "../../core/values/json.ts";
import { namesOf, readSigners } from "../../core/values/signers.ts";
import type { Confirm, Confirmed, Shown } from "../../engine/release/confirm.ts";

const BYTES_MAX = 64 * 1024;

function refused(refusal: Omit<Refusal, "rule">): Confirmed {
  return { kind: "refused", refusal: { ...refusal, rule: "core" } };
}

/** Writes the text to sign. That alone releases nothing. */
export function toSign(file: string, top: string): Confirm["ask"] {
  return async (shown: Shown) => {
    const path = resolve(file);
    const within = relative(top, path);
    if (top !== "" && within !== ".." && !within.startsWith(`..${sep}`))
      return refused({
        code: "statement-inside",
        message: `${file} would lie among the files that are to be released, and change what was shown`,
        fix: "Name a file outside of the repository.",
      });
    const { signers, authorities } = readSigners(shown.signers);
    const isNamed = signers.some((one) => namesOf(one).includes(shown.name));
    // The names that an authority has certified are in the certificate, which is on the other machine.
    if (!isNamed && authorities.length === 0)
      return refused({
        code: "signer-unknown",
        message: `No key counts here under the name ${shown.name}`,
        fix: "Say whose signature it will be, by the name in the file with people's keys (`--as person:<name>`).",
      });
    try {
      writeFileSync(`${path}.card`, canonicalJson(shown.card), { flag: "wx", mode: 0o600 });
      writeFileSync(path, shown.statement(shown.name), { flag: "wx", mode: 0o600 });
    } catch (error) {
      return refused({
        code: "statement-unwritable",
        message: `What is to be signed cannot be written: ${error instanceof Error ? error.message : String(error)}`,
        fix: "Name a file that is not there yet, in a directory that you can write.",
      });
    }
    return refused({
      code: "signature-awaited",
      message: `${file} is what ${shown.name} has to sign until ${shown.expires}; ${file}.card is what is released by it. Nothing is released yet`,
      fix: `Sign it where the key is (ssh-keygen -Y sign -n ${NAMESPACE} -f <key> ${file}), then give the same command with --signature ${file}.sig.`,
    });
  };
}

/** The statement is beside its signature, where `ssh-keygen` puts it. */
export function handedIn(file: string): Confirm["ask"] {
  return async () => {
    const signature = readBounded(file);
    const statement = readBounded(file.replace(/\.sig$/, ""));
    const by = readStatement(statement ?? "")?.by;
    if (signature !== undefined && statement !== undefined && by !== undefined)
      return { kind: "confirmed", by, statement, signature };
    return refused({
      code: "signature-unreadable",
      message: `${file} is no signature with the statement that it is of beside it`,
      fix: "Hand in the file that ends in .sig, with the one that was signed in the same directory.",
    });
  };
}

/** Reads a regular file of limited size. Opening a pipe would block forever. */
function readBounded(file: string): string | undefined {
  try {
    const open = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { size } = fstatSync(open);
      if (!fstatSync(open).isFile() || size > BYTES_MAX) return undefined;
      const bytes = Buffer.alloc(BYTES_MAX);
      return bytes.toString("utf8", 0, readSync(open, bytes, 0, BYTES_MAX, 0));
    } finally {
      closeSync(open);
    }
  } catch {
    return undefined;
  }
}
