import { describe, expect, test } from "vitest";
import { addChange } from "./changelog-md.ts";
import { changedEntries, closeChangelog, closeTodo, lostProse, lostWords } from "./close-lists.ts";
import { parseTodo, proseOf } from "./todo-md.ts";

const entry = (name: string, word = "READY", waits = ""): string =>
  `- [ ] **${word}:** \`${name}\` - do ${name}\n${waits === "" ? "" : `  - **Dependencies**: ${waits}\n`}`;

const SINCE = `# Tasks\n\n${entry("one")}${entry("two")}${entry("three", "BLOCKED", "one, two")}`;

function words(list: string): readonly string[] {
  return parseTodo(list).entries.map((one) => `${one.name} ${one.status}${one.done ? " x" : ""}`);
}

describe("closing a task in the list", () => {
  const both = { merged: SINCE, ours: SINCE, theirs: SINCE, since: SINCE };

  test("[TP-189] [TP-190] it is taken out or ticked, and whoever waited for it alone is ready", () => {
    const one = closeTodo(both, "one", "remove+changelog");
    expect(words(one)).toEqual(["two READY", "three BLOCKED"]);
    const two = closeTodo({ ...both, merged: one }, "two", "remove+changelog");
    expect(words(two)).toEqual(["three READY"]);
    expect(words(closeTodo({ ...both, merged: one }, "two", "mark"))).toEqual([
      "two READY x",
      "three READY",
    ]);
  });

  test("[TP-047] [TP-175] where two lists clash both tasks stay closed, and new entries are kept", () => {
    const theirs = closeTodo(both, "one", "remove+changelog");
    const ours = `${closeTodo(both, "two", "remove+changelog")}${entry("later")}`;
    const clash = { merged: undefined, ours, theirs, since: SINCE };
    const list = closeTodo(clash, "two", "remove+changelog");
    expect(words(list)).toEqual(["three READY", "later READY"]);
    expect(closeTodo({ ...clash, merged: list }, "two", "remove+changelog")).toBe(list);
  });
});

describe("what people wrote around the entries", () => {
  const list = `# Tasks\n\nAsk Ann first.\n\n${entry("one")}Bob: mind the gap.\n${entry("two")}Carol: me too.\n\n> the end\n`;
  const prose = ["# Tasks", "Ask Ann first.", "Bob: mind the gap.", "Carol: me too.", "> the end"];

  test("[TP-047] [TP-189] stays when an entry goes, and does not become part of another", () => {
    expect(proseOf(list)).toEqual(prose);
    const whole = (merged: string) => ({ merged, ours: merged, theirs: merged, since: merged });
    const closed = closeTodo(whole(list), "one", "remove+changelog");
    expect(proseOf(closed)).toEqual(prose);
    expect(changedEntries(list, closed, "one")).toEqual([]);
    const both = closeTodo(whole(closed), "two", "remove+changelog");
    expect(both).toBe(
      "# Tasks\n\nAsk Ann first.\n\nBob: mind the gap.\n\nCarol: me too.\n\n> the end\n",
    );
    expect(lostProse(list, both)).toEqual([]);
  });

  test("[TP-141] lost lines are named, each as often as it is gone; new ones and other places are no loss", () => {
    expect(lostProse(list, list.replace("Ask Ann first.\n", ""))).toEqual(["Ask Ann first."]);
    expect(lostProse("a\n\na\n", "a\n")).toEqual(["a"]);
    expect(lostProse(list, `${list}\nmore\n`)).toEqual([]);
    expect(lostProse("a\n\nb\n", "b\n\n  a\n")).toEqual([]);
    const log =
      "# Changelog\n\nNewest first.\n\n## 2026-03-01\n\n### One\n\n**Task**: `one`\n\n### By hand\n\nx\n";
    expect(
      lostWords(log, addChange(log, { task: "two", date: "2026-03-01", title: "Two" })),
    ).toEqual([]);
    expect(lostWords(log, log.replace("Newest first.", ""))).toEqual(["Newest first."]);
    expect(lostWords(log, log.replace(/### By hand[^]*/, ""))).toEqual(["### By hand", "x"]);
  });
});

describe("closing a task in the changelog", () => {
  const change = { task: "two", date: "2026-03-02", title: "Do two" };
  const theirs = "# Changelog\n\n## 2026-03-01\n\n### Did one\n\n**Task**: `one`\n";

  test("[TP-188] it is named once, under its day; a file that is missing is begun", () => {
    const none = { merged: undefined, ours: undefined, theirs: undefined, since: undefined };
    const begun = closeChangelog(none, change);
    expect(begun).toContain("## 2026-03-02\n\n### Do two\n\n**Task**: `two`");
    expect(closeChangelog({ ...none, merged: begun }, change)).toBe(begun);
  });

  test("[TP-047] where two changelogs clash both are named, and what was written about it stays", () => {
    const ours = "# Changelog\n\n## 2026-03-01\n\n### Two!\n\n**Task**: `two`\n\nAt last.\n";
    const both = closeChangelog(
      { merged: undefined, ours, theirs, since: "# Changelog\n" },
      change,
    );
    expect(both).toContain("### Two!\n\n**Task**: `two`\n\nAt last.");
    expect(both).toContain("### Did one");
    expect(both.match(/Task/g)).toHaveLength(2);
  });
});
