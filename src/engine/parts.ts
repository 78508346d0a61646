import { wrongEvent } from "../core/state/event-shapes.ts";
import type { Event } from "../core/state/events.ts";
import { emptyWorkflow, evolveAll } from "../core/state/evolve.ts";
import { isJsonArray, isJsonObject } from "../core/values/json.ts";
import type { Json } from "../core/values/json.ts";
import { REPOSITORY } from "../core/state/policy.ts";
import { ROOT } from "../core/state/state.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Blobs } from "../ports/blobs.ts";
import type { Clock } from "../ports/clock.ts";
import type { Config, Family, Made, World, WorkOut, Written } from "../ports/family.ts";
import type { Fencing } from "../ports/fence.ts";
import type { Git, GitPlace } from "../ports/git.ts";
import type { Holders } from "../ports/holders.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Ids } from "../ports/ids.ts";
import type { Fold, Journal, JournalRecord } from "../ports/journal.ts";
import type { Processes } from "../ports/processes.ts";
import type { Settings } from "../ports/settings.ts";
import type { Refusals } from "../ports/refusals.ts";
import type { Runner } from "../ports/runner.ts";
import type { Signatures } from "../ports/signatures.ts";
import type { Sessions } from "../ports/sessions.ts";
import type { Shown } from "../ports/shown.ts";
import type { Wakes } from "../ports/wakes.ts";
import type { Watches } from "../ports/watches.ts";
import type { Witness } from "../ports/witness.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { Families } from "./families.ts";
import type { Turns } from "./turns.ts";
import { readTree } from "./look/tree.ts";
import { basesOf } from "./release/policy.ts";

/** Everything the engine works with, put together by compose. */
export interface Parts {
  readonly families: Families;
  readonly journal: Journal<Workflow>;
  /** Signals that some journal has changed. */
  readonly wakes: Wakes;
  /** What is held, for the hooks of clients. */
  readonly watches: Watches;
  readonly workspace: Workspace;
  readonly git: Git;
  /** Where git's directories are. Asked once, because they do not move while a process runs. */
  readonly place: GitPlace;
  readonly fencing: Fencing;
  /** Keeps the heads of journals in another place. */
  readonly witness: Witness;
  readonly blobs: Blobs;
  readonly shown: Shown;
  readonly refusals: Refusals;
  readonly sessions: Sessions;
  readonly processes: Processes;
  readonly holders: Holders;
  readonly inbox: Inbox;
  readonly runner: Runner;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Lets commands of one process wait for each other instead of racing. */
  readonly turns: Turns;
  readonly config: Config;
  readonly settings: Settings;
  readonly signatures: Signatures;
  readonly sha256: (bytes: string | Uint8Array) => string;
  /** Called before every step whose order matters. Tests use it to crash there. */
  readonly onStep: (step: string) => void;
}

export function openWorld(parts: Parts): World {
  const { workspace, git, place, config, settings, blobs, runner, sha256, journal, clock } = parts;
  return {
    workspace,
    git,
    place,
    config,
    settings,
    blobs,
    runner,
    sha256,
    now: clock.now(),
    workflows: () => journal.list(),
    tree: (directory, rules) => readTree(parts, directory, rules),
    written: (since) => writtenSince(parts, since),
    bases: () => basesOf(parts),
    heads: () => headsOf(parts),
  };
}

async function headsOf({ journal }: Parts): Promise<Readonly<Record<string, string>>> {
  const heads: Record<string, string> = {};
  for (const stream of await journal.streams()) {
    const { seq, hash } = (await journal.load(stream)).head;
    if (protocolOf(stream) !== REPOSITORY) heads[stream] = `${seq} ${hash}`;
  }
  return heads;
}

/** What every caller must be told: settings that do not count, a store that is gone. A sentence each. */
export function uncounted({
  settings,
  journal,
}: Pick<Parts, "settings" | "journal">): readonly string[] {
  const lying = settings.uncounted().map(({ message, fix }) => `${message}. ${fix}`);
  return [...(journal.notices?.() ?? []), ...lying];
}

async function writtenSince(parts: Parts, since: string): Promise<Written> {
  const { journal } = parts;
  const views = new Map<string, string | null>();
  const records = new Set<string>();
  const made: Made[] = [];
  const work: WorkOut[] = [];
  for (const { stream, at, summary } of await journal.list()) {
    const workflow = idOf(stream);
    if (isJsonObject(summary) && summary["out"] !== 0)
      work.push(...openWork(workflow, (await journal.load(stream)).state));
    if (at < since) continue;
    for (const [path, blob] of await shownBy(parts, stream)) views.set(path, blob);
    const all = await journal.read(stream);
    made.push(...madeIn(all, since));
    for (const [oid, named] of all.flatMap(adoptedWith)) {
      records.add(named);
      made.push({ kind: "commit", args: {}, oids: [oid] });
    }
    for (const record of all) {
      if (record.at < since) continue;
      records.add(record.hash);
      work.push(...workDone(workflow, record));
    }
  }
  const commits = new Set(made.flatMap((one) => one.oids));
  return { views, records, commits, made, work };
}

/** The store of shown files is writable by anybody, so only the workflow's own state files in it count. */
async function shownBy(
  { journal, families, shown }: Parts,
  stream: string,
): Promise<readonly (readonly [path: string, blob: string | null])[]> {
  const family = await families.get(protocolOf(stream));
  const { state } = await journal.load(stream);
  if (family === undefined || !(ROOT in state.units)) return [];
  const own = new Set(family.views(state).map((view) => view.path));
  return Object.entries((await shown.read(stream))?.views ?? {}).filter(([path]) => own.has(path));
}

/** The commit that adopting made before the first record, with the name in its trailer. */
function adoptedWith(record: JournalRecord): readonly (readonly [string, string])[] {
  return eventsOf(record).flatMap((event) => {
    if (event.type !== "workflow.adopted") return [];
    const { commit, named } = event.from;
    return typeof commit === "string" && typeof named === "string" ? [[commit, named]] : [];
  });
}

function openWork(workflow: string, { dispatches }: Workflow): readonly WorkOut[] {
  const open = Object.values(dispatches).filter((one) => one.status !== "ended");
  return open.map((out) => ({ workflow, out }));
}

/** The commits made by a record's effects, which record them under different names. */
function madeIn(records: readonly JournalRecord[], since: string): readonly Made[] {
  const wanted = new Map<string, Pick<Made, "kind" | "args">>();
  return records.flatMap((record) =>
    eventsOf(record).flatMap((event) => {
      if (event.type === "effect.wanted") wanted.set(event.effect, event);
      if (event.type !== "effect.settled" || record.at < since) return [];
      const { kind = "", args = {} } = wanted.get(event.effect) ?? {};
      const found = JSON.stringify(event.detail).matchAll(/"([0-9a-f]{40,64})"/g);
      return [{ kind, args, oids: [...found].map(([, oid = ""]) => oid) }];
    }),
  );
}

function workDone(workflow: string, record: JournalRecord): readonly WorkOut[] {
  return eventsOf(record).flatMap((event) =>
    event.type === "dispatch.ended" && event.measured !== undefined
      ? [{ workflow, measured: event.measured }]
      : [],
  );
}

/** One journal for each workflow, named after its family. */
export function streamOf(family: Family, id: string): string {
  return `${family.protocol.name}:${id}`;
}

export function idOf(stream: string): string {
  return stream.slice(stream.indexOf(":") + 1);
}

export function protocolOf(stream: string): string {
  return stream.slice(0, Math.max(stream.indexOf(":"), 0));
}

/** How a journal becomes a workflow. */
export const workflowFold: Fold<Workflow> = {
  version: "12",
  initial: (stream) => emptyWorkflow(idOf(stream)),
  evolve: (state, record) => evolveAll(state, eventsOf(record), record),
  summary: (state) => ({
    protocol: state.protocol.name,
    id: state.id,
    at: state.units[ROOT]?.at ?? "",
    updatedAt: state.updatedAt,
    session: state.lease?.session ?? null,
    agreed: state.agreed?.at ?? "",
    open: Object.values(state.decisions).filter((one) => one.status === "open").length,
    out: Object.values(state.dispatches).filter((one) => one.status === "open").length,
  }),
};

/**
 * The events of a record, checked: the hash chain only protects the bytes, and anybody can write a line with a
 * correct hash.
 */
export function eventsOf(record: JournalRecord): readonly Event[] {
  const { events } = record.body;
  if (!isJsonArray(events)) throw new Error("it has no events");
  if (events.every(isEvent)) return events;
  const at = events.findIndex((event) => !isEvent(event));
  throw new Error(
    `its event ${at + 1} ${wrongEvent(events[at] ?? null) ?? ""}, which this version does not know`,
  );
}

function isEvent(value: Json): value is Json & Event {
  return wrongEvent(value) === undefined;
}
