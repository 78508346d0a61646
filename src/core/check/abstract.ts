import type { Json, JsonObject } from "../values/json.ts";
import type { Protocol } from "../table/protocol.ts";
import { conditionOf } from "./condition.ts";
import { OTHER, domainsOf, setsOf } from "./domains.ts";
import type { Domains } from "./domains.ts";
import { GRANTED, mapValues, rewriteDispatch, rewriteMachine, rewriteQuestion } from "./rewrite.ts";
import type { Rewrite } from "./rewrite.ts";

/**
 * A protocol with the outside world removed, for exploring every way it can go. Whatever a guard or condition
 * would look up becomes a free choice, asked for like a fact: a guard may pass or fail, a condition may be true
 * or false, a list of children may be empty or not. The rest of the table stays as it is and is run by the real
 * `decide`, so what is found here holds for real workflows.
 */
export interface Abstract {
  readonly protocol: Protocol;
  /** The values each choice can take, by the key of its fact. */
  readonly choices: ReadonlyMap<string, readonly Json[]>;
  /** Choices that stand for guards. To keep the search small, at most one of them fails per step. */
  readonly guards: ReadonlySet<string>;
  /** The combinations of variables a workflow may be started with. */
  readonly starts: readonly JsonObject[];
  /** Report fields that name the unit the work was about, with the value they have when it was about the root. */
  readonly names: ReadonlyMap<string, Json>;
  /** Variables that some row reads; all others make no difference. */
  readonly vars: readonly string[];
}

/** How many combinations of settings are tried at the start. */
const STARTS_MAX = 64;

export function abstractOf(protocol: Protocol): Abstract {
  const domains = domainsOf(protocol);
  const { vars, names, facts, seeds } = domains;
  const to: Rewrite = {
    protocol,
    domains,
    grants: new Set(Object.values(protocol.questions).flatMap(({ grant }) => grant ?? [])),
    choices: new Map<string, readonly Json[]>(facts),
    guards: new Set(),
  };
  for (const [name, values] of vars) to.choices.set(`var:${name}`, values);
  for (const [kind, some] of seeds) to.choices.set(`seeds:${kind}`, some);
  const abstract: Protocol = {
    ...protocol,
    vars: only(protocol.vars, domains),
    guards: {},
    lease: "workflow",
    kinds: mapValues(protocol.kinds, (machine) =>
      rewriteMachine(to, machine, machine === protocol.kinds[protocol.root]),
    ),
    questions: mapValues(protocol.questions, (question) => rewriteQuestion(to, question)),
    work: mapValues(protocol.work, (spec) => rewriteDispatch(to, spec)),
  };
  return {
    protocol: abstract,
    choices: to.choices,
    guards: to.guards,
    vars: [...vars.keys(), GRANTED],
    names,
    starts: startsOf(protocol, domains),
  };
}

/** Settings chosen at the start: those a start row reads, those no row ever sets, and advance grants. */
function startsOf(protocol: Protocol, { vars }: Domains): readonly JsonObject[] {
  const { starts = [] } = protocol.kinds[protocol.root] ?? {};
  const looked = starts.flatMap(({ when = [] }) =>
    when.map(conditionOf).flatMap((one) => (one !== undefined && "var" in one ? [one.var] : [])),
  );
  const set = new Set(setsOf(protocol).map(([name]) => name));
  const names = [...vars.keys()].filter((name) => looked.includes(name) || !set.has(name));
  const grants = Object.values(protocol.questions).some(({ grant }) => (grant ?? []).length > 0);
  const named = (name: string): readonly Json[] =>
    (vars.get(name) ?? []).filter((value) => value !== OTHER);
  let all: readonly JsonObject[] = grants ? [{ [GRANTED]: false }, { [GRANTED]: true }] : [{}];
  for (const name of names)
    all = all.flatMap((one) => named(name).map((value) => ({ ...one, [name]: value })));
  return all.slice(0, STARTS_MAX);
}

function only(vars: JsonObject, domains: Domains): JsonObject {
  const kept = Object.entries(vars).filter(([name]) => domains.vars.has(name));
  return { ...Object.fromEntries(kept), [GRANTED]: false };
}
