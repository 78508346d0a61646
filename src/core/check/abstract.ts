import type { Json, JsonObject } from "../values/json.ts";
import type { Protocol } from "../table/protocol.ts";
import { conditionOf } from "./condition.ts";
import { OTHER, domainsOf, setsOf } from "./domains.ts";
import type { Domains } from "./domains.ts";
import { GRANTED, mapValues, rewriteDispatch, rewriteMachine, rewriteQuestion } from "./rewrite.ts";
import type { Rewrite } from "./rewrite.ts";

/**
 * A protocol with the world taken out. What it would look at becomes a choice, asked for like any fact:
 * a guard that holds for a person may pass or not, a condition on a fact may be true or not, a list of
 * children may be empty or not. Everything else is the table as it stands, so that exploring it is
 * deciding it, by the same `decide`.
 */
export interface Abstract {
  readonly protocol: Protocol;
  /** What each choice may come to, by the key of the fact that stands for it. */
  readonly choices: ReadonlyMap<string, readonly Json[]>;
  /** Choices that are guards: nearly always they pass, and at most one of them fails at a time. */
  readonly guards: ReadonlySet<string>;
  /** Variables a start may be given. */
  readonly starts: readonly JsonObject[];
  /** Fields of reports that name the unit the work was for, and what they say where it was for the root. */
  readonly names: ReadonlyMap<string, Json>;
  /** Variables whose value makes a difference to some row. */
  readonly vars: readonly string[];
}

/** How many combinations of settings a workflow is started with. */
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

/** Settings are chosen at the start: those a start looks at, those no row ever sets, and what is granted. */
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
