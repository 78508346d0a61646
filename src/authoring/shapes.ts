/** What may stand where in a protocol file. The names are those of `defineProtocol`. */
export type Shape =
  | { readonly is: "text" | "number" | "flag" | "texts" | "json" | "guard" | "need" | "leads" }
  | { readonly is: "one of"; readonly values: readonly string[] }
  /** A text, or a list of them. */
  | { readonly is: "some texts" }
  | { readonly is: "times" }
  | { readonly is: "list"; readonly of: Shape }
  /** Names of one's own, each with the same below it. */
  | { readonly is: "named"; readonly of: Shape }
  /** The same once, or a list of it. */
  | { readonly is: "rows"; readonly of: Shape }
  | Fields;

export interface Fields {
  readonly is: "fields";
  readonly what: string;
  readonly required: Readonly<Record<string, Shape>>;
  readonly optional: Readonly<Record<string, Shape>>;
}

const TEXT: Shape = { is: "text" };
const TEXTS: Shape = { is: "texts" };
const FLAG: Shape = { is: "flag" };
const NUMBER: Shape = { is: "number" };
const JSON_VALUE: Shape = { is: "json" };
const SOME: Shape = { is: "some texts" };
const LEADS: Shape = { is: "leads" };
const TESTS: Shape = { is: "list", of: { is: "guard" } };
const NEEDS: Shape = { is: "list", of: { is: "need" } };

const WITHIN: Shape = {
  is: "fields",
  what: "within",
  required: { times: { is: "times" }, else: TEXT },
  optional: { budget: TEXT, called: TEXT },
};

const NOTE: Shape = {
  is: "fields",
  what: "a note",
  required: { list: TEXT, tag: TEXT, text: TEXT },
  optional: {},
};

const EFFECT: Shape = {
  is: "fields",
  what: "an effect",
  required: { kind: TEXT, args: JSON_VALUE },
  optional: { when: TESTS, otherwise: TEXT, failed: TEXT },
};

const MOVE: Shape = {
  is: "fields",
  what: "a move",
  required: { from: SOME },
  optional: {
    to: TEXT,
    needs: NEEDS,
    when: TESTS,
    by: TEXTS,
    auto: FLAG,
    detour: FLAG,
    why: FLAG,
    whileHeld: FLAG,
    whileOut: FLAG,
    within: WITHIN,
    ask: TEXT,
    send: SOME,
    runs: TEXTS,
    seals: TEXTS,
    unseals: TEXTS,
    voids: TEXTS,
    sows: { is: "fields", what: "sows", required: { kind: TEXT, fact: TEXT }, optional: {} },
    closes: TEXT,
    effects: { is: "list", of: EFFECT },
    set: { is: "named", of: JSON_VALUE },
    notes: { is: "list", of: NOTE },
    optional: FLAG,
    label: TEXT,
    rule: TEXT,
  },
};

const WORK: Shape = {
  is: "fields",
  what: "work",
  required: { role: TEXT },
  optional: {
    order: TEXT,
    makes: TEXTS,
    judges: { is: "one of", values: ["unit", "workflow"] },
    done: TEXT,
    outcomes: { is: "named", of: LEADS },
    in: SOME,
    unit: TEXT,
    rootIn: TEXTS,
    parallel: FLAG,
    when: TESTS,
    needs: NEEDS,
    accepts: NEEDS,
    baseline: TEXTS,
    within: WITHIN,
    rule: TEXT,
  },
};

const OPTION: Shape = {
  is: "fields",
  what: "an option",
  required: { label: TEXT },
  optional: { words: TEXTS, recommended: FLAG, does: LEADS, why: FLAG, people: NUMBER },
};

const QUESTION: Shape = {
  is: "fields",
  what: "a question",
  required: { prompt: TEXT, options: { is: "named", of: OPTION } },
  optional: {
    binds: TEXTS,
    people: NUMBER,
    grant: TEXTS,
    other: FLAG,
    explicit: FLAG,
    by: TEXTS,
    needs: NEEDS,
    rule: TEXT,
  },
};

const MACHINE: Readonly<Record<string, Shape>> = {
  states: TEXTS,
  start: TEXT,
  ends: TEXTS,
  moves: { is: "named", of: { is: "rows", of: MOVE } },
};

/** How a machine begins, and which questions stand at its states. */
const BEGINS: Readonly<Record<string, Shape>> = {
  starts: {
    is: "list",
    of: {
      is: "fields",
      what: "a beginning",
      required: {},
      optional: {
        from: TEXTS,
        to: TEXT,
        when: TESTS,
        needs: NEEDS,
        effects: { is: "list", of: EFFECT },
        notes: { is: "list", of: NOTE },
        voids: TEXTS,
        rule: TEXT,
      },
    },
  },
  gates: { is: "named", of: TEXT },
};

const HEAD: Readonly<Record<string, Shape>> = { name: TEXT, version: NUMBER, title: TEXT };

const TABLES: Readonly<Record<string, Shape>> = {
  work: { is: "named", of: WORK },
  questions: { is: "named", of: QUESTION },
  vars: JSON_VALUE,
  open: { is: "named", of: JSON_VALUE },
  looks: TEXTS,
  effects: TEXTS,
  signs: { is: "named", of: TEXTS },
  rules: { is: "named", of: TEXT },
  stateFile: TEXT,
  lease: { is: "one of", values: ["dispatch", "workflow", "owner"] },
};

/** A protocol with one machine, and one whose workflow has units of its own. */
export const SINGLE: Fields = {
  is: "fields",
  what: "a protocol",
  required: { ...HEAD, ...MACHINE },
  optional: { ...BEGINS, ...TABLES },
};

export const WITH_KINDS: Fields = {
  is: "fields",
  what: "a protocol",
  required: {
    ...HEAD,
    kinds: {
      is: "named",
      of: { is: "fields", what: "a kind of unit", required: MACHINE, optional: BEGINS },
    },
  },
  optional: TABLES,
};

/** What says why a guard failed, beside the guard itself. */
export const SAYS: Fields = {
  is: "fields",
  what: "a guard",
  required: { code: TEXT, fix: TEXT },
  optional: { rule: TEXT, soft: FLAG, ask: TEXT, when: TESTS },
};

/** Consequences: each has one of these as its first key. */
export const THENS: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  move: { move: TEXT, on: { is: "one of", values: ["unit"] } },
  ask: { ask: TEXT, each: TEXT },
  send: { send: SOME },
  set: { set: { is: "named", of: JSON_VALUE } },
  reset: { reset: TEXT },
  note: { note: NOTE },
  effect: { effect: EFFECT },
  finding: {
    finding: TEXT,
    value: JSON_VALUE,
    on: { is: "one of", values: ["root"] },
    binds: TEXTS,
  },
};
