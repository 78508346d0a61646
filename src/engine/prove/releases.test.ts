/** Words of people in a journal, held against what the repository had agreed on when they were given. */
import { describe, expect, test } from "vitest";
import { around, agree, oid, release, SIGNATURES } from "../../../test/fenced.ts";
import { pressAt } from "../../../test/press.ts";
import { emptyWorkflow } from "../../core/state/evolve.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import type { Parts } from "../parts.ts";
import type { Found } from "./found.ts";
import type { Proof } from "./prove.ts";
import { judgeReleases } from "./releases.ts";

const REPOSITORY = "repository:repository";
const at = (hour: number): string => `2026-03-01T${String(hour).padStart(2, "0")}:00:00.000Z`;

function record(seq: number, more: JsonObject, when = at(10 + seq)): JournalRecord {
  const body = { command: "c", actor: "person:ada", session: "s", used: {}, ...more };
  return { id: String(seq), seq, at: when, prev: `h${seq - 1}`, hash: `h${seq}`, body };
}

/** The repository agrees: that so much is signed, by whose keys, with the heads of journals as they stood. */
function agrees(
  seq: number,
  {
    heads,
    signers = "ada key-ada\n",
    hour = seq,
    ...gates
  }: {
    readonly heads?: Json;
    readonly signers?: string;
    readonly hour?: number;
    readonly publish?: string;
    readonly people?: number;
  } = {},
): JournalRecord {
  const { publish = "signed", people = 1 } = gates;
  const policy = {
    gates: Object.fromEntries(NEEDS.map((gate) => [`*/${gate}`, { strength: publish, people }])),
  };
  const accepted = { from: "main", policy, protected: [], signers, revoked: "" };
  const vars = { accepted, ...(heads === undefined ? {} : { heads }) };
  return record(seq, { events: [{ type: "vars.changed", vars }] }, at(hour));
}

const NEEDS = ["publish", "waive", "attest", "accept"];

const given = (more: JsonObject = {}, says: JsonObject = {}): JsonObject => {
  const { statement, signature } = release({ says: { head: "h4", ...says } });
  return {
    type: "release.given",
    nonce: "n",
    gate: "publish",
    hold: "D-1",
    choice: "yes",
    strength: "signed",
    by: "person:ada",
    card: "",
    expires: "",
    key: signature.split(" over ")[0] ?? "",
    proof: { strength: "signed", statement, signature },
    ...more,
  };
};

interface Case {
  readonly stream?: string;
  readonly agreed?: readonly JournalRecord[];
  readonly word?: JournalRecord;
  /** What people have said before it. */
  readonly said?: JsonObject;
  readonly latest?: string;
  readonly hashes?: readonly string[];
  readonly parts?: (parts: Parts) => Partial<Parts>;
}

const BEFORE = {
  ...emptyWorkflow("x"),
  decisions: { "D-1": { id: "D-1", question: "publish" } },
} as unknown as Workflow;

async function judged(one: Case): Promise<Found> {
  const { parts } = pressAt({
    parts: (all) => ({ signatures: { ...all.signatures, ...SIGNATURES }, ...one.parts?.(all) }),
  });
  const { journal } = parts;
  const read: typeof journal.read = async (stream) =>
    stream === REPOSITORY ? (one.agreed ?? []) : [];
  const found: Found = { bad: [], doubts: [], signatures: 0, commits: 0 };
  const { word, latest = "", hashes = ["h1", "h2", "h3", "h4", "h5"] } = one;
  const before = { ...BEFORE, given: { ...one.said } } as unknown as Workflow;
  const words = word === undefined ? [] : [{ record: word, before, latest }];
  const proof = { words, seen: { hashes, runs: new Set() } } as unknown as Proof;
  await judgeReleases(
    { ...parts, journal: { ...journal, read } },
    { stream: one.stream ?? "press:x", proof },
    found,
  );
  return found;
}

const told = async (one: Case): Promise<readonly string[]> =>
  (await judged(one)).bad.map(({ seq, code, message }) => `${seq} ${code}: ${message}`);

const settled = (by = "person:ada", decision = "D-1"): JsonObject => ({
  type: "decision.settled",
  decision,
  status: "answered",
  option: "yes",
  text: "yes",
  by,
});

describe("a word of a person", () => {
  const missing = (gate: string): readonly string[] => [
    `5 signature-missing: person:ada released "${gate}" without the signature that the policy asks for`,
  ];
  const found = {
    type: "finding.recorded",
    unit: ".",
    kind: "k",
    by: "person:ada",
    value: true,
    bound: {},
  };
  const noted = { type: "note.added", list: "waivers", tag: "", text: "" };
  const changed = {
    type: "definition.changed",
    protocol: { name: "press", version: 1, digest: "" },
    by: "person:ada",
    reason: "",
  };
  test.each<[string, JsonObject, readonly string[]]>([
    ["at a question", settled(), missing("publish")],
    ["of one of several", { ...settled(), type: "decision.joined" }, missing("publish")],
    ["that another has said", settled("person:ben"), []],
    ["at a question that nobody knows", settled("person:ada", "D-9"), []],
    ["that waives", noted, missing("waive")],
    ["that only notes", { ...noted, list: "timeline" }, []],
    ["that attests", found, missing("attest")],
    ["that somebody else found", { ...found, by: "engine:e" }, []],
    ["that accepts a definition", changed, missing("accept")],
    ["that only warns", { type: "warned", about: "", text: "" }, []],
  ])("%s needs what was agreed on", async (_, event, bad) => {
    const word = record(5, { events: [event] });
    expect(await told({ agreed: [agrees(1)], word })).toEqual(bad);
  });

  const word = record(5, { events: [settled()] });
  test.each<[string, Case, boolean]>([
    ["before anything was", { agreed: [], word }, true],
    ["by the policy of then", { agreed: [agrees(1), agrees(2, { publish: "word" })], word }, true],
    [
      "by no later one",
      { agreed: [agrees(1, { publish: "word" }), agrees(2, { hour: 16 })], word },
      true,
    ],
    [
      "by an earlier one",
      { agreed: [agrees(1), agrees(2, { publish: "word", hour: 16 })], word },
      false,
    ],
    [
      "in a line that was dated back",
      { agreed: [agrees(1, { hour: 16, heads: { "press:x": "4 h4" } })], word },
      false,
    ],
    [
      "in a line that was there then",
      { agreed: [agrees(1, { hour: 16, heads: { "press:x": "5 h5" } })], word },
      true,
    ],
    [
      "in a journal that was not there then",
      { agreed: [agrees(1, { hour: 16, heads: {} })], word },
      false,
    ],
    [
      "of an agent",
      {
        agreed: [agrees(1)],
        word: record(5, { actor: "agent:bot", events: [settled("agent:bot")] }),
      },
      true,
    ],
    ["where presence is enough", { agreed: [agrees(1, { publish: "presence" })], word }, true],
    [
      "in the repository's own journal after it",
      { agreed: [agrees(1, { hour: 23 })], stream: REPOSITORY, word },
      false,
    ],
    [
      "in the repository's own journal before it",
      { agreed: [agrees(5)], stream: REPOSITORY, word },
      true,
    ],
  ])("is judged %s", async (_, one, fine) => {
    expect(await told(one)).toEqual(fine ? [] : missing("publish"));
  });
});

describe("a signature", () => {
  const signed = (more: JsonObject = {}, says: JsonObject = {}): JournalRecord =>
    record(5, { events: [settled(), given(more, says)] });

  test("that holds is counted, and one of presence is none", async () => {
    expect(await judged({ agreed: [agrees(1)], word: signed() })).toMatchObject({
      bad: [],
      signatures: 1,
    });
    const present = await judged({ agreed: [agrees(1)], word: signed({ strength: "presence" }) });
    expect(present).toMatchObject({ bad: [{ code: "signature-missing" }], signatures: 0 });
  });

  test.each<[string, JournalRecord, string]>([
    [
      "no proof",
      signed({ proof: undefined as never }),
      'person:ada released "publish" with no statement that can be read',
    ],
    [
      "another spelling",
      signed({ proof: { strength: "signed", statement: "{ }", signature: "s" } }),
      'person:ada released "publish" with no statement that can be read',
    ],
    [
      "no signature",
      signed({ proof: { strength: "signed", statement: release().statement } }),
      'person:ada released "publish" with no statement that can be read',
    ],
    [
      "another place",
      signed({}, { head: "h3" }),
      'person:ada signed "publish" on record h3, and it stands behind h4',
    ],
    [
      "another key",
      signed({}, { by: "ben" }),
      'the signature of ben at "publish" does not hold: that key does not count',
    ],
  ])("with %s does not hold", async (_, word, message) => {
    expect(await told({ agreed: [agrees(1)], word })).toEqual([`5 signature-bad: ${message}`]);
  });

  test.each<[string, boolean, JsonObject]>([
    ["another has said the same", true, {}],
    ["it is of the same key", false, { key: "key-ada" }],
    ["its key counts under this name too", false, { names: ["be*", "ada"] }],
    ["he has said no since", false, { later: "no" }],
  ])("of one of two people counts where %s: %s", async (_, fine, { later = "", ...more }) => {
    const ben = given({ by: "person:ben", key: "key-ben", names: ["ben"], seq: 2, ...more });
    const since = later === "" ? {} : { b: { ...ben, choice: later, seq: 3 } };
    const one = { agreed: [agrees(1, { people: 2 })], word: signed() };
    expect(await told({ ...one, said: { a: ben, ...since } })).toEqual(
      fine ? [] : ['5 signature-missing: 1 of 2 people have signed "publish"'],
    );
  });

  test("is judged by the keys of then, and without any by those that are in force", async () => {
    const other = { signers: "ben key-ben\n" };
    const later = agrees(2, { ...other, hour: 16 });
    expect(await told({ agreed: [agrees(1), later], word: signed() })).toEqual([]);
    expect(await told({ agreed: [agrees(1, other)], word: signed() })).toHaveLength(1);
    const git = around();
    agree(git, "tip", { policy: {} }, ["ada key-ada"]);
    const parts: Case["parts"] = (all) => ({
      place: { kind: "repository", top: "/desk", commonDir: "/desk/.git" },
      git: {
        ...all.git,
        branch: async () => undefined,
        resolve: async () => oid("tip"),
        committed: async (commit, path) => Buffer.from(git.files.get(`${commit}:${path}`) ?? ""),
      },
    });
    expect(await told({ word: signed(), parts })).toEqual([]);
    expect(await told({ word: signed() })).toHaveLength(1);
  });

  test("is of no earlier day than what was there before it", async () => {
    const asked: string[] = [];
    const parts: Case["parts"] = (all) => ({
      signatures: {
        ...all.signatures,
        verify: async (one) => (asked.push(one.at), await SIGNATURES.verify(one)),
      },
    });
    const word = signed();
    await judged({ agreed: [agrees(1)], word, parts });
    await judged({ agreed: [agrees(1)], word, parts, latest: at(20) });
    await judged({ agreed: [agrees(1, { hour: 18, heads: {} })], word, parts });
    expect(asked).toEqual([word.at, at(20), at(18)]);
  });
});

describe("a journal", () => {
  const rewritten = (seq: number): readonly string[] => [
    `${seq} journal-rewritten: the repository has seen another record when it agreed on a policy`,
  ];
  test.each<[string, readonly JournalRecord[], readonly string[]]>([
    ["as it was seen", [agrees(1, { heads: { "press:x": "3 h3" } })], []],
    ["that was never seen", [agrees(1, { heads: { "press:y": "3 odd" } })], []],
    ["whose heads nobody kept", [agrees(1)], []],
    ["that is shorter now", [agrees(1, { heads: { "press:x": "9 h9" } })], []],
    ["that is another one now", [agrees(1, { heads: { "press:x": "3 odd" } })], rewritten(3)],
    [
      "that became another one later",
      [
        agrees(1, { heads: { "press:x": "2 h2" } }),
        agrees(2, { publish: "word", heads: { "press:x": "4 odd" } }),
      ],
      rewritten(4),
    ],
    [
      "that is named once",
      [
        agrees(1, { heads: { "press:x": "2 odd" } }),
        agrees(2, { publish: "word", heads: { "press:x": "4 odd" } }),
      ],
      rewritten(2),
    ],
    [
      "that was seen when nothing new was agreed on",
      [agrees(1), agrees(2, { heads: { "press:x": "3 odd" } })],
      [],
    ],
    [
      "while no policy was agreed on",
      [record(1, { events: [{ type: "vars.changed", vars: { heads: { "press:x": "3 odd" } } }] })],
      [],
    ],
  ])("%s", async (_, agreed, bad) => {
    expect(await told({ agreed })).toEqual(bad);
  });
});
