/** A person's word by itself: what the policy asks for, what a proof says, whose word it is, how many say the same. */
import { describe, expect, test } from "vitest";
import { scopeFor } from "../../../../test/scope.ts";
import { beginDraft, emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { isForPeople, isReleased, noteAgreed, ruleIn } from "./release.ts";
import { statementText } from "./statement.ts";
import type { Statement } from "./statement.ts";
import type { Envelope, Proof } from "../../state/commands.ts";
import type { Agreed, Basis, Policy } from "../../state/policy.ts";
import type { Given, Workflow } from "../../state/state.ts";
import type { Protocol } from "../../table/protocol.ts";
import type { Json } from "../../values/json.ts";

const AT = "2030-01-01T10:00:00.000Z";
const LATER = "2030-01-01T10:30:00.000Z";
const SIGNED: Policy = { strength: "signed", gates: {} };

const STATEMENT: Statement = {
  holdpoint: "release/1",
  protocol: "press",
  workflow: "w",
  hold: "D-1",
  gate: "publish",
  choice: "1",
  reason: "",
  card: "card",
  head: "head",
  seq: 0,
  nonce: "nonce",
  at: AT,
  expires: LATER,
  by: "ada",
};

interface Case {
  readonly says?: Partial<Statement>;
  readonly proof?: Partial<Proof>;
  readonly policy?: Policy;
  readonly evidence?: Readonly<Record<string, Json>>;
  readonly asked?: { readonly askedSeq?: number; readonly askedAt?: string };
  readonly envelope?: Partial<Envelope>;
  readonly given?: readonly Partial<Given>[];
  readonly workflow?: Partial<Workflow>;
}

function drafted({
  says,
  proof,
  policy = SIGNED,
  evidence,
  asked,
  envelope,
  given = [],
  workflow,
}: Case): Draft {
  const { workflow: state } = scopeFor({
    decisions: { "D-1": { question: "publish", options: [], askedSeq: 0, askedAt: "", ...asked } },
  });
  const all = given.map((one, at) => [`g-${String(at)}`, { ...GIVEN, ...one }]);
  const whole: Proof = {
    strength: "signed",
    statement: statementText({ ...STATEMENT, ...says } as Statement),
    signature: "s",
    key: "k",
    ...proof,
  };
  return beginDraft({
    protocol: { name: "press", questions: {} } as unknown as Protocol,
    state: { ...state, given: Object.fromEntries(all) as never, ...workflow },
    envelope: {
      id: "id-1",
      at: AT,
      session: "s",
      actor: { kind: "person", name: "ada" },
      head: "head",
      policy: [policy],
      proof: whole,
      ...envelope,
    },
    command: { type: "decision.answer", decision: "D-1", text: "1" },
    evidence: { "card:D-1": "card", authors: ["ben"], ...evidence },
  });
}

const GIVEN: Given = {
  gate: "publish",
  hold: "D-1",
  choice: "1",
  strength: "signed",
  by: "person:ben",
  card: "card",
  expires: LATER,
  key: "k2",
  seq: 0,
};

/** What speaks against it; `waits` where more people are needed. */
function told(one: Case): string {
  const draft = drafted(one);
  const counts = isReleased(draft);
  const [refusal] = draft.refusals;
  if (refusal !== undefined) return `${refusal.code}: ${refusal.message}`;
  if (draft.needs.size > 0) return `needs ${[...draft.needs].join()}`;
  return counts ? "counts" : "waits";
}

describe("a word", () => {
  const none: Partial<Envelope> = { proof: undefined as never };
  const time = (minutes: number, ms = 0): string =>
    new Date(Date.parse(AT) + minutes * 60_000 + ms).toISOString();
  const early = (at: string, asked = ""): string =>
    `release-predated: This release says it is of ${at}; it is ${AT} now${asked}`;
  const over = (until: string, minutes = 30): string =>
    `release-expired: This release counted until ${until}, and for ${minutes} minutes at most`;
  const foreign = (name: string, said: string, wanted: string): string =>
    `release-foreign: This release is for ${name} "${said}", and not for "${wanted}"`;
  test.each<[string, string, Case]>([
    ["signed", "counts", {}],
    ["presumed", "counts", { envelope: { ...none, presumed: true } }],
    ["without policy and proof", "counts", { envelope: { ...none, policy: undefined as never } }],
    [
      "without a policy, and a false proof",
      foreign("gate", "x", "publish"),
      { says: { gate: "x" }, envelope: { policy: undefined as never } },
    ],
    [
      "alone",
      'signature-missing: The policy asks for a signature at "publish"; the word of ada alone is not enough',
      { envelope: none },
    ],
    [
      "alone where presence is asked for",
      'presence-missing: The policy asks for somebody at a terminal at "publish", who confirms what is shown there',
      { envelope: none, policy: { strength: "presence", gates: {} } },
    ],
    ["in a device", "counts", { policy: { ...SIGNED, hardware: true }, proof: { hardware: true } }],
    [
      "in a file",
      'key-not-hardware: "publish" asks for a key that is kept in a device; this one is a file that a program can read, or its device was not touched',
      { policy: { ...SIGNED, hardware: true } },
    ],
    [
      "in a file where presence is enough",
      "counts",
      { policy: { strength: "presence", hardware: true, gates: {} } },
    ],
    [
      "unreadable",
      "release-unreadable: What was signed is no statement of a release",
      { proof: { statement: "{}" } },
    ],
    ["for another protocol", foreign("protocol", "x", "press"), { says: { protocol: "x" } }],
    ["for another workflow", foreign("workflow", "x", "w"), { says: { workflow: "x" } }],
    ["for another hold", foreign("hold", "x", "D-1"), { says: { hold: "x" } }],
    ["for another choice", foreign("choice", "2", "1"), { says: { choice: "2" } }],
    ["for another reason", foreign("reason", "x", ""), { says: { reason: "x" } }],
    ["of another", foreign("by", "ben", "ada"), { says: { by: "ben" } }],
    [
      "before it was asked",
      "release-early: D-1 was not asked yet when this was given",
      { asked: { askedSeq: 1 } },
    ],
    [
      "of no time",
      "release-unreadable: The release does not say when it was given",
      { says: { at: "then" } },
    ],
    [
      "until no time",
      "release-unreadable: The release does not say when it was given",
      { says: { expires: "then" } },
    ],
    ["two minutes ahead", "counts", { says: { at: time(2) } }],
    ["more than two minutes ahead", early(time(2, 1)), { says: { at: time(2, 1) } }],
    [
      "before the question",
      early(time(-5), `, and D-1 was asked at ${time(-1)}`),
      { says: { at: time(-5), expires: time(1) }, asked: { askedAt: time(-1) } },
    ],
    ["at the very moment of the question", "counts", { asked: { askedAt: AT } }],
    [
      "before a question of now",
      early(time(-5), `, and D-1 was asked at ${AT}`),
      { says: { at: time(-5), expires: time(1) }, asked: { askedAt: AT } },
    ],
    ["before a question of tomorrow", "counts", { asked: { askedAt: time(1440) } }],
    ["that is over", over(AT), { says: { at: time(-5), expires: AT } }],
    ["that holds too long", over(time(31)), { says: { expires: time(31) } }],
    ["that holds longer than here", over(LATER, 10), { policy: { ...SIGNED, minutes: 10 } }],
    [
      "on another record",
      "release-stale: w has gone on since record 1, which this release was given on",
      { says: { seq: 1 } },
    ],
    [
      "on another head",
      "release-stale: w has gone on since record 0, which this release was given on",
      { says: { head: "x" } },
    ],
    [
      "before the card is known",
      "needs card:D-1",
      { evidence: { "card:D-1": undefined as never } },
    ],
    [
      "on another card",
      "release-stale: What was shown has changed since it was released",
      { evidence: { "card:D-1": "x" } },
    ],
    [
      "on no card",
      "card-unreadable: What is to be released cannot be read in full: odd",
      { evidence: { "card:D-1": { unknown: "odd" } } },
    ],
    ["of one who is named", "counts", { policy: { ...SIGNED, by: ["ben", "ada"] } }],
    [
      "of none who are named",
      "approver-not-allowed: ada is none of those whose word counts here: ben, cy",
      { policy: { ...SIGNED, by: ["ben", "cy"] } },
    ],
    [
      "where nobody is",
      "approver-not-allowed: ada is none of those whose word counts here: nobody",
      { policy: { ...SIGNED, by: [] } },
    ],
    ["of who did not make it", "counts", { policy: { ...SIGNED, notAuthor: true } }],
    ["of who made it, where that may be", "counts", { evidence: { authors: ["ada"] } }],
    [
      "of who made it",
      "approver-is-author: ada made some of this work, and whoever did so does not release it",
      { policy: { ...SIGNED, notAuthor: true }, evidence: { authors: ["ada"] } },
    ],
    [
      "where nobody knows who made it",
      "approver-is-author: Nobody can tell whose work it is: odd",
      { policy: { ...SIGNED, notAuthor: true }, evidence: { authors: { unknown: "odd" } } },
    ],
    [
      "before the authors are known",
      "needs authors",
      { policy: { ...SIGNED, notAuthor: true }, evidence: { authors: undefined as never } },
    ],
  ])("%s: %s", (_, answer, one) => {
    expect(told(one)).toBe(answer);
  });

  test("of one command is one, wherever it is asked for", () => {
    const draft = drafted({});
    expect(isReleased(draft)).toBe(true);
    expect(draft.events).toHaveLength(1);
    expect(isReleased(draft)).toBe(true);
    expect(draft.events).toHaveLength(1);
    const noted = drafted({ says: { gate: "x" } });
    emit(noted, { type: "note.added", list: "l", tag: "", text: "" });
    expect(isReleased(noted)).toBe(false);
  });

  test("is recorded with its proof, or as it was given", () => {
    const signed = drafted({});
    isReleased(signed);
    const proof = {
      strength: "signed",
      statement: statementText(STATEMENT),
      signature: "s",
      key: "k",
    };
    expect(signed.events).toEqual([
      {
        type: "release.given",
        nonce: "nonce",
        gate: "publish",
        hold: "D-1",
        choice: "1",
        strength: "signed",
        by: "person:ada",
        card: "card",
        expires: LATER,
        key: "k",
        proof,
      },
    ]);
    const device = drafted({ proof: { hardware: true } });
    isReleased(device);
    expect(device.events).toMatchObject([{ proof: { ...proof, hardware: true } }]);
    const present = { strength: "presence", statement: statementText(STATEMENT) } as const;
    const confirmed = drafted({
      policy: { strength: "presence", gates: {} },
      envelope: { proof: present },
    });
    isReleased(confirmed);
    expect(confirmed.events).toMatchObject([{ strength: "presence" }]);
    expect(confirmed.events[0]).toHaveProperty("proof", present);
    const none: Partial<Envelope> = { proof: undefined as never };
    const plain = drafted({ policy: { gates: {} }, envelope: none });
    expect(isReleased(plain)).toBe(true);
    expect(plain.events).toEqual([]);
    const alone = drafted({ policy: { people: 2, gates: {} }, envelope: none });
    expect(isReleased(alone)).toBe(false);
    expect(alone.events).toMatchObject([
      { strength: "word", card: "", expires: "9999", nonce: "id-1" },
    ]);
    expect(alone.events[0]).not.toHaveProperty("proof");
  });
});

describe("several people", () => {
  const two: Policy = { ...SIGNED, people: 2 };
  test.each<[string, string, Case]>([
    ["one", "waits", {}],
    ["two", "counts", { given: [{}] }],
    ["the same one again", "waits", { given: [{ by: "person:ada" }] }],
    ["another with the same key", "waits", { given: [{ key: "k" }] }],
    ["one at another gate", "waits", { given: [{ gate: "x" }] }],
    ["one at another hold", "waits", { given: [{ hold: "x" }] }],
    ["one who chose otherwise", "waits", { given: [{ choice: "2" }] }],
    ["one who saw something else", "waits", { given: [{ card: "x" }] }],
    ["one whose word is over", "waits", { given: [{ expires: AT }] }],
    [
      "three with one key between two",
      "waits",
      { policy: { ...SIGNED, people: 3 }, given: [{}, { by: "person:cy" }] },
    ],
    [
      "three with two keys of one",
      "waits",
      { policy: { ...SIGNED, people: 3 }, given: [{}, { key: "k3" }] },
    ],
    [
      "three",
      "counts",
      { policy: { ...SIGNED, people: 3 }, given: [{}, { by: "person:cy", key: "k3" }] },
    ],
  ])("%s: it %s", (_, answer, one) => {
    expect(told({ policy: two, ...one })).toBe(answer);
  });

  test("without keys are told apart by their names", () => {
    const policy: Policy = { people: 3, gates: {} };
    const plain = { key: undefined as never, card: "", strength: "word" as const };
    const given = [{ ...plain }, { ...plain, by: "person:cy" }];
    const envelope: Partial<Envelope> = { proof: undefined as never };
    expect(told({ policy, given, envelope })).toBe("counts");
    expect(told({ policy, given: given.slice(1), envelope })).toBe("waits");
  });

  test("are waited for, and it is said of how many; where nothing can wait it is refused", () => {
    const draft = drafted({ policy: two });
    isReleased(draft);
    expect(draft.notes).toEqual([
      {
        code: "people-missing",
        message: '1 of 2 different people have said "1"; it waits for the others',
        rule: "core",
      },
    ]);
    expect(told({ policy: two, workflow: { units: {} } })).toMatch(
      /^people-missing: The policy asks for 2 people/,
    );
  });
});

describe("what is agreed on", () => {
  const basis = (signers: string): Basis => ({
    from: "main",
    policy: { gates: {} },
    protected: [],
    signers,
    revoked: "",
  });
  const agreed = (seq: number, hash = "h", signers = ""): Agreed => ({
    seq,
    hash,
    basis: basis(signers),
  });
  const noted = (
    last: Agreed | null,
    now: Agreed | undefined,
    refused = false,
    empty = false,
  ): number => {
    const draft = drafted({
      envelope: { agreed: now as never },
      workflow: { agreed: last as never },
    });
    if (!empty) emit(draft, { type: "note.added", list: "l", tag: "", text: "" });
    if (refused) draft.refusals.push({ code: "no", message: "", fix: "", rule: "core" });
    const before = draft.events.length;
    noteAgreed(draft);
    return draft.events.length - before;
  };

  test("is noted with a step where it is new", () => {
    expect(noted(null, agreed(1))).toBe(1);
    expect(noted(null, undefined)).toBe(0);
    expect(noted(null, agreed(1), true)).toBe(0);
    expect(noted(null, agreed(1), false, true)).toBe(0);
    expect(noted(agreed(1), agreed(1))).toBe(0);
    expect(noted(agreed(1), agreed(2))).toBe(0);
    expect(noted(agreed(1), agreed(2, "h", "ada"))).toBe(1);
    expect(noted(agreed(2), agreed(1))).toBe(1);
    expect(noted(agreed(1), agreed(1, "other"))).toBe(1);
    expect(noted(agreed(1), agreed(2, "other"))).toBe(0);
  });

  test("is used where it decides, and only people are asked to prove anything", () => {
    const draft = drafted({});
    expect(ruleIn(draft, "publish")).toMatchObject({ strength: "signed" });
    expect(draft.used).toMatchObject({ "policy:publish": { strength: "signed" } });
    const none = drafted({ envelope: { policy: undefined as never } });
    expect(ruleIn(none, "publish")).toMatchObject({ strength: "word" });
    expect(none.used).toEqual({});
    for (const by of [undefined, [], ["agent"], ["person", "agent"]])
      expect(isForPeople(by)).toBe(false);
    expect(isForPeople(["person"])).toBe(true);
  });
});
