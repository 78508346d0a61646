import { canonicalJson, isJsonObject, parseJson } from "../../values/json.ts";
import type { JsonObject } from "../../values/json.ts";

/**
 * What a person confirms or signs: which choice, at which gate of which workflow, on what was shown (the digest
 * of the card) and on which record. The text is canonical JSON, so that one statement has exactly one text and
 * one signature.
 */
export interface Statement extends JsonObject {
  readonly holdpoint: "release/1";
  readonly protocol: string;
  readonly workflow: string;
  /** The open question, or empty if there is none. */
  readonly hold: string;
  readonly gate: string;
  readonly choice: string;
  readonly reason: string;
  readonly card: string;
  /** Hash and number of the journal's last record. */
  readonly head: string;
  readonly seq: number;
  readonly nonce: string;
  readonly at: string;
  readonly expires: string;
  readonly by: string;
}

/** The namespace for `ssh-keygen -Y`: a signature made for another purpose does not count here. */
export const NAMESPACE = "release@holdpoint";

const TEXTS = [
  "protocol",
  "workflow",
  "hold",
  "gate",
  "choice",
  "reason",
  "card",
  "head",
  "nonce",
  "at",
  "expires",
  "by",
] as const;

export function statementText(statement: Statement): string {
  return canonicalJson(statement);
}

/** Reads a statement. The same values spelled in another way are refused. */
export function readStatement(text: string): Statement | undefined {
  const value = parseJson(text);
  if (!isStatement(value) || canonicalJson(value) !== text) return undefined;
  return value;
}

function isStatement(value: ReturnType<typeof parseJson>): value is Statement {
  return (
    isJsonObject(value) &&
    value["holdpoint"] === "release/1" &&
    Number.isInteger(value["seq"]) &&
    TEXTS.every((name) => typeof value[name] === "string") &&
    Object.keys(value).length === TEXTS.length + 2
  );
}
