import { canonicalJson } from "../values/json.ts";
import type { Json } from "../values/json.ts";
import type {
  Consequence,
  Work,
  EffectRow,
  RuledNeed,
  Machine,
  Move,
  Option,
  Protocol,
  Question,
  Counted,
  Start,
  Test,
  ValueRef,
} from "../table/protocol.ts";
import { choiceOf, isDecided, isKept, isOpen, questionsOf, releasing, whenOf } from "./domains.ts";
import type { Domains } from "./domains.ts";

/** One permission stands for all of them: a person has granted either everything in advance or nothing. */
export const GRANTED = "~granted";

/** The table as written, and the choices found so far while rewriting it. */
export interface Rewrite {
  readonly protocol: Protocol;
  readonly domains: Domains;
  /** Variables that grant something in advance. */
  readonly grants: ReadonlySet<string>;
  readonly choices: Map<string, readonly Json[]>;
  /** Choices that stand for guards. */
  readonly guards: Set<string>;
}

type Sets = Readonly<Record<string, ValueRef>>;

export function rewriteMachine(to: Rewrite, machine: Machine, root: boolean): Machine {
  const { starts } = machine;
  return {
    ...machine,
    moves: machine.moves.map((move) => rewriteMove(to, move)),
    ...(starts === undefined ? {} : { starts: starts.map((row) => rewriteStart(to, row, root)) }),
  };
}

/** The root's start always succeeds: exploring begins after it. */
function rewriteStart(to: Rewrite, row: Start, root: boolean): Start {
  const when = rewriteConditions(to, row.when);
  if (root) return { ...row, when, needs: [], effects: [], notes: [] };
  return { ...row, when, needs: rewriteRows(to, row.needs), effects: failing(row.effects) };
}

function rewriteMove(to: Rewrite, row: Move): Move {
  const { within, sows } = row;
  return {
    ...row,
    ...(within === undefined ? {} : { within: once(within) }),
    ...(sows === undefined ? {} : { sows: { kind: sows.kind, fact: `seeds:${sows.kind}` } }),
    when: rewriteConditions(to, row.when),
    needs: row.auto === true ? autoRows(to, row) : rewriteRows(to, row.needs),
    seals: [],
    unseals: [],
    notes: [],
    runs: [],
    effects: failing(row.effects),
    set: rewriteSets(to, row.set),
  };
}

export function rewriteQuestion(to: Rewrite, asked: Question): Question {
  // One person stands for as many as must agree.
  const { menu: _, people: __, ...question } = asked;
  const { within } = question;
  return {
    ...question,
    prompt: "",
    binds: [],
    grant: (question.grant ?? []).length > 0 ? [GRANTED] : [],
    options: question.options.map((option) => rewriteOption(to, option)),
    needs: rewriteRows(to, question.needs),
    ...(within === undefined
      ? {}
      : { within: { ...within, times: 0, else: rewriteAll(to, within.else) } }),
  };
}

/** Options are chosen by number here, so their words do not matter. */
function rewriteOption(to: Rewrite, shown: Option): Option {
  const { people: _, words: __, why, ...option } = shown;
  const reason = why === undefined ? {} : { why: true };
  return { ...option, ...reason, label: option.id, does: rewriteAll(to, option.does) };
}

export function rewriteDispatch(to: Rewrite, spec: Work): Work {
  return {
    ...spec,
    ...(spec.within === undefined ? {} : { within: once(spec.within) }),
    when: rewriteConditions(to, spec.when),
    needs: rewriteRows(to, spec.needs),
    accepts: rewriteRows(to, spec.accepts),
    baseline: [],
    sent: rewriteAll(to, spec.sent),
    outcomes: mapValues(spec.outcomes, (does) => rewriteAll(to, does)),
  };
}

function rewriteConditions(to: Rewrite, some: readonly Test[] = []): readonly Test[] {
  return some.map((test) => {
    if (test.any !== undefined) return { ...test, any: rewriteConditions(to, test.any) };
    const name = choiceOf(test);
    if (name !== undefined)
      return { guard: "fact", args: { fact: name, in: test.args?.["in"] ?? [] } };
    return isOpen(to.protocol, test) ? openTest(to, test) : test;
  });
}

/** A condition that appears in several rows is one choice: it holds in all of them or in none. */
function openTest({ choices }: Rewrite, { guard, args = {} }: Test): Test {
  const name = `when:${guard} ${canonicalJson(args)}`;
  choices.set(name, [true, false]);
  return { guard: "fact", args: { fact: name, in: [true] } };
}

function rewriteRows(to: Rewrite, rows: readonly RuledNeed[] = []): readonly RuledNeed[] {
  const { protocol } = to;
  return rows
    .filter((row) => isKept(protocol, row))
    .map((row) => {
      const when = rewriteConditions(to, whenOf(protocol, row));
      if (isDecided(protocol, row)) return { ...row, ...decided(protocol, row), when };
      const { any: _, ...rest } = row;
      return { ...rest, when, ...choose(to, "guard", row.code) };
    });
}

/**
 * A move that happens by itself either does or not: all its guards that cannot be decided here share one choice.
 */
function autoRows(to: Rewrite, { id, needs = [] }: Move): readonly RuledNeed[] {
  const known = needs.filter((row) => isDecided(to.protocol, row));
  const kept = rewriteRows(to, known);
  if (known.length === needs.length) return kept;
  return [...kept, { ...choose(to, "auto", id), code: id, fix: "", rule: "" }];
}

/** A guard that becomes a free choice of its own. */
function choose(
  to: Rewrite,
  kind: "guard" | "auto",
  of: string,
): Pick<RuledNeed, "guard" | "args"> {
  const name = `${kind}:${to.choices.size}:${of}`;
  to.choices.set(name, [true, false]);
  if (kind === "guard") to.guards.add(name);
  return { guard: "fact", args: { fact: name, in: [true] } };
}

/**
 * A guard about a question is replaced by "this question was released", whatever else the family checks with it.
 */
function decided(protocol: Protocol, row: Test): Test {
  const { any: some, args: _, ...rest } = row;
  if (some !== undefined) return { ...rest, any: some.map((one) => decided(protocol, one)) };
  const questions = questionsOf(row);
  if (questions.length === 0) return row;
  const released = questions.map((question): Test => {
    const args = { question, options: releasing(protocol, question, row) };
    return { guard: "released", args };
  });
  return { ...rest, any: released };
}

function rewriteSets({ domains, grants }: Rewrite, refs: Sets = {}): Sets {
  const known = (ref: ValueRef): boolean =>
    "value" in ref || ("claim" in ref && domains.names.has(ref.claim));
  return Object.fromEntries(
    Object.entries(refs).flatMap(([name, ref]): readonly (readonly [string, ValueRef])[] => [
      ...(grants.has(name) ? ([[GRANTED, "value" in ref ? ref : { value: false }]] as const) : []),
      ...(domains.vars.has(name)
        ? ([[name, known(ref) ? ref : { fact: `var:${name}` }]] as const)
        : []),
    ]),
  );
}

function rewriteAll(to: Rewrite, some: readonly Consequence[] = []): readonly Consequence[] {
  return some.flatMap((one) => rewriteConsequence(to, one));
}

/** Findings and notes lead nowhere and are left out. */
function rewriteConsequence(to: Rewrite, one: Consequence): readonly Consequence[] {
  if ("finding" in one || "note" in one) return [];
  if ("set" in one) return [{ set: rewriteSets(to, one.set) }];
  if ("within" in one)
    return [{ within: { ...once(one.within), else: rewriteAll(to, one.within.else) } }];
  if ("effect" in one) return failing([one.effect]).map((effect) => ({ effect }));
  if ("ask" in one) return [{ ask: one.ask }];
  if ("open" in one) return [{ ...one, unit: `${one.open}-1`, data: {} }];
  return [one];
}

/** Every budget is reduced to one use: running out is then tried right away. */
function once<Else>(within: Counted<Else>): Counted<Else> {
  return { ...within, times: 1 };
}

/** Only effects that lead to a question when they fail matter; one is kept for each such question. */
function failing(rows: readonly EffectRow[] = []): readonly EffectRow[] {
  const all = rows.filter((row) => row.failed !== undefined);
  return all
    .filter((row, index) => all.findIndex((one) => one.failed === row.failed) === index)
    .map(({ kind, failed }) => ({ kind, args: {}, ...(failed === undefined ? {} : { failed }) }));
}

export function mapValues<A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A) => B,
): Readonly<Record<string, B>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
