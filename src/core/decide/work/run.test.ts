import { variable } from "../../guards/guards.ts";
import { expect, test } from "vitest";
import { FACTS, must, planned, toyTable, withMoves } from "../../../../test/toy.ts";
import { ENGINE } from "../../../../test/story.ts";
import type { Command } from "../../state/commands.ts";
import type { Answer } from "../answer.ts";
import { decide } from "../decide.ts";
import type { Move, Protocol } from "../../table/protocol.ts";
import type { Workflow } from "../../state/state.ts";

const runs = [{ check: "tests", binds: ["digest:{id}.md"] }];
const BINDS = ["digest:Toy.md", "command:tests"];
const WANTED = { kind: "runs", runs: [{ check: "tests", unit: ".", binds: BINDS }] };
const EVIDENCE = {
  ...FACTS,
  "change:W-1": null,
  "unordered:.": null,
  "files:.": null,
  tip: null,
  "command:tests": "c1",
};
const row: Move = { id: "try", from: ["doing"], to: "doing", rule: "T" };
const ask: Command = { type: "unit.move", unit: ".", move: "try" };

test("[C88] a command's row asks for its checks, and is decided once they were run", () => {
  const protocol = withMoves({ ...row, runs });
  const { state } = planned({}, protocol);
  expect(put(protocol, state, ask)).toEqual(WANTED);
  expect(put(protocol, state, ask, ["tests ."]).kind).toBe("accepted");
});

test("[C88] of several rows of one name those of the row that is taken", () => {
  const protocol = withMoves(
    { ...row, when: [variable("colour", ["blue"])], runs },
    { ...row, runs: [{ check: "lint", binds: [] }] },
  );
  const { state } = planned({}, protocol);
  const lint = { kind: "runs", runs: [{ check: "lint", unit: ".", binds: ["command:lint"] }] };
  expect(put(protocol, state, ask)).toEqual(lint);
});

test("[C88] a row that follows from a report or from an answer asks for its checks", () => {
  const first = before({ ...row, id: "block", to: "stuck", runs });
  const { state } = planned({}, first).send("write");
  const claim = { agent: "writer", outcome: "stuck" };
  expect(put(first, state, { type: "dispatch.report", dispatch: "W-1", claim })).toEqual(WANTED);
  const both = before({ ...row, ask: "publish-failed" }, { ...row, id: "ship", runs });
  const held = planned({}, both).move("try").expectHeld("publish-failed");
  const answer: Command = {
    type: "decision.answer",
    decision: held.open[0]?.id ?? "",
    text: "retry",
  };
  expect(put(both, held.state, answer)).toEqual(WANTED);
});

test("[C88] a row that moves by itself asks only for what was not run on this tree", () => {
  const needs = [
    {
      guard: "finding",
      args: { kind: "tests", in: ["passed"] },
      code: "red",
      fix: "Mend it.",
      rule: "T",
    },
  ];
  const protocol = withMoves({ ...row, to: "review", auto: true, runs, needs });
  const told = planned({}, protocol);
  const note: Command = { type: "note.add", list: "l", tag: "", text: "" };
  expect(put(protocol, told.state, note)).toEqual(WANTED);
  told.when(
    {
      type: "finding.record",
      unit: ".",
      kind: "tests",
      by: "engine",
      value: "failed",
      bound: { "digest:Toy.md": "t1", "command:tests": "c1" },
    },
    ENGINE,
  );
  expect(put(protocol, told.state, note).kind).toBe("accepted");
});

test("[C88] nothing is run for a command that is refused before, nor where nobody can run it", () => {
  const protocol = withMoves({ ...row, by: ["agent"], runs });
  const { state } = planned({}, protocol);
  expect(put(protocol, state, ask).kind).toBe("refused");
  const plain = withMoves({ ...row, runs });
  expect(put(plain, planned({}, plain).state, ask, "nobody").kind).toBe("accepted");
});

/** The toy with rows before its own. */
function before(...rows: readonly Move[]): Protocol {
  const job = must(toyTable.kinds, "job");
  return {
    ...toyTable,
    kinds: { ...toyTable.kinds, job: { ...job, moves: [...rows, ...job.moves] } },
  };
}

function put(
  protocol: Protocol,
  state: Workflow,
  command: Command,
  ran: readonly string[] | "nobody" = [],
): Answer {
  const actor = { kind: "person", name: "ada" } as const;
  const envelope = { id: "c", at: "2026-01-01T00:00:00Z", actor, session: "s" };
  const known = { protocol, state, envelope, command, evidence: EVIDENCE };
  return decide(ran === "nobody" ? known : { ...known, ran });
}
