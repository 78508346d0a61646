/**
 * An engine whose world is held in memory: the same ports, and nothing behind them that takes time. Whatever a test
 * wants to go wrong is put in the place of one part.
 */
import { createHash } from "node:crypto";
import { createMemoryJournal } from "../src/adapters/store/embedded/memory.ts";
import { createSignatures } from "../src/adapters/process/ssh-keygen.ts";
import { createFamilies } from "../src/engine/families.ts";
import { workflowFold } from "../src/engine/parts.ts";
import type { Parts } from "../src/engine/parts.ts";
import { createTurns } from "../src/engine/turns.ts";
import type { JsonObject } from "../src/core/values/json.ts";
import type { Family } from "../src/ports/family.ts";
import { NO_FENCE } from "../src/ports/fence.ts";
import type { Git, SavepointPlan } from "../src/ports/git.ts";
import type { RefusalEntry } from "../src/ports/refusals.ts";
import type { RunResult } from "../src/ports/runner.ts";
import type { Liveness } from "../src/ports/sessions.ts";
import type { ShownState } from "../src/ports/shown.ts";
import type { FileRead, Workspace } from "../src/ports/workspace.ts";
import { ABSENT } from "../src/ports/workspace.ts";

export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** What a file may be instead of a text: something that cannot be read, and why. */
export type Unreadable = Extract<FileRead, { kind: "unreadable" }>;

export interface Memory {
  readonly parts: Parts;
  readonly files: Map<string, string | Unreadable>;
  /** What a file holds; empty where it is not there or cannot be read. */
  readonly text: (path: string) => string;
  readonly blobs: Map<string, string>;
  readonly shown: Map<string, ShownState>;
  readonly refusals: RefusalEntry[];
  /** Commits, oldest first: what was planned, and for which record. */
  readonly commits: { readonly plan: SavepointPlan; readonly record: string }[];
  readonly holders: Map<string, string>;
  readonly seen: Map<string, JsonObject>;
  /** Steps in the order in which they were taken. */
  readonly steps: string[];
  readonly ran: {
    readonly command: readonly string[];
    readonly cwd: string;
    readonly ms: number;
  }[];
  readonly beats: string[];
  /** How processes are doing, by name; those that are not named are alive. */
  readonly fates: Map<string, Liveness>;
  /** What the next runs of checks come to, by the first word of the command. */
  readonly results: Map<string, RunResult>;
}

export interface MemoryOptions {
  readonly families: readonly Family[];
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Partial<Parts["config"]>;
  readonly repository?: boolean;
  readonly self?: string;
  readonly parts?: (parts: Parts, memory: Omit<Memory, "parts">) => Partial<Parts>;
}

/** A second engine on the same store, as another process opens it. */
export function memoryParts(options: MemoryOptions, shared?: Memory): Memory {
  const files: Memory["files"] = new Map(Object.entries(options.files ?? {}));
  const memory: Omit<Memory, "parts"> = shared ?? {
    files,
    text: (path) => {
      const file = files.get(path);
      return typeof file === "string" ? file : "";
    },
    blobs: new Map(),
    shown: new Map(),
    refusals: [],
    commits: [],
    holders: new Map(),
    seen: new Map(),
    steps: [],
    ran: [],
    beats: [],
    fates: new Map(),
    results: new Map(),
  };
  const parts: Parts = {
    ...storeOf(memory, shared?.parts),
    families: createFamilies({
      shipped: {},
      given: options.families,
      own: undefined,
      read: async () => ({ families: [], problems: [] }),
      sha256,
    }),
    workspace: workspaceOf(memory),
    git: gitOf(memory),
    fencing: NO_FENCE,
    witness: { recall: async () => [], keep: async () => undefined },
    place:
      options.repository === true
        ? { kind: "repository", top: "/desk", commonDir: "/desk/.git" }
        : { kind: "none", why: "no-repository", message: "There is no repository." },
    sessions: {
      beat: async (session) => {
        memory.beats.push(session);
      },
      liveness: async () => ({ kind: "alive", why: "here" }),
    },
    processes: {
      self: options.self ?? "p-1",
      fate: (name) => memory.fates.get(name) ?? { kind: "alive", why: "running" },
    },
    runner: {
      run: async (command, { cwd, msMax }) => {
        memory.ran.push({ command, cwd, ms: msMax });
        const known = memory.results.get(command[0] ?? "");
        return known ?? { kind: "exited", code: 0, output: "fine\n", ms: 5 };
      },
    },
    config: { checks: {}, settings: {}, ...options.config },
    settings: { read: async () => ({ kind: "absent", digest: "" }), uncounted: () => [] },
    signatures: createSignatures({ places: [] }),
    inbox: {
      leave: () => "left",
      list: () => ({ ids: [], odd: [] }),
      take: () => ({ kind: "gone" }),
      answer: () => undefined,
    },
    watches: {
      own: [],
      listed: async () => 0,
      journal: async () => undefined,
      journals: async () => [],
      last: () => undefined,
      names: async () => [],
      add: () => undefined,
      keep: () => undefined,
      drop: () => undefined,
      quiet: () => ({}),
      keepQuiet: () => undefined,
    },
    sha256,
    onStep: (step) => memory.steps.push(step),
  };
  const whole = { ...parts, ...options.parts?.(parts, memory) };
  return { ...memory, parts: whole };
}

type Store = Pick<
  Parts,
  "journal" | "wakes" | "blobs" | "shown" | "refusals" | "holders" | "clock" | "ids" | "turns"
>;

let made = 0;

function storeOf(memory: Omit<Memory, "parts">, shared: Parts | undefined): Store {
  const { blobs, shown, refusals, holders, seen } = memory;
  let now = Date.parse("2026-03-01T10:00:00.000Z");
  return {
    journal: shared?.journal ?? createMemoryJournal(workflowFold),
    wakes: { open: () => ({ wait: async () => undefined, close: () => undefined }) },
    blobs: {
      put: async (content) => {
        const hex = sha256(content);
        blobs.set(hex, Buffer.from(content).toString("utf8"));
        return hex;
      },
      get: async (hex) => {
        const text = blobs.get(hex);
        return text === undefined
          ? { kind: "absent" }
          : { kind: "found", bytes: Buffer.from(text) };
      },
    },
    shown: {
      read: async (stream) => shown.get(stream),
      write: async (stream, state) => void shown.set(stream, state),
    },
    refusals: {
      add: async (entry) => void refusals.push(entry),
      read: async (stream) => refusals.filter((one) => one.stream === stream),
    },
    holders: {
      of: async (effect, wantedBy) => holders.get(effect) ?? wantedBy,
      take: async (effect, from, by) => {
        if ((holders.get(effect) ?? from) !== from) return false;
        holders.set(effect, by);
        return true;
      },
      recall: async (effect) => seen.get(effect),
      keep: async (effect, what) => void seen.set(effect, what),
      forget: async (effect) => {
        holders.delete(effect);
        seen.delete(effect);
      },
    },
    clock: shared?.clock ?? {
      now: () => new Date((now += 1000)).toISOString(),
      monotonicMs: () => 0,
      bootId: () => "boot",
    },
    ids: { next: () => `id-${(made += 1)}` },
    turns: createTurns(),
  };
}

function workspaceOf({ files }: Pick<Memory, "files">): Workspace {
  const read = async (path: string): Promise<FileRead> => {
    const file = files.get(path);
    if (file === undefined) return { kind: "absent" };
    if (typeof file !== "string") return file;
    return { kind: "text", text: file, digest: `sha256:${sha256(file)}` };
  };
  const texts = (): readonly (readonly [string, string])[] =>
    [...files].flatMap(([path, file]) => (typeof file === "string" ? [[path, file] as const] : []));
  return {
    root: "/desk",
    read,
    bytes: async (path) => {
      const file = await read(path);
      return file.kind === "text" ? { kind: "bytes", bytes: Buffer.from(file.text) } : file;
    },
    list: async (directory) => {
      const below = directory === "." ? "" : `${directory}/`;
      const names = [...files.keys()]
        .filter((path) => path.startsWith(below))
        .map((path) => path.slice(below.length).replace(/\/.*$/, "/"));
      return [...new Set(names)].toSorted();
    },
    digest: async (path) => {
      const file = await read(path);
      return file.kind === "text" ? file.digest : undefined;
    },
    measure: async (directory, { also = [] } = {}) => {
      const below = directory === "." ? "" : `${directory}/`;
      const rules = new Map(texts().filter(([path]) => path === ".gitignore"));
      const hidden = new Set((rules.get(".gitignore") ?? "").split("\n"));
      const there = texts()
        .filter(([path]) => path.startsWith(below))
        .filter(([path]) => !hidden.has(path) || also.includes(path))
        .map(([path, text]) => [path, `f ${sha256(text)}`] as const);
      const problems = [...files]
        .filter(([path]) => path.startsWith(below))
        .flatMap(([path, file]) =>
          typeof file === "string" ? [] : [[path, `cannot be read (${file.code})`] as const],
        );
      const left = texts().flatMap(([path]) =>
        path.startsWith(below) && hidden.has(path) && !also.includes(path) ? [path] : [],
      );
      const seen = { files: new Map(there), problems: new Map(problems), rules, left };
      return { ...seen, hidden: new Set<string>() };
    },
    stamp: async (path) => {
      const file = await read(path);
      return file.kind === "absent" ? ABSENT : JSON.stringify(file);
    },
    install: async (path, content, expected) => {
      const now = files.get(path) ?? null;
      const wanted = expected === null ? null : Buffer.from(expected).toString("utf8");
      if (now !== wanted) return { kind: "changed" };
      if (content === null) files.delete(path);
      else files.set(path, Buffer.from(content).toString("utf8"));
      return { kind: "installed" };
    },
    check: async () => undefined,
    move: async () => ({ kind: "installed" }),
    recover: async () => [],
    forget: async () => undefined,
  };
}

/** As much of git as a savepoint needs: its tree is the digest of what was planned. */
function gitOf({ commits, files }: Pick<Memory, "commits" | "files">): Git {
  const oid = (at: number): string => sha256(`commit ${at}`).slice(0, 40);
  const head = (): string | undefined => (commits.length === 0 ? undefined : oid(commits.length));
  const plans = new Map<string, SavepointPlan>();
  return {
    locate: async () => ({ kind: "repository", top: "/desk", commonDir: "/desk/.git" }),
    changes: async () => [],
    authors: async () => [],
    prepare: async (plan) => {
      const tree = sha256(JSON.stringify(plan));
      plans.set(tree, plan);
      const taken = plan.paths.map((path) => {
        const file = files.get(path);
        return [path, typeof file === "string" ? sha256(file) : null] as const;
      });
      const savepoint = {
        ref: "refs/heads/main",
        base: plan.base ?? "",
        tree,
        blobs: {},
        message: plan.message,
        author: { name: "ada", email: "ada@example.org" },
        at: plan.at,
        sign: false,
      };
      return { kind: "ready", savepoint, warnings: [], taken: Object.fromEntries(taken) };
    },
    commit: async ({ tree }, record) => {
      const plan = plans.get(tree);
      if (plan === undefined) throw new Error("Nobody prepared this");
      commits.push({ plan, record });
      const made = oid(commits.length);
      return { kind: "committed", oid: made, short: made.slice(0, 7), warnings: [] };
    },
    show: async (_, path) => {
      const text = commits.findLast(({ plan }) => Object.hasOwn(plan.views, path))?.plan.views[
        path
      ];
      return typeof text === "string" ? Buffer.from(text) : undefined;
    },
    committed: async (_, path) => {
      const text = commits.findLast(({ plan }) => Object.hasOwn(plan.views, path))?.plan.views[
        path
      ];
      return typeof text === "string" ? Buffer.from(text) : undefined;
    },
    log: async () => [],
    resolve: async () => head(),
    branch: async () => "main",
    changesSince: async () => [],
    forked: async () => undefined,
    tracked: async () => [],
    commitsSince: async () => [],
    journaled: async () => [],
  };
}
