import { claim, exists, fact, passed } from "../../../core/guards/guards.ts";
import type { Test, EffectRow, RuledNeed } from "../../../core/table/protocol.ts";
import { remedy } from "../../../core/table/remedy.ts";

/** Rows and paths shared by moves and dispatches. */

export const IDEAS: string = "plugins/{id}/.ideas";
export const BRIEF: string = `${IDEAS}/creative-brief.md`;
export const SPEC: string = `${IDEAS}/parameter-spec.md`;
export const DRAFT: string = `${IDEAS}/parameter-spec-draft.md`;
export const ARCHITECTURE: string = `${IDEAS}/architecture.md`;
export const PLAN: string = `${IDEAS}/plan.md`;
/** Sealed while the work depends on them. */
export const CONTRACTS: readonly string[] = [BRIEF, SPEC, ARCHITECTURE, PLAN];
/** A plan may be based on a draft. Then the draft is sealed until there is a parameter spec. */
export const DRAFTED: readonly string[] = [BRIEF, DRAFT, ARCHITECTURE, PLAN];
/** The mock-up that the interface is built from. */
export const MOCKUP = "{mockup}";
export const SEALABLE: readonly string[] = [...CONTRACTS, DRAFT, MOCKUP];

export const HAS_SPEC: Test = exists([SPEC]);
export const ONLY_DRAFT: Test = fact(`digest:${SPEC}`, [null]);

export const HAS_GIT: Test = fact("git", ["repository"]);
export const FINISHED: Test = claim("outcome", ["success", "state-failure"]);

/** The body of every savepoint's message. */
const BODY = `[ATOMIC] Code + state files committed together

🤖 Generated with Claude Code

Co-Authored-By: Claude <noreply@anthropic.com>`;

/** Code and state of one checkpoint are committed together or not at all. */
export function commit(subject: string): EffectRow {
  return {
    kind: "commit",
    args: { subject, body: BODY, paths: "plugins/{id}" },
    when: [HAS_GIT],
    failed: "commit-failed",
    otherwise: "No commit: git is not available here",
  };
}

/** The finding by which a person accepts changes that no agent made. */
export const KEPT = "kept";

export const sealed: RuledNeed = {
  guard: "sealed",
  code: "contract-changed",
  fix: remedy("answer", { workflow: "{id}" }, "Restore it, or accept the change with a reason"),
  rule: "PW-183",
  ask: "contract-changed",
};

/**
 * If only the table differs from the full entry, a person is asked. Otherwise somebody must find out which file
 * is right.
 */
export const agree: readonly RuledNeed[] = [
  {
    guard: "files-agree",
    code: "state-mismatch",
    fix: remedy("reconcile", { workflow: "{id}" }, "Decide which side is right"),
    rule: "PW-182",
  },
  {
    guard: "row-agrees",
    code: "registry-drift",
    fix: remedy("answer", { workflow: "{id}" }, "Mend the table from the full entry"),
    rule: "PW-161",
    ask: "registry-drift",
  },
];

export function contractsExist(paths: readonly string[], fix: string): RuledNeed {
  return { guard: "exists", args: { paths }, code: "contract-missing", fix, rule: "PW-157" };
}

/**
 * The automated tests, on this plugin as it is now. With a question a failure asks a person, without one it
 * refuses. A repository without tests says so, with a reason, in its configuration.
 */
export function testsPassed(asks: string | undefined): RuledNeed {
  return {
    ...passed("tests", ["tree:plugins/{id}", "around:{id}"]),
    code: "tests-failed",
    fix: remedy(
      "show",
      { workflow: "{id}", id: "tests" },
      "Make the tests pass; Holdpoint runs them again with the next try. See all they printed",
    ),
    rule: "PW-212",
    ...(asks === undefined ? {} : { ask: asks }),
  };
}

/**
 * Changes that no agent made need a person's acceptance before they are released. Files left by validation are
 * excluded.
 */
export const ordered: RuledNeed = {
  guard: "ordered",
  args: {
    paths: ["plugins/{id}/**"],
    except: ["plugins/{id}/.ideas/**", "plugins/{id}/CHANGELOG.md", "plugins/{id}/Presets/**"],
    kept: KEPT,
    // All changes since the first step count, because no reviewer has seen those that were only mentioned in an
    // earlier order.
    ever: true,
  },
  code: "nobody-at-work",
  fix: remedy(
    "answer",
    { workflow: "{id}" },
    "Take the changes back, or let a person say that they are meant",
  ),
  rule: "PW-222",
  ask: "unordered-changes",
};

/** After a pause an agent may not continue by itself. A person is asked, and shown what has changed. */
export const notPaused: readonly RuledNeed[] = [
  resumed(false, { ask: "resume", rule: "PW-215" }),
  resumed(true, { ask: "resume-which", rule: "PW-250" }),
];

function resumed(mockup: boolean, row: Required<Pick<RuledNeed, "ask" | "rule">>): RuledNeed {
  return {
    guard: "resumed",
    when: [fact("mockup-handoff:{id}", [mockup])],
    code: "paused",
    fix: remedy("answer", { workflow: "{id}", choice: "continue" }, "Let a person resume it"),
    ...row,
  };
}
