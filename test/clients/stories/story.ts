/** A whole workflow, told once: who does what when they are told what. Played through MCP alone or by a real client. */
import { dirname, join } from "node:path";
import type { JsonObject } from "../../../src/core/values/json.ts";
import type { Scratch } from "../../e2e/cli.ts";
import type { Op, Step } from "../model/script.ts";

export interface Call {
  readonly mcp: string;
  readonly args?: JsonObject;
}

/** What a subagent leaves behind, and what it says about it. */
export interface Work {
  readonly does: readonly Op[];
  readonly report: string;
}

export interface Story {
  readonly name: string;
  readonly scratch: Scratch;
  /** What a person does before, once the client is set up. */
  readonly prepare?: () => void;
  readonly begin: Call;
  /** What the orchestrator does besides, before it goes on. */
  readonly own: () => readonly Op[];
  /** A person does what is theirs, at a terminal of their own. */
  readonly person: () => void;
  /** By its order. */
  readonly work: (role: string, order: string) => Work;
  /** By the files, whatever anybody says. */
  readonly isOver: () => boolean;
}

/** Where the orchestrator is: what it has started, so that nobody is started twice. */
export class Lead {
  readonly story: Story;
  readonly #launched = new Set<string>();
  #queue: readonly Op[] = [];
  #begun = false;

  constructor(story: Story) {
    this.story = story;
  }

  /** What comes after what was heard last. Everything is taken from those words: they must suffice. */
  turn(heard: string): Turn {
    const { story } = this;
    const [queued, ...rest] = this.#queue;
    this.#queue = rest;
    if (queued !== undefined) return { kind: "calls", ops: [queued] };
    if (!this.#begun) {
      this.#begun = true;
      return { kind: "calls", ops: [story.begin] };
    }
    const out = startedIn(heard).filter(({ dispatch }) => !this.#launched.has(dispatch));
    for (const { dispatch } of out) this.#launched.add(dispatch);
    if (out.length > 0) return { kind: "agents", out };
    if (story.isOver()) return { kind: "over" };
    if (/a person must answer/.test(heard)) return { kind: "person", after: { mcp: "advance" } };
    const [first = onward(heard), ...others] = story.own();
    this.#queue = others;
    return { kind: "calls", ops: [first] };
  }
}

/** The call that was advised, or the plain one. */
function onward(heard: string): Call {
  const [, args = "{}"] = /\badvance (\{.*\})/.exec(heard) ?? [];
  return { mcp: "advance", args: JSON.parse(args) as JsonObject };
}

export type Turn =
  | { readonly kind: "calls"; readonly ops: readonly Op[] }
  | { readonly kind: "agents"; readonly out: readonly Out[] }
  | { readonly kind: "person"; readonly after: Call }
  | { readonly kind: "over" };

export interface Out {
  readonly role: string;
  readonly dispatch: string;
}

/** "Start subagents architect on d1, style on d2." */
export function startedIn(text: string): readonly Out[] {
  const [, list = ""] = /\bsubagents? ([\w-]+ on [\w-]+(?:, [\w-]+ on [\w-]+)*)/.exec(text) ?? [];
  return [...list.matchAll(/([\w-]+) on ([\w-]+)/g)].map(([, role = "", dispatch = ""]) => ({
    role,
    dispatch,
  }));
}

/** A subagent fetches its order, works, reports, and passes on what it was answered. */
export function agentSteps(out: Out, work: Story["work"]): (heard: string, index: number) => Step {
  let doing: readonly Op[] = [];
  let report = "";
  return (heard, index) => {
    if (index === 0) return { calls: [{ mcp: "order", args: { dispatch: out.dispatch } }] };
    if (index === 1) ({ does: doing, report } = work(out.role, heard));
    const op = doing[index - 1];
    if (op !== undefined) return { calls: [op] };
    if (index === doing.length + 1)
      return { calls: [{ mcp: "report", args: { dispatch: out.dispatch, text: report } }] };
    // Codex says of a tool's answer how long it took.
    return { say: heard.replace(/^Script completed[^]*?Output:\n+/, "") };
  };
}

/** Helpers of the other tests write files themselves; here what they write is kept, for somebody to do it. */
export function recording(scratch: Scratch): {
  readonly scratch: Scratch;
  readonly taken: () => readonly Op[];
} {
  const files = new Map<string, string>();
  const read = (path: string): string => files.get(path) ?? scratch.read(path);
  return {
    scratch: {
      ...scratch,
      read,
      has: (path) => files.has(path) || scratch.has(path),
      write: (path, text) => void files.set(path, text),
      edit: (path, change) => void files.set(path, change(read(path))),
    },
    taken: () => {
      const folders = [...new Set([...files.keys()].map(dirname))].filter(
        (one) => !scratch.has(one),
      );
      // One client's tool writes into no folder that is not there.
      const made = folders.map((one): Op => ({ shell: `mkdir -p '${join(scratch.top, one)}'` }));
      const ops = [...made, ...[...files].flatMap(([path, text]) => writing(scratch, path, text))];
      files.clear();
      return ops;
    },
  };
}

/** Some tools refuse to write over what they have not read, or at all. */
function writing(scratch: Scratch, path: string, text: string): readonly Op[] {
  const file = join(scratch.top, path);
  // One client asks a person before its own tool touches how things are built; another one's writes no reports.
  if (/(?:CMakeLists\.txt|report\.md)$/.test(path))
    return [{ shell: `printf '${text}' > '${file}'` }];
  if (!scratch.has(path)) return [{ write: [file, text] }];
  return [{ read: file }, { write: [file, text, scratch.read(path)] }];
}
