/**
 * Every hold has a legal way out for somebody who exists. Each question of the three protocols is met by exploring its
 * table; there, under the strictest policy, no agent and no bare word answers it, and two people with keys do.
 */
import { describe, expect, test } from "vitest";
import { abstractOf } from "../src/core/check/abstract.ts";
import type { Abstract } from "../src/core/check/abstract.ts";
import { answersOf } from "../src/core/check/domains.ts";
import { explore } from "../src/core/check/explore.ts";
import { askedFor } from "../src/core/decide/decisions/asked-for.ts";
import { decide } from "../src/core/decide/decide.ts";
import type { Answer } from "../src/core/decide/answer.ts";
import { statementText } from "../src/core/decide/decisions/statement.ts";
import type { Command, Envelope, Proof } from "../src/core/state/commands.ts";
import { evolveAll } from "../src/core/state/evolve.ts";
import type { Policy } from "../src/core/state/policy.ts";
import type { Decision, Workflow } from "../src/core/state/state.ts";
import type { Protocol } from "../src/core/table/protocol.ts";
import type { Json } from "../src/core/values/json.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";
import { VERBS } from "../src/surfaces/cli/verbs/index.ts";

const AT = "2030-01-01T10:00:00.000Z";
const POLICY: Policy = {
  strength: "signed",
  people: 2,
  notAuthor: true,
  by: ["ada", "bob"],
  minutes: 5,
  gates: {},
};

/** A question as it is first met, in a place that can be reached. */
interface Met {
  readonly state: Workflow;
  readonly decision: Decision;
}

function meetAll(protocol: Protocol, abstract: Abstract): ReadonlyMap<string, Met> {
  const answers = new Set(answersOf(protocol));
  const remembered = { protocol: abstract.protocol, vars: abstract.vars, answers };
  const watcher = { first: "", watch: () => "" };
  const met = new Map<string, Met>();
  const beside = BESIDE[protocol.name] ?? [];
  const wanted = Object.keys(protocol.questions).length - beside.length;
  const note = (state: Workflow): boolean => {
    for (const decision of Object.values(state.decisions))
      if (decision.status === "open" && !met.has(decision.question))
        met.set(decision.question, { state, decision });
    return met.size === wanted;
  };
  const until = (_: unknown, { state }: { readonly state: Workflow }): boolean => note(state);
  const { nodes } = explore({ abstract, remembered, watcher, max: 30_000, until });
  for (const question of beside) {
    const asked = nodes.map(({ state }) => askedIn(abstract.protocol, state, question));
    const out = asked.find((one) => textsOf(one).some((text) => settles(abstract, one, text)));
    if (out !== undefined) met.set(question, out);
  }
  return met;
}

/** Questions that no row asks in a table without the world: the engine and the family do, where files and sessions say so. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  "plugin-workflow": ["phase-complete", "recovery"],
  "task-protocol": ["crashed-session"],
};

function askedIn(protocol: Protocol, state: Workflow, question: string): Met {
  const { options = [], prompt = "" } = protocol.questions[question] ?? {};
  const shown = options.map(({ id, label }) => ({ id, label }));
  const event = {
    type: "decision.asked",
    decision: "D-beside",
    question,
    unit: ".",
    prompt,
    options: shown,
    bound: {},
    nonce: "n",
    about: {},
  } as const;
  const now = evolveAll(state, [event], { seq: state.seq + 1, at: "" });
  const decision = now.decisions["D-beside"];
  if (decision === undefined) throw new Error("It was asked");
  return { state: now, decision };
}

function textsOf({ decision }: Met): readonly string[] {
  return decision.options.flatMap((one, at) =>
    one.id === "other" ? [] : [one.word === true ? one.id : String(at + 1)],
  );
}

const TRIES_MAX = 400;

/** Decide, with what the world may answer: everything in order first, then one thing after the other not. */
function decideAny(
  abstract: Abstract,
  state: Workflow,
  envelope: Envelope,
  command: Command,
): Answer {
  const { protocol, choices, guards } = abstract;
  const queue: Readonly<Record<string, Json>>[] = [{ authors: ["eve"] }];
  let last: Answer | undefined;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const evidence = queue.shift();
    if (evidence === undefined) break;
    const answer = decide({ protocol, state, envelope, command, evidence });
    if (answer.kind === "accepted" || answer.kind === "held") return answer;
    last ??= answer.kind === "needs" ? undefined : answer;
    if (answer.kind !== "needs") continue;
    const [key = ""] = answer.facts;
    const values = key.startsWith("card:")
      ? ["card"]
      : guards.has(key)
        ? [true, false]
        : (choices.get(key) ?? [null]);
    queue.unshift(...values.map((value) => ({ ...evidence, [key]: value })));
  }
  return last ?? { kind: "refused", refusals: [] };
}

function envelopeOf(name: string, proof?: Proof): Envelope {
  return {
    id: `e-${name}`,
    at: AT,
    session: "s",
    actor: { kind: "person", name },
    policy: [POLICY],
    head: "h",
    ...(proof === undefined ? {} : { proof }),
  };
}

function signed(protocol: Protocol, state: Workflow, command: Command, by: string): Proof {
  const statement = statementText({
    holdpoint: "release/1",
    protocol: protocol.name,
    workflow: state.id,
    ...askedFor(protocol, state, command),
    card: "card",
    head: "h",
    seq: state.seq,
    nonce: `n-${by}`,
    at: AT,
    expires: "2030-01-01T10:05:00.000Z",
    by,
  });
  return { strength: "signed", statement, signature: "s", key: `SHA256:${by}` };
}

function codesOf(answer: Answer): readonly string[] {
  return answer.kind === "refused" ? answer.refusals.map(({ code }) => code) : [answer.kind];
}

/** Whether two people who choose this option settle the question. */
function settles(abstract: Abstract, { state, decision }: Met, text: string): boolean {
  const { protocol } = abstract;
  const command: Command = { type: "decision.answer", decision: decision.id, text, reason: "why" };
  let now = state;
  // Two of the policy, and as many as the table itself wants for some options.
  for (const by of ["ada", "bob", "ada", "bob"]) {
    const proof = signed(protocol, now, command, by);
    const fresh = {
      ...proof,
      statement: proof.statement.replace(`"n-${by}"`, `"n-${by}-${now.seq}"`),
    };
    const answer = decideAny(abstract, now, envelopeOf(by, fresh), command);
    if (!("events" in answer)) return false;
    now = evolveAll(now, answer.events, { seq: now.seq + 1, at: AT });
    if (now.decisions[decision.id]?.status !== "open") return true;
  }
  return false;
}

describe.each([pluginWorkflow, teamContract, taskProtocol])("$name", (protocol) => {
  const abstract = abstractOf(protocol);
  const met = meetAll(protocol, abstract);
  const names = Object.keys(protocol.questions);

  test("every question is met", () => {
    expect(names.filter((name) => !met.has(name))).toEqual([]);
  });

  test.each(names)("%s: no agent and no bare word answers it, two people with keys do", (name) => {
    const found = met.get(name);
    if (found === undefined) throw new Error(`${name} was never met`);
    const { state, decision } = found;
    const texts = textsOf(found);
    const command: Command = {
      type: "decision.answer",
      decision: decision.id,
      text: texts[0] ?? "",
      reason: "why",
    };
    const agent = { ...envelopeOf("ada"), actor: { kind: "agent", name: "ada" } as const };
    expect(codesOf(decideAny(abstract, state, agent, command))).toEqual(["person-required"]);
    const outs = texts.filter((text) => settles(abstract, found, text));
    expect(outs, `${name} has no way out`).not.toEqual([]);
    const out: Command = {
      type: "decision.answer",
      decision: decision.id,
      text: outs[0] ?? "",
      reason: "why",
    };
    const word = decideAny(abstract, state, envelopeOf("ada"), out);
    expect(codesOf(word)).toEqual(["signature-missing"]);
    const fix = word.kind === "refused" ? word.refusals[0]?.fix : undefined;
    const operation = typeof fix === "object" ? fix.operation : "";
    expect(Object.keys(VERBS)).toContain(operation);
  });
});
