/** Handles every event except the one before the use of a tool. Loaded only when such an event comes. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { compose } from "../../compose/compose.ts";
import type { Refusal, Remedy } from "../../core/decide/answer.ts";
import type { Parts } from "../../engine/parts.ts";
import { endAgent } from "../../operations/door/agent-end.ts";
import { orderFor } from "../../engine/engine.ts";
import { takeForAgent } from "../../operations/door/agent-start.ts";
import { brokenSeals } from "../../operations/door/seals.ts";
import type { Out } from "../../operations/door/live.ts";
import { standingHere } from "../../operations/door/standing.ts";
import { takeInInbox } from "../../operations/parts/inbox.ts";
import type { TakenIn } from "../../operations/parts/inbox.ts";
import type { Answer } from "../../operations/operation.ts";
import { endTurn } from "../../operations/door/turn-end.ts";
import type { TurnEnded } from "../../operations/door/turn-end.ts";
import { ALLOWED } from "../../watch/call.ts";
import type { Denial, HookCall, Verdict } from "../../watch/call.ts";
import { inWords } from "../cli/left.ts";
import { commandLine, phraseFix } from "../cli/text/phrase.ts";
import { isRefused } from "../cli/text/reply.ts";
import { VERBS } from "../cli/verbs/index.ts";
import type { Env } from "./clients/client.ts";
import { digest, memoryIn } from "./memory.ts";
import type { Memory } from "./memory.ts";
import { noteReading } from "./reading.ts";
import { missingTools } from "./tools.ts";
import { batchesIn, lastWordsIn } from "./transcript.ts";
import { callerOfHook, mainOfHook, noteUse, startOf } from "./who.ts";

/** How often the end of a turn or an agent is refused. After that it may end, and the refusal is recorded. */
export const ENDS_REFUSED_MAX = 2;

/** An error in a handler stops nothing; the client just gets no message. */
export async function answerEvent(call: HookCall, env: Env): Promise<Verdict> {
  const handler = HANDLERS[call.event];
  if (handler === undefined) return ALLOWED;
  try {
    return await inStore(call, env, handler);
  } catch {
    return ALLOWED;
  }
}

/** Remembers a use of a tool before it happens, for the tool call or the agent that results from it. */
export async function noteBefore(call: HookCall, env: Env): Promise<void> {
  try {
    const looked = await compose({ cwd: call.cwd, readOnly: true, env });
    if (looked.kind === "failed") return;
    const begun = (await looked.parts.journal.list()).length > 0;
    await looked.parts.journal.close();
    // The agent that starts the first workflow here must be recognised later when it continues.
    if (begun || call.tool?.kind === "mcp") noteUse(memoryIn(looked.dir), call);
  } catch {
    // Without the note, the agent will be treated as unknown.
  }
}

interface Scene {
  readonly parts: Parts;
  readonly memory: Memory;
  readonly env: Env;
  /** Commands left in the inbox, and what has just become of them. */
  readonly left: readonly TakenIn[];
}

interface Handler {
  readonly writes: boolean;
  readonly run: (call: HookCall, scene: Scene) => Promise<Verdict>;
}

const HANDLERS: Readonly<Partial<Record<HookCall["event"], Handler>>> = {
  "session-start": { writes: false, run: tellStanding },
  prompt: { writes: false, run: tellChanged },
  "agent-start": { writes: true, run: startAgent },
  "agent-end": { writes: true, run: stopAgent },
  "turn-end": { writes: false, run: stopTurn },
  "after-tool": { writes: false, run: tellAfter },
};

/**
 * Runs a handler with the store open, after taking in the inbox. If no workflow was ever started here, nothing is
 * created, not even the store.
 */
async function inStore(call: HookCall, env: Env, { writes, run }: Handler): Promise<Verdict> {
  const looked = await compose({ cwd: call.cwd, readOnly: true, env });
  if (looked.kind === "failed") return ALLOWED;
  const memory = memoryIn(looked.dir);
  try {
    const waits = looked.parts.inbox.list().ids.length > 0;
    if (!waits && (await looked.parts.journal.list()).length === 0) return ALLOWED;
    if (!writes && !waits) return await run(call, { parts: looked.parts, memory, env, left: [] });
  } finally {
    await looked.parts.journal.close();
  }
  const opened = await compose({ cwd: call.cwd, env });
  if (opened.kind === "failed") return ALLOWED;
  const { parts } = opened;
  try {
    const { taken } = await takeInInbox({ parts }, inWords);
    return await run(call, { parts, memory, env, left: taken });
  } finally {
    await parts.journal.close();
  }
}

/**
 * After a tool was used nothing can be denied, only reported. Each change of a sealed file is reported once to
 * each session.
 */
async function tellAfter(call: HookCall, { parts, memory, left }: Scene): Promise<Verdict> {
  // Marked before looking, so that a change meanwhile is noticed next time.
  memory.mark("seals-looked");
  const broken = await brokenSeals(parts);
  const fresh = broken.filter(({ key }) => {
    const known = memory.read("seal", `${sessionKey(call)} ${key}`) !== undefined;
    return !known && memory.write("seal", `${sessionKey(call)} ${key}`, {});
  });
  const told = fresh.map(({ refusal: { code, rule, message, fix } }) =>
    [`HOLD ${code} (${rule}): ${message}.`, phraseFix(VERBS, fix)].join(" "),
  );
  return telling([leftText(left), ...told].filter((one) => one !== "").join("\n"));
}

/** The results of commands taken from the inbox, for the agent that may have left them. */
function leftText(left: readonly TakenIn[]): string {
  return left
    .slice(0, LEFT_MAX)
    .map(({ id, operation, answer }) => {
      const refusals = refusalsOf(answer);
      const why = refusals.map((one) => `${one.code}: ${one.message}`).join("; ");
      return `Taken in: ${operation} (${id.slice(0, 8)}): ${answer.ok ? "done" : `not done. ${why}`}`;
    })
    .join("\n");
}

const LEFT_MAX = 5;

function refusalsOf(answer: Answer): readonly Refusal[] {
  return isRefused(answer) ? answer.refusals : [];
}

/** What an agent needs to continue, in few words; undefined if nothing is under way. */
async function standingText(parts: Parts, files: boolean): Promise<string | undefined> {
  const { lines, more } = await standingHere(parts, { files });
  if (lines.length === 0) return undefined;
  const told = lines.map(({ words, next }) =>
    [`- ${words}`, ...(next === undefined ? [] : [`Next: ${commandLine(VERBS, next)}`])].join(" "),
  );
  return [HEAD, ...told, ...(more === 0 ? [] : [`${more} more: ${LIST}`])].join("\n");
}

const HEAD = "Holdpoint: under way here (nothing counts but what it records):";
const LIST = "holdpoint list";

async function tellStanding(call: HookCall, { parts, memory, env }: Scene): Promise<Verdict> {
  const text = await standingText(parts, true);
  keepTold(memory, call, await standingText(parts, false));
  const missing = text === undefined ? [] : missingTools(parts, env);
  return telling([...(text === undefined ? [] : [text]), ...missing].join("\n"));
}

/** At the start of a turn, says where things stand, but only if that has changed since it was last said. */
async function tellChanged(call: HookCall, { parts, memory }: Scene): Promise<Verdict> {
  const text = await standingText(parts, false);
  const told = memory.read("session", sessionKey(call))?.["told"];
  keepTold(memory, call, text);
  return text === undefined || told === digest(text) ? ALLOWED : telling(text);
}

function keepTold(memory: Memory, call: HookCall, text: string | undefined): void {
  const told = text === undefined ? "" : digest(text);
  memory.write("session", sessionKey(call), { told, since: new Date().toISOString() });
}

function sessionKey({ client, session }: HookCall): string {
  return `${client} ${session}`;
}

function telling(tell: string): Verdict {
  return tell === "" ? ALLOWED : { kind: "allow", tell };
}

async function startAgent(call: HookCall, { parts, memory }: Scene): Promise<Verdict> {
  const { agent } = callerOfHook(call).actor;
  const { prompt, byMain } = startOf(memory, call);
  if (agent === undefined || call.agent === undefined || !byMain) return ALLOWED;
  const { type } = call.agent;
  const taken = await takeForAgent(
    { parts, caller: mainOfHook(call) },
    {
      agent,
      ...(prompt === undefined ? {} : { prompt }),
      ...(type === undefined ? {} : { type }),
    },
  );
  if (taken !== undefined) await noteOrdered(call, parts, memory, taken);
  return ALLOWED;
}

/** Remembers the files that the order lists, if the protocol requires that they are read first. */
async function noteOrdered(
  call: HookCall,
  parts: Parts,
  memory: Memory,
  { found, dispatch }: Out,
): Promise<void> {
  const rule = found.family.protocol.rules?.["reading-first"];
  if (rule === undefined) return;
  const { files } = await orderFor(parts, found, dispatch);
  const { root } = parts.workspace;
  const there = files.filter((file) => existsSync(join(root, file)));
  if (there.length > 0) noteReading(memory, call, { root, files: there, rule });
}

async function stopAgent(call: HookCall, { parts, memory }: Scene): Promise<Verdict> {
  const caller = callerOfHook(call);
  const { agent } = caller.actor;
  if (agent === undefined || call.agent === undefined) return ALLOWED;
  const { said = "" } = call;
  const tries = triesOf(memory, "agent", agent, call);
  const id = `hook-${digest(`${agent} ${said}`)}`;
  const ending = await endAgent(
    { parts, caller: { ...caller, id } },
    // In OpenCode an agent's end cannot be refused; it is already gone.
    { said, tries, triesMax: call.client === "opencode" ? 0 : ENDS_REFUSED_MAX },
  );
  if (ending.kind === "fine") {
    memory.forget("agent", agent);
    return ALLOWED;
  }
  return goOn(memory, { kind: "agent", key: agent, tries }, ending);
}

async function stopTurn(call: HookCall, { parts, memory, left }: Scene): Promise<Verdict> {
  const key = sessionKey(call);
  const since = memory.read("session", key)?.["since"];
  const caller = mainOfHook(call);
  const unheard = left.filter((one) => one.session === caller.session);
  const { transcript = "" } = call;
  const ended = await endTurn(
    { parts, caller },
    {
      said: call.said ?? lastWordsIn(transcript) ?? "",
      ...(typeof since === "string" ? { since } : {}),
      ...(call.working === undefined ? {} : { working: workingIn(call, call.working) }),
      ...(transcript === "" ? {} : { batches: () => batchesIn(transcript) }),
    },
  );
  const refusals = [...unheard.flatMap(({ answer }) => refusalsOf(answer)), ...ended.refusals];
  const tries = triesOf(memory, "turn", key, call);
  if (refusals.length === 0 || tries >= ENDS_REFUSED_MAX) {
    memory.forget("turn", key);
    return telling([...ended.waits, ...freshRemarks(memory, key, ended.remarks)].join("\n"));
  }
  const lift = "A person may let it be: stop the agent, or answer in its place.";
  return goOn(memory, { kind: "turn", key, tries }, { refusals, lift });
}

/** Each remark is made once in a conversation. */
function freshRemarks(
  memory: Memory,
  key: string,
  remarks: TurnEnded["remarks"],
): readonly string[] {
  return remarks.flatMap(([workflow, remark]) => {
    const known = memory.read("pace", `${key} ${workflow}`) !== undefined;
    return !known && memory.write("pace", `${key} ${workflow}`, {}) ? [remark] : [];
  });
}

function workingIn(call: HookCall, working: readonly string[]): readonly string[] {
  return working.map((id) => callerOfHook({ ...call, agent: { id } }).actor.agent ?? id);
}

/** How often this end was refused before. A client that says it continues because of a hook is believed. */
function triesOf(memory: Memory, kind: string, key: string, { again, client }: HookCall): number {
  const refused = memory.read(kind, key)?.["refused"];
  const known = typeof refused === "number" ? refused : 0;
  // OpenCode does not say whether it continues because of a hook.
  if (again !== true && client !== "opencode" && kind === "turn") return 0;
  return again === true ? Math.max(known, 1) : known;
}

/** Refuses the end, but only if that can be remembered; otherwise it could be refused forever. */
function goOn(
  memory: Memory,
  { kind, key, tries }: { readonly kind: string; readonly key: string; readonly tries: number },
  { refusals, lift }: { readonly refusals: readonly Refusal[]; readonly lift: Remedy },
): Verdict {
  if (!memory.write(kind, key, { refused: tries + 1 })) return ALLOWED;
  return { kind: "go-on", reasons: refusals.map((one) => denialOf(one, lift)) };
}

function denialOf({ code, rule, message, fix }: Refusal, lift: Remedy): Denial {
  return { code, rule, message, fix: phraseFix(VERBS, fix), lift: phraseFix(VERBS, lift) };
}
