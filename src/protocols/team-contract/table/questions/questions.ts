import type { Consequence, NoteRow, Option, Question } from "../../../../core/table/protocol.ts";
import { defer, gates } from "./gates.ts";
import { CHANGES, DESIGN, KEPT } from "../rows.ts";

/**
 * Every question that a session asks a person. The two gates have ids of their own and are repeated until a valid
 * answer or a deferral. All others move the session to ASK_USER and back.
 */

/** A question asked in ASK_USER. */
function adHoc(row: Omit<Question, "via" | "other" | "explicit">): Question {
  return { ...row, id: "UD-#", via: "ask-user", other: false, explicit: true };
}

const noResponse: Option = {
  id: "no-response",
  label: "No response",
  leaves: "cancelled",
  does: [],
};

const skip: Option = {
  id: "skip",
  label: "No longer relevant",
  words: ["skipped"],
  why: true,
  leaves: "cancelled",
  does: [],
};

/** Accepts any text that is none of the options before it. */
function freeText(id: string, label: string, does: readonly Consequence[]): Option {
  return { id, label, words: ["*"], why: "words", does };
}

const guidance: Extract<Consequence, { readonly note: NoteRow }> = {
  note: { list: "guidance", tag: "{task}", text: "{input.text}" },
};
const again: Consequence = { reset: "{about.budget}" };
const known: readonly Consequence[] = [
  { note: { list: "known_issues", tag: "{task}", text: "Accepted as it is: {failure}" } },
  { set: { repair: { value: null } } },
];

function stopHere(blocker: string): Option {
  return {
    id: "stop",
    label: "Stop here",
    does: [
      { set: { blocker: { value: blocker }, blocker_detail: { input: "text" } } },
      { move: "stop" },
    ],
  };
}

/**
 * Asked when a budget is used up: three ways to try again, and one to accept the result, unless it is a security
 * problem.
 */
function exhausted(accept: boolean): Question {
  return adHoc({
    prompt:
      '{about.tried} was tried {about.max} times and still fails. Tried last: "{tried}". It fails because: "{failure}". How shall it go on?',
    binds: [CHANGES],
    options: [
      { id: "different-approach", label: "Try a different approach", does: [again] },
      ...(accept
        ? [{ id: "known-issues", label: "Accept it with known issues", does: known }]
        : []),
      {
        id: "simplify-scope",
        label: "Simplify the scope",
        does: [again, { ...guidance, note: { ...guidance.note, text: "Simplify the scope" } }],
      },
      stopHere("repair_exhausted"),
      freeText("guidance", "Guidance: <what to do>", [again, guidance]),
    ],
    rule: "TC-156",
  });
}

const asked: Readonly<Record<string, Question>> = {
  "ad-hoc": adHoc({
    prompt: "{about.question}",
    by: ["agent", "engine", "person"],
    options: [
      freeText("answer", "in your own words", [
        { note: { list: "answers", tag: "{unit}", text: "{input.text}" } },
      ]),
      defer([]),
      skip,
      noResponse,
    ],
    needs: [
      {
        guard: "askable",
        code: "question-incomplete",
        fix: "Give the question's text and its origin: requirements, design or scope.",
        rule: "TC-085",
      },
    ],
    rule: "TC-066",
  }),
  "security-finding": adHoc({
    prompt:
      'Security finding ({about.severity}, {about.category}, {about.file}): "{about.description}". Proposed: "{about.recommended_fix}".',
    options: [
      {
        id: "fix-now",
        label: "Fix it now",
        does: [{ set: { repair: { value: "FIX_SECURITY" } } }],
      },
      { id: "fix-later", label: "Fix it later", does: [risk("To be fixed later")] },
      { id: "accept-risk", label: "Accept the risk", does: [risk("Accepted risk")] },
      defer([risk("Deferred by the user")]),
    ],
    rule: "TC-075",
  }),
  "review-notes": adHoc({
    prompt:
      'The review of {task} passed with notes: "{claim.summary}" {claim.remarks}. Shall they be fixed?',
    options: [
      { id: "accept", label: "Leave them", does: [] },
      {
        id: "fix",
        label: "Fix them now",
        does: [{ set: { repair: { value: "FIX_REVIEW" } } }],
      },
      skip,
      noResponse,
    ],
    rule: "TC-085",
  }),
  "agent-blocked": adHoc({
    prompt: "{claim.agent} cannot go on with {claim.task}: {failure}",
    options: [
      { id: "retry", label: "Hand the work out again", does: [] },
      {
        id: "full",
        label: "Leave lean mode: start again at INTAKE",
        does: [{ move: "return" }, { move: "too-complex" }],
      },
      stopHere("agent_blocked"),
      freeText("guidance", "Guidance: <what to do>", [guidance]),
    ],
    rule: "TC-085",
  }),
  "nothing-done": adHoc({
    prompt:
      '{claim.agent} says that {claim.task} is done: "{claim.summary}". But {about.message}. Was there nothing to do?',
    options: [
      {
        id: "agree",
        label: "Yes, there was nothing to do",
        report: "taken",
        does: [{ move: "return" }],
      },
      { id: "again", label: "No, hand it out again", report: "returned", does: [] },
      { ...freeText("guidance", "Guidance: <what to do>", [guidance]), report: "returned" },
    ],
    rule: "TC-085",
  }),
  "lean-outgrown": adHoc({
    prompt: "Is this still a small request? {about.message}.",
    binds: ["worktree:{id}"],
    options: [
      { id: "keep", label: "Yes, go on in lean mode", does: [] },
      {
        id: "full",
        label: "No, leave lean mode: start again at INTAKE",
        does: [{ move: "return" }, { move: "too-complex" }],
      },
    ],
    rule: "TC-142",
  }),
  "research-info": adHoc({
    prompt: "The Researcher needs to know: {claim.summary}",
    options: [
      { id: "narrow", label: "Ask a narrower question", does: [] },
      noResponse,
      freeText("answer", "Your answer", [guidance]),
    ],
    rule: "TC-019",
  }),
  "design-changed": adHoc({
    prompt: "Is the design approved as it is now? {about.message}",
    binds: DESIGN,
    options: [
      {
        id: "approve",
        label: "Approve it as it is now",
        does: [
          { finding: "design-approval", on: "root", value: { value: "approved" }, binds: DESIGN },
        ],
      },
      { id: "restore", label: "I will put the approved files back", does: [] },
    ],
    rule: "TC-042",
  }),
  "stray-changes": adHoc({
    prompt: "No worker made these changes: {about.message}. Are they meant?",
    binds: ["unordered:."],
    options: [
      {
        id: "keep",
        label: "Keep them; code among them is checked like any other",
        does: [
          {
            note: { list: "known_issues", tag: "stray", text: "Kept by a person: {about.message}" },
          },
          { finding: KEPT, on: "root", value: { value: "kept" }, binds: ["unordered:."] },
        ],
      },
      { id: "restore", label: "I will take them back", does: [] },
    ],
    rule: "TC-167",
  }),
  "orders-exhausted": adHoc({
    prompt: "Work was handed out {about.max} times for {unit}. Go on?",
    options: [
      { id: "again", label: "Go on: hand out as much again", does: [again] },
      stopHere("agent_blocked"),
    ],
    rule: "core",
  }),
  "retry-exhausted": exhausted(true),
  "retry-exhausted-security": exhausted(false),
};

function risk(what: string): Consequence {
  return {
    note: {
      list: "known_issues",
      tag: "security",
      text: `${what}: {about.description} ({about.file})`,
    },
  };
}

export const questions: Readonly<Record<string, Question>> = { ...gates, ...asked };
