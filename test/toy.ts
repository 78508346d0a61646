/** A protocol small enough to read at once that has one of everything the core can do. */
import { claim, fact, units, variable } from "../src/core/guards/guards.ts";
import { checkedProtocol } from "../src/core/table/define.ts";
import { isJsonArray, showJson } from "../src/core/values/json.ts";
import type { Json } from "../src/core/values/json.ts";
import type { RuledNeed, Move, Protocol } from "../src/core/table/protocol.ts";
import type { Workflow } from "../src/core/state/state.ts";
import { story } from "./story.ts";
import type { Story } from "./story.ts";

/*
 *   idle ──plan──▶ doing ──(all parts built)──▶ review ──ship──▶ shipped ──close──▶ closed
 *                   ▲                             │                │
 *                   └───────────rework────────────┘                ▼ (publish failed: taken back)
 *   doing, review ◀──▶ stuck, and from there ◀──▶ lost   (detours)
 */

function row(guard: string, code: string, rest: Partial<RuledNeed> = {}): RuledNeed {
  return { guard, code, fix: `Mend ${code} of {id}.`, rule: `T-${code}`, ...rest };
}

const tidy = row("fact", "untidy", {
  args: { fact: "tidy", in: [true], says: "the desk of {id} is untidy" },
});

export const toyTable: Protocol = {
  name: "toy",
  version: 1,
  title: "Toy",
  root: "job",
  lease: "dispatch",
  looks: ["digest", "tidy", "ready", "parts", "net", "tree", "odd", "menu"],
  vars: {
    fast: false,
    mode: "full",
    colour: "red",
    lane: null,
    // Only rows set these.
    size: null,
    paint: null,
    asked: null,
    busy: null,
    limit: null,
    shape: null,
    ended: null,
  },
  effects: ["publish", "mail", "shelf", "mkdir"],
  open: {
    fast: { values: [true, false], by: ["person"], rule: "T-fast" },
    colour: { values: ["red", "blue"], by: ["person", "agent"], rule: "T-colour" },
  },
  guards: {
    "in-order": ({ unit, workflow }) => {
      const after = isJsonArray(unit.data["after"]) ? unit.data["after"] : [];
      const late = after.map(showJson).filter((id) => workflow.units[id]?.at !== "built");
      return late.length === 0
        ? undefined
        : `${unit.id} comes after ${late.join(", ")}, which is not done`;
    },
    loud: (scope) => (scope.input["reason"] === "shout" ? "do not shout" : undefined),
  },
  kinds: {
    job: {
      states: ["idle", "doing", "review", "shipped", "closed", "stuck", "lost"],
      start: "idle",
      starts: [
        {
          id: "start",
          notes: [{ list: "timeline", tag: "", text: "{id} begins" }],
          rule: "T-0",
        },
      ],
      ends: ["closed"],
      gates: { review: "approve" },
      moves: [
        {
          id: "plan",
          from: ["idle"],
          to: "doing",
          needs: [
            row("exists", "plan-missing", { args: { paths: ["plan.md", "{id}.md"] } }),
            tidy,
            row("fact", "not-ready", {
              args: { fact: "ready", in: [true] },
              when: [variable("mode", ["full"])],
            }),
          ],
          seals: ["plan.md", "notes.md"],
          sows: { kind: "part", fact: "parts" },
          set: {
            mode: { value: "planned" },
            lane: { input: "lane", or: null },
            size: { fact: "tree", at: "size" },
          },
          notes: [{ list: "timeline", tag: "{id}", text: "planned, because {input.reason}" }],
          rule: "T-1",
        },
        {
          id: "replan",
          from: ["doing"],
          to: "doing",
          sows: { kind: "part", fact: "parts" },
          rule: "T-2",
        },
        {
          id: "roll-up",
          from: ["doing"],
          to: "review",
          auto: true,
          when: [units("part", { some: true })],
          needs: [row("units", "late", { args: { kind: "part", in: ["built"], some: true } })],
          rule: "T-3",
        },
        {
          id: "rework",
          from: ["review"],
          to: "doing",
          by: ["person", "role:editor"],
          why: true,
          whileHeld: true,
          voids: ["approve"],
          closes: "part",
          within: { budget: "rework/{id}", times: 2, else: "rework-exhausted" },
          rule: "T-4",
        },
        {
          id: "ship",
          from: ["review"],
          to: "shipped",
          needs: [
            row("released", "unapproved", { args: { question: "approve", options: ["yes"] } }),
            row("sealed", "plan-changed", { ask: "plan-changed" }),
            row("", "untested", {
              any: [
                row("finding", "", { args: { kind: "tests", in: ["passed"], since: "review" } }),
                row("finding", "", { args: { kind: "waiver:tests", in: ["waived"] } }),
              ],
            }),
          ],
          effects: [
            { kind: "publish", args: { what: "{id} in {colour}" }, failed: "publish-failed" },
          ],
          ask: "shipped",
          rule: "T-5",
        },
        {
          id: "close",
          from: ["shipped"],
          to: "closed",
          unseals: ["plan.md"],
          effects: [
            {
              kind: "mail",
              args: { to: "all" },
              when: [fact("net", ["up"])],
              otherwise: "No mail: the net is down",
            },
          ],
          rule: "T-6",
        },
        {
          id: "block",
          from: ["doing", "review"],
          to: "stuck",
          detour: true,
          whileHeld: true,
          rule: "T-7",
        },
        { id: "wander", from: ["stuck"], to: "lost", detour: true, rule: "T-8" },
        { id: "return", from: ["stuck", "lost"], to: "@back", rule: "T-9" },
        { id: "only-by-report", from: ["doing"], to: "review", by: [], rule: "T-10" },
        // Two rows of one name: which one counts depends on a variable.
        {
          id: "paint",
          from: ["doing"],
          to: "doing",
          when: [variable("colour", ["red"])],
          set: { paint: { value: "warm" } },
          rule: "T-11",
        },
        {
          id: "paint",
          from: ["doing"],
          to: "doing",
          set: { paint: { value: "cold" } },
          rule: "T-12",
        },
        {
          id: "check-all",
          from: ["doing"],
          to: "doing",
          needs: [
            row("claim", "claim", { args: { field: "x", in: ["{id}"] } }),
            row("quiet", "quiet"),
            row("is", "input", { args: { text: "{input.size}", in: ["s", "m"] } }),
            row("var", "var", { args: { name: "colour", in: ["blue"] } }),
            row("fact", "fact", { args: { fact: "odd", in: [1] } }),
            row("loud", "loud"),
          ],
          rule: "T-13",
        },
        ...["doing", "review"].map((state) => ({
          id: "accept-plan",
          from: [state],
          to: state,
          inside: true,
          by: [],
          unseals: ["plan.md"],
          seals: ["plan.md"],
          rule: "T-16",
        })),
        { id: "hurry", from: ["doing"], to: "doing", ask: "go-on", rule: "T-14" },
        {
          id: "strict",
          from: ["doing"],
          to: "doing",
          needs: [row("sealed", "plan-changed", { ask: "plan-changed" }), tidy],
          rule: "T-15",
        },
      ],
    },
    part: {
      states: ["open", "built"],
      start: "open",
      ends: ["built"],
      starts: [
        {
          id: "add",
          from: ["doing"],
          needs: [row("loud", "loud"), row("sealed", "plan-changed", { ask: "plan-changed" })],
          effects: [{ kind: "shelf", args: { for: "{unit}" } }],
          voids: ["go-on"],
          rule: "T-21",
        },
      ],
      moves: [
        {
          id: "built",
          from: ["open"],
          to: "built",
          by: [],
          needs: [row("in-order", "order")],
          rule: "T-20",
        },
      ],
    },
  },
  work: {
    write: {
      role: "writer",
      unit: "root",
      in: ["doing"],
      within: { budget: "write", times: 2, else: "write-exhausted" },
      baseline: ["digest:{id}.md"],
      needs: [tidy],
      accepts: [
        row("claim", "pages", {
          args: { field: "pages", in: [1, 2] },
          when: [claim("outcome", ["success"])],
        }),
        row("sealed", "plan-changed", { ask: "plan-changed" }),
        row("fact", "dusty", { args: { fact: "odd", in: [1] }, soft: true }),
      ],
      outcomes: {
        success: [{ note: { list: "timeline", tag: "write", text: "{claim.text}" } }],
        stuck: [{ move: "block" }],
        wrong: [{ move: "ship" }],
        failure: [{ ask: "write-failed" }],
      },
      rule: "T-30",
    },
    build: {
      role: "builder",
      unit: "part",
      in: ["open"],
      rootIn: ["doing"],
      parallel: true,
      outcomes: { success: [{ move: "built", on: "unit" }] },
      rule: "T-31",
    },
    audit: {
      role: "auditor",
      judges: "workflow",
      unit: "root",
      in: ["doing"],
      outcomes: { success: [] },
      rule: "T-32",
    },
  },
  questions: {
    approve: {
      prompt: "Is {id} good?",
      binds: ["digest:plan.md"],
      needs: [row("var", "lane", { args: { name: "lane", in: [null] } })],
      options: [
        { id: "yes", label: "Yes", words: ["ok", "aye", "approved*"], does: [] },
        { id: "no", label: "No", why: true, does: [{ move: "rework" }] },
        { id: "look", label: "Look at it", leaves: "open", does: [] },
      ],
      rule: "T-40",
    },
    "go-on": {
      prompt: "Go on?",
      grant: ["fast"],
      menu: "menu:go-on",
      options: [
        {
          id: "continue",
          label: "Go on",
          recommended: true,
          does: [{ send: ["build", "write"] }],
        },
        { id: "pause", label: "Pause {unit}", does: [] },
        { id: "look", label: "Look", leaves: "open", does: [] },
      ],
      rule: "T-41",
    },
    shipped: {
      prompt: "Shipped",
      other: false,
      options: [{ id: "fine", label: "Fine", does: [] }],
      rule: "T-42",
    },
    "publish-failed": {
      prompt: "Publishing failed",
      options: [
        { id: "retry", label: "Again", does: [{ move: "ship" }] },
        { id: "leave", label: "Leave it", does: [] },
      ],
      rule: "T-43",
    },
    "plan-changed": {
      prompt: "The plan changed",
      options: [
        {
          id: "accept",
          label: "Accept it",
          why: true,
          does: [{ move: "accept-plan" }],
          report: "taken",
        },
        { id: "retry", label: "Try again", does: [], report: "taken" },
        { id: "back", label: "Hand it back", does: [], report: "returned" },
      ],
      rule: "T-44",
    },
    "rework-exhausted": {
      prompt: "Enough rework?",
      options: [
        { id: "more", label: "Once more", does: [{ reset: "rework/{id}" }] },
        { id: "stop", label: "Stop", does: [] },
      ],
      rule: "T-45",
    },
    "write-exhausted": {
      prompt: "Enough writing",
      options: [{ id: "stop", label: "Stop", does: [] }],
      rule: "T-46",
    },
    "write-failed": {
      prompt: "The writing failed",
      options: [
        { id: "again", label: "Again", does: [], report: "repeated" },
        { id: "stop", label: "Stop", does: [] },
      ],
      rule: "T-47",
    },
    "free-ask": {
      prompt: "May I?",
      by: ["agent"],
      options: [{ id: "sure", label: "Sure", does: [{ set: { asked: { value: true } } }] }],
      rule: "T-48",
    },
    strict: {
      prompt: "Say the word",
      by: ["agent"],
      other: false,
      id: "Q-WORD",
      within: {
        budget: "word",
        times: 2,
        else: [{ note: { list: "log", tag: "word", text: "gave up" } }],
      },
      options: [
        {
          id: "word",
          label: "The word",
          does: [{ open: "part", unit: "opened", data: { by: "answer" } }],
        },
      ],
      rule: "T-49",
    },
  },
};

export const toy: Protocol = checkedProtocol(toyTable);

/** Everything is in order here. */
export const FACTS: Readonly<Record<string, Json>> = {
  tidy: true,
  ready: true,
  "digest:plan.md": "p1",
  "digest:notes.md": null,
  "digest:Toy.md": "t1",
  parts: [{ id: "a" }, { id: "b", after: ["a"] }],
  tree: { size: 3 },
  net: "up",
  odd: 1,
  "menu:go-on": null,
};

export function toyStory(
  facts: Readonly<Record<string, Json>> = {},
  protocol: Protocol = toy,
): Story {
  return story(protocol, { facts: { ...FACTS, ...facts } });
}

export function started(facts?: Readonly<Record<string, Json>>, protocol?: Protocol): Story {
  return toyStory(facts, protocol)
    .when({ type: "workflow.start", workflow: "Toy", vars: {} })
    .expectAccepted();
}

/** At `doing`, with two parts to build, b after a. */
export function planned(facts?: Readonly<Record<string, Json>>, protocol?: Protocol): Story {
  return started(facts, protocol).move("plan", { reason: "why not" }).expectAccepted();
}

/** At `review`, both parts built, with the question `approve` open. */
export function inReview(facts?: Readonly<Record<string, Json>>, protocol?: Protocol): Story {
  const told = planned(facts, protocol);
  for (const part of ["a", "b"]) told.send("build", part).report();
  return told.expectHeld("approve");
}

/** At `shipped`, with the effect `publish` wanted. */
export function shipping(protocol?: Protocol): Story {
  const told = inReview(undefined, protocol).reply("approve", "yes").expectAccepted();
  const waive = { type: "gate.waive", unit: ".", gate: "tests", reason: "none yet" } as const;
  return told.when(waive).move("ship").expectAccepted();
}

export function at(state: Workflow): string | undefined {
  return state.units["."]?.at;
}

/** A row of the toy by its name. */
export function must<T>(record: Readonly<Record<string, T>>, name: string): T {
  const found = record[name];
  if (found === undefined) throw new Error(`The toy has no "${name}"`);
  return found;
}

/** The toy with further moves of its job. */
export function withMoves(...moves: readonly Move[]): Protocol {
  const job = must(toyTable.kinds, "job");
  return checkedProtocol({
    ...toyTable,
    kinds: { ...toyTable.kinds, job: { ...job, moves: [...job.moves, ...moves] } },
  });
}
