/** Small lies about a source text, each at one place. A test that still passes with one of them misses something. */
import { createHash } from "node:crypto";
import { parseAst } from "vitest/node";

export interface Mutant {
  /** The path, a number, and the digest of the text: another text has other mutants. */
  readonly id: string;
  readonly file: string;
  readonly line: number;
  /** The first line of the statement it is in. */
  readonly at: string;
  readonly was: string;
  readonly now: string;
}

/** A mutant's place in the text. `switched` is what stands there while every mutant can be switched on. */
interface Edit {
  readonly start: number;
  readonly end: number;
  readonly switched: (inner: string) => string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Mutated {
  readonly mutants: readonly Mutant[];
  /** The text with all of its mutants, each asleep until `globalThis.mutant(id)` says yes. */
  readonly text: string;
}

const COMPARES = new Set(["===", "!==", "<", "<=", ">", ">=", "in", "instanceof"]);
const EDGES: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
};
const OTHER_METHOD = new Map([
  ["some", "every"],
  ["every", "some"],
]);
const DROPPED = new Set(["ThrowStatement", "ContinueStatement", "ExpressionStatement"]);
/** Defaults that the type of an index asks for; whether they are ever reached is not worth a test. */
const NOTHING = new Set(['""', "[]", "{}", "0", "null", "undefined", "false"]);

export function mutate(file: string, source: string): Mutated {
  const making = new Making(file, source);
  making.visit(parseAst(source, { lang: "ts" }) as unknown as Node, {});
  return { mutants: making.mutants, text: render(source, making.edits) };
}

/** Where a node stands: what its function may answer, and what the first line of its statement is. */
interface Place {
  readonly answers?: string;
  readonly at?: string;
}

class Making {
  readonly mutants: Mutant[] = [];
  readonly edits: Edit[] = [];
  readonly #file: string;
  readonly #source: string;
  readonly #digest: string;

  constructor(file: string, source: string) {
    this.#file = file;
    this.#source = source;
    this.#digest = digestOf(source);
  }

  visit(node: Node, place: Place): void {
    if (node.type.startsWith("TS") && !node.type.endsWith("Expression")) return;
    if (node.type === "ImportDeclaration") return;
    const here = this.#placeOf(node, place);
    this.#mutate(node, here);
    for (const [key, value] of Object.entries(node)) {
      if (key === "typeAnnotation" || key === "returnType") continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) this.visit(child, here);
    }
  }

  #placeOf(node: Node, place: Place): Place {
    const isFunction = /Function/.test(node.type);
    const answers = isFunction ? this.#text(child(node, "returnType")) : (place.answers ?? "");
    const begins = /Statement$|Declaration$|^Property$/.test(node.type);
    const at = begins ? (this.#text(node).split("\n")[0] ?? "") : (place.at ?? "");
    return { answers, at };
  }

  #mutate(node: Node, place: Place): void {
    const { type } = node;
    const test = child(node, "test");
    if (type === "IfStatement" || type === "ConditionalExpression")
      this.#condition(test, place, ["true", "false"]);
    else if (/^(?:While|For)Statement$/.test(type)) this.#condition(test, place, ["false"]);
    else if (type === "ReturnStatement") this.#answer(child(node, "argument"), place);
    else if (type === "ArrayExpression") this.#elements(node, place);
    else if (type === "CallExpression") this.#method(node, place);
    else if (type === "Property") this.#code(node, place);
    else if (DROPPED.has(type)) this.#statement(node, place);
    this.#operator(node, place);
  }

  readonly #seen = new Set<Node>();

  /** The whole becomes the answers given, and what is joined in it is left out, one by one. */
  #condition(node: Node | undefined, place: Place, answers: readonly string[]): void {
    if (node === undefined || this.#seen.has(node)) return;
    this.#replace(node, place, answers);
    this.#joined(node, place);
  }

  #joined(node: Node, place: Place): void {
    this.#seen.add(node);
    const { type, operator } = node;
    const inner =
      type === "UnaryExpression" && operator === "!" ? child(node, "argument") : undefined;
    if (inner !== undefined) this.#joined(inner, place);
    if (type !== "LogicalExpression" || operator === "??") return;
    for (const side of [child(node, "left"), child(node, "right")]) {
      if (side === undefined) continue;
      const same = side.type === "LogicalExpression" && side["operator"] === operator;
      if (!same) this.#replace(side, place, [operator === "&&" ? "true" : "false"]);
      this.#joined(side, place);
    }
  }

  #operator(node: Node, place: Place): void {
    const operator = String(node["operator"]);
    const [left, right] = [child(node, "left"), child(node, "right")];
    if (node.type === "BinaryExpression" && left !== undefined && right !== undefined) {
      const isNumber = typeof left["value"] === "number" || typeof right["value"] === "number";
      const edge = COMPARES.has(operator) || isNumber ? EDGES[operator] : undefined;
      if (edge !== undefined)
        this.#replace(node, place, [`(${this.#text(left)}) ${edge} (${this.#text(right)})`]);
    }
    if (isBoolean(node)) this.#condition(node, place, ["true", "false"]);
    else if (node.type === "LogicalExpression" && !this.#seen.has(node)) {
      const spare = NOTHING.has(this.#text(right));
      this.#replace(node, place, [this.#text(right), ...(spare ? [] : [this.#text(left)])]);
      if (operator !== "??") this.#seen.add(node);
    }
  }

  /** A guard's sentence is not said, a list of reasons is empty. */
  #answer(node: Node | undefined, { answers = "", at = "" }: Place): void {
    if (node === undefined || NOTHING.has(this.#text(node)) || isBoolean(node)) return;
    const place = { answers, at };
    if (/\bundefined\b/.test(answers)) this.#replace(node, place, ["undefined"]);
    else if (/\[\]>?$/.test(answers)) this.#replace(node, place, ["[]"]);
  }

  #elements(node: Node, place: Place): void {
    const elements = (node["elements"] as readonly (Node | null)[]).filter((one) => one !== null);
    for (const element of elements) {
      const text = this.#text(element);
      this.#add(
        element,
        { place, was: text, now: "(left out)" },
        (inner, on) => `...(${on}?[]:[${inner}])`,
      );
    }
  }

  #method(node: Node, place: Place): void {
    const callee = child(node, "callee");
    const property = callee === undefined ? undefined : child(callee, "property");
    if (callee?.type !== "MemberExpression" || callee["computed"] === true) return;
    const name = String(property?.["name"]);
    const other = OTHER_METHOD.get(name);
    if (other === undefined || property === undefined) return;
    const dot = callee["optional"] === true ? 2 : 1;
    const start = property.start - dot;
    this.#add(
      { ...property, start },
      { place, was: name, now: other },
      (_inner, on) => `${dot === 2 ? "?." : ""}[${on}?"${other}":"${name}"]`,
    );
  }

  /** Programs tell refusals apart by their code. */
  #code(node: Node, place: Place): void {
    const value = child(node, "value");
    if (child(node, "key")?.["name"] !== "code" || typeof value?.["value"] !== "string") return;
    this.#replace(value, place, ['""']);
  }

  #statement(node: Node, place: Place): void {
    const inner = child(node, "expression")?.type ?? "";
    if (node.type === "ExpressionStatement" && !/^(?:Call|Await|Assignment|Update)/.test(inner))
      return;
    const was = this.#text(node);
    this.#add(node, { place, was, now: "(left out)" }, (text, on) => `{if(!${on}){${text}}}`);
  }

  #replace(node: Node, place: Place, texts: readonly string[]): void {
    const was = this.#text(node);
    for (const now of texts)
      if (now !== was)
        this.#add(node, { place, was, now }, (inner, on) => `(${on}?(${now}):${inner})`);
  }

  #add(
    { start, end }: Pick<Node, "start" | "end">,
    { place, was, now }: { readonly place: Place; readonly was: string; readonly now: string },
    switched: (inner: string, on: string) => string,
  ): void {
    const id = `${this.#file}#${String(this.mutants.length)}@${this.#digest}`;
    const line = this.#source.slice(0, start).split("\n").length;
    const at = place.at ?? "";
    this.mutants.push({ id, file: this.#file, line, at, was, now });
    this.edits.push({
      start,
      end,
      switched: (inner) => switched(inner, `globalThis.mutant(${JSON.stringify(id)})`),
    });
  }

  #text(node: Node | undefined): string {
    return node === undefined ? "" : this.#source.slice(node.start, node.end);
  }
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

/** What is written as a yes or no, and not only used as one. */
function isBoolean(node: Node): boolean {
  const operator = String(node["operator"]);
  if (node.type === "BinaryExpression") return COMPARES.has(operator);
  if (node.type === "UnaryExpression") return operator === "!";
  if (node.type !== "LogicalExpression" || operator === "??") return false;
  const [left, right] = [child(node, "left"), child(node, "right")];
  return [left, right].some((side) => side !== undefined && isBoolean(side));
}

function child(node: Node, key: string): Node | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Every edit around what the edits within it made of the text. */
function render(source: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start || b.end - a.end);
  let next = 0;
  const between = (start: number, end: number): string => {
    let text = "";
    let from = start;
    for (;;) {
      const edit = ordered[next];
      if (edit === undefined || edit.start >= end) return text + source.slice(from, end);
      next += 1;
      text += source.slice(from, edit.start) + edit.switched(between(edit.start, edit.end));
      from = edit.end;
    }
  };
  return between(0, source.length);
}
