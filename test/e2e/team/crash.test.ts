// oxlint-disable vitest/expect-expect -- stories check at every step, many through helpers that throw
import { describe, expect, test } from "vitest";
import { compose } from "../../../src/compose/compose.ts";
import { audit, tell } from "../../../src/engine/prove/audit.ts";
import { find } from "../../../src/engine/engine.ts";
import { type Reply, type RunOptions, scratchDirectory } from "../cli.ts";
import * as team from "../team.ts";
import { join } from "node:path";
import { readFileSync } from "node:fs";

type Act = (session: team.TeamSession, options: RunOptions) => Reply;

const send =
  (step: string, unit?: string): Act =>
  (session, options) =>
    session.send(step, unit, options);
const move =
  (...rest: readonly string[]): Act =>
  (session, options) =>
    session.run("advance", rest, options);
const answer =
  (text: string): Act =>
  (session, options) =>
    session.answer(text, [], options);
/** A person's move. */
const person =
  (...rest: readonly string[]): Act =>
  (session, options) =>
    session.repo.hold(["advance", session.id, ...rest], options);
/** Work that was handed out before comes back. */
const report =
  (role: string, reply?: string): Act =>
  (session, options) =>
    session.report(reply ?? session.play(role), options);

interface Step {
  readonly from: team.Reached;
  readonly act: Act;
  /** Done before the crash. */
  readonly first?: Act;
}

/** In every state, what comes next in it. */
const STATES: readonly (readonly [string, Step])[] = [
  ["INTAKE", { from: "intake", act: report("SpecAgent"), first: send("specify") }],
  ["INTAKE_LEAN", { from: "lean", act: report("SpecAgent"), first: send("specify-lean") }],
  ["DESIGN", { from: "design", act: send("architect") }],
  ["APPROVE_DESIGN", { from: "gate", act: answer("approved") }],
  ["PLAN", { from: "plan", act: report("Planner"), first: send("plan") }],
  ["REVIEW_STRATEGY", { from: "strategy", act: answer("per-batch") }],
  ["IMPLEMENT_LOOP", { from: "loop", act: send("code", "T-001") }],
  [
    "IMPLEMENT_LOOP, checking",
    { from: "coded", act: report("Reviewer"), first: send("review", "T-001") },
  ],
  ["IMPLEMENT_LOOP, lean", { from: "leanCoded", act: send("review", "T-001") }],
  ["FIX_REVIEW", { from: "fixReview", act: report("Coder"), first: send("fix-review", "T-001") }],
  ["ASK_USER", { from: "asked", act: answer("yes") }],
  ["BLOCKED", { from: "blocked", act: person("unblock", "--reason", "the network is back") }],
  ["INTEGRATE", { from: "integrate", act: report("Integrator"), first: send("integrate") }],
  ["FIX_BUILD", { from: "fixBuild", act: report("Coder"), first: send("fix-build-coder") }],
  ["RELEASE", { from: "release", act: report("Docs"), first: send("document") }],
  ["INTEGRATE, lean, to DONE", { from: "leanIntegrate", act: move("finish") }],
];

/** Before the record, right after it, and after the files but before that is noted. */
const SEAMS = ["append", "appended", "show.shown"];

/** Everything that happened, without times and the names that differ from run to run. Read here: it is asked often. */
async function story(session: team.TeamSession): Promise<readonly string[]> {
  const composed = await compose({ cwd: session.repo.top, env: {}, readOnly: true });
  if (composed.kind === "failed") throw new Error(composed.message);
  const found = await find(composed.parts, session.id);
  if (found.kind !== "found") throw new Error("It is gone");
  const { entries } = await audit(composed.parts, found);
  return (
    entries
      .flatMap(({ events }) => events.map(tell))
      .map((event) => event.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>"))
      .map((event) => event.replaceAll(/after \d+ ms/g, "after <ms>"))
      // A check whose result was not recorded is run again.
      .filter((event, index, all) => !event.startsWith("runs ") || event !== all[index - 1])
  );
}

describe("killed in every state", () => {
  test.each(STATES)(
    "[TC-119] [TC-111] [TC-112] [TC-113] %s: the resume asks nothing twice and hands nothing out twice",
    async (_, { from, act, first }) => {
      const ready = team.sessionAt(from);
      first?.(ready, {});
      const control = ready.in(team.copyOf(ready.repo));
      act(control, {});
      const wanted = await story(control);
      for (const seam of SEAMS) {
        const session = ready.in(team.copyOf(ready.repo));
        const died = act(session, { env: { HOLDPOINT_DIE_AT: seam } });
        expect(died.exit, `${seam}: ${died.stdout}`).toBe(-1);
        // A new process that knows nothing gives the same command once more.
        const again = act(session, {});
        expect(again.exit, seam).not.toBe(1);
        expect(await story(session), seam).toEqual(wanted);
        expect({ ...session.status(), ...TIMES }).toEqual({ ...control.status(), ...TIMES });
      }
    },
    120_000,
  );
});

const TIMES = { last_update: "", user_decisions: [], runtime_flags: {}, gate_tracking: {} };

describe("killed between any two steps", () => {
  test("[TC-094] [TC-093] [TC-115] [TC-116] a request for changes is in the history exactly once", () => {
    const ready = team.sessionAt("gate");
    const trace = join(scratchDirectory(), "steps");
    const traced = ready.in(team.copyOf(ready.repo));
    traced.answer("changes-requested: more", [], { env: { HOLDPOINT_TRACE_STEPS: trace } });
    const steps = readFileSync(trace, "utf8").trim().split("\n");
    expect(steps.length).toBeGreaterThan(5);
    // Each step by its name and how often it has been there before.
    const points = steps.map((step, index) => {
      const times = steps.slice(0, index + 1).filter((one) => one === step).length;
      return `${step}:${times}`;
    });
    for (const point of points.filter((_, index) => index % 2 === 0 || index < 6)) {
      const session = ready.in(team.copyOf(ready.repo));
      const env = { HOLDPOINT_DIE_AT: point };
      expect(session.answer("changes-requested: more", [], { env }).exit, point).toBe(-1);
      session.answer("changes-requested: more");
      const lines = session.read("approve-design-history.jsonl").trim().split("\n");
      expect(lines, point).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? ""), point).toMatchObject({
        answer: "changes-requested: more",
      });
      expect(session.status().gate_tracking?.APPROVE_DESIGN, point).toMatchObject({
        correction_status: "queued",
      });
    }
  }, 120_000);
});
