import type { Condition, EffectRow, GuardRow, RunRow } from "../../../core/protocol.ts";

/** Rows and paths that moves and dispatches share. */

export const IDEAS: string = "plugins/{id}/.ideas";
export const BRIEF: string = `${IDEAS}/creative-brief.md`;
export const SPEC: string = `${IDEAS}/parameter-spec.md`;
export const DRAFT: string = `${IDEAS}/parameter-spec-draft.md`;
export const ARCHITECTURE: string = `${IDEAS}/architecture.md`;
export const PLAN: string = `${IDEAS}/plan.md`;
export const CONTRACTS: readonly string[] = [BRIEF, SPEC, ARCHITECTURE, PLAN];

export const HAS_GIT: Condition = { fact: "git", in: ["repository"] };
export const FINISHED: Condition = { claim: "outcome", in: ["success", "state-failure"] };

/** What every savepoint says below its subject. */
const BODY = `[ATOMIC] Code + state files committed together

🤖 Generated with Claude Code

Co-Authored-By: Claude <noreply@anthropic.com>`;

/** Code and state of one checkpoint go into one commit, or into none. */
export function commit(subject: string): EffectRow {
  return {
    kind: "commit",
    args: { subject, body: BODY, paths: "plugins/{id}" },
    when: [HAS_GIT],
    failed: "commit-failed",
    otherwise: "No commit: git is not available here",
  };
}

export const sealed: GuardRow = {
  guard: "sealed",
  code: "contract-changed",
  fix: "Restore it, or accept the change with a reason: holdpoint answer {id}.",
  rule: "PW-183",
  asks: "contract-changed",
};

export const agree: GuardRow = {
  guard: "files-agree",
  code: "state-mismatch",
  fix: "Decide which side is right with holdpoint reconcile {id}.",
  rule: "PW-182",
};

export function contractsExist(paths: readonly string[], fix: string): GuardRow {
  return { guard: "exists", args: { paths }, code: "contract-missing", fix, rule: "PW-157" };
}

/** With a question, failed tests hold for a person; without one they refuse. */
export function testsPassed(asks: string | undefined): GuardRow {
  return {
    guard: "finding",
    args: { kind: "tests", in: ["passed"], on: "root" },
    when: [{ fact: "check:tests", in: [true] }],
    code: "tests-failed",
    fix: "Make the tests pass; holdpoint runs them again with the next try.",
    rule: "PW-212",
    ...(asks === undefined ? {} : { asks }),
  };
}

/** The automated tests, on this plugin as it is now and as it is configured now. */
export const TESTS: readonly RunRow[] = [
  {
    check: "tests",
    binds: ["tree:plugins/{id}", "digest:holdpoint.config.json"],
    outcomes: ["success", "state-failure"],
  },
];

/** After a pause an agent may not go on by itself; a person is asked, with what there is to see. */
export const notPaused: readonly GuardRow[] = [
  resumed(false, { asks: "resume", rule: "PW-215" }),
  resumed(true, { asks: "resume-which", rule: "PW-250" }),
];

function resumed(mockup: boolean, row: Required<Pick<GuardRow, "asks" | "rule">>): GuardRow {
  return {
    guard: "resumed",
    when: [{ fact: "mockup-handoff:{id}", in: [mockup] }],
    code: "paused",
    fix: "Let a person resume it: holdpoint answer {id} continue.",
    ...row,
  };
}
