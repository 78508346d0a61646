import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide } from "../decide.ts";
import type { Answer } from "../answer.ts";
import { readStatement, statementText } from "./statement.ts";
import type { Statement } from "./statement.ts";
import type { Command, Envelope, Proof } from "../../state/commands.ts";
import { evolveAll } from "../../state/evolve.ts";
import type { Policy } from "../../state/policy.ts";
import type { Workflow } from "../../state/state.ts";
import { canonicalJson } from "../../values/json.ts";
import type { Json } from "../../values/json.ts";
import { FACTS, inReview, must, planned, toy } from "../../../../test/toy.ts";

const HEAD = "h".repeat(64);
const CARD = "c".repeat(64);
const AT = "2030-01-01T10:00:00.000Z";
const SIGNED: Policy = { strength: "signed", gates: {} };

const yes: Command = { type: "decision.answer", decision: "D-1", text: "1" };

function statementOn(state: Workflow, change: Partial<Statement> = {}): Statement {
  return {
    holdpoint: "release/1",
    protocol: toy.name,
    workflow: "Toy",
    hold: "D-1",
    gate: "approve",
    choice: "yes",
    reason: "",
    card: CARD,
    head: HEAD,
    seq: state.seq,
    nonce: "n-1",
    at: AT,
    expires: "2030-01-01T10:30:00.000Z",
    by: "ada",
    ...change,
  };
}

function signedBy(statement: Statement | string, more: Partial<Proof> = {}): Proof {
  const text = typeof statement === "string" ? statement : statementText(statement);
  return { strength: "signed", statement: text, signature: "s", key: "SHA256:a", ...more };
}

interface Given {
  readonly state: Workflow;
  readonly policy?: Policy;
  readonly proof?: Proof | undefined;
  readonly command?: Command;
  readonly facts?: Readonly<Record<string, Json>>;
  readonly with?: Partial<Envelope>;
}

function put({ state, policy = SIGNED, proof, command = yes, facts, with: also }: Given): Answer {
  const envelope: Envelope = {
    id: "e",
    at: AT,
    session: "s",
    actor: { kind: "person", name: "ada" },
    head: HEAD,
    policy: [policy],
    ...(proof === undefined ? {} : { proof }),
    ...also,
  };
  const evidence = { ...FACTS, "card:D-1": CARD, ...facts };
  const first = decide({ protocol: toy, state, envelope, command, evidence });
  if (first.kind !== "needs") return first;
  const none = Object.fromEntries(first.facts.map((key) => [key, null]));
  return decide({ protocol: toy, state, envelope, command, evidence: { ...none, ...evidence } });
}

function codesOf(answer: Answer): readonly string[] {
  return answer.kind === "refused" ? answer.refusals.map((one) => one.code) : [answer.kind];
}

function after(state: Workflow, answer: Answer): Workflow {
  if (!("events" in answer)) throw new Error(`Not accepted: ${codesOf(answer).join(", ")}`);
  return evolveAll(state, answer.events, { seq: state.seq + 1, at: AT });
}

describe("a person's word", () => {
  const { state } = inReview();

  test("counts as it is given where no policy asks for more", () => {
    const plain: Policy = { gates: {} };
    expect(codesOf(put({ state, policy: plain }))).toEqual(["accepted"]);
  });

  test("is not enough where a signature is asked for, and the remedy signs the same word", () => {
    const answer = put({ state });
    expect(codesOf(answer)).toEqual(["signature-missing"]);
    const fix = answer.kind === "refused" ? answer.refusals[0]?.fix : undefined;
    expect(fix).toMatchObject({
      operation: "answer",
      input: { workflow: "Toy", choice: "1", sign: true },
    });
  });

  test("confirmed at a terminal is less than signed, and signed is more than confirmed", () => {
    const proof = signedBy(statementOn(state));
    expect(codesOf(put({ state, proof: { ...proof, strength: "presence" } }))).toEqual([
      "signature-missing",
    ]);
    const policy: Policy = { strength: "presence", gates: {} };
    expect(codesOf(put({ state, policy }))).toEqual(["presence-missing"]);
    expect(codesOf(put({ state, policy, proof }))).toEqual(["accepted"]);
  });

  test("signed on what was shown is recorded with its text, signature and key", () => {
    const proof = signedBy(statementOn(state));
    const answer = put({ state, proof });
    expect("events" in answer && answer.events.map((one) => one.type)).toEqual(
      expect.arrayContaining(["release.given", "decision.settled"]),
    );
    expect(after(state, answer).given).toMatchObject({ "n-1": { by: "person:ada", card: CARD } });
    expect("used" in answer && answer.used["policy:approve"]).toMatchObject({ strength: "signed" });
  });

  test.each<[string, Partial<Statement>]>([
    ["release-foreign", { workflow: "Other" }],
    ["release-foreign", { protocol: "other" }],
    ["release-foreign", { hold: "D-2" }],
    ["release-foreign", { gate: "go-on" }],
    ["release-foreign", { choice: "no" }],
    ["release-foreign", { reason: "because" }],
    ["release-foreign", { by: "bob" }],
    ["release-stale", { card: "d".repeat(64) }],
    ["release-stale", { head: "g".repeat(64) }],
    ["release-stale", { seq: 99 }],
    ["release-early", { seq: 1 }],
    ["release-predated", { at: "2000-01-01T10:00:00.000Z", expires: "2030-01-01T10:00:01.000Z" }],
    ["release-predated", { at: "2030-01-01T10:03:00.000Z" }],
    ["release-expired", { expires: AT }],
    ["release-expired", { expires: "2030-01-01T10:31:00.000Z" }],
    ["release-unreadable", { expires: "soon" }],
  ])("%s: a release with %j does not count", (code, change) => {
    expect(codesOf(put({ state, proof: signedBy(statementOn(state, change)) }))).toEqual([code]);
  });

  test("any change of any character of a statement makes it another one", () => {
    const text = statementText(statementOn(state));
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.string({ minLength: 0, maxLength: 2 }),
        (at, put_) => {
          const other = text.slice(0, at) + put_ + text.slice(at + 1);
          fc.pre(other !== text);
          const read = readStatement(other);
          expect(read === undefined || statementText(read) === other).toBe(true);
          const codes = codesOf(put({ state, proof: signedBy(other) }));
          // A nonce and a moment within what is allowed bind nothing by themselves: the signature does.
          const free = read !== undefined && { ...read, nonce: "", at: "", expires: "" };
          const same = { ...statementOn(state), nonce: "", at: "", expires: "" };
          if (free !== false && canonicalJson(free) === canonicalJson(same)) return;
          expect(codes[0]).toMatch(/^release-/);
        },
      ),
    );
  });

  test("a card that cannot be read in full is released by nobody", () => {
    const facts = { "card:D-1": { unknown: "a pipe" } };
    expect(codesOf(put({ state, proof: signedBy(statementOn(state)), facts }))).toEqual([
      "card-unreadable",
    ]);
  });

  test("counts once: the same release again is a replay, whatever it is given for", () => {
    const proof = signedBy(statementOn(state));
    const then = after(state, put({ state, proof }));
    expect(codesOf(put({ state: then, proof }))).toEqual(["answer-replayed"]);
  });

  test("of an agent counts for nothing, whatever it carries", () => {
    const actor = { kind: "agent", name: "ada" } as const;
    const proof = signedBy(statementOn(state));
    expect(codesOf(put({ state, proof, with: { actor } }))).toEqual(["person-required"]);
  });

  test("of somebody who is not named, or who made the work, does not count", () => {
    const proof = signedBy(statementOn(state));
    const by: Policy = { ...SIGNED, by: ["bob"] };
    expect(codesOf(put({ state, proof, policy: by }))).toEqual(["approver-not-allowed"]);
    const notAuthor: Policy = { ...SIGNED, notAuthor: true };
    const made = { authors: ["ada"] };
    expect(codesOf(put({ state, proof, policy: notAuthor, facts: made }))).toEqual([
      "approver-is-author",
    ]);
    const unknown = { authors: { unknown: "git" } };
    expect(codesOf(put({ state, proof, policy: notAuthor, facts: unknown }))).toEqual([
      "approver-is-author",
    ]);
    const others = { authors: ["bob"] };
    expect(codesOf(put({ state, proof, policy: notAuthor, facts: others }))).toEqual(["accepted"]);
  });

  test("signed with a file does not count where a device is asked for", () => {
    const proof = signedBy(statementOn(state));
    const policy: Policy = { ...SIGNED, hardware: true };
    expect(codesOf(put({ state, proof, policy }))).toEqual(["key-not-hardware"]);
    const touched = { ...proof, hardware: true };
    expect(codesOf(put({ state, proof: touched, policy }))).toEqual(["accepted"]);
  });
});

describe("several people", () => {
  const policy: Policy = { ...SIGNED, people: 2 };
  const { state } = inReview();
  const bob = { with: { actor: { kind: "person", name: "bob" } as const } };
  const first = after(state, put({ state, policy, proof: signedBy(statementOn(state)) }));

  function second(change: Partial<Statement>, key: string): readonly string[] {
    const statement = statementOn(first, { nonce: "n-2", by: "bob", ...change });
    const given = { state: first, policy, proof: signedBy(statement, { key }) };
    const answer = put(statement.by === "bob" ? { ...given, ...bob } : given);
    if (!("events" in answer)) return codesOf(answer);
    return [after(first, answer).decisions["D-1"]?.status ?? ""];
  }

  test("the first word waits, the second of somebody else settles it", () => {
    expect(first.decisions["D-1"]?.status).toBe("open");
    expect(second({}, "SHA256:b")).toEqual(["answered"]);
  });

  test("the same person twice is one, and so is one key under two names", () => {
    expect(second({ by: "ada" }, "SHA256:b")).toEqual(["open"]);
    expect(second({}, "SHA256:a")).toEqual(["open"]);
  });

  test("who has said no since does not count beside the others, until they say yes again", () => {
    const as = (of: Workflow, by: string, choice: string, nonce: string): Workflow => {
      const reason = choice === "no" ? "not yet" : "";
      const statement = statementOn(of, { by, choice, nonce, reason });
      const answer = put({
        state: of,
        policy,
        command: { ...yes, text: choice, reason },
        proof: signedBy(statement, { key: `SHA256:${by}` }),
        with: { actor: { kind: "person", name: by } },
      });
      return after(of, answer);
    };
    const no = as(as(state, "ada", "yes", "n-1"), "ada", "no", "n-2");
    const bobs = as(no, "bob", "yes", "n-3");
    expect(bobs.decisions["D-1"]?.status).toBe("open");
    expect(as(bobs, "ada", "yes", "n-4").decisions["D-1"]?.settled?.option).toBe("yes");
  });

  test("one person with two addresses and two keys is one", () => {
    const both = { key: "SHA256:b", names: ["bob", "ada"] };
    const proof = signedBy(statementOn(first, { nonce: "n-2", by: "bob" }), both);
    const answer = put({ state: first, policy, proof, ...bob });
    expect(after(first, answer).decisions["D-1"]?.status).toBe("open");
  });

  test("who saw something else, or long ago, does not count beside the others", () => {
    for (const change of [{ card: "d" }, { expires: "2029" }]) {
      const given = { "n-1": { ...must(first.given, "n-1"), ...change } };
      const before = { ...first, given };
      const proof = signedBy(statementOn(before, { nonce: "n-2", by: "bob" }), { key: "SHA256:b" });
      const answer = put({ state: before, policy, proof, ...bob });
      expect(after(before, answer).decisions["D-1"]?.status).toBe("open");
    }
  });

  test("holds for what is no question, too", () => {
    const waive: Command = { type: "gate.waive", unit: ".", gate: "tests", reason: "none yet" };
    const word: Policy = { people: 2, gates: {} };
    const one = after(state, put({ state, policy: word, command: waive }));
    expect(Object.keys(one.findings)).not.toContain(". waiver:tests person:ada");
    const again = after(one, put({ state: one, policy: word, command: waive, with: { id: "f" } }));
    expect(again.notes.filter(({ list }) => list === "waivers")).toEqual([]);
    const two = put({ state: one, policy: word, command: waive, with: { id: "g", ...bob.with } });
    expect(after(one, two).notes.filter(({ list }) => list === "waivers")).toHaveLength(1);
  });
});

describe("gates", () => {
  test.each<[string, Command]>([
    ["waive", { type: "gate.waive", unit: ".", gate: "tests", reason: "none" }],
    ["lease", { type: "lease.break", reason: "gone" }],
    ["reseal", { type: "artifact.reseal", artifacts: ["plan.md"], reason: "meant" }],
    ["set", { type: "vars.set", name: "fast", value: true }],
  ])("%s is one, and a rule may be for it alone", (gate, command) => {
    const { state: now } = planned();
    const state = { ...now, lease: { session: "s", holder: "x", fence: 1, takenAt: AT } };
    const only: Policy = { gates: { [`*/${gate}`]: { strength: "signed" } } };
    expect(codesOf(put({ state, policy: only, command }))).toContain("signature-missing");
    const others: Policy = { ...SIGNED, gates: { [`${toy.name}/${gate}`]: { strength: "word" } } };
    expect(codesOf(put({ state, policy: others, command }))).not.toContain("signature-missing");
  });

  test("what was allowed in advance answers no question that asks for more than a word", () => {
    const granted = planned().when({ type: "vars.set", name: "fast", value: true }).state;
    const hurry: Command = { type: "unit.move", unit: ".", move: "hurry" };
    const asked = (policy: Policy): readonly (string | undefined)[] =>
      Object.values(after(granted, put({ state: granted, policy, command: hurry })).decisions).map(
        (one) => one.settled?.by,
      );
    expect(asked({ gates: {} })).toEqual(["grant:fast"]);
    expect(asked({ gates: { "*/go-on": { strength: "presence" } } })).toEqual([undefined]);
  });
});
