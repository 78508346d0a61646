import { fields, list } from "./shape.ts";
import type { Fields, Shape, Shapes } from "./shape.ts";

/** The shape of a protocol: each kind of row, with its fields and their values. */

function named(of: Shape): Shape {
  return { is: "named", of };
}

/** A single value, or a list of such values. */
function some(of: Shape): Shape {
  return { is: "either", list: list(of), else: of };
}

const TEXT: Shape = { is: "text" };
const TEXTS: Shape = list(TEXT);
const FLAG: Shape = { is: "flag" };
const NUMBER: Shape = { is: "number" };
const JSON_VALUE: Shape = { is: "json" };
const OBJECT: Shape = { is: "object" };
const CODE: Shape = { is: "code" };
const SOME: Shape = some(TEXT);
const TESTS: Shape = list({ is: "guard" });
const NEEDS: Shape = list({ is: "need" });
const WHO: readonly string[] = ["person", "agent", "engine"];
const ACTORS: Shape = list({ is: "one of", values: WHO });
const THEN: Shape = { is: "keyed", what: "what follows", rows: () => THENS };
const THEN_ALL: Shape = list(THEN);
const LEADS: Shape = { is: "either", list: THEN_ALL, else: TEXT };
const VALUE: Shape = { is: "keyed", what: "a value", rows: () => VALUES };

function within(out: Shape): Fields {
  const times: Shape = { is: "either", number: NUMBER, else: TEXT };
  return fields("within", { times, else: out }, { budget: TEXT, called: TEXT });
}

const RUN = fields("a check to run", { check: TEXT, binds: TEXTS });
const NOTE = fields("a note", { list: TEXT, tag: TEXT, text: TEXT });
const EFFECT = fields(
  "an effect",
  { kind: TEXT, args: OBJECT },
  { when: TESTS, otherwise: TEXT, failed: TEXT },
);

/** Fields of a row besides its move: its effects and conditions. */
const ROW: Shapes = {
  when: TESTS,
  needs: NEEDS,
  effects: list(EFFECT),
  notes: list(NOTE),
  voids: TEXTS,
  rule: TEXT,
};

const MOVE_OPTIONS: Shapes = {
  ...ROW,
  to: TEXT,
  by: list({ is: "one of", values: WHO, prefix: "role:" }),
  auto: FLAG,
  detour: FLAG,
  why: FLAG,
  whileHeld: FLAG,
  whileOut: FLAG,
  within: within(TEXT),
  ask: TEXT,
  send: SOME,
  runs: list({ is: "either", map: RUN, else: TEXT }),
  seals: TEXTS,
  unseals: TEXTS,
  sows: fields("sows", { kind: TEXT, fact: TEXT }),
  closes: TEXT,
  set: named(VALUE),
  optional: FLAG,
  label: TEXT,
};
const MOVE = fields("a move", { from: SOME }, MOVE_OPTIONS);
const START = fields("a beginning", {}, { ...ROW, from: TEXTS, to: TEXT });

const WORK_OPTIONS: Shapes = {
  order: TEXT,
  makes: TEXTS,
  judges: { is: "one of", values: ["unit", "workflow"] },
  done: TEXT,
  outcomes: named(LEADS),
  in: SOME,
  unit: TEXT,
  rootIn: TEXTS,
  parallel: FLAG,
  when: TESTS,
  needs: NEEDS,
  accepts: NEEDS,
  baseline: TEXTS,
  within: within(TEXT),
  rule: TEXT,
};
const WORK = fields("work", { role: TEXT }, WORK_OPTIONS);

const OPTION_OPTIONS: Shapes = {
  words: TEXTS,
  recommended: FLAG,
  does: LEADS,
  why: FLAG,
  people: NUMBER,
};
const OPTION = fields("an option", { label: TEXT }, OPTION_OPTIONS);

const QUESTION_OPTIONS: Shapes = {
  binds: TEXTS,
  people: NUMBER,
  grant: TEXTS,
  other: FLAG,
  explicit: FLAG,
  by: ACTORS,
  needs: NEEDS,
  rule: TEXT,
};
const QUESTION = fields("a question", { prompt: TEXT, options: named(OPTION) }, QUESTION_OPTIONS);

const MACHINE: Shapes = {
  states: TEXTS,
  start: TEXT,
  ends: TEXTS,
  moves: named(some(MOVE)),
};

/** How a machine starts, and the questions at its states. */
const BEGINS: Shapes = { starts: list(START), gates: named(TEXT) };

const HEAD: Shapes = { name: TEXT, version: NUMBER, title: TEXT };

const SETTINGS: Shapes = {
  vars: OBJECT,
  open: named(fields("an open variable", { values: list(JSON_VALUE), by: ACTORS }, { rule: TEXT })),
  looks: TEXTS,
  effects: TEXTS,
  signs: named(ACTORS),
  rules: named(TEXT),
  stateFile: TEXT,
  lease: { is: "one of", values: ["dispatch", "workflow", "owner"] },
  guards: named({
    is: "either",
    map: fields("a guard of its own", { check: CODE, args: named(TEXT) }),
    else: CODE,
  }),
  migrate: CODE,
};
const TABLES: Shapes = { ...SETTINGS, work: named(WORK), questions: named(QUESTION) };

/** A protocol with one machine. */
export const SINGLE: Fields = fields(
  "a protocol",
  { ...HEAD, ...MACHINE },
  { ...BEGINS, ...TABLES },
);

/** A protocol with several kinds of units. */
export const WITH_KINDS: Fields = fields(
  "a protocol with kinds",
  { ...HEAD, kinds: named(fields("a kind of unit", MACHINE, BEGINS)) },
  TABLES,
);

const REMEDY = fields("a remedy", { operation: TEXT, input: OBJECT }, { says: TEXT, by: TEXT });

/** A guard's message for failure, in addition to the guard itself. */
export const SAYS: Fields = fields(
  "a guard",
  { code: TEXT, fix: { is: "either", map: REMEDY, else: TEXT } },
  { rule: TEXT, soft: FLAG, ask: TEXT, when: TESTS },
);

/** A guard as its constructor writes it. Whether its message is missing is checked where it is used. */
const GUARD: Shapes = { args: OBJECT, any: TESTS };
export const TEST_ROW: Fields = fields(
  "a guard",
  { guard: TEXT },
  { ...GUARD, ...SAYS.required, ...SAYS.optional },
);

/** A consequence, by its first key. */
const THENS: Readonly<Record<string, Fields>> = {
  move: then({ move: TEXT }, { on: { is: "one of", values: ["unit"] } }),
  open: then({ open: TEXT, unit: TEXT }, { data: OBJECT }),
  ask: then({ ask: TEXT }, { each: TEXT }),
  send: then({ send: SOME }),
  finding: then(
    { finding: TEXT, value: VALUE },
    { on: { is: "one of", values: ["root"] }, binds: TEXTS },
  ),
  within: then({ within: within(THEN_ALL) }),
  set: then({ set: named(VALUE) }),
  reset: then({ reset: TEXT }),
  effect: then({ effect: EFFECT }),
  note: then({ note: NOTE }),
};

function then(required: Shapes, optional: Shapes = {}): Fields {
  return fields(`"${Object.keys(required)[0] ?? ""}"`, required, optional);
}

/** A reference to a value, by its first key. */
const VALUES: Readonly<Record<string, Fields>> = {
  value: then({ value: JSON_VALUE }),
  fact: then({ fact: TEXT }, { at: TEXT }),
  claim: then({ claim: TEXT }, { or: JSON_VALUE }),
  input: then({ input: TEXT }, { or: JSON_VALUE }),
};

/** Rows of a compiled table, with all defaults filled in. */
const FILLED: Shapes = { id: TEXT, rule: TEXT };
const OUTS = named(THEN_ALL);
const FILLED_OPTION = fields(
  "an option",
  { id: TEXT, label: TEXT, does: THEN_ALL },
  {
    ...OPTION_OPTIONS,
    why: { is: "either", else: JSON_VALUE },
    discovery: TEXT,
    report: { is: "one of", values: ["taken", "returned", "repeated"] },
    leaves: { is: "one of", values: ["open", "cancelled"] },
  },
);

/** The shape of a compiled table, for programs that provide one. */
export const FILLED_PROTOCOL: Fields = fields(
  "a protocol",
  {
    ...HEAD,
    root: TEXT,
    kinds: named(
      fields(
        "a kind of unit",
        {
          ...MACHINE,
          moves: list(
            fields(
              "a move",
              { ...FILLED, from: TEXTS, to: TEXT },
              { ...MOVE_OPTIONS, send: TEXTS, runs: list(RUN), inside: FLAG },
            ),
          ),
        },
        {
          ...BEGINS,
          starts: list(fields("a beginning", FILLED, { ...MOVE_OPTIONS, from: TEXTS })),
        },
      ),
    ),
    questions: named(
      fields(
        "a question",
        { prompt: TEXT, options: list(FILLED_OPTION), rule: TEXT },
        { ...QUESTION_OPTIONS, id: TEXT, via: TEXT, menu: TEXT, within: within(THEN_ALL) },
      ),
    ),
    work: named(
      fields(
        "work",
        { role: TEXT, unit: TEXT, in: TEXTS, outcomes: OUTS, rule: TEXT },
        { ...WORK_OPTIONS, sent: THEN_ALL },
      ),
    ),
    guards: SETTINGS["guards"] ?? CODE,
    vars: OBJECT,
    looks: TEXTS,
    lease: TEXT,
  },
  { ...SETTINGS, digest: TEXT, settings: named(TEXT) },
);
