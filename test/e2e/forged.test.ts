/** "The journal proves itself": what somebody writes into it with a correct hash is named, with its record. */
import { statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { workflowFold } from "../../src/engine/parts.ts";
import { isJsonObject, parseJson } from "../../src/core/values/json.ts";
import type { JsonObject } from "../../src/core/values/json.ts";
import { forgerOf, sealed } from "./forged.ts";
import type { Forger, Place } from "./forged.ts";
import { bareDirectory, copyOf, scratchAt } from "./cli.ts";
import type { Scratch } from "./cli.ts";
import { DONE, FAILED, USAGE, aboutToReport, expectFinishes, report } from "./hostile.ts";
import { NAME } from "./plugin.ts";

function stateOf(snapshot: JsonObject): JsonObject {
  const { state } = snapshot;
  return isJsonObject(state) ? state : {};
}

describe("a snapshot that says something else than the records", () => {
  const FORGED: readonly (readonly [string, (value: JsonObject) => JsonObject])[] = [
    [
      "where the workflow stands",
      (one) => ({ ...one, state: { ...stateOf(one), vars: { x: 1 } } }),
    ],
    ["a lease", (one) => ({ ...one, state: { ...stateOf(one), lease: null } })],
    ["commands that were never given", (one) => ({ ...one, recent: [["x", 1, 1]] })],
    ["another time", (one) => ({ ...one, at: "2020-01-01T00:00:00.000Z" })],
  ];

  test.each(FORGED)("%s: named by verify and audit, and gone with the file", (_, change) => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    forger.changeSnapshot(change);
    for (const call of ["verify --all", `verify ${NAME}`]) {
      const reply = scratch.hold(call);
      expect(reply.exit, reply.stdout).toBe(2);
      expect(reply.stdout).toMatch(/snapshot-false.*at record 2 /);
    }
    expect(scratch.hold(`audit ${NAME}`).exit).toBe(FAILED);
    forger.forget("snapshots");
    expect(scratch.hold("verify --all").exit).toBe(DONE);
    expectFinishes(scratch);
  });

  test("one that hides the records behind it is named", () => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    let old: JsonObject = {};
    forger.changeSnapshot((value) => (old = value));
    report(scratch);
    const end = forger.records().length;
    let size = 0;
    forger.changeSnapshot((value) => {
      size = Number(value["offset"]);
      return { ...old, offset: size };
    });
    expect(end).toBeGreaterThan(2);
    expect(scratch.hold("verify --all").stdout).toMatch(/snapshot-false.*offset differs/);
  });

  test("a list that leaves a workflow out does not hide its journal", () => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    const { size, mtimeMs } = statSync(forger.journal);
    const file = basename(forger.journal, ".jsonl");
    const rows = [[file, size, mtimeMs, "x", 0, "", null]];
    writeFileSync(
      join(dirname(forger.snapshot), "_all.json"),
      sealed(JSON.stringify({ fold: workflowFold.version, rows })),
    );
    expect(scratch.hold("list").json.workflows).toMatchObject([{ id: NAME }]);
    scratch.remove("PLUGINS.md");
    expect(scratch.hold("verify --all").json.workflows).toMatchObject([{ id: NAME }]);
  });

  test("one with a correct hash and nothing in it is only a cache", () => {
    const scratch = aboutToReport();
    forgerOf(scratch).changeSnapshot(({ format = 1 }) => ({ format, x: [] }));
    expectFinishes(scratch);
  });
});

describe("a record that no fold understands", () => {
  const STRANGE: readonly (readonly [string, JsonObject])[] = [
    ["unknown type", { type: "workflow.finished", by: "me" }],
    ["__proto__", { type: "constructor" }],
    ["no type", {}],
    [
      "has 7 as its to",
      { type: "unit.moved", unit: ".", move: "x", from: "a", to: 7, back: [], reason: "" },
    ],
    [
      "as its options",
      {
        type: "decision.asked",
        decision: "D-9",
        question: "q",
        unit: ".",
        prompt: "",
        options: [1],
        bound: {},
        nonce: "",
        about: {},
      },
    ],
    [
      "never asked",
      {
        type: "decision.settled",
        decision: "constructor",
        status: "answered",
        option: "x",
        text: "",
        by: "person:ada",
      },
    ],
    [
      "never sent",
      { type: "dispatch.ended", dispatch: "toString", outcome: "success", claim: {}, notes: [] },
    ],
  ];

  test.each(STRANGE)("%s: named with its number, never folded", (says, event) => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    forger.append({
      command: "note.add",
      actor: "person:ada",
      session: "s",
      events: [event],
      used: {},
    });
    const reply = scratch.hold("verify --all");
    expect(reply.exit).toBe(2);
    expect(reply.stdout).toContain("journal-event");
    expect(reply.stdout).toContain("record 3 on line");
    expect(
      says === "__proto__" || says === "no type" || reply.stdout.includes(says),
      reply.stdout,
    ).toBe(true);
    for (const call of [`status ${NAME}`, `advance ${NAME}`, `audit ${NAME}`]) {
      const answer = scratch.hold(call);
      expect(answer.exit, answer.stdout).toBe(FAILED);
      expect(answer.stdout).toContain("journal-event");
    }
    forger.cut(2);
    forger.forget("snapshots");
    expectFinishes(scratch);
  });
});

/** The line that a forger adds: whatever he likes, with all a real record has. */
function forge(forger: Forger, command: string, events: readonly JsonObject[]): string {
  const body = forger.records().at(-1)?.["body"];
  const { session = "" } = isJsonObject(body) ? body : {};
  const actor = command === "effect.settle" ? "engine:holdpoint" : "person:root";
  forger.append({ command, actor, session, events, used: {} });
  return `record ${forger.records().length} is not one that deciding could have made`;
}

const moved = (move: string, from: string, to: string): JsonObject => {
  return { type: "unit.moved", unit: ".", move, from, to, back: [], reason: "done" };
};
const settled = (decision: string, option: string, by = "person:root"): JsonObject => {
  return { type: "decision.settled", decision, status: "answered", option, text: "", by };
};
const passed = (kind: string): JsonObject => {
  return { type: "finding.recorded", unit: ".", kind, by: "engine", value: "passed", bound: {} };
};
const ended = (dispatch: string, outcome: string): JsonObject => {
  const claim = { agent: "research-planning-agent", outcome };
  return { type: "dispatch.ended", dispatch, outcome, claim, notes: [] };
};

describe("a record with a correct hash that deciding could not have made", () => {
  const FORGED: readonly (readonly [string, string, readonly JsonObject[]])[] = [
    ["no row of the table", "unit.move", [moved("validate", "ideated", "working")]],
    ["and stood at", "unit.move", [moved("validate", "s5", "working")]],
    ["is for nobody to ask for", "unit.move", [moved("finish-0", "ideated", "s0")]],
    ["does not lead to it", "note.add", [moved("destroy", "ideated", "removed")]],
    ["is at work", "unit.move", [moved("destroy", "ideated", "removed")]],
    ["no effect failed", "unit.move", [moved("undo", "ideated", "working")]],
    ["it is for engine", "finding.record", [passed("tests")]],
    ["nothing in the record leads to", "dispatch.report", [passed("tests")]],
    ["to waive", "note.add", [passed("waiver:tests")]],
    ["without a report", "note.add", [ended("W-1", "success")]],
    ["but ", "dispatch.report", [ended("W-1", "success")]],
    [
      "starts a workflow",
      "note.add",
      [
        {
          type: "workflow.started",
          id: NAME,
          protocol: { name: "plugin-workflow", version: 1 },
          vars: {},
        },
      ],
    ],
    ["nothing in the record sets", "note.add", [{ type: "vars.changed", vars: { express: true } }]],
    [
      "of the kind",
      "unit.open",
      [{ type: "unit.opened", unit: "x", kind: "constructor", at: "y", data: {} }],
    ],
    ["was never opened", "note.add", [{ type: "unit.closed", unit: "9.9" }]],
    [
      "nothing in the record wants",
      "note.add",
      [
        {
          type: "effect.wanted",
          effect: "E-9",
          kind: "commit",
          args: {},
          unit: ".",
          asks: null,
          undo: null,
        },
      ],
    ],
    [
      "was not wanted",
      "effect.settle",
      [
        {
          type: "effect.wanted",
          effect: "E-9",
          kind: "commit",
          args: {},
          unit: ".",
          asks: null,
          undo: null,
        },
        { type: "effect.settled", effect: "E-9", status: "done", detail: {} },
        { type: "effect.settled", effect: "E-9", status: "done", detail: {} },
      ],
    ],
    ["has none", "lease.release", [{ type: "lease.ended", session: "somebody", why: "" }]],
    [
      "is handed out twice",
      "dispatch.send",
      [
        {
          type: "dispatch.sent",
          dispatch: "W-1",
          spec: "research",
          role: "x",
          unit: ".",
          session: "human:root",
          baseline: {},
        },
      ],
    ],
    ["is no command", "workflow.finish", [{ type: "note.added", list: "x", tag: "", text: "" }]],
    [
      "nothing in the record seals",
      "note.add",
      [{ type: "artifact.sealed", artifact: "a", digest: null, by: "person:root", why: "" }],
    ],
    ["none of the table's", "note.add", [{ type: "budget.spent", budget: "mine" }]],
    [
      "a waiver is noted",
      "note.add",
      [{ type: "note.added", list: "waivers", tag: "x", text: "y" }],
    ],
    [
      "that nobody knows",
      "note.add",
      [{ type: "note.added", list: "x", tag: "", text: "y", vouched: true }],
    ],
  ];

  test.each(FORGED)("while work is out: %s (%s)", (says, command, events) => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    const record = forge(forger, command, events);
    const reply = scratch.hold("verify --all");
    expect(reply.exit).toBe(2);
    expect(reply.stdout).toContain(record);
    expect(reply.stdout.replaceAll("\\", "")).toContain(says);
    const audited = scratch.hold(`audit ${NAME}`);
    expect(audited.exit).toBe(FAILED);
    expect(audited.json).toMatchObject({ ok: false, forged: [{ seq: 3 }] });
  });

  const RELEASED: readonly (readonly [string, readonly JsonObject[]])[] = [
    ["none went out", [settled("D-1", "continue")]],
    ["which was not offered", [settled("D-1", "ship-it")]],
    ['settled by "person:eve"', [settled("D-1", "continue", "person:eve")]],
    ["which nobody gave", [settled("D-1", "continue", "grant:express")]],
    [
      "no row of the table",
      [settled("D-1", "continue"), passed("tests"), moved("validate", "s0", "working")],
    ],
  ];

  test.each(RELEASED)("while a person is asked: %s", (says, events) => {
    const scratch = aboutToReport();
    report(scratch);
    const record = forge(forgerOf(scratch), "decision.answer", events);
    const reply = scratch.hold("verify --all");
    expect(reply.exit).toBe(2);
    expect(reply.stdout).toContain(record);
    expect(reply.stdout.replaceAll("\\", "")).toContain(says);
  });

  test("what was built upon a forged snapshot is named once the snapshot is gone", () => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    forger.changeSnapshot((value) => {
      const state = stateOf(value);
      const root = { id: ".", kind: "plugin", at: "working", back: [], entered: {}, data: {} };
      return { ...value, state: { ...state, units: { ".": root }, dispatches: {}, lease: null } };
    });
    expect(scratch.hold(["advance", NAME, "destroy"]).exit).not.toBe(USAGE);
    forger.forget("snapshots");
    const reply = scratch.hold("verify --all");
    expect(forger.records().length > 2 ? reply.stdout : "record 3 is not").toContain(
      "record 3 is not",
    );
  });

  test("a definition that is not the one in force accuses nobody, and audit says so", () => {
    const scratch = aboutToReport();
    const forger = forgerOf(scratch);
    forger.rewrite(1, (one) => {
      const text = JSON.stringify(one).replace(
        /"digest":"[0-9a-f]{16}"/,
        '"digest":"0123456789abcdef"',
      );
      const parsed = parseJson(text);
      return isJsonObject(parsed) ? parsed : {};
    });
    forger.forget("snapshots", "shown");
    expect(scratch.hold("verify --all").stdout).not.toContain("record-forged");
    expect(scratch.hold(`audit ${NAME}`).json).toMatchObject({
      forged: [],
      doubts: [
        expect.stringContaining("2 records were made by another definition"),
        expect.stringContaining("nothing beside the journal remembers"),
      ],
    });
  });
});

describe("a tail that was cut off, snapshot and all", () => {
  /** A plugin after its first commit, with a refusal behind it; then the last records are gone. */
  function cutTo(count: number, ...forget: readonly Place[]): Scratch {
    const scratch = aboutToReport();
    report(scratch);
    scratch.hold(["advance", NAME, "install"]);
    const forger = forgerOf(scratch);
    forger.cut(count);
    forger.forget("snapshots", ...forget);
    return scratch;
  }

  const CUTS: readonly (readonly [string, RegExp, readonly Place[]])[] = [
    [
      "the files that were shown",
      /it stops after record 2, and the files were written for record 4/,
      [],
    ],
    ["a refusal", /it stops after record 2, and a command was refused for record 4/, ["shown"]],
    [
      "the commit",
      /it stops after record 2, and commit [0-9a-f]{7} was made for record 3/,
      ["shown", "refusals"],
    ],
  ];

  test.each(CUTS)("%s knows better", (_, says, forget) => {
    const scratch = cutTo(2, ...forget);
    for (const call of ["verify --all", `audit ${NAME}`]) {
      const reply = scratch.hold(call);
      expect(reply.exit, reply.stdout).not.toBe(DONE);
      expect(reply.stdout).toContain("journal-truncated");
      expect(reply.stdout).toMatch(says);
    }
  });

  test("a commit that was reset away still knows, by the reflog", () => {
    const scratch = cutTo(2, "shown", "refusals");
    scratch.git("reset", "--hard", "--quiet", "HEAD~1");
    expect(scratch.hold("verify --all").stdout).toMatch(/was made for record 3/);
  });

  test("a tail that was written anew is another one, whatever its length", () => {
    const scratch = aboutToReport();
    report(scratch);
    const forger = forgerOf(scratch);
    forger.rewrite(3, (one) => ({ ...one, try: "again" }));
    forger.forget("snapshots", "shown");
    expect(scratch.hold("verify --all").stdout).toMatch(/was made for another record 3/);
  });

  test("without any of them nothing outside the journal knows: that takes an anchor elsewhere", () => {
    const scratch = cutTo(2, "shown", "refusals");
    scratch.git("reset", "--hard", "--quiet", "HEAD~1");
    scratch.git("reflog", "expire", "--expire=all", "--all");
    expect(scratch.hold(`audit ${NAME}`).json).toMatchObject({ forged: [], chain: { records: 2 } });
  });

  test("a clone that is adopted, and commits of another clone, accuse nobody", () => {
    const scratch = aboutToReport();
    report(scratch);
    const at = join(bareDirectory().top, "copy");
    scratch.git("clone", "-q", scratch.top, at);
    expect(scratchAt(at).hold("verify --all").stdout).not.toContain("journal-");
    // A copy knows by its reflog that it made the commits itself; a person who adopts the files says that they count.
    const clone = copyOf(scratch);
    clone.remove(".git/holdpoint");
    expect(clone.hold("verify --all").stdout).toContain("journal-missing");
    expect(clone.hold(["adopt", NAME, "--yes"]).exit).toBe(DONE);
    expect(clone.hold("verify --all").stdout).not.toContain("journal-");
    expect(clone.hold(`audit ${NAME}`).exit).toBe(DONE);
  });
});
