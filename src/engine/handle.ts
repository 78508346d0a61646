import type { Actor, Command, Envelope } from "../core/commands.ts";
import type { Event } from "../core/events.ts";
import { canonicalJson, toJson } from "../core/json.ts";
import type { Json, JsonObject } from "../core/json.ts";
import type { Workflow } from "../core/state.ts";
import type { Family } from "../ports/family.ts";
import type { Appended, Loaded } from "../ports/journal.ts";
import { decideWithLooks } from "./look.ts";
import type { Accepted, Commit, Failed, Outcome, Pending } from "./outcome.ts";
import { openWorld, streamOf } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { perform } from "./perform.ts";
import { prepare } from "./prepare.ts";
import type { Readiness } from "./prepare.ts";
import { isShown, show } from "./show.ts";

/** How often a command that lost a race is decided anew before it gives up. */
const TRIES_MAX = 32;
/** A command may want effects whose outcome wants more; this many rounds at most. */
const SETTLE_ROUNDS_MAX = 8;

export interface Request {
  readonly family: Family;
  readonly workflow: string;
  readonly command: Command;
  readonly actor: Actor;
  readonly session: string;
  readonly fence?: number;
  /** The command's id: the same one again answers what it answered before. */
  readonly id?: string;
}

/** The life of one command: load, look, decide, make ready, append, show. */
export async function handle(parts: Parts, request: Request): Promise<Outcome> {
  const settled = await settle(parts, request);
  if (settled.kind === "failed") return settled;
  const outcome = await handleOnce(parts, request);
  if (outcome.kind === "refused" || outcome.kind === "failed") return outcome;
  const after = await settle(parts, request);
  return after.kind === "failed" ? after : merge(outcome, after);
}

async function handleOnce(parts: Parts, request: Request): Promise<Outcome> {
  const stream = streamOf(request.family, request.workflow);
  const id = request.id ?? parts.ids.next();
  for (let attempt = 0; attempt < TRIES_MAX; attempt += 1) {
    const loaded = await parts.journal.load(stream);
    if (loaded.damage !== undefined) return damaged(stream, loaded);
    const tried = await tryOnce(parts, { ...request, id }, loaded);
    if (tried !== "again") return tried;
  }
  return {
    kind: "failed",
    code: "busy",
    message: `${request.workflow} is being changed by others all the time`,
    fix: "Try again.",
  };
}

type Identified = Request & { readonly id: string };

async function tryOnce(
  parts: Parts,
  request: Identified,
  loaded: Loaded<Workflow>,
): Promise<Outcome | "again"> {
  const { family, command } = request;
  const world = openWorld(parts);
  const envelope = envelopeOf(request, loaded.state, world.now);
  const answer = await decideWithLooks(family, world, { state: loaded.state, envelope, command });
  if (answer.kind === "refused") {
    await noteRefusal(parts, request, envelope, answer.refusals);
    return { kind: "refused", refusals: answer.refusals, state: loaded.state };
  }
  await keepSealed(parts, answer.events);
  const ready = await prepare(parts, {
    family,
    state: loaded.state,
    events: answer.events,
    at: envelope.at,
  });
  if (ready.kind === "rejected") return await rejected(parts, request, loaded, ready);
  const body = bodyOf(parts, request, ready.events, answer.used);
  if (ready.events.length === 0)
    return accepted(loaded.state, { ready, events: [], notes: answer.notes });
  parts.onStep("append");
  const appended = await parts.journal.append(streamOf(family, request.workflow), loaded.head, {
    id: request.id,
    at: envelope.at,
    body,
  });
  parts.onStep("appended");
  if (appended.kind === "conflict") return "again";
  if (appended.kind === "failed") return failed(appended);
  return accepted(appended.state, { ready, events: ready.events, notes: answer.notes });
}

function envelopeOf(request: Identified, state: Workflow, now: string): Envelope {
  const { id, actor, session, fence } = request;
  // A clock that was set back must not make the journal run backwards.
  const at = now > state.updatedAt ? now : state.updatedAt;
  return { id, at, actor, session, ...(fence === undefined ? {} : { fence }) };
}

function bodyOf(
  parts: Parts,
  request: Identified,
  events: readonly Event[],
  used: Readonly<Record<string, Json>>,
): JsonObject {
  return {
    command: request.command.type,
    actor: `${request.actor.kind}:${request.actor.name}`,
    session: request.session,
    events: toJson(events),
    used: Object.fromEntries(
      Object.entries(used).map(([key, value]) => [key, evidenceOf(parts, value)]),
    ),
  };
}

const EVIDENCE_CHARS_MAX = 200;

/** Short facts are journaled as they are, long ones by their digest. */
function evidenceOf(parts: Parts, value: Json): Json {
  const text = canonicalJson(value);
  return text.length <= EVIDENCE_CHARS_MAX ? value : `sha256:${parts.sha256(text)}`;
}

function accepted(
  state: Workflow,
  {
    ready,
    events,
    notes,
  }: {
    ready: Extract<Readiness, { kind: "ready" }>;
    events: readonly Event[];
    notes: Accepted["notes"];
  },
): Accepted {
  return {
    kind: kindOf(state),
    state,
    events,
    notes,
    warnings: ready.warnings,
    commits: [],
    pending: [],
  };
}

function kindOf(state: Workflow): Accepted["kind"] {
  return Object.values(state.decisions).some((one) => one.status === "open") ? "held" : "done";
}

/** A copy of every artifact is kept when it is sealed, so that it can be put back whatever git says. */
async function keepSealed(parts: Parts, events: readonly Event[]): Promise<void> {
  for (const event of events) {
    if (event.type !== "artifact.sealed" || event.digest === null) continue;
    const file = await parts.workspace.read(event.artifact);
    if (file.kind === "text") await parts.blobs.put(file.text);
  }
}

/** A hook or a state file said no. A report is kept and a person asked; anything else is just refused. */
async function rejected(
  parts: Parts,
  request: Identified,
  loaded: Loaded<Workflow>,
  ready: Extract<Readiness, { kind: "rejected" }>,
): Promise<Outcome> {
  const { command, family } = request;
  const { code, message, fix, asks } = ready;
  const known = asks !== null && asks in family.protocol.questions;
  if (command.type === "dispatch.report" && known) {
    const { dispatch, claim } = command;
    const park: Command = {
      type: "dispatch.park",
      dispatch,
      claim,
      asks,
      about: { code, message, fix },
    };
    return await handleOnce(parts, { ...request, id: `${request.id}.park`, command: park });
  }
  const refusals = [{ code, message, fix, rule: "PW-203" }];
  await noteRefusal(parts, request, envelopeOf(request, loaded.state, parts.clock.now()), refusals);
  return { kind: "refused", refusals, state: loaded.state };
}

async function noteRefusal(
  parts: Parts,
  request: Identified,
  envelope: Envelope,
  refusals: Extract<Outcome, { kind: "refused" }>["refusals"],
): Promise<void> {
  await parts.refusals.add({
    at: envelope.at,
    stream: streamOf(request.family, request.workflow),
    command: request.command.type,
    actor: `${request.actor.kind}:${request.actor.name}`,
    session: request.session,
    refusals,
  });
}

function failed(appended: Extract<Appended<Workflow>, { kind: "failed" }>): Failed {
  const fix =
    appended.code === "disk"
      ? "Make room or make the directory writable, then try again; nothing was recorded."
      : "Run holdpoint verify to see what is wrong.";
  return { kind: "failed", code: `journal-${appended.code}`, message: appended.message, fix };
}

function damaged(stream: string, { damage }: Loaded<Workflow>): Failed {
  return {
    kind: "failed",
    code: damage?.code ?? "journal-broken",
    message: `The journal of ${stream} is damaged: ${damage?.message ?? ""}`,
    fix: "Run holdpoint verify for what is readable; restore the journal from a backup.",
  };
}

type Settled = {
  readonly kind: "settled";
  readonly state: Workflow;
  readonly warnings: readonly string[];
  readonly commits: readonly Commit[];
  readonly pending: readonly Pending[];
};

/**
 * Bring the world up to the journal: show the files, perform what is wanted, record what came of it.
 * Runs before every command too, which is how a crash is recovered from.
 */
export async function settle(
  parts: Parts,
  { family, workflow, session }: Pick<Request, "family" | "workflow" | "session">,
): Promise<Settled | Failed> {
  const stream = streamOf(family, workflow);
  const warnings = [...(await keepLeftAside(parts))];
  const commits: Commit[] = [];
  for (let round = 0; round < SETTLE_ROUNDS_MAX; round += 1) {
    const loaded = await parts.journal.load(stream);
    if (loaded.damage !== undefined) return damaged(stream, loaded);
    const { state } = loaded;
    const pending: Pending[] = [];
    if (state.seq > 0 && !(await isShown(parts, family, state))) {
      const showing = await show(parts, family, state);
      warnings.push(...showing.warnings);
      pending.push(...showing.pending);
    }
    const wanted =
      pending.length > 0
        ? undefined
        : Object.values(state.effects).find((one) => one.status === "wanted");
    if (wanted === undefined) return { kind: "settled", state, warnings, commits, pending };
    const performed = await perform(parts, family, state, wanted);
    if (performed.kind === "pending")
      return { kind: "settled", state, warnings, commits, pending: [performed.pending] };
    warnings.push(...performed.warnings);
    if (performed.commit !== undefined) commits.push(performed.commit);
    const recorded = await recordSettled(
      parts,
      { family, workflow, session },
      { effect: wanted.id, detail: performed.detail },
    );
    if (recorded.kind === "failed") return recorded;
  }
  throw new Error(`Cannot settle "${workflow}": its effects never come to an end`);
}

/** A crash or a slow editor may have left a text beside its place: put back, or kept and named. */
async function keepLeftAside(parts: Parts): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const left of await parts.workspace.recover()) {
    if (left.kind === "restored") continue;
    const file = await parts.workspace.read(left.aside);
    if (file.kind !== "text") continue;
    const blob = await parts.blobs.put(file.text);
    await parts.workspace.forget(left.aside);
    warnings.push(`an edit of an older ${left.path} is kept as blob ${blob}`);
  }
  return warnings;
}

async function recordSettled(
  parts: Parts,
  { family, workflow, session }: Pick<Request, "family" | "workflow" | "session">,
  { effect, detail }: { readonly effect: string; readonly detail: JsonObject },
): Promise<Outcome> {
  const command: Command = { type: "effect.settle", effect, status: "done", detail };
  const actor: Actor = { kind: "engine", name: "holdpoint" };
  return await handleOnce(parts, {
    family,
    workflow,
    command,
    actor,
    session,
    id: `${workflow}.${effect}.done`,
  });
}

function merge(outcome: Accepted, after: Settled): Accepted {
  return {
    ...outcome,
    kind: kindOf(after.state),
    state: after.state,
    warnings: [...outcome.warnings, ...after.warnings],
    commits: after.commits,
    pending: after.pending,
  };
}
