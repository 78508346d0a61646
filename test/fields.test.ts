/** How many ideas a table needs: the fields its rows use, and which of them one family alone uses. */
import { expect, test } from "vitest";
import { LIBRARY } from "../src/core/guards/library.ts";
import type {
  Consequence,
  EffectRow,
  RuledNeed,
  Move,
  Protocol,
  Start,
  Test,
  ValueRef,
} from "../src/core/table/protocol.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { mainProtocol } from "../src/protocols/task-protocol/table/main-protocol.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";
import { release } from "./release.ts";

const FAMILIES: Readonly<Record<string, readonly Protocol[]>> = {
  plugin: [pluginWorkflow],
  team: [teamContract],
  task: [taskProtocol, mainProtocol],
};

/** Each field that one family alone uses, and why it is not the family's own business. */
const ALONE: Readonly<Record<string, string>> = {
  "args.ordered.ever":
    "where nobody reviews, what was told with an earlier order is still unseen at the gate",
  "args.units.where": "units of one kind are told apart by their data: the phases of a stage",
  "then.each": "one report may raise several questions, each answered on its own",
  "dispatch.parallel": "several agents at work at once, each on a unit of its own",
  "option.discovery": "what an option would show, told beside its label",
  "question.id": "files show a decision under an id that people know",
  "question.menu": "a repository may have its own labels for a question's options",
  "question.via": "a question may have a state of its own in the files",
  "question.within": "answers that are none are asked for again only so often",
};

test("at most ten fields are used by one family alone, each with its reason", () => {
  const shipped = Object.values(FAMILIES).map((protocols) => new Set(protocols.flatMap(fieldsOf)));
  const general = new Set(fieldsOf(release));
  const all = new Set(shipped.flatMap((fields) => [...fields]));
  const alone = [...all].filter(
    (field) => !general.has(field) && shipped.filter((fields) => fields.has(field)).length === 1,
  );
  expect(alone.toSorted()).toEqual(Object.keys(ALONE).toSorted());
  expect(alone.length).toBeLessThanOrEqual(10);
});

/** Every field that some row of a protocol uses, by the kind of the row. */
function fieldsOf(protocol: Protocol): readonly string[] {
  const { kinds, questions, work } = protocol;
  const own = (test: Test): boolean => Object.hasOwn(protocol.guards, test.guard);
  const tests = (some: readonly Test[] = []): readonly string[] =>
    some.flatMap((one) => [
      ...(own(one) || !Object.hasOwn(LIBRARY, one.guard)
        ? []
        : Object.keys(one.args ?? {}).map((name) => `args.${one.guard}.${name}`)),
      ...tests(one.any),
    ]);
  const guards = (some: readonly RuledNeed[] = []): readonly string[] =>
    some.flatMap((row) => [...keys("guard", row), ...tests([row]), ...tests(row.when)]);
  const effects = (some: readonly EffectRow[] = []): readonly string[] =>
    some.flatMap((row) => [...keys("effect", row), ...tests(row.when)]);
  const sets = (set: Readonly<Record<string, ValueRef>> = {}): readonly string[] =>
    Object.values(set).flatMap((ref) => keys("value", ref));
  const thens = (some: readonly Consequence[] = []): readonly string[] =>
    some.flatMap((one) => [
      ...keys("then", one),
      ...("within" in one ? [...keys("within", one.within), ...thens(one.within.else)] : []),
      ...("effect" in one ? effects([one.effect]) : []),
      ...("set" in one ? sets(one.set) : []),
      ...("finding" in one ? keys("value", one.value) : []),
    ]);
  const move = (row: Move | Start): readonly string[] => [
    ...keys("move", row),
    ...guards(row.needs),
    ...tests(row.when),
    ...effects(row.effects),
    ...sets(row.set),
    ...(row.runs ?? []).flatMap((run) => keys("run", run)),
    ...keys("spend", row.within ?? {}),
  ];
  return [
    ...keys("protocol", protocol),
    ...Object.values(kinds).flatMap((machine) => [
      ...keys("machine", machine),
      ...[...machine.moves, ...(machine.starts ?? [])].flatMap(move),
    ]),
    ...Object.values(questions).flatMap((question) => [
      ...keys("question", question),
      ...guards(question.needs),
      ...keys("within", question.within ?? {}),
      ...thens(question.within?.else),
      ...question.options.flatMap((option) => [...keys("option", option), ...thens(option.does)]),
    ]),
    ...Object.values(work).flatMap((spec) => [
      ...keys("dispatch", spec),
      ...guards(spec.needs),
      ...guards(spec.accepts),
      ...tests(spec.when),
      ...keys("spend", spec.within ?? {}),
      ...thens(spec.sent),
      ...Object.values(spec.outcomes).flatMap((does) => thens(does)),
    ]),
  ];
}

function keys(kind: string, row: object): readonly string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    value === undefined ? [] : [`${kind}.${name}`],
  );
}
