// oxlint-disable vitest/expect-expect -- stories check at every step, many through helpers that throw
/** Decisions and files that cannot be written: what a person said is never lost and never asked for again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { compose } from "../../../src/compose/compose.ts";
import { act, find } from "../../../src/engine/engine.ts";
import type { Outcome } from "../../../src/engine/outcome.ts";
import type { Parts } from "../../../src/engine/parts.ts";
import { createWorkspace } from "../../../src/adapters/workspace/workspace.ts";
import type { Workspace } from "../../../src/ports/workspace.ts";
import { BIN } from "../cli.ts";
import * as team from "../team.ts";

/** The three states in which a person decides; all behave alike. */
const STATES: readonly (readonly [
  string,
  { from: team.Reached; id: string; text: string; to: string },
])[] = [
  ["APPROVE_DESIGN", { from: "gate", id: "UD-APPROVE-DESIGN", text: "approved", to: "PLAN" }],
  [
    "REVIEW_STRATEGY",
    { from: "strategy", id: "UD-REVIEW-STRATEGY", text: "per-batch", to: "IMPLEMENT_LOOP" },
  ],
  ["ASK_USER", { from: "asked", id: "UD-1", text: "yes, always", to: "DESIGN" }],
];

describe("a state file that cannot be written", () => {
  test.each(STATES)(
    "[TC-063] [TC-080] [TC-081] in %s the answer is kept, nothing goes on, and after the repair nobody is asked again",
    (state, { from, id, text, to }) => {
      const session = team.sessionAt(from);
      const handed = session.count(/handed to/);
      const file = join(session.repo.top, session.path("status.json"));
      rmSync(file);
      mkdirSync(file);
      const kept = session.answer(text);
      expect(kept.exit).toBe(1);
      expect(kept.json.ok).toBe(false);
      expect(kept.json.state).toBe("BLOCKED");
      const [pending] = kept.json.pending ?? [];
      expect(pending?.message).toContain(session.path("status.json"));
      expect(pending).toHaveProperty("fix");
      // Durable, and in the way of everything that would go on.
      const { json } = session.repo.hold(["status", session.id]);
      expect(json.pending?.map((one) => one.code)).toEqual(["view-not-a-file", "answer-kept"]);
      expect(json.state).toBe("BLOCKED");
      const next = session.run("advance", to === "PLAN" ? ["plan"] : ["code"]);
      expect([10, 11]).toContain(next.exit);
      expect(session.count(/handed to/)).toBe(handed);
      // Mended: the file says why and from where; on a person's word it goes on with the answer.
      rmSync(file, { recursive: true });
      session.run("reconcile");
      expect(session.status()).toMatchObject({
        current_state: "BLOCKED",
        blocker: "decision_persistence_failed",
        blocker_detail: expect.stringContaining(session.path("status.json")),
        blocked_from: state,
      });
      expect(session.run("advance", ["unblock", "--reason", "x"]).exit).toBe(10);
      session.repo.hold(["advance", session.id, "unblock", "--reason", "the disk is back"]);
      expect(session.at()).toBe(to);
      const entry = session.status().user_decisions.find((one) => one["decision_id"] === id);
      expect(entry).toMatchObject({ status: "answered", answer: text });
      expect(session.count(new RegExp(`^${id} asked`))).toBe(1);
      expect(session.count(new RegExp(`^${id} answered`))).toBe(1);
    },
    120_000,
  );
});

interface Faults {
  /** How many writes of status.json fail. */
  fails: number;
  /** How many writes are undone by somebody right after. */
  reverts: number;
  writes: number;
}

function faulty(parts: Parts, top: string, faults: Faults): Parts {
  const install: Workspace["install"] = async (path, content, expected) => {
    if (!path.endsWith("status.json"))
      return await parts.workspace.install(path, content, expected);
    faults.writes += 1;
    if (faults.fails > 0) {
      faults.fails -= 1;
      return {
        kind: "failed",
        code: "io",
        message: `${path}: input/output error`,
        fix: "Look at the disk.",
      };
    }
    const installed = await parts.workspace.install(path, content, expected);
    if (faults.reverts > 0) {
      faults.reverts -= 1;
      writeFileSync(join(top, path), expected ?? "");
    }
    return installed;
  };
  return { ...parts, workspace: { ...parts.workspace, install } };
}

async function open(session: team.TeamSession, faults: Faults): Promise<Parts> {
  const composed = await compose({ cwd: session.repo.top, env: {} });
  if (composed.kind === "failed") throw new Error(composed.message);
  return faulty(composed.parts, session.repo.top, faults);
}

async function give(parts: Parts, id: string, decision: string, text: string): Promise<Outcome> {
  const found = await find(parts, id);
  if (found.kind !== "found") throw new Error("It is gone");
  const caller = { actor: { kind: "person", name: "ada" }, session: "p" } as const;
  return await act(parts, found, { type: "decision.answer", decision, text }, caller);
}

describe("writes that fail for a while", () => {
  test.each(STATES)(
    "[TC-063] [TC-077] [TC-078] [TC-079] in %s a write is tried three times more, from what was captured",
    async (_, { from, id, text, to }) => {
      for (const kind of ["fails", "reverts"] as const) {
        const session = team.sessionAt(from);
        const faults: Faults = { fails: 0, reverts: 0, writes: 0, [kind]: 3 };
        const parts = await open(session, faults);
        const outcome = await give(parts, session.id, id, text);
        expect(outcome).toMatchObject({ pending: [] });
        expect(faults.writes, kind).toBe(4);
        expect(session.at()).toBe(to);
        expect(session.count(new RegExp(`^${id} asked`))).toBe(1);
      }
    },
    120_000,
  );

  test("[TC-077] [TC-079] [TC-080] after the fourth failure everything stops, durably, with file, error and remedy", async () => {
    const session = team.sessionAt("gate");
    const faults: Faults = { fails: 1_000, reverts: 0, writes: 0 };
    const parts = await open(session, faults);
    const outcome = await give(parts, session.id, "UD-APPROVE-DESIGN", "approved");
    expect(outcome).toMatchObject({
      pending: [
        { code: "io", message: expect.stringContaining("status.json"), fix: expect.any(String) },
      ],
    });
    expect(faults.writes).toBe(4);
    const found = await find(parts, session.id);
    if (found.kind !== "found") throw new Error("It is gone");
    const sent = await act(
      parts,
      found,
      { type: "dispatch.send", spec: "plan", unit: "." },
      { actor: { kind: "agent", name: "claude", role: "Orchestrator" }, session: "a" },
    );
    expect(sent).toMatchObject({ kind: "refused", refusals: [{ code: "view-io" }] });
    // The disk is back: the next process shows what was said, and what stopped it.
    session.run("reconcile");
    expect(session.status()).toMatchObject({
      current_state: "BLOCKED",
      blocker: "decision_persistence_failed",
      blocked_from: "PLAN",
      user_decisions: [{ answer: "approved" }],
    });
    session.repo.hold(["advance", session.id, "unblock", "--reason", "the disk is back"]);
    expect(session.at()).toBe("PLAN");
    expect(session.count(/UD-APPROVE-DESIGN asked/)).toBe(1);
  }, 60_000);

  test("[TC-058] a clock that goes backwards does not: no time in the file is before the one before", async () => {
    const session = team.sessionAt("gate");
    const { last_update: before } = session.status();
    const composed = await compose({ cwd: session.repo.top, env: {} });
    if (composed.kind === "failed") throw new Error(composed.message);
    const clock = { ...composed.parts.clock, now: () => "2001-01-01T00:00:00.000Z" };
    await give({ ...composed.parts, clock }, session.id, "UD-APPROVE-DESIGN", "approved");
    expect(session.status().last_update >= before).toBe(true);
    const [entry] = session.status().user_decisions;
    expect((entry?.["resolved_at"] ?? "") >= (entry?.["asked_at"] ?? "")).toBe(true);
  });
});

describe("writers at the same time", () => {
  test("[TC-052] twenty additions by file edit while decisions are written: all are there", async () => {
    const session = team.sessionAt("design");
    const path = join(session.repo.top, session.path("status.json"));
    const names = Array.from({ length: 20 }, (_, index) => `assumption ${index + 1}`);
    const agent = (async () => {
      for (const name of names) {
        const status = JSON.parse(readFileSync(path, "utf8")) as { assumptions: string[] };
        status.assumptions.push(name);
        writeFileSync(`${path}.agent`, JSON.stringify(status, null, 2));
        renameSync(`${path}.agent`, path);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    })();
    for (const number of [1, 2]) {
      await session.repo.holdLater([
        "ask",
        session.id,
        `Question ${number}?`,
        ...team.ORCHESTRATOR,
      ]);
      await session.repo.holdLater(["answer", session.id, `answer ${number}`]);
    }
    await agent;
    await session.repo.holdLater(["ask", session.id, "The last?", ...team.ORCHESTRATOR]);
    const { assumptions, user_decisions } = session.status();
    expect(names.filter((name) => !assumptions.includes(name))).toEqual([]);
    expect(user_decisions.map((one) => one["answer"])).toEqual(["answer 1", "answer 2", null]);
  }, 60_000);

  test("[TC-059] at every step of 200 writes the file is whole JSON or away: a kill there leaves no half", async () => {
    const session = team.sessionAt("design");
    const path = join(session.repo.top, session.path("status.json"));
    const composed = await compose({ cwd: session.repo.top, env: {} });
    if (composed.kind === "failed") throw new Error(composed.message);
    const steps = new Map<string, number>();
    const onStep = (step: string): void => {
      steps.set(step, (steps.get(step) ?? 0) + 1);
      const text = readIfThere(path);
      if (text !== undefined) JSON.parse(text);
    };
    const parts = { ...composed.parts, workspace: createWorkspace(session.repo.top, { onStep }) };
    const caller = { actor: { kind: "agent", name: "claude" }, session: "writer" } as const;
    for (let number = 1; number <= WRITES; number += 1) {
      const found = await find(parts, session.id);
      if (found.kind !== "found") throw new Error("It is gone");
      const text = `issue ${number}`;
      const command = { type: "note.add", list: "known_issues", tag: "", text } as const;
      expect(await act(parts, found, command, caller)).toMatchObject({ pending: [] });
    }
    for (const step of ["view.take", "view.check", "view.link"])
      expect(steps.get(step), step).toBeGreaterThanOrEqual(WRITES);
    expect(session.status().known_issues).toHaveLength(WRITES);
  }, 120_000);

  test("[TC-059] killed again and again in the middle of writing, whoever reads the file reads whole JSON", async () => {
    const session = team.sessionAt("design");
    const path = join(session.repo.top, session.path("status.json"));
    const seen = { reads: 0, over: false };
    const reader = (async () => {
      while (!seen.over) {
        const text = readIfThere(path);
        if (text !== undefined) JSON.parse(text);
        seen.reads += 1;
        await setImmediate();
      }
    })();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const child = spawn(
        process.execPath,
        ["--input-type=module", "--eval", WRITER, session.repo.top, session.id],
        { env: session.repo.env, stdio: ["ignore", "pipe", "inherit"] },
      );
      // It says so once it writes; from then on every moment is as good as another.
      const died = once(child, "close").then(() => "died");
      const wrote = once(child.stdout, "data").then(() => "writes");
      expect(await Promise.race([wrote, died])).toBe("writes");
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
      child.kill("SIGKILL");
      await died;
    }
    seen.over = true;
    await reader;
    expect(seen.reads).toBeGreaterThan(KILLS);
    expect(session.run("reconcile").exit).toBe(0);
    expect(session.status().known_issues.length).toBeGreaterThanOrEqual(KILLS);
    expect(session.repo.hold(["verify", session.id]).exit).toBe(0);
  }, 120_000);
});

test("[TC-063] a list of tasks that somebody removed comes back with all its words", () => {
  const session = team.sessionAt("coded");
  const text = session.read("tasks.yaml");
  rmSync(join(session.repo.top, session.path("tasks.yaml")));
  expect(session.repo.hold(["reconcile", session.id]).json.gaps?.files).toHaveLength(1);
  expect(session.repo.hold(["reconcile", session.id, "--restore"]).exit).toBe(0);
  expect(session.read("tasks.yaml")).toBe(text);
  session.send("review", "T-001");
  rmSync(join(session.repo.top, session.path("tasks.yaml")));
  session.report(session.play("Reviewer"));
  expect(session.read("tasks.yaml")).toBe(text);
}, 120_000);

const WRITES = 200;
const KILLS = 8;

/** A write that keeps others' edits takes the file from its place for a moment; half of one is never there. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Adds one known issue after the other, as fast as it can, until it is killed. */
const WRITER = `
  const dist = ${JSON.stringify(new URL("../dist/", pathToFileURL(BIN)).href)};
  const { compose } = await import(dist + "compose/compose.js");
  const { act, find } = await import(dist + "engine/engine.js");
  const [cwd, id] = process.argv.slice(1);
  const { parts } = await compose({ cwd, env: {} });
  const caller = { actor: { kind: "agent", name: "claude" }, session: "writer" };
  for (let number = 1; number <= 1000; number += 1) {
    const text = "issue " + process.pid + "." + number;
    const command = { type: "note.add", list: "known_issues", tag: "", text };
    await act(parts, await find(parts, id), command, caller);
    if (number === 1) process.stdout.write("writing");
  }
`;
