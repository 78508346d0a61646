import { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument, visit } from "yaml";
import type { Node } from "yaml";
import { tooDeepLine } from "../files/yaml-depth.ts";

/** A mistake in a protocol file: where it is, and what to do about it. Lines and columns count from 1. */
export interface YamlProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly fix: string;
}

/** The tree of a valid YAML text, and the position of each part. */
export interface Source {
  readonly root: Node;
  readonly at: (node: Node | undefined) => { readonly line: number; readonly column: number };
}

export type ReadSource =
  | { readonly kind: "read"; readonly source: Source }
  | { readonly kind: "broken"; readonly problems: readonly YamlProblem[] };

const CHARS_MAX = 256 * 1024;

/**
 * Parses the text, and refuses features a protocol does not need: anchors, aliases, tags, deep nesting, several
 * documents.
 */
export function readSource(text: string, file: string): ReadSource {
  const whole = (line: number, message: string, fix: string): ReadSource => ({
    kind: "broken",
    problems: [{ file, line, column: 1, message, fix }],
  });
  if (text.length > CHARS_MAX)
    return whole(
      1,
      `the file has more than ${CHARS_MAX / 1024} kB`,
      "A protocol is a page or two.",
    );
  const deep = tooDeepLine(text);
  if (deep !== undefined) return whole(deep, "this is nested too deeply", "Write it flatter.");
  const counter = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: counter,
    stringKeys: true,
    schema: "core",
    merge: false,
    logLevel: "error",
  });
  const place = (offset: number): { readonly line: number; readonly column: number } => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const errors = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
    file,
    ...place(pos[0]),
    message: sentence(message),
    fix: fixFor(message),
  }));
  if (errors.length > 0) return { kind: "broken", problems: errors };
  const aliased = findAlias(document);
  if (aliased !== undefined)
    return {
      kind: "broken",
      problems: [
        {
          file,
          ...place(aliased),
          message: "anchors and aliases are not used in a protocol file",
          fix: "Write out what is meant.",
        },
      ],
    };
  const root = document.contents;
  if (root === null)
    return whole(1, "the file is empty", "Write name, version, title, states, ...");
  return { kind: "read", source: { root, at: (node) => place(node?.range?.[0] ?? 0) } };
}

function findAlias(document: ReturnType<typeof parseDocument>): number | undefined {
  let found: number | undefined;
  visit(document, {
    Node: (_, node) => {
      const anchored = (isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined;
      if (!anchored && !isAlias(node)) return undefined;
      found = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
}

/** Only the sentence of the parser's message, which continues with a picture of the place. */
function sentence(message: string): string {
  return (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:?$/, "");
}

function fixFor(message: string): string {
  if (message.startsWith("Map keys must be unique"))
    return "Leave one of the two out, or rename it.";
  if (message.includes("tag")) return "Leave the tag out.";
  return "Mend the YAML here: mind the indentation, colons and quotes.";
}
