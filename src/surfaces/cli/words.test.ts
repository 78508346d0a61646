/** Words to input and back: what is printed as a command can be typed. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/values/json.ts";
import { operations } from "../../operations/index.ts";
import { readInput, readWords } from "./args.ts";
import { commandLine, phrased } from "./text/phrase.ts";
import { VERBS } from "./verbs/index.ts";

describe("verbs", () => {
  test("every operation has its verb, and the verb is named after it", () => {
    const machine = ["install", "uninstall", "doctor"];
    expect(Object.keys(VERBS)).toEqual([...operations.map((one) => one.name), ...machine]);
    for (const [name, verb] of Object.entries(VERBS)) expect(verb.operation.name).toBe(name);
  });

  test.each(Object.values(VERBS).map((verb) => [verb.operation.name, verb] as const))(
    "the words of %s are inputs it has",
    (_, { operation, args }) => {
      const names = args.map((arg) => arg.replaceAll(/^\.\.\.|!$/g, ""));
      expect(Object.keys(operation.input.properties)).toEqual(expect.arrayContaining(names));
    },
  );
});

describe("a command that is printed", () => {
  const examples = operations.flatMap((one) =>
    one.examples.map((input) => [one.name, input] as const),
  );

  test.each(examples)("%s %j is read as what it was printed from", (operation, input) => {
    expect(typed(commandLine(VERBS, { operation, input }))).toEqual({ operation, input });
  });

  test.each([
    ["quotes", { workflow: 'A "b" $HOME `x` \\ c', choice: "it's" }],
    ["several lines", { workflow: "A", choice: "one\ntwo" }],
    ["what looks like an option", { workflow: "A", choice: "1", reason: "--force" }],
  ])("%s: comes back as it was", (_, input) => {
    expect(typed(commandLine(VERBS, { operation: "answer", input }))).toEqual({
      operation: "answer",
      input,
    });
  });

  test("shows what is to be filled in", () => {
    const line = commandLine(VERBS, {
      operation: "answer",
      input: { workflow: "A", decision: "D-1" },
    });
    expect(line).toBe("holdpoint answer A <choice> --decision D-1");
    const reason = { workflow: "A", files: true, reason: "..." };
    expect(commandLine(VERBS, { operation: "reconcile", input: reason })).toBe(
      'holdpoint reconcile A --files --reason "..."',
    );
  });
});

describe("remedies in an answer", () => {
  test("are said in words, and stay data beside them", () => {
    const act = { operation: "reconcile", input: { workflow: "A", restore: true } };
    const answer = {
      refusals: [{ code: "x", fix: { ...act, says: "Put it back" } }],
      choices: [act],
    };
    expect(phrased(VERBS, answer)).toEqual({
      refusals: [{ code: "x", fix: "Put it back: holdpoint reconcile A --restore", remedy: act }],
      choices: ["holdpoint reconcile A --restore"],
    });
  });

  test("are not sought in what an agent or a protocol said", () => {
    const answer = {
      order: { operation: "x", input: {} },
      held: [{ about: { fix: { operation: "x", input: {} } } }],
    };
    expect(phrased(VERBS, answer)).toEqual(answer);
  });
});

/** What the shell and then the command line make of a line. */
function typed(line: string): { readonly operation: string; readonly input: JsonObject } {
  const [, operation = "", ...words] = shellWords(line);
  const verb = VERBS[operation];
  if (verb === undefined) throw new Error(`no verb: ${line}`);
  const options = {
    brief: "string",
    feasibility: "string",
    goal: "string",
    "project-type": "string",
    lean: "boolean",
  } as const;
  const more =
    verb.hides === undefined
      ? {}
      : Object.fromEntries(
          Object.entries(options).map(([name, type]) => [name, { type, about: "" }]),
        );
  const read = readWords(verb, words, more);
  const input = "ok" in read ? read : readInput(verb, read, more);
  if (typeof input["ok"] === "boolean") throw new Error(JSON.stringify(input));
  return { operation, input: JSON.parse(JSON.stringify(input)) };
}

/** As a POSIX shell would split it. */
function shellWords(line: string): readonly string[] {
  const word = /(?:"(?:\\[\s\S]|[^"\\])*"|'[^']*'|\\[\s\S]|[^\s"'\\])+/g;
  const piece = /"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|\\([\s\S])|([^\s"'\\]+)/g;
  return [...line.matchAll(word)].map(([text]) =>
    [...text.matchAll(piece)]
      .map(
        ([, double, single, escaped, plain]) =>
          double?.replaceAll(/\\(["\\$`])/g, "$1") ?? single ?? escaped ?? plain ?? "",
      )
      .join(""),
  );
}
