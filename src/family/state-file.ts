import type { Command } from "../core/state/commands.ts";
import type { Protocol } from "../core/table/protocol.ts";
import { ROOT } from "../core/state/state.ts";
import type { Workflow } from "../core/state/state.ts";
import { eolOf, oneLine } from "../files/text.ts";
import type { Part, Rendered, View, ViewOf } from "../ports/family.ts";

export interface StateFileOptions {
  /** The heading for a new file; the protocol's title by default. */
  readonly title?: string;
  /** Further lines of the block, by name. */
  readonly lines?: (state: Workflow) => Readonly<Record<string, string>>;
}

/**
 * A Markdown file that shows where workflows stand, and that people may edit. Each workflow owns one block in it;
 * every other byte belongs to people:
 *
 *     <!-- holdpoint:v1.4.0#7 -->
 *     ## v1.4.0
 *
 *     - State: frozen
 *     - Sealed: CHANGELOG.md
 *     <!-- /holdpoint:v1.4.0 -->
 *
 * Changing the word after `State:` claims a move: if a move leads to that state, it is tried. Any other change in the
 * block is refused. The number is the record that entered the state, so that an old version of the file, brought back
 * by git, claims nothing. `{id}` in the path gives every workflow a file of its own.
 */
export function stateFile(path: string, options: StateFileOptions = {}): ViewOf {
  return (state, protocol): View => {
    const file = path.replaceAll("{id}", state.id);
    const block = blockOf(state, protocol, options);
    const title = options.title ?? protocol.title;
    return {
      path: file,
      shared: file === path,
      render: (text) => render(text, { id: state.id, block, title }),
      drift: (text) => drift(file, text, state, block),
      claims: (text) => claims(text, state, protocol),
      carry: (head, shown) => carry(head, shown, state.id),
      reads: blocksOf,
    };
  };
}

function blockOf(state: Workflow, { questions }: Protocol, options: StateFileOptions): string[] {
  const { id, seals, decisions, dispatches } = state;
  const open = Object.values(decisions).filter((one) => one.status === "open");
  const out = Object.values(dispatches).filter((one) => one.status !== "ended");
  const answered = Object.values(decisions).flatMap(
    ({ question, status, settled, joined = {} }) => {
      if (status !== "answered" || settled === null || !Object.hasOwn(questions, question))
        return [];
      const agreed = Object.keys(joined).filter((one) => joined[one] === settled.option);
      return [
        `${question}: ${settled.option} (${[...new Set([...agreed, settled.by])].join(", ")})`,
      ];
    },
  );
  const lines: Readonly<Record<string, string>> = {
    State: atOf(state),
    Sealed: Object.keys(seals).join(", "),
    "At work": out.map((one) => `${one.role} (${one.id})`).join(", "),
    Question: open.map((one) => one.prompt).join(" "),
    Answered: answered.join(", "),
    ...options.lines?.(state),
  };
  return [
    `<!-- holdpoint:${id}#${enteredOf(state)} -->`,
    `## ${id}`,
    "",
    ...Object.entries(lines).flatMap(([name, value]) =>
      value === "" ? [] : [`- ${oneLine(name)}: ${oneLine(value)}`],
    ),
    closeMark(id),
  ];
}

function atOf({ units }: Workflow): string {
  return units[ROOT]?.at ?? "";
}

function enteredOf({ units }: Workflow): string {
  const root = units[ROOT];
  return `${root?.entered[root.at] ?? 0}`;
}

function closeMark(id: string): string {
  return `<!-- /holdpoint:${id} -->`;
}

interface Shape {
  readonly id: string;
  readonly block: readonly string[];
  readonly title: string;
}

function render(text: string | null, { id, block, title }: Shape): Rendered {
  if (text === null)
    return { kind: "text", text: [`# ${oneLine(title)}`, "", ...block, ""].join("\n") };
  const found = findBlock(text, id);
  if (found === "broken")
    return { kind: "broken", message: `the marks of ${id} do not stand in pairs` };
  return { kind: "text", text: place(text, found, block.join(eolOf(text))) };
}

interface Block {
  readonly start: number;
  readonly end: number;
  readonly entered: string;
}

/** The workflow's block; undefined if there is none, `broken` if its end cannot be found. */
function findBlock(text: string, id: string): Block | undefined | "broken" {
  const name = id.replaceAll(/[^A-Za-z0-9_-]/g, (mark) => `\\${mark}`);
  const opens = [...text.matchAll(new RegExp(`<!-- holdpoint:${name}#(\\d*) -->`, "g"))];
  const close = text.indexOf(closeMark(id));
  const [open, second] = opens;
  if (open === undefined && close < 0) return undefined;
  const once = second === undefined && close === text.lastIndexOf(closeMark(id));
  if (open === undefined || close < open.index || !once) return "broken";
  const end = close + closeMark(id).length;
  return { start: open.index, end, entered: open[1] ?? "" };
}

function place(text: string, found: Block | undefined, block: string): string {
  if (found !== undefined) return text.slice(0, found.start) + block + text.slice(found.end);
  const eol = eolOf(text);
  const gap = text === "" ? "" : text.endsWith(eol) ? eol : eol + eol;
  return `${text}${gap}${block}${eol}`;
}

function drift(
  path: string,
  text: string | null,
  state: Workflow,
  block: readonly string[],
): readonly string[] {
  const { id } = state;
  if (text === null) return [`${path} is missing`];
  const found = findBlock(text, id);
  if (found === "broken") return [`${path}: the marks of ${id} do not stand in pairs`];
  if (found === undefined) return [`${path} has no block of ${id} any more`];
  const lines = linesIn(text, found);
  const claimed = stateIn(lines);
  const at = atOf(state);
  if (claimed !== at)
    return [`${path} says ${id} is ${JSON.stringify(claimed)}, the journal says ${at}`];
  const wrong = lines.filter((line) => !block.includes(line));
  const gone = block.filter((line) => !lines.includes(line));
  return [
    ...wrong.map((line) => `${path}: the journal does not say ${JSON.stringify(line)} of ${id}`),
    ...gone.map((line) => `${path}: ${JSON.stringify(line)} is gone from the block of ${id}`),
  ].slice(0, DRIFT_MAX);
}

const DRIFT_MAX = 5;

function linesIn(text: string, { start, end }: Block): readonly string[] {
  return text
    .slice(start, end)
    .split(/\r\n|\n|\r/)
    .map((line) => line.trimEnd());
}

function stateIn(lines: readonly string[]): string {
  const [said = ""] = lines.flatMap((line) => /^\s*[-*]\s*State:\s*(.*)$/i.exec(line)?.[1] ?? []);
  return said.replaceAll(/[`*_"]/g, (mark) => (mark === "_" ? mark : "")).trim();
}

/** The first move of the table that leads from the workflow's state to the one written in the file. */
function claims(text: string, state: Workflow, protocol: Protocol): readonly Command[] {
  const found = findBlock(text, state.id);
  if (found === undefined || found === "broken") return [];
  if (found.entered !== enteredOf(state)) return [];
  const wanted = stateIn(linesIn(text, found));
  const at = atOf(state);
  const moves = protocol.kinds[protocol.root]?.moves ?? [];
  const move = moves.find((one) => one.from.includes(at) && one.to === wanted && wanted !== at);
  return move === undefined ? [] : [{ type: "unit.move", unit: ROOT, move: move.id }];
}

/**
 * Puts only this workflow's block into the committed file, because another workflow's step in it may be half
 * done.
 */
function carry(head: string, shown: string, id: string): string {
  const there = findBlock(head, id);
  const ours = findBlock(shown, id);
  if (ours === undefined || ours === "broken" || there === "broken") return head;
  return place(head, there, linesIn(shown, ours).join(eolOf(head)));
}

function blocksOf(text: string): readonly Part[] {
  const blocks = text.matchAll(/<!-- holdpoint:([^#\n]+)#\d* -->[^]*?<!-- \/holdpoint:\1 -->/g);
  return [...blocks].map(([whole, owner = ""]) => ({ owner, text: whole }));
}
