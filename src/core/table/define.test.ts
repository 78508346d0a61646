import { expect, test } from "vitest";
import { must, toyTable } from "../../../test/toy.ts";
import { pluginWorkflow } from "../../protocols/plugin-workflow/table/protocol.ts";
import { mainProtocol } from "../../protocols/task-protocol/table/main-protocol.ts";
import { taskProtocol } from "../../protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../../protocols/team-contract/table/protocol.ts";
import { checkedProtocol, protocolMistakes } from "./define.ts";
import type { Work, RuledNeed, Machine, Move, Protocol, Question } from "./protocol.ts";

const job = must(toyTable.kinds, "job");
const write = must(toyTable.work, "write");
const approve = must(toyTable.questions, "approve");
const bad: RuledNeed = { guard: "magic", code: "c", fix: "f", rule: "T" };
const fine: Move = { id: "m", from: ["idle"], to: "doing", rule: "T" };

test("[C76] a sound table is answered as it is", () => {
  expect(checkedProtocol(toyTable)).toBe(toyTable);
});

test.each([pluginWorkflow, teamContract, taskProtocol, mainProtocol])(
  // Here and not whenever it is loaded: every call of the program would pay for it.
  "[C76] the shipped table $name has no mistakes",
  (protocol) => {
    expect(protocolMistakes(protocol)).toEqual([]);
  },
);

test.each<[string, Protocol, string]>([
  ["root", { ...toyTable, root: "ghost" }, 'root kind "ghost" is not defined'],
  ["start", machine({ start: "nowhere" }), 'job: no state "nowhere"'],
  ["end", machine({ ends: ["closed", "over"] }), 'job: no state "over"'],
  ["gate state", machine({ gates: { limbo: "approve" } }), 'job: no state "limbo"'],
  ["gate question", machine({ gates: { review: "eh" } }), 'job gate: no question "eh"'],
  [
    "start guard",
    machine({ starts: [{ id: "start", needs: [bad], rule: "T" }] }),
    'job starts: no guard "magic"',
  ],
  ["way out", machine({ states: [...job.states, "pit"] }), 'job: no way out of "pit"'],
  ["from", move({ from: ["mars"] }), 'job.m: no state "mars"'],
  ["to", move({ to: "venus" }), 'job.m: no state "venus"'],
  ["guard", move({ needs: [bad] }), 'job.m: no guard "magic"'],
  ["any", move({ needs: [{ ...bad, any: [bad] }] }), 'job.m: no guard "magic"'],
  [
    "guard question",
    move({ needs: [{ ...bad, guard: "quiet", ask: "eh" }] }),
    'job.m: no question "eh"',
  ],
  ["asks", move({ ask: "eh" }), 'job.m: no question "eh"'],
  ["spends", move({ within: { budget: "b", times: 1, else: "eh" } }), 'job.m: no question "eh"'],
  ["voids", move({ voids: ["eh"] }), 'job.m: no question "eh"'],
  [
    "failed effect",
    move({ effects: [{ kind: "k", args: {}, failed: "eh" }] }),
    'job.m: no question "eh"',
  ],
  ["no options", question({ options: [] }), "q: no options"],
  ["option twice", question({ options: [option("a"), option("a")] }), "q: an option occurs twice"],
  [
    "no way on",
    question({ options: [{ ...option("a"), leaves: "open" }] }),
    "q: no option leads on",
  ],
  ["option move", question({ options: [option("a", { move: "fly" })] }), 'q.a: no move "fly"'],
  [
    "option kind",
    question({ options: [option("a", { open: "elf", unit: "e" })] }),
    'q.a: no kind "elf"',
  ],
  [
    "option dispatch",
    question({ options: [option("a", { send: ["send"] })] }),
    'q.a: no work "send"',
  ],
  ["option question", question({ options: [option("a", { ask: "eh" })] }), 'q.a: no question "eh"'],
  [
    "invalid",
    question({ within: { budget: "b", times: 1, else: [{ move: "fly" }] } }),
    'q: no move "fly"',
  ],
  ["question guard", question({ needs: [bad] }), 'q: no guard "magic"'],
  ["dispatch kind", dispatch({ unit: "elf" }), 'd: no kind "elf"'],
  ["dispatch state", dispatch({ in: ["mars"] }), 'd: no state "mars"'],
  ["dispatch guard", dispatch({ needs: [bad] }), 'd: no guard "magic"'],
  ["dispatch accepts", dispatch({ accepts: [bad] }), 'd: no guard "magic"'],
  [
    "dispatch tries",
    dispatch({ within: { budget: "b", times: 1, else: "eh" } }),
    'd: no question "eh"',
  ],
  ["dispatch outcome", dispatch({ outcomes: { ok: [{ move: "fly" }] } }), 'd.ok: no move "fly"'],
])("[C76] a mistake is named: %s", (_, protocol, says) => {
  expect(protocolMistakes(protocol)).toContain(says);
  expect(() => checkedProtocol(protocol)).toThrow(`Cannot use protocol "toy": `);
});

function machine(change: Partial<Machine>): Protocol {
  return { ...toyTable, kinds: { ...toyTable.kinds, job: { ...job, ...change } } };
}

function move(change: Partial<Move>): Protocol {
  return machine({ moves: [...job.moves, { ...fine, ...change }] });
}

function question(change: Partial<Question>): Protocol {
  return { ...toyTable, questions: { ...toyTable.questions, q: { ...approve, ...change } } };
}

function dispatch(change: Partial<Work>): Protocol {
  return { ...toyTable, work: { ...toyTable.work, d: { ...write, ...change } } };
}

function option(
  id: string,
  ...does: Question["options"][number]["does"]
): Question["options"][number] {
  return { id, label: id, does };
}
