import { isMap, isScalar, isSeq, visit } from "yaml";
import type { Node } from "yaml";
import { compile, isDefinition } from "../core/table/compile.ts";
import { protocolMistakes } from "../core/table/define.ts";
import type { Protocol } from "../core/table/protocol.ts";
import { readShape } from "../core/table/read-shape.ts";
import type { Reader } from "../core/table/read-shape.ts";
import { SINGLE, WITH_KINDS } from "../core/table/shapes.ts";
import { readGuard } from "./guards.ts";
import { entriesOf, partOf } from "./nodes.ts";
import { readSource } from "./source.ts";
import type { Source, YamlProblem } from "./source.ts";

export type { YamlProblem } from "./source.ts";

export type ReadProtocol =
  | { readonly kind: "read"; readonly protocol: Protocol }
  | { readonly kind: "broken"; readonly problems: readonly YamlProblem[] };

type YamlReader = Reader<Node | undefined>;

/** Far more than anybody would draw or check. A larger table was made by mistake. */
const STATES_MAX = 1_000;
const PROBLEMS_MAX = 50;

/**
 * Reads a protocol in YAML: the keys of `defineProtocol`, with guards of the library. Nothing in it is executed.
 * Every mistake is reported with its line, column and a remedy.
 */
export function readProtocolYaml(text: string, file: string): ReadProtocol {
  const read = readSource(text, file);
  if (read.kind === "broken") return read;
  const { source } = read;
  const { root } = source;
  const problems: YamlProblem[] = [];
  const reader: YamlReader = {
    look: partOf,
    wrong: (node, message, fix) => {
      problems.push({ file, ...source.at(node), message, fix });
      return undefined;
    },
    guard: (node, says) => readGuard(reader, node, says),
  };
  const kinds = isMap(root) && root.has("kinds");
  checkSize(reader, root);
  const isSmall = problems.length === 0;
  if (isSmall) checkCode(reader, root);
  const definition = isSmall ? readShape(reader, root, kinds ? WITH_KINDS : SINGLE) : undefined;
  if (!isDefinition(definition) || problems.length > 0)
    return { kind: "broken", problems: problems.slice(0, PROBLEMS_MAX) };
  const protocol = compile(definition);
  const mistakes = protocolMistakes(protocol);
  if (mistakes.length === 0) return { kind: "read", protocol };
  const named = mistakes.slice(0, PROBLEMS_MAX).map((mistake) => ({
    file,
    ...placeOf(source, mistake),
    message: mistake,
    fix: fixOf(mistake),
  }));
  return { kind: "broken", problems: named };
}

/** Keys of the TypeScript form that hold functions. */
function checkCode(reader: YamlReader, root: Node): void {
  const code = isMap(root) ? entriesOf(root).filter(({ name }) => CODE.includes(name)) : [];
  for (const { name, key } of code) {
    const fix = "Use the guards of the library, or write the protocol in TypeScript.";
    reader.wrong(key, `${name} are functions, which cannot be written in YAML`, fix);
  }
}

const CODE: readonly string[] = ["guards", "migrate"];

/** Checked first, before each state and move is examined. */
function checkSize(reader: YamlReader, root: Node): void {
  visit(root, {
    Pair: (_, { key, value }) => {
      const states = isScalar(key) && key.value === "states" && isSeq(value) ? value : undefined;
      if (states === undefined || states.items.length <= STATES_MAX) return undefined;
      reader.wrong(
        states,
        `there are ${states.items.length} states, and ${STATES_MAX} is the limit`,
        "Make units or variables of what repeats itself.",
      );
      return visit.BREAK;
    },
  });
}

/**
 * A mistake names its place (`freeze`, `approve.yes`) and often a wrong name. Finds that name in the file, or
 * else the place.
 */
function placeOf(
  source: Source,
  mistake: string,
): { readonly line: number; readonly column: number } {
  const [where = "", ...rest] = mistake.split(": ");
  const wanted = /(?:no [a-z]+|takes no|looks up|fills|lacks|[a-z] of|leads to) "([^"]*)"/.exec(
    rest.join(": "),
  )?.[1];
  const path = where.split(/[. ]/).filter((word) => word !== "");
  const below = path
    .map((name) => keysNamed(source.root, name))
    .findLast((some) => some.length > 0);
  for (const place of below ?? []) {
    const named = wanted === undefined ? undefined : scalarNamed(place.value, wanted);
    if (named !== undefined) return source.at(named);
  }
  const anywhere = wanted === undefined ? undefined : scalarNamed(source.root, wanted);
  return source.at(below?.[0]?.key ?? anywhere ?? source.root);
}

interface Keyed {
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

function keysNamed(root: Node, name: string): readonly Keyed[] {
  const found: Keyed[] = [];
  visit(root, {
    Map: (_, map) => {
      found.push(...entriesOf(map).filter((entry) => entry.name === name));
    },
  });
  return found;
}

/** The scalar that is this name, or else one that contains it. */
function scalarNamed(root: Node | undefined, name: string): Node | undefined {
  let exact: Node | undefined;
  let part: Node | undefined;
  if (root !== undefined)
    visit(root, {
      Scalar: (_, node) => {
        if (node.value === name) exact ??= node;
        else if (typeof node.value === "string" && node.value.includes(name)) part ??= node;
      },
    });
  return exact ?? part;
}

function fixOf(mistake: string): string {
  if (/: no way out of /.test(mistake)) return "Add a move from it, or make it an end.";
  if (/: no way leads to /.test(mistake)) return "Add a move to it, or leave it out.";
  if (mistake.endsWith(": nobody asks it"))
    return "Ask it with ask:, else: or failed:, or leave it out.";
  if (/: nothing fills /.test(mistake)) return "Use {id}, {unit}, a variable, or {claim.name}.";
  if (/: no [a-z]+ "/.test(mistake)) return "Define it, or mend the name.";
  return "Mend the table here.";
}
