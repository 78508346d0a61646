import type { Event } from "../../core/state/events.ts";
import { evolveAll } from "../../core/state/evolve.ts";
import { member, showJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { texts } from "../../core/values/json-read.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Config, Family, View } from "../../ports/family.ts";
import type { Prepared, Savepoint } from "../../ports/git.ts";
import { ownPart } from "./own-part.ts";
import { openWorld, streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { nameRecord } from "../prove/witnesses.ts";
import { renderView } from "./render.ts";

/**
 * Prepares everything that may still fail: the rendered views, the tree of the commit, the repository's hooks.
 * Whatever fails here fails before the append, so nothing has happened yet.
 */
export type Readiness =
  | {
      readonly kind: "ready";
      readonly events: readonly Event[];
      readonly warnings: readonly string[];
    }
  /** Somebody changed the files meanwhile, so the commit would have other bytes than were judged. */
  | { readonly kind: "changed" }
  | {
      readonly kind: "rejected";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
      /** The question that the protocol asks about it, if there is one. */
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
  const after = evolveAll(draught.state, draught.events, stamp);
  const views = draught.family.views(after);
  const unusable = draught.events.some((event) => needsNoFiles(event, draught.family))
    ? undefined
    : await findUnusable(parts, views);
  if (unusable !== undefined) return unusable;
  const warnings: string[] = [];
  const events: Event[] = [];
  for (const event of draught.events) {
    if (event.type !== "effect.wanted" || event.kind !== "commit") {
      events.push(event);
      continue;
    }
    const prepared = await prepareCommit(parts, { ...draught, views }, event);
    if (prepared.kind === "rejected") return { ...prepared, asks: event.undo?.asks ?? null };
    if (prepared.kind === "ready") {
      if (!(await wasJudged(parts, prepared.taken))) return { kind: "changed" };
      warnings.push(...prepared.warnings);
    }
    events.push({ ...event, args: { ...event.args, ...savepointArgs(prepared) } });
  }
  return { kind: "ready", events, warnings };
}

/**
 * A state file that is a link, a directory or gigabytes long cannot be written; this is reported before anything
 * else.
 */
/**
 * Parking a report, keeping an answer and stopping must work even then: they are how such files are dealt with.
 */
function needsNoFiles(event: Event, { edits: { unshown } }: Family): boolean {
  const { type } = event;
  return (
    type === "dispatch.parked" ||
    type === "answer.kept" ||
    (type === "unit.moved" && event.move === unshown)
  );
}

async function findUnusable(parts: Parts, views: readonly View[]): Promise<Readiness | undefined> {
  for (const view of views) {
    const file = await parts.workspace.read(view.path);
    const problem = file.kind === "unreadable" ? file : await parts.workspace.check(view.path);
    if (problem === undefined) continue;
    const { code, message, fix } = problem;
    return { kind: "rejected", code: `view-${code}`, message, fix, asks: "recovery" };
  }
  return undefined;
}

type Wanted = Extract<Event, { type: "effect.wanted" }>;

async function prepareCommit(
  parts: Parts,
  draught: Draught & { readonly views: readonly View[] },
  event: Wanted,
): Promise<Prepared> {
  const { family, state, at, views } = draught;
  const { subject, body, paths } = event.args;
  // Shared files are rendered for exactly this commit. On a newer one they would undo its changes.
  const base = (await parts.git.resolve("HEAD")) ?? "";
  const rendered: Record<string, string | null> = await removedBefore(parts, draught, event);
  const removed = new Set(Object.keys(rendered));
  const shown = await parts.shown.read(streamOf(family, state.id));
  for (const view of views) {
    const file = await parts.workspace.read(view.path);
    const now = file.kind === "text" && !removed.has(view.path) ? file.text : null;
    const whole = await renderView(parts, view, now, shown?.views[view.path]);
    const own = await ownPart(parts, { view, owner: state.id, rendered: whole, base });
    if (own.kind === "rejected") return own;
    rendered[view.path] = own.text;
  }
  const taken = typeof paths === "string" ? [paths] : texts(paths);
  const below = await readBelow(parts, taken);
  if (below.kind === "rejected") return below;
  parts.onStep("prepare.commit");
  return await parts.git.prepare({
    paths: taken,
    standing: below.files,
    views: rendered,
    message: `${oneLine(showJson(subject))}\n\n${bodyText(showJson(body ?? ""), parts.config)}`,
    at,
    base,
    ...(state.startedAt === "" ? {} : { journal: nameRecord(streamOf(family, state.id), state) }),
  });
}

/**
 * What was not read in full was not judged either, so git must not commit it. Also, having git read a file of any
 * size could take hours.
 */
async function readBelow(
  { workspace }: Parts,
  paths: readonly string[],
): Promise<
  | { readonly kind: "read"; readonly files: readonly string[] }
  | Extract<Prepared, { kind: "rejected" }>
> {
  const isTaken = (path: string): boolean =>
    paths.some((one) => one === "." || path === one || path.startsWith(`${one}/`));
  const { files, problems } = await workspace.measure(".");
  const found = [...problems].find(([path]) => isTaken(path));
  if (found === undefined)
    return {
      kind: "read",
      // Holdpoint's own folder is not committed.
      files: [...files.keys()].filter((path) => isTaken(path) && !path.startsWith(".holdpoint/")),
    };
  return {
    kind: "rejected",
    code: "commit-unread",
    message: `Cannot commit ${found[0]}: it ${found[1]}, so nothing has judged it.`,
    fix: "Move it away, or name it in a .gitignore file, then try again.",
  };
}

/** Whether the commit contains exactly the bytes that this command has read and judged. */
async function wasJudged(
  { workspace, git }: Parts,
  taken: Readonly<Record<string, string | null>>,
): Promise<boolean> {
  const { files } = await workspace.measure(".");
  const unread: string[] = [];
  for (const [path, sha256] of Object.entries(taken)) {
    const read = files.get(path)?.split(" ")[1] ?? null;
    if (read === null && sha256 !== null) unread.push(path);
    else if (read !== sha256) return false;
  }
  if (unread.length === 0) return true;
  // A file excluded by ignore rules is only committed if git tracks it.
  const tracked = new Set(await git.tracked("."));
  return unread.every((path) => tracked.has(path));
}

/** Files that an effect before the commit will have removed by the time the commit is made. */
async function removedBefore(
  parts: Parts,
  { family, state, events }: Draught,
  commit: Wanted,
): Promise<Record<string, null>> {
  const before = events
    .slice(0, events.indexOf(commit))
    .flatMap((event) => (event.type === "effect.wanted" ? [event] : []));
  const removed = await Promise.all(
    before.map(
      async ({ kind, args }) =>
        (await member(family.effects, kind)?.removes?.(openWorld(parts), state, args)) ?? [],
    ),
  );
  return Object.fromEntries(removed.flat().map((path) => [path, null]));
}

/** A protocol may name an agent as co-author; the repository can turn that off. */
function bodyText(body: string, { coAuthor = true }: Config): string {
  return coAuthor ? body : body.replaceAll(/^Co-Authored-By: .*\n?/gim, "").trimEnd();
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function savepointArgs(prepared: Exclude<Prepared, { kind: "rejected" }>): JsonObject {
  if (prepared.kind === "empty") return { empty: prepared.oid };
  const { blobs, author, ...rest } = prepared.savepoint;
  return { savepoint: { ...rest, blobs: { ...blobs }, author: { ...author } } };
}

/** The savepoint recorded with the effect, if there is one. */
export function readSavepoint(args: JsonObject): Savepoint | undefined {
  const savepoint: unknown = args["savepoint"];
  return isSavepoint(savepoint) ? savepoint : undefined;
}

/** Only `prepare` writes it and the hash chain protects it, so checking its shape is enough. */
function isSavepoint(value: unknown): value is Savepoint {
  return (
    typeof value === "object" &&
    value !== null &&
    "tree" in value &&
    "ref" in value &&
    "blobs" in value
  );
}
