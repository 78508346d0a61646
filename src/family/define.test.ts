import { describe, expect, test } from "vitest";
import type { Protocol } from "../core/table/protocol.ts";
import { emptyWorkflow } from "../core/state/evolve.ts";
import type { Dispatch, Workflow } from "../core/state/state.ts";
import type { Capabilities } from "../ports/family.ts";
import { defineFamily, familyMistakes } from "./define.ts";
import { checkSafeName } from "./names.ts";

const toy: Protocol = {
  name: "toy",
  version: 1,
  title: "Toy",
  root: "root",
  kinds: {
    root: {
      states: ["open", "done"],
      start: "open",
      ends: ["done"],
      moves: [
        {
          id: "finish",
          from: ["open"],
          to: "done",
          rule: "toy",
          effects: [
            { kind: "commit", args: {} },
            { kind: "comit", args: {} },
          ],
        },
      ],
    },
  },
  questions: {},
  work: {
    write: {
      role: "writer",
      unit: "root",
      in: ["open"],
      outcomes: { done: [], stuck: [] },
      rule: "toy",
    },
  },
  guards: {},
  vars: {},
  effects: ["comit"],
  looks: ["digest", "diggest"],
  lease: "dispatch",
};

const dispatch: Dispatch = {
  id: "W-1",
  spec: "write",
  role: "writer",
  unit: ".",
  status: "open",
  outcome: null,
  claim: null,
  notes: [],
  session: "s",
  sentAt: "2026-01-01T00:00:00.000Z",
  sentSeq: 2,
  endedAt: null,
  baseline: {},
};

/** Members that an author cannot leave out. */
type Mandatory<T> = { [K in keyof T]-?: object extends Pick<T, K> ? never : K }[keyof T];

describe("a family", () => {
  test("is a protocol and nothing else, whatever else may be said", () => {
    // The compiler refuses this line as soon as a capability, or a member of one, must be given.
    const mandatory: [
      Mandatory<Capabilities>,
      Mandatory<NonNullable<Capabilities[keyof Omit<Capabilities, "views" | "choice">]>>,
    ] extends [never, never]
      ? 0
      : never = 0;
    expect(mandatory).toBe(0);
    const { looks: _, effects: __, ...plain } = toy;
    const family = defineFamily({ ...plain, looks: [] });
    const members = Object.values(family).flatMap((one: object) =>
      typeof one === "function" ? [one] : Object.values(one),
    );
    expect(members).not.toContain(undefined);
  });

  test("that lacks what its table asks for is refused with every mistake named", () => {
    expect(familyMistakes(toy, {})).toEqual([
      'no adapter performs the effect "comit"',
      'nothing looks up "diggest"',
    ]);
    expect(() => defineFamily(toy)).toThrow('"comit"; nothing looks up "diggest"');
    const family = defineFamily(toy, {
      effects: { comit: { perform: async () => ({ kind: "done", detail: {}, warnings: [] }) } },
      looks: { diggest: async () => null },
    });
    expect(family.names.standing).toBeNull();
  });
});

describe("a plain report", () => {
  const whole = defineFamily({ ...toy, looks: [], effects: [] });
  const read = (text: string): ReturnType<typeof whole.work.read> =>
    whole.work.read(text, dispatch, undefined as never);

  test("is one object, with or without a fence", () => {
    const claim = { agent: "writer", outcome: "done", files: ["a"], summary: "s" };
    const text = '{"outcome":"done","files":["a"],"summary":"s"}';
    expect(read(text)).toEqual({ kind: "report", claim, warnings: [] });
    expect(read(`\`\`\`json\n${text}\n\`\`\`\n`)).toEqual({ kind: "report", claim, warnings: [] });
  });

  test("has every mistake named at once", () => {
    const told = read('{"outcome":"perfect","files":"a","summary":3,"sumary":""}');
    const refusals = told.kind === "refused" ? told.refusals : [];
    expect(refusals.map((one) => one.message)).toEqual([
      'The report\'s "outcome" is "perfect"',
      'The report\'s "files" is not a list of paths',
      'The report\'s "summary" is not a text',
      'The report\'s "sumary" is not known',
    ]);
    expect(refusals[0]?.fix).toBe("Use one of done, stuck.");
  });

  test("that is prose, a list or cut off is told what is wanted", () => {
    for (const text of ["I am done!", "[]", '{"outcome":"do', ""])
      expect(read(text)).toMatchObject({ refusals: [{ code: "report-unreadable" }] });
  });
});

describe("an order", () => {
  const { looks: _, effects: __, ...rest } = toy;
  const asked: Protocol = {
    ...rest,
    looks: [],
    vars: { tone: "plain" },
    work: {
      write: {
        role: "writer",
        unit: "root",
        in: ["open"],
        order: "Write about {id} in a {tone} tone.",
        makes: ["docs/**"],
        outcomes: { done: [] },
        rule: "toy",
      },
    },
  };

  test("says what to do, what may be written, what people said, what failed, how to report", async () => {
    const at = "2026-01-01T00:00:00.000Z";
    const state: Workflow = {
      ...emptyWorkflow("v1"),
      vars: asked.vars,
      findings: {
        t: {
          unit: ".",
          kind: "tests",
          by: "engine",
          value: "failed",
          bound: {},
          detail: { runs: [{ passed: false, tail: "1 of 3 failed" }] },
          seq: 4,
          at,
        },
      },
      decisions: {
        "D-1": {
          id: "D-1",
          question: "ship",
          unit: ".",
          status: "answered",
          prompt: "Ship it?",
          options: [{ id: "no", label: "Not yet" }],
          bound: {},
          nonce: "n",
          askedAt: at,
          askedSeq: 2,
          about: {},
          settled: { option: "no", text: "shorter, please", by: "person:ada", at, seq: 3 },
        },
      },
      dispatches: { "W-1": { ...dispatch, sentSeq: 5 } },
    };
    const { prompt } = await defineFamily(asked).work.order(undefined as never, state, dispatch);
    expect(prompt).toContain("Write about v1 in a plain tone.\nWrite nothing but: docs/**.");
    expect(prompt).toContain('person:ada answered "Ship it?": Not yet (shorter, please)');
    expect(prompt).toContain("The last run of tests failed:\n1 of 3 failed");
    expect(prompt).toContain('{"outcome":"done","files":["path/of/a/file"],"summary":"..."}');
  });
});

describe("a name", () => {
  test.each(["v1.4.0", "a", "add-parser", "X_1"])("%s is safe", (name) => {
    expect(checkSafeName(name)).toBeUndefined();
  });

  test.each([
    "",
    ".",
    "..",
    "a/b",
    "a\\b",
    ".git",
    "-x",
    "a..b",
    "a.",
    "nul.txt",
    "CON",
    "a b",
    "é",
  ])("%j is refused", (name) =>
    expect(checkSafeName(name)).toMatchObject({ code: "name-illegal" }),
  );

  test("of more than 80 characters is refused", () => {
    expect(checkSafeName("x".repeat(80))).toBeUndefined();
    expect(checkSafeName("x".repeat(81))?.code).toBe("name-illegal");
  });
});
