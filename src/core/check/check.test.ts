import { describe, expect, test } from "vitest";
import { checkedProtocol } from "../table/define.ts";
import { exists, variable } from "../guards/guards.ts";
import type {
  Work,
  RuledNeed,
  Machine,
  Move,
  Protocol,
  Question,
  Test,
} from "../table/protocol.ts";
import { PROPERTIES, checkProtocol } from "./check.ts";
import type { CheckFinding, Checked } from "./check.ts";

/*
 *   draft ──(write)──▶ review ──approve──▶ approved ──publish──▶ published
 *     ▲                  │
 *     └──────rework──────┘
 */

const released: RuledNeed = {
  guard: "released",
  args: { question: "approve", options: ["yes"] },
  code: "not-approved",
  fix: "Let a person approve it.",
  rule: "R",
};

const moves: readonly Move[] = [
  { id: "submit", from: ["draft"], to: "review", by: [], ask: "approve", rule: "R" },
  { id: "approve", from: ["review"], to: "approved", by: [], needs: [released], rule: "R" },
  { id: "rework", from: ["review"], to: "draft", by: [], rule: "R" },
  { id: "publish", from: ["approved"], to: "published", rule: "R" },
];

const write: Work = {
  role: "writer",
  unit: "root",
  in: ["draft"],
  within: { budget: "writing", times: 3, else: "stuck" },
  outcomes: { done: [{ move: "submit" }], failed: [] },
  rule: "R",
};

const questions: Readonly<Record<string, Question>> = {
  approve: question(["yes", "approve"], ["no", "rework"]),
  stuck: {
    ...question(),
    options: [{ id: "again", label: "Again", does: [{ reset: "writing" }] }],
  },
};

function question(...options: readonly (readonly [string, string])[]): Question {
  return {
    prompt: "?",
    options: options.map(([id, move]) => ({ id, label: id, does: [{ move }] })),
    rule: "R",
  };
}

function more(id: string): Move {
  return { id, from: ["approved"], to: "published", rule: "R" };
}

const machine: Machine = {
  states: ["draft", "review", "approved", "published"],
  start: "draft",
  ends: ["published"],
  moves,
};

const sound: Protocol = {
  name: "letter",
  version: 1,
  title: "Letter",
  root: "letter",
  kinds: { letter: machine },
  questions,
  work: { write },
  guards: {},
  vars: {},
  looks: [],
  lease: "workflow",
};

test("[C92] a sound table is proved, property by property", () => {
  const checked = checkProtocol(checkedProtocol(sound));
  expect(checked.findings).toEqual([]);
  expect(checked.proved).toEqual(Object.keys(PROPERTIES));
  expect(checked.complete).toBe(true);
});

describe("planted defects, each with the shortest way to it", () => {
  test("[C92] a state that no row leads to", () => {
    const found = only(withMachine({ states: [...machine.states, "limbo"] }), "reachable");
    expect(found.map((one) => one.message)).toEqual([
      'letter never comes to "limbo": no move leads there',
    ]);
  });

  test("[C92] a state whose only way in is for a role that does not exist", () => {
    const archive = move({ id: "archive", from: ["approved"], to: "archived", by: ["role:clerk"] });
    const table = withMachine({
      states: [...machine.states, "archived"],
      ends: ["published", "archived"],
      moves: [...moves, archive],
    });
    expect(only(table, "reachable")[0]?.message).toBe(
      'letter never comes to "archived": archive cannot be taken',
    );
  });

  test.each<[string, Move]>([
    ["a role that nobody has", { ...more("skip"), by: ["role:clerk"] }],
    ["nobody, and nothing leads to it", { ...more("skip"), by: [] }],
  ])("[C92] a row that is never taken: %s", (_, row) => {
    const found = only(withMachine({ moves: [...moves, row] }), "reachable");
    expect(found.map(({ code, message }) => [code, message])).toEqual([
      ["row-unused", expect.stringContaining(`The move "${row.id}" from approved to published`)],
    ]);
  });

  test("[C92] work that is never handed out", () => {
    const table = {
      ...sound,
      work: { write, print: { ...write, in: ["published"], unit: "letter" } },
    };
    const shelf = { ...machine, starts: [] };
    const kinds = { letter: machine, shelf };
    const print = { ...write, unit: "shelf", outcomes: {} };
    const found = only({ ...table, kinds, work: { write, print } }, "reachable");
    expect(found.map((one) => one.message)).toContainEqual(
      expect.stringContaining('The work "print" is never taken'),
    );
  });

  test("[C92] a condition on the world may be either way, and is the same in all rows", () => {
    const there = [exists(["a.md"])];
    const states = [...machine.states, "printed"];
    const both = (row: Partial<Move>): Protocol =>
      withMachine({
        states,
        ends: ["published", "printed"],
        moves: [
          ...moves.slice(0, 3),
          { ...more("publish"), to: "printed", when: there },
          { ...more("publish"), ...row },
        ],
      });
    expect(checkProtocol(both({})).findings).toEqual([]);
    expect(only(both({ when: there }), "reachable").map(({ code }) => code)).toEqual([
      "state-unreachable",
    ]);
    const either: Test = { guard: "any", any: [{ guard: "never-heard-of" }, ...there] };
    expect(checkProtocol(both({ when: [either] })).findings).toEqual([]);
  });

  test("[C92] a way on that only a role may take that nobody has", () => {
    const [found] = only(change("publish", { by: ["role:publisher"] }), "way-on");
    expect(found?.code).toBe("nobody-moves");
    expect(found?.message).toContain("its rows are for role:publisher, and nobody has that role");
    expect(told(found)).toEqual([...APPROVED]);
  });

  test("[C92] a state that one enters and never leaves", () => {
    const drop = move({ id: "drop", from: ["draft"], to: "pit" });
    const turn = move({ id: "turn", from: ["pit"], to: "pit" });
    const table = withMachine({
      states: [...machine.states, "pit"],
      moves: [...moves, drop, turn],
    });
    const [found] = only(table, "way-on");
    expect(found?.message).toBe('From "pit" no way leads to an end');
    expect(told(found)).toEqual(["person starts: draft", "agent moves drop: pit"]);
  });

  test("[C92] a variable that no way on is for", () => {
    const table = change("publish", { when: [variable("colour", ["green"])] });
    const painted = withMoves(table, [
      ...(table.kinds["letter"]?.moves ?? []),
      move({ id: "paint", from: ["draft"], to: "draft", set: { colour: { value: "red" } } }),
    ]);
    const [found] = only({ ...painted, vars: { colour: "green" } }, "way-on");
    expect(told(found)).toEqual(["person starts: draft", "agent moves paint: draft"]);
  });

  test("[C92] a short cut around a released question", () => {
    const [found] = only(
      add({ id: "hurry", from: ["review"], to: "approved", whileHeld: true }),
      "gates",
    );
    expect(found?.message).toBe('"approved" is reached without the answer to "approve"');
    expect(told(found)).toEqual([...REVIEW, "agent moves hurry: approved (approve?)"]);
  });

  test("[C92] a short cut to the end", () => {
    const [found] = only(add({ id: "slip", from: ["draft"], to: "published" }), "gates");
    expect(found?.message).toBe('"published" is reached without the answer to "approve"');
    expect(told(found)).toEqual(["person starts: draft", "agent moves slip: published"]);
  });

  test("[C92] a gate of a state that an agent walks out of", () => {
    const [submit, , rework] = moves;
    const { ask: _, ...enters } = submit ?? move({});
    const gated: Machine = {
      ...machine,
      states: ["draft", "review", "published"],
      gates: { review: "approve" },
      moves: [
        enters,
        { ...move({ id: "approve", from: ["review"], to: "published" }), by: [] },
        rework ?? enters,
        move({ id: "walk", from: ["review"], to: "published", whileHeld: true }),
      ],
    };
    const [found] = only({ ...sound, kinds: { letter: gated } }, "gates");
    expect(told(found)).toEqual([...REVIEW, "agent moves walk: published (approve?)"]);
  });

  test("[C92] work that is handed out again and again without a budget", () => {
    const { within: _, ...free } = write;
    const [found] = only(
      { ...sound, work: { write: free }, questions: { approve: ask() } },
      "loops",
    );
    expect(told(found)).toEqual(["person starts: draft"]);
    expect(found?.loop?.map(line)).toEqual([
      "agent hands write to writer: draft",
      "writer reports failed of write: draft",
    ]);
  });

  test("[C92] two rows that an agent may take back and forth", () => {
    const table = withMoves(sound, [
      ...moves,
      move({ id: "unapprove", from: ["approved"], to: "shelf" }),
      move({ id: "again", from: ["shelf"], to: "approved" }),
    ]);
    const [found] = only(withStates(table, "shelf"), "loops");
    expect(told(found)).toEqual([...APPROVED]);
    expect(found?.loop?.map(line)).toEqual([
      "agent moves unapprove: shelf",
      "agent moves again: approved",
    ]);
  });

  test("[C92] rows that move by themselves and never come to rest", () => {
    const table = withMoves(sound, [
      ...moves,
      move({ id: "tick", from: ["approved"], to: "shelf", auto: true }),
      move({ id: "tock", from: ["shelf"], to: "approved", auto: true }),
    ]);
    const [found] = only(withStates(table, "shelf"), "settles");
    expect(found?.code).toBe("never-settles");
    expect(told(found)).toEqual([...REVIEW, "person answers approve with yes: review (approve?)"]);
  });

  test("[C92] a question none of whose answers can be taken", () => {
    const [found] = only(
      withQuestion("approve", question(["yes", "publish"], ["no", "submit"])),
      "questions",
    );
    expect(found?.code).toBe("question-unanswerable");
    expect(told(found)).toEqual([...REVIEW]);
  });

  test("[C92] an option that is refused wherever its question is asked", () => {
    const three = question(["yes", "approve"], ["no", "rework"], ["later", "publish"]);
    const [found] = only(withQuestion("approve", three), "questions");
    expect(found?.message).toBe(
      '"later" is no answer to "approve": it is refused wherever that is asked',
    );
    expect(told(found)).toEqual([...REVIEW]);
  });

  test("[C92] a guard that refuses and does not say what to do", () => {
    const [found] = only(change("publish", { needs: [{ ...released, fix: " " }] }), "remedies");
    expect(found?.message).toBe('"not-approved" refuses move publish and does not say what to do');
    expect(told(found)).toEqual([...APPROVED]);
  });

  test("[C92] a report that is refused without a remedy", () => {
    const row: RuledNeed = {
      guard: "claim",
      args: { field: "a", in: [1] },
      code: "a",
      fix: "",
      rule: "R",
    };
    const table = { ...sound, work: { write: { ...write, accepts: [row] } } };
    const [found] = only(table, "remedies");
    expect(told(found)).toEqual(["person starts: draft", "agent hands write to writer: draft"]);
  });

  test("[C92] a budget whose question leads back into it", () => {
    const stuck: Question = {
      ...question(),
      options: [{ id: "again", label: "Again", does: [{ send: ["write"] }] }],
    };
    const [found] = only(withQuestion("stuck", stuck), "budgets");
    expect(found?.message).toBe('Once the budget "writing" is used up nothing leads on');
    expect(told(found)).toEqual([
      "person starts: draft",
      "agent hands write to writer: draft (stuck?)",
    ]);
  });

  test("[C92] a budget that bounds nothing", () => {
    const outcomes = {
      ...write.outcomes,
      failed: [{ within: { budget: "failures", times: 2, else: [] } } as const],
    };
    const [found] = only({ ...sound, work: { write: { ...write, outcomes } } }, "budgets");
    expect(found?.message).toContain('"failures"');
  });
});

describe("what is no defect", () => {
  test("[C92] a person may set the rules aside, with a reason", () => {
    const table = add({
      id: "give-up",
      from: ["draft"],
      to: "published",
      by: ["person"],
      why: true,
    });
    expect(checkProtocol(table).findings).toEqual([]);
    const silent = add({ id: "give-up", from: ["draft"], to: "published", by: ["person"] });
    expect(checkProtocol(silent).findings).toHaveLength(1);
  });

  test("[C92] a guard that counts in some cases only makes no gate", () => {
    const when = [variable("strict", [true])];
    const table = change("approve", { needs: [{ ...released, when }] });
    const both = withMoves(table, [
      ...(table.kinds["letter"]?.moves ?? []),
      move({ id: "slip", from: ["draft"], to: "published" }),
    ]);
    expect(checkProtocol({ ...both, vars: { strict: false } }).findings).toEqual([]);
  });

  test("[C92] a person in the loop bounds it", () => {
    const table = withMoves(sound, [
      ...moves,
      move({ id: "unapprove", from: ["approved"], to: "shelf" }),
      move({ id: "again", from: ["shelf"], to: "approved", by: ["person"] }),
    ]);
    expect(checkProtocol(withStates(table, "shelf")).findings).toEqual([]);
  });
});

describe("large tables", () => {
  const states = Array.from({ length: 10_000 }, (_, index) => `s${index}`);
  const chain = states
    .slice(1)
    .map((to, index) => move({ id: `go${index}`, from: [`s${index}`], to }));
  const large: Protocol = {
    ...sound,
    kinds: { letter: { states, start: "s0", ends: ["s9999"], moves: chain } },
    questions: {},
    work: {},
  };

  test("[C92] ten thousand states are explored", () => {
    const checked = checkProtocol(large);
    expect(checked.findings).toEqual([]);
    expect(checked.places).toBe(10_000);
  });

  test("[C92] what is too large is said, with what was proved", () => {
    const checked = checkProtocol(large, 100);
    expect(checked.complete).toBe(false);
    expect(checked.proved).toEqual(["remedies"]);
    expect(checked.findings.map((one) => one.code)).toEqual(["too-large"]);
    expect(checked.findings[0]?.message).toContain("more than 100 places");
  });
});

const REVIEW: readonly string[] = [
  "person starts: draft",
  "agent hands write to writer: draft",
  "writer reports done of write: review (approve?)",
];
const APPROVED: readonly string[] = [...REVIEW, "person answers approve with yes: approved"];

/** The findings of one property; there must be some, and none of another that would explain it away. */
function only(protocol: Protocol, property: CheckFinding["property"]): readonly CheckFinding[] {
  const checked: Checked = checkProtocol(protocol);
  expect(checked.proved).not.toContain(property);
  return checked.findings.filter((one) => one.property === property);
}

function told(finding: CheckFinding | undefined): readonly string[] {
  return (finding?.steps ?? []).map(line);
}

function line({ by, does, at, asks }: CheckFinding["steps"][number]): string {
  return `${by} ${does}: ${at}${asks.map((one) => ` (${one}?)`).join("")}`;
}

function ask(): Question {
  return questions["approve"] ?? question();
}

function move(row: Partial<Move>): Move {
  return { id: "m", from: [], to: "", rule: "R", ...row };
}

function withMachine(change: Partial<Machine>): Protocol {
  return { ...sound, kinds: { letter: { ...machine, ...change } } };
}

function withMoves(protocol: Protocol, rows: readonly Move[]): Protocol {
  const { letter = machine } = protocol.kinds;
  return { ...protocol, kinds: { letter: { ...letter, moves: rows } } };
}

function withStates(protocol: Protocol, ...more: readonly string[]): Protocol {
  const { letter = machine } = protocol.kinds;
  return { ...protocol, kinds: { letter: { ...letter, states: [...letter.states, ...more] } } };
}

function withQuestion(name: string, one: Question): Protocol {
  return { ...sound, questions: { ...questions, [name]: one } };
}

function add(row: Partial<Move>): Protocol {
  return withMoves(sound, [...moves, move(row)]);
}

function change(id: string, row: Partial<Move>): Protocol {
  return withMoves(
    sound,
    moves.map((one) => (one.id === id ? { ...one, ...row } : one)),
  );
}
