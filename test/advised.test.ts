/**
 * What is advised to an agent is something that an agent may do: in every state that the tables of the shipped families
 * lead to, by deciding it. What is a person's says so, and does not send an agent round in circles.
 */
import { describe, expect, test } from "vitest";
import { abstractOf } from "../src/core/check/abstract.ts";
import type { Abstract } from "../src/core/check/abstract.ts";
import { answersOf } from "../src/core/check/domains.ts";
import { explore } from "../src/core/check/explore.ts";
import { gatesOf } from "../src/core/check/gates.ts";
import type { Evidence, Remedy } from "../src/core/decide/answer.ts";
import { decide } from "../src/core/decide/decide.ts";
import { next } from "../src/core/decide/next.ts";
import { whoseStep } from "../src/core/decide/whose.ts";
import type { NamedStep } from "../src/core/decide/whose.ts";
import type { Command, Envelope } from "../src/core/state/commands.ts";
import { ROOT } from "../src/core/state/state.ts";
import type { Workflow } from "../src/core/state/state.ts";
import { pickForward } from "../src/engine/intake/forward.ts";
import { operations } from "../src/operations/index.ts";
import { PEOPLES } from "../src/operations/parts/whose.ts";
import type { Family } from "../src/ports/family.ts";
import { pluginFamily } from "../src/protocols/plugin-workflow/index.ts";
import { taskFamily } from "../src/protocols/task-protocol/index.ts";
import { teamFamily } from "../src/protocols/team-contract/index.ts";
import { personalIn } from "../src/watch/holdpoint.ts";
import { placesOf, repository } from "./fixtures/task-protocol/places.ts";

const AGENT: Envelope = {
  id: "c-1",
  at: "2026-03-02T10:00:00.000Z",
  actor: { kind: "agent", name: "claude-code" },
  session: "s-1",
};

const PLACES_MAX = 30_000;

const families = [pluginFamily, teamFamily, taskFamily(placesOf(repository()))];

describe.each(families.map((one) => [one.protocol.name, one] as const))("%s", (_, family) => {
  const abstract = abstractOf(family.protocol);
  const states = statesOf(family, abstract);

  test("nearly every state is met", () => {
    const { kinds, root } = family.protocol;
    const met = new Set(states.map(({ units }) => units[ROOT]?.at));
    expect(met.size).toBeGreaterThan((kinds[root]?.moves.length ?? 0) / 8);
    expect(states.flatMap((state) => advisedIn(family, abstract, state)).length).toBeGreaterThan(0);
  });

  test("a step that is advised, and not called another's, is not refused for who asks", () => {
    const wrong = new Set<string>();
    for (const state of states)
      for (const step of advisedIn(family, abstract, state)) {
        if (whoseStep(family.protocol, state, AGENT.actor, step) !== undefined) continue;
        const { step: move, unit = ROOT } = step;
        const command = { type: "unit.move", move, unit, reason: "x" } as const;
        if (refusedFor(abstract, state, command).some((code) => WHO.includes(code)))
          wrong.add(`${state.units[ROOT]?.at ?? ""}: ${move}`);
      }
    expect([...wrong]).toEqual([]);
  });
});

test("what hooks call a person's, and what help calls people's, is not advised to agents", () => {
  const said = operations.flatMap(({ name, purpose, input: { properties } }) => {
    const inputs = Object.keys(properties).filter((key) => isPeoples(properties[key]?.description));
    if (isPeoples(purpose) || personalIn(`holdpoint ${name}`) !== undefined) return [[name, "all"]];
    return inputs.length === 0 ? [] : [[name, inputs.toSorted()]];
  });
  const known = Object.entries(PEOPLES).map(([name, inputs]) => [
    name,
    inputs === "all" ? inputs : inputs.toSorted(),
  ]);
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(said));
});

function isPeoples(words = ""): boolean {
  return words.includes("(people only)");
}

const WHO: readonly string[] = ["person-required", "actor-not-allowed"];

/** One of each place as far as who may do what there goes. */
function statesOf({ protocol }: Family, abstract: Abstract): readonly Workflow[] {
  const remembered = {
    protocol: abstract.protocol,
    vars: abstract.vars,
    answers: new Set(answersOf(protocol)),
  };
  const { nodes } = explore({ abstract, remembered, watcher: gatesOf(protocol), max: PLACES_MAX });
  const places = new Map<string, Workflow>();
  for (const { state } of nodes) {
    const units = Object.values(state.units).map(({ kind, at }) => `${kind} ${at}`);
    const asked = Object.values(state.decisions).some((one) => one.status === "open");
    places.set(JSON.stringify([units, asked, state.vars["blocker"]]), state);
  }
  return [...places.values()];
}

/** Steps by name in what `next` would say: the one that leads on, what each lacks, and the closing words. */
function advisedIn(family: Family, abstract: Abstract, state: Workflow): readonly NamedStep[] {
  const { protocol } = abstract;
  const { candidates } = next({ protocol, state, envelope: AGENT, evidence: {} });
  const forward = pickForward({ family: { ...family, protocol }, state }, candidates);
  const fixes = candidates.flatMap(({ refusals }) => refusals.map((one) => one.fix));
  const { closing } = family.words.describe(state);
  return [
    ...(forward?.command.type === "unit.move"
      ? [{ step: forward.command.move, unit: forward.command.unit }]
      : []),
    ...[...fixes, ...(closing === undefined ? [] : [closing.fix])].flatMap(stepIn),
  ];
}

function stepIn(fix: Remedy): readonly NamedStep[] {
  if (typeof fix === "string" || fix.operation !== "advance") return [];
  const { step, unit } = fix.input;
  if (typeof step !== "string") return [];
  return [{ step, ...(typeof unit === "string" ? { unit } : {}) }];
}

/** The codes of a refusal, every look answered with what it may come to first. */
function refusedFor(abstract: Abstract, state: Workflow, command: Command): readonly string[] {
  const evidence: Record<string, Evidence[string]> = {};
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    const input = { protocol: abstract.protocol, state, envelope: AGENT, evidence, command };
    const answer = decide(input);
    if (answer.kind === "refused") return answer.refusals.map((one) => one.code);
    if (answer.kind !== "needs") return [];
    for (const key of answer.facts) evidence[key] = abstract.choices.get(key)?.[0] ?? null;
  }
  throw new Error(`${JSON.stringify(command)} asks without an end`);
}

const LOOKS_MAX = 100;
