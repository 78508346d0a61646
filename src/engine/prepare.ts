import type { Event } from "../core/events.ts";
import { evolve } from "../core/evolve.ts";
import { showJson } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import type { Workflow } from "../core/state.ts";
import type { Family, View } from "../ports/family.ts";
import type { Prepared, Savepoint } from "../ports/git.ts";
import type { Parts } from "./parts.ts";

/**
 * Make everything ready that can still say no: the views as they will be, the tree of the commit, the
 * repository's own hooks. Whatever fails here fails before the append, so nothing has happened.
 */
export type Readiness =
  | {
      readonly kind: "ready";
      readonly events: readonly Event[];
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: "rejected";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
      /** The question the protocol asks about it, if it has one. */
      readonly asks: string | null;
    };

export interface Draught {
  readonly family: Family;
  readonly state: Workflow;
  readonly events: readonly Event[];
  readonly at: string;
}

export async function prepare(parts: Parts, draught: Draught): Promise<Readiness> {
  const stamp = { seq: draught.state.seq + 1, at: draught.at };
  const after = draught.events.reduce((state, event) => evolve(state, event, stamp), draught.state);
  const views = draught.family.views(after);
  const unusable = await findUnusable(parts, views);
  if (unusable !== undefined) return unusable;
  const warnings: string[] = [];
  const events: Event[] = [];
  for (const event of draught.events) {
    if (event.type !== "effect.wanted" || event.kind !== "commit") {
      events.push(event);
      continue;
    }
    const prepared = await prepareCommit(parts, views, event, draught.at);
    if (prepared.kind === "rejected") return { ...prepared, asks: event.undo?.asks ?? null };
    if (prepared.kind === "ready") warnings.push(...prepared.warnings);
    events.push({ ...event, args: { ...event.args, ...savepointArgs(prepared) } });
  }
  return { kind: "ready", events, warnings };
}

/** A state file that is a link, a directory or gigabytes cannot be written: say so before anything else. */
async function findUnusable(parts: Parts, views: readonly View[]): Promise<Readiness | undefined> {
  for (const view of views) {
    const file = await parts.workspace.read(view.path);
    if (file.kind !== "unreadable" || file.code === "not-text") continue;
    const { message, fix } = file;
    return { kind: "rejected", code: `view-${file.code}`, message, fix, asks: "recovery" };
  }
  return undefined;
}

type Wanted = Extract<Event, { type: "effect.wanted" }>;

async function prepareCommit(
  parts: Parts,
  views: readonly View[],
  event: Wanted,
  at: string,
): Promise<Prepared> {
  const { subject, paths } = event.args;
  for (let attempt = 1; ; attempt += 1) {
    const head = (await parts.git.resolve("HEAD")) ?? "";
    const rendered: Record<string, string | null> = {};
    for (const view of views) rendered[view.path] = await renderForCommit(parts, view, head);
    parts.onStep("prepare.commit");
    const prepared = await parts.git.prepare({
      paths: showJson(paths).split(","),
      views: rendered,
      message: `${oneLine(showJson(subject))}\n\n${BODY}`,
      at,
    });
    // On any other commit than the one they were rendered on, shared files would undo what it brought.
    const moved = prepared.kind === "ready" && prepared.savepoint.base !== head;
    if (!moved) return prepared;
    if (attempt >= PREPARE_TRIES_MAX) return branchBusy(attempt);
  }
}

const PREPARE_TRIES_MAX = 32;

function branchBusy(tries: number): Prepared {
  const message = `The branch moved ${tries} times while the commit was made ready`;
  return { kind: "rejected", code: "ref-busy", message, fix: "Try again when less is going on." };
}

/** What every savepoint says below its subject. */
const BODY = `[ATOMIC] Code + state files committed together

🤖 Generated with Claude Code

Co-Authored-By: Claude <noreply@anthropic.com>`;

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** A shared file is committed with this workflow's part only: another's half-done step is not ours to commit. */
async function renderForCommit(parts: Parts, view: View, base: string): Promise<string | null> {
  const file = await parts.workspace.read(view.path);
  const now = file.kind === "text" ? file.text : null;
  const rendered = view.render(now);
  if (rendered.kind === "absent") return null;
  if (rendered.kind === "broken") {
    const fresh = view.render(null);
    return fresh.kind === "text" ? fresh.text : null;
  }
  if (view.carry === undefined) return rendered.text;
  const head = base === "" ? undefined : await parts.git.show(base, view.path);
  if (head !== undefined) return view.carry(new TextDecoder().decode(head), rendered.text);
  const fresh = view.render(null);
  return fresh.kind === "text" ? view.carry(fresh.text, rendered.text) : rendered.text;
}

function savepointArgs(prepared: Exclude<Prepared, { kind: "rejected" }>): JsonObject {
  if (prepared.kind === "empty") return { empty: prepared.oid };
  const { blobs, author, ...rest } = prepared.savepoint;
  return { savepoint: { ...rest, blobs: { ...blobs }, author: { ...author } } };
}

/** The savepoint as it was recorded, if the effect has one. */
export function readSavepoint(args: JsonObject): Savepoint | undefined {
  const savepoint: unknown = args["savepoint"];
  return isSavepoint(savepoint) ? savepoint : undefined;
}

/** Only `prepare` writes it, and the chain vouches for it: the shape is enough. */
function isSavepoint(value: unknown): value is Savepoint {
  return (
    typeof value === "object" &&
    value !== null &&
    "tree" in value &&
    "ref" in value &&
    "blobs" in value
  );
}
