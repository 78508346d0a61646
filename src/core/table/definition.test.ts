import { describe, expect, test } from "vitest";
import { decide } from "../decide/decide.ts";
import type { Command } from "../state/commands.ts";
import { emptyWorkflow, evolve } from "../state/evolve.ts";
import { next } from "../decide/next.ts";
import type { Migrated, Protocol } from "./protocol.ts";
import type { Workflow } from "../state/state.ts";
import { remedyText } from "./remedy.ts";

/** A machine whose states, questions and work are given, so that versions can differ in them. */
function release(version: number, rest: Partial<Protocol> = {}): Protocol {
  const states = ["draft", "frozen", "done"];
  return {
    name: "release",
    version,
    title: "Release",
    root: "job",
    lease: "dispatch",
    looks: [],
    vars: { mode: "slow" },
    guards: {},
    questions: { ok: { prompt: "OK?", options: [yes], rule: "R" } },
    work: {
      write: { role: "writer", unit: "root", in: states, outcomes: { done: [] }, rule: "R" },
    },
    kinds: {
      job: {
        states,
        start: "draft",
        ends: ["done"],
        moves: [
          { id: "freeze", from: ["draft"], to: "frozen", ask: "ok", rule: "R" },
          { id: "finish", from: ["frozen"], to: "done", rule: "R" },
        ],
      },
    },
    ...rest,
  };
}

const yes = { id: "yes", label: "Yes", does: [{ move: "finish" }] } as const;
const ADA = { kind: "person", name: "ada" } as const;
const BOT = { kind: "agent", name: "bot" } as const;
const ACCEPT: Command = { type: "definition.accept", reason: "we agreed" };

function put(
  protocol: Protocol,
  state: Workflow,
  command: Command,
  actor: typeof ADA | typeof BOT = ADA,
): { readonly state: Workflow; readonly codes: readonly string[]; readonly said: string } {
  const stamp = { seq: state.seq + 1, at: "2026-01-02T03:04:05.000Z" };
  const envelope = { id: `c${stamp.seq}`, at: stamp.at, actor, session: "s" };
  const answer = decide({ protocol, state, envelope, command, evidence: {} });
  if (answer.kind === "refused") {
    const said = answer.refusals
      .map(({ message, fix }) => `${message} ${remedyText(fix)}`)
      .join(" ");
    return { state, codes: answer.refusals.map(({ code }) => code), said };
  }
  if (answer.kind !== "accepted" && answer.kind !== "held") throw new Error(answer.kind);
  const after = answer.events.reduce((folded, event) => evolve(folded, event, stamp), state);
  return { state: after, codes: [], said: "" };
}

/** A workflow that is frozen and waits with its question. */
function running(protocol: Protocol = release(1, { digest: "d1" })): Workflow {
  const started: Command = { type: "workflow.start", workflow: "v1", vars: {} };
  const frozen: Command = { type: "unit.move", unit: ".", move: "freeze" };
  return [started, frozen].reduce(
    (state, command) => put(protocol, state, command).state,
    emptyWorkflow("v1"),
  );
}

const CHANGED = release(1, { digest: "d2" });
const { job } = release(1).kinds;
if (job === undefined) throw new Error("there is no job");
const RENAMED: Protocol = release(2, {
  digest: "d2",
  questions: {},
  kinds: {
    job: {
      ...job,
      states: ["draft", "sealed", "done"],
      moves: [
        { id: "freeze", from: ["draft"], to: "sealed", rule: "R" },
        { id: "finish", from: ["sealed"], to: "done", rule: "R" },
      ],
    },
  },
});

describe("a definition that changed under a workflow", () => {
  test("[C101] the definition is recorded at the start, and the same one changes nothing", () => {
    const state = running();
    expect(state.protocol).toEqual({ name: "release", version: 1, digest: "d1" });
    const answered: Command = { type: "decision.answer", decision: "D-1", text: "yes" };
    expect(put(release(1, { digest: "d1" }), state, answered).codes).toEqual([]);
    // Journals from before digests were recorded, and protocols whose digest nobody knows.
    expect(put(release(1), state, answered).codes).toEqual([]);
  });

  test.each<Command>([
    { type: "unit.move", unit: ".", move: "finish" },
    { type: "decision.answer", decision: "D-1", text: "yes" },
    { type: "dispatch.send", spec: "write", unit: "." },
    { type: "gate.waive", unit: ".", gate: "g", reason: "r" },
  ])("[C102] nothing moves until a person has accepted it: %j", (command) => {
    for (const protocol of [CHANGED, release(2), RENAMED]) {
      expect(put(protocol, running(), command).codes).toEqual(["definition-changed"]);
      expect(next({ ...input(protocol, running()) }).candidates).toEqual([]);
    }
  });

  test("[C102] notes and leases go on, and nothing follows by itself", () => {
    const note: Command = { type: "note.add", list: "advice", tag: "", text: "look" };
    expect(put(RENAMED, running(), note).codes).toEqual([]);
    expect(put(RENAMED, running(), { type: "lease.release" }).codes).toEqual([]);
  });

  test("[C102] a person accepts it with a reason; then it goes on under the new one", () => {
    expect(put(CHANGED, running(), ACCEPT, BOT).codes).toEqual(["person-required"]);
    expect(put(CHANGED, running(), { ...ACCEPT, reason: " " }).codes).toEqual(["reason-missing"]);
    const accepted = put(CHANGED, running(), ACCEPT);
    expect(accepted.state.protocol).toEqual({ name: "release", version: 1, digest: "d2" });
    const answered: Command = { type: "decision.answer", decision: "D-1", text: "yes" };
    expect(put(CHANGED, accepted.state, answered).state.units["."]?.at).toBe("done");
    expect(put(CHANGED, accepted.state, ACCEPT).codes).toEqual(["definition-unchanged"]);
  });

  test("[C103] what is in use and gone is named, each thing, with the ways out", () => {
    const refused = put(RENAMED, running(), ACCEPT);
    expect(refused.codes).toEqual(["definition-lacks", "definition-lacks"]);
    expect(refused.said).toContain('v1 is at "frozen", and that state is gone');
    expect(refused.said).toContain('asks "ok", and that question is gone');
    expect(refused.said).toContain("Put back the old definition");
    const moved = put(RENAMED, running(), { type: "unit.move", unit: ".", move: "finish" });
    expect(moved.said).toContain("that state is gone");
  });

  test("[C103] migrate carries it over, in the same record", () => {
    const migrate = (): Migrated => ({ at: { ".": "sealed" }, voids: ["ok"], vars: { mode: "x" } });
    const { state } = put({ ...RENAMED, migrate }, running(), ACCEPT);
    expect(state.units["."]?.at).toBe("sealed");
    expect(state.decisions["D-1"]?.status).toBe("void");
    expect(state.vars["mode"]).toBe("x");
    expect(state.protocol.version).toBe(2);
    const finished = put(RENAMED, state, { type: "unit.move", unit: ".", move: "finish" });
    expect(finished.state.units["."]?.at).toBe("done");
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no way");
      },
      'migrate throws "no way"',
    ],
    ["answers nothing", () => undefined, "must answer an object"],
    ["answers something odd", () => ({ states: {} }), 'answers "states"'],
    ["names a unit that is not there", () => ({ at: { x: "draft" } }), 'the unit "x"'],
    ["names no state", () => ({ at: { ".": 7 } }), "names a state for each unit"],
    ["closes the workflow", () => ({ closes: ["."] }), "cannot close the workflow"],
    ["names a state that is gone", () => ({ at: { ".": "frozen" }, voids: ["ok"] }), "is gone"],
  ])("[C103] a migrate that %s is named, and nothing changes", (_, migrate, says) => {
    // Whatever JavaScript can answer, whatever the types say.
    const odd = migrate as unknown as NonNullable<Protocol["migrate"]>;
    const before = running();
    const told = put({ ...RENAMED, migrate: odd }, before, ACCEPT);
    expect(told.said).toContain(says);
    expect(told.state).toBe(before);
  });
});

function input(protocol: Protocol, state: Workflow): Parameters<typeof next>[0] {
  const envelope = { id: "n", at: "2026-01-02T03:04:05.000Z", actor: ADA, session: "s" };
  return { protocol, state, envelope, evidence: {} };
}
