import fc from "fast-check";
import { expect, test } from "vitest";
import { Branch } from "../../../../test/fixtures/task-protocol/branch.ts";
import {
  AGENT,
  ENGINE,
  PERSON,
  TASK,
  agentsOf,
  atImplementation,
  atReview,
  atValidation,
  planReleased,
  reportOf,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Story } from "../../../../test/story.ts";
import type { Json } from "../../../core/values/json.ts";
import { rootOf } from "../../../core/state/evolve.ts";

/** Edits, commits, rebases, reports and runs in any order: which trees get to main, and what vouches for them. */

const GATES = ["build", "tests", "quality"] as const;
const CONFIGURED = Object.fromEntries(GATES.map((check) => [`check:${check}`, true]));
const HIGH = { level: "HIGH", agents: ["architect", "quality"] } as const;

interface Walk {
  readonly one: Story;
  readonly branch: Branch;
  /** What each tree, change and commit was found to be, by whom: kept beside the story, not read from it. */
  readonly green: Set<string>;
  readonly judged: Set<string>;
  readonly released: Set<string>;
}

type Act = (walk: Walk, choice: number) => void;

function run({ one, branch, green }: Walk, check: string, value: string): void {
  const bound: Record<string, Json> = {
    [`tree:${TASK}`]: branch.tree(),
    [`clean:${TASK}`]: Object.keys(branch.dirty),
    [`command:${check}`]: "as configured",
  };
  one.when({ type: "finding.record", unit: ".", kind: check, by: "engine", value, bound }, ENGINE);
  if (value === "passed" && Object.keys(branch.dirty).length === 0)
    green.add(`${check} ${branch.tree()}`);
}

function judge({ one, branch, judged }: Walk, spec: string, outcome: string): void {
  for (const agent of agentsOf(one)) {
    one.send(spec, agent, AGENT);
    if (one.answer.kind !== "accepted") continue;
    const taken = reportOf(one, agent, outcome, { feedback: "x", effort: 1 }).answer.kind;
    if (spec === "review" && outcome === "APPROVED" && taken === "accepted")
      judged.add(`${agent} ${branch.work()}`);
  }
}

function answer({ one, branch, released }: Walk, says: string): void {
  const asked = one.open.findLast(({ question }) => question === "change");
  if (asked === undefined) return;
  one.reply("change", says, { ...PERSON, reason: "walk" }).settle();
  // What has changed since it was shown is shown again, and that answer was none.
  const shown = asked.bound[`head:${TASK}`] === branch.head();
  if (says === "approve" && shown) released.add(branch.head());
}

const STEPS = ["validate", "review", "present", "complete"];

const ACTS: readonly Act[] = [
  ({ branch }, choice) => branch.edit(choice % 2 === 0 ? "a" : "b", choice),
  ({ branch }) => branch.commit(),
  ({ branch }, choice) => branch.push(choice % 3 === 0 ? "a" : "other", choice),
  ({ branch }) => branch.close(),
  ({ branch }) => {
    branch.dirty = {};
  },
  (walk, choice) => run(walk, GATES[choice % 3] ?? "build", choice % 4 === 0 ? "failed" : "passed"),
  (walk) => GATES.forEach((check) => run(walk, check, "passed")),
  (walk, choice) => judge(walk, "round-review", choice % 5 === 0 ? "REJECTED" : "APPROVED"),
  (walk, choice) => judge(walk, "review", choice % 5 === 0 ? "REJECTED" : "APPROVED"),
  ({ one }) => {
    for (const agent of agentsOf(one)) {
      one.send("implementation", agent, AGENT);
      if (one.answer.kind === "accepted")
        reportOf(one, agent, "COMPLETE", { work_remaining: "none" });
    }
    one.settle();
  },
  (walk, choice) => answer(walk, choice % 4 === 0 ? "changes" : "approve"),
  // The way on, tried again and again: whatever opens is gone through.
  ...Array.from({ length: 5 }, (): Act => goOn),
];

/** What somebody diligent does next; what was done since, in between or half-way, is not their affair. */
function goOn(walk: Walk, choice: number): void {
  const { one, branch } = walk;
  const { at } = rootOf(one.state);
  if (choice % 4 !== 0) {
    branch.dirty = {};
    branch.close();
    one.given(branch.facts());
    // One who is in a hurry runs the build alone.
    for (const gate of choice % 3 === 0 ? ["build"] : GATES) run(walk, gate, "passed");
    if (at === "IMPLEMENTATION") judge(walk, "round-review", "APPROVED");
    if (at === "REVIEW") judge(walk, "review", "APPROVED");
    if (at === "AWAITING_USER_APPROVAL") answer(walk, "approve");
  }
  for (const move of STEPS) one.move(move, AGENT).settle();
}

/** Nothing is at COMPLETE but what was green, judged and released as it is. */
function check({ one, branch, green, judged, released }: Walk): void {
  if (rootOf(one.state).at !== "COMPLETE") return;
  const tree = branch.tree();
  expect(GATES.filter((gate) => !green.has(`${gate} ${tree}`))).toEqual([]);
  const agents = agentsOf(one);
  expect(agents.filter((agent) => !judged.has(`${agent} ${branch.work()}`))).toEqual([]);
  expect(released.has(branch.head())).toBe(true);
  expect([Object.keys(branch.dirty), branch.commits]).toEqual([[], 1]);
}

const BEGINNINGS = [
  (): Story => atImplementation(HIGH),
  (): Story => atValidation(HIGH),
  (): Story => atReview(HIGH),
];

test("[TP-163] [TP-169] [TP-181] [TP-191] whatever the order of edits, commits, rebases and reports, only a tree that every gate was bound to gets to main", () => {
  const acts = fc.array(fc.tuple(fc.nat(ACTS.length - 1), fc.nat(19)), {
    minLength: 30,
    maxLength: 90,
  });
  let merged = 0;
  let moved = 0;
  fc.assert(
    fc.property(fc.nat(BEGINNINGS.length - 1), acts, (beginning, walked) => {
      const branch = new Branch();
      const one = (BEGINNINGS[beginning] ?? planReleased)();
      const sets = {
        green: new Set<string>(),
        judged: new Set<string>(),
        released: new Set<string>(),
      };
      const walk: Walk = { one: one.given(CONFIGURED), branch, ...sets };
      for (const [act, choice] of walked) {
        if (rootOf(one.state).at === "COMPLETE" || rootOf(one.state).at === "CLEANUP") break;
        one.given(branch.facts());
        ACTS[act]?.(walk, choice);
        one.given(branch.facts());
        check(walk);
      }
      merged += rootOf(one.state).at === "COMPLETE" ? 1 : 0;
      moved += Object.keys(branch.main).length > 0 ? 1 : 0;
    }),
    { numRuns: 150, seed: 20_260_301, endOnFailure: true },
  );
  // It is worth something only because some get there, and main moves meanwhile.
  expect(merged).toBeGreaterThan(3);
  expect(moved).toBeGreaterThan(50);
}, 120_000);
