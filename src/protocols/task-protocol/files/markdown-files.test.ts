import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addChange, parseChangelog } from "./changelog-md.ts";
import { readReviewDecision, readScopeDecision } from "./decision-lines.ts";
import { lintDelegation, parsePlanMd, PLAN_COMPONENTS, unplannedFiles } from "./plan-md.ts";
import { parseRequirementsReport, reportName } from "./requirements-report.ts";
import { parseSynthesis, requirementIds, SYNTHESIS_SECTIONS } from "./synthesis-md.ts";
import { renderTaskMd } from "../../../../test/task-md.ts";
import { addAgentSection, MANDATORY_SECTIONS, parseTaskMd } from "./task-md.ts";
import { checkTaskName } from "./task-name.ts";
import {
  freeDependants,
  freedNames,
  parseTodo,
  removeTodoEntry,
  setTodoWord,
  tickTodoEntry,
} from "./todo-md.ts";

const TODO = `# Tasks

Prose that stays.

- [ ] **READY:** \`add-lexer\` - split text
  - **Purpose**: tokens
  - **Scope**: src/Lexer.java

- [ ] **BLOCKED:** \`add-parser\` - build a tree
  - **Dependencies**: \`add-lexer\`
  - **Purpose**: a tree
  - **Scope**: src/Parser.java
- [ ] **BLOCKED:** \`add-parser-docs\` - write it down
  - **Dependencies**: \`add-parser\`, \`add-lexer\`

## Later

- an idea without a name
`;

describe("todo.md", () => {
  test("[TP-001] [TP-019] entries with their word, fields and dependencies", () => {
    const { entries, problems } = parseTodo(TODO);
    expect(problems).toEqual([]);
    expect(entries.map((one) => `${one.name} ${one.status}`)).toEqual([
      "add-lexer READY",
      "add-parser BLOCKED",
      "add-parser-docs BLOCKED",
    ]);
    expect(entries[0]).toMatchObject({
      line: 5,
      fields: { purpose: "tokens", scope: "src/Lexer.java" },
    });
    expect(entries[2]?.dependencies).toEqual(["add-parser", "add-lexer"]);
  });

  test("[TP-001] entries that cannot be read, and names that are there twice, are problems", () => {
    const broken =
      "- [ ] **READY:** no-backticks\n- [ ] **READY:** `a` - x\n- [ ] **READY:** `a` - y\n";
    expect(parseTodo(broken).problems.map((one) => `${one.code} ${one.line}`)).toEqual([
      "todo-entry 1",
      "todo-twice 3",
    ]);
  });

  test("[TP-047] a task changes its own entry and not one other character", () => {
    const taken = setTodoWord(TODO, "add-parser", "IN_PROGRESS");
    expect(taken).toBe(
      TODO.replace("**BLOCKED:** `add-parser` ", "**IN_PROGRESS:** `add-parser` "),
    );
    expect(setTodoWord(taken, "add-parser", "BLOCKED")).toBe(TODO);
    expect(setTodoWord(TODO, "parser", "READY")).toBe(TODO);
  });

  test("[TP-189] closing takes the entry out with its fields, or ticks it", () => {
    const closed = removeTodoEntry(TODO, "add-parser");
    expect(parseTodo(closed).entries.map((one) => one.name)).toEqual([
      "add-lexer",
      "add-parser-docs",
    ]);
    expect(closed).toContain("Prose that stays.");
    expect(closed).not.toContain("a tree");
    const ticked = tickTodoEntry(TODO, "add-lexer");
    expect(ticked).toBe(TODO.replace("- [ ] **READY:**", "- [x] **READY:**"));
  });

  test("[TP-190] those that waited only for what is done are free, by whole names", () => {
    expect(freedNames(TODO, "add-lexer")).toEqual([]);
    for (const closed of [removeTodoEntry(TODO, "add-lexer"), tickTodoEntry(TODO, "add-lexer")]) {
      expect(freedNames(closed, "add-lexer")).toEqual(["add-parser"]);
      const freed = parseTodo(freeDependants(closed, "add-lexer")).entries;
      expect(freed.slice(-2).map((one) => one.status)).toEqual(["READY", "BLOCKED"]);
    }
  });

  test("[TP-047] line endings stay, and edits of different tasks do not disturb each other", () => {
    const crlf = TODO.replaceAll("\n", "\r\n");
    expect(setTodoWord(crlf, "add-lexer", "BLOCKED")).toBe(crlf.replace("READY", "BLOCKED"));
    const one = removeTodoEntry(setTodoWord(TODO, "add-lexer", "IN_PROGRESS"), "add-parser");
    const two = setTodoWord(removeTodoEntry(TODO, "add-parser"), "add-lexer", "IN_PROGRESS");
    expect(one).toBe(two);
  });
});

describe("changelog.md", () => {
  const change = { task: "add-parser", date: "2026-03-02", title: "A parser" };

  test("[TP-189] newest first, by day, and never twice", () => {
    const first = addChange("", { ...change, task: "add-lexer", date: "2026-03-01" });
    const second = addChange(first, change);
    expect(parseChangelog(second).map((one) => `${one.date} ${one.task}`)).toEqual([
      "2026-03-02 add-parser",
      "2026-03-01 add-lexer",
    ]);
    expect(addChange(second, change)).toBe(second);
    const third = addChange(second, { ...change, task: "add-printer" });
    expect(parseChangelog(third).map((one) => one.task)).toEqual([
      "add-printer",
      "add-parser",
      "add-lexer",
    ]);
    expect(third).toContain(first.slice(first.indexOf("## 2026-03-01")));
  });
});

describe("task.md", () => {
  const fresh = renderTaskMd({
    task: "add-parser",
    objective: "Parse it.",
    inScope: ["src/Parser.java"],
    outOfScope: ["src/Lexer.java"],
  });

  test("[TP-083] [TP-085] [TP-086] a fresh one has its sections and its scope", () => {
    expect(parseTaskMd(fresh)).toMatchObject({
      title: "Task Context: add-parser",
      missing: [],
      inScope: ["src/Parser.java"],
      outOfScope: ["src/Lexer.java"],
      problems: [],
    });
  });

  test.each(MANDATORY_SECTIONS)("[TP-085] without %s it is named", (section) => {
    expect(parseTaskMd(fresh.replace(`## ${section}`, "## Other")).missing).toEqual([section]);
  });

  test("[TP-086] a plain list of files is what is in scope", () => {
    const scope = (lines: string): string => `## Scope Definition\n${lines}\n## Next\n- other.md\n`;
    expect(parseTaskMd(scope("- `README.md`\n- src/A.java: the reader")).inScope).toEqual([
      "README.md",
      "src/A.java",
    ]);
    const labelled = parseTaskMd(scope("FILES OUT OF SCOPE\n- src/B.java"));
    expect([labelled.inScope, labelled.outOfScope]).toEqual([[], ["src/B.java"]]);
  });

  test("[TP-085] a heading inside a code block is none", () => {
    expect(parseTaskMd("```\n## Task Objective\n```\n").missing).toContain("Task Objective");
  });

  test("[TP-087] an agent that joins gets an entry, a section and the reason, once", () => {
    const added = { agent: "security", state: "SYNTHESIS", reason: "tokens", report: "r.md" };
    const text = addAgentSection(fresh, added);
    for (const part of ["### Added agent: security", "`r.md`", "SYNTHESIS", "tokens"])
      expect(text).toContain(part);
    expect(addAgentSection(text, added)).toBe(text);
    expect(parseTaskMd(text).missing).toEqual([]);
  });
});

const PLAN = `## Implementation Plan

### File Manifest

- \`src/Parser.java\` - create, the parser, 200 lines
- \`src/util/\` - modify, helpers

### API Specifications

\`Node parse(String text)\`

### Behavioral Specifications

| scenario | input | expected |
|---|---|---|
| empty | "" | an error |

### Test Specifications

| name | input | expected |
|---|---|---|
| emptyText | "" | ParseError |

### Implementation Sequence

1. architect writes the interface in agents/architect/code
2. test writes the tests, after 1

### Decision Log

| decision | options | chosen | rationale |
|---|---|---|---|
| kind | descent, table | descent | simple |
`;

describe("the plan", () => {
  test("[TP-129] six parts, and the manifest", () => {
    expect(parsePlanMd(PLAN)).toMatchObject({
      missing: [],
      problems: [],
      manifest: ["src/Parser.java", "src/util/"],
    });
    expect(parsePlanMd("# Nothing")).toBeUndefined();
  });

  test.each(PLAN_COMPONENTS)("[TP-129] [TP-147] without %s it is named", (part) => {
    expect(parsePlanMd(PLAN.replace(`### ${part}`, "### Other"))?.missing).toEqual([part]);
    const emptied = PLAN.replace(new RegExp(`(### ${part}\\n)[^#]*`), "$1\n");
    expect(parsePlanMd(emptied)?.missing).toEqual([part]);
  });

  test("[TP-147] a heading alone is no plan", () => {
    expect(parsePlanMd("## Implementation Plan\n")?.missing).toEqual(PLAN_COMPONENTS);
  });

  test("[TP-129] a manifest of files names them", () => {
    const prose = PLAN.replace(/(### File Manifest\n)[^#]*/, "$1\nSome files of the parser.\n\n");
    expect(parsePlanMd(prose)).toMatchObject({
      missing: [],
      manifest: [],
      problems: [expect.stringContaining("File Manifest names no file")],
    });
  });

  test.each([
    ["`Makefile` - modify", "Makefile"],
    ["Makefile - modify", "Makefile"],
    ["create: Makefile", "Makefile"],
    ["[ ] **`LICENSE`** - create", "LICENSE"],
    ["`docs/my guide.md` - create", "docs/my guide.md"],
    ["`my guide` - create", "my guide"],
    ["docs/my guide.md - create", "docs/my guide.md"],
    ["Create: `src/(group)/[id]/page.tsx`", "src/(group)/[id]/page.tsx"],
    ["Update the parser in `src/Parser.java`", "src/Parser.java"],
    ["./src//Parser.java: new", "src/Parser.java"],
    ["`./src/util/` - new", "src/util/"],
    ["| `Makefile` | modify | 3 |", "Makefile"],
    ["| modify | Makefile | 3 |", "Makefile"],
    ["| src/Parser.java | create | 200 |", "src/Parser.java"],
  ])("[TP-141] %s is bound as %s", (entry, path) => {
    const head = entry.startsWith("|") ? "| what | where | lines |\n|---|---|---|\n" : "- ";
    const plan = PLAN.replace(/(### File Manifest\n)[^#]*/, `$1\n${head}${entry}\n\n`);
    const { manifest, problems } = parsePlanMd(plan) ?? {};
    expect([manifest, problems]).toEqual([[path], []]);
  });

  test("[TP-141] an item whose file cannot be read is named, one without a file is not", () => {
    const said = (...items: readonly string[]): readonly string[] | undefined => {
      const list = ["`a.md` - new", ...items].map((one) => `- ${one}\n`).join("");
      return parsePlanMd(PLAN.replace(/(### File Manifest\n)[^#]*/, `$1\n${list}\n`))?.problems;
    };
    expect(said("the new guide.md - create")).toEqual([
      "File Manifest: put the path in backticks: the new guide.md - create",
    ]);
    expect(said("src/*.java - all of them")).toHaveLength(1);
    expect(said("None", "Nothing else", "Create:\n  - `b.md` - new")).toEqual([]);
  });

  test("[TP-130] a number of tests is no test", () => {
    const counted = PLAN.replace(/(### Test Specifications\n)[^#]*/, "$1\n36 tests required\n\n");
    expect(parsePlanMd(counted)?.problems).toEqual([
      '"36 tests" is a number, not a test (name, input, expected)',
    ]);
  });

  test("[TP-131] an open decision and open questions are named", () => {
    expect(parsePlanMd(PLAN.replace("| descent | simple |", "| TBD | |"))?.problems).toHaveLength(
      1,
    );
    expect(parsePlanMd(`${PLAN}\n### Open Questions\n\n- which encoding?\n`)?.problems).toContain(
      "it still has open questions",
    );
    expect(parsePlanMd(`${PLAN}\n### Open Questions\n\nNone.\n`)?.problems).toEqual([]);
  });

  test("[TP-139] its text changes with one character of it, and with nothing else", () => {
    const around = (plan: string): string =>
      `# T\n\n## Task Objective\n\nx\n\n${plan}\n## Notes\n\ny\n`;
    const text = parsePlanMd(around(PLAN))?.text;
    expect(parsePlanMd(around(PLAN).replace("\ny\n", "\nz\n"))?.text).toBe(text);
    expect(parsePlanMd(around(PLAN.replace("parse(", "read(")))?.text).not.toBe(text);
  });

  test("[TP-141] files outside the manifest are named", () => {
    const plan = parsePlanMd(PLAN);
    expect(
      plan === undefined
        ? []
        : unplannedFiles(plan, ["src/Parser.java", "src/util/A.java", "x.txt"]),
    ).toEqual(["x.txt"]);
  });

  test.each([
    ["The architect agent writes the interface in its worktree", "ok"],
    ["Hand the tests to test, which writes them", "ok"],
    ["The interface will be implemented", "warning"],
    ["Then I will implement the parser", "error"],
    ["The coordinator then fixes what is left", "error"],
  ] as const)("[TP-142] %s: %s", (sentence, severity) => {
    expect(lintDelegation(sentence).severity).toBe(severity);
  });
});

describe("the synthesis", () => {
  const full = SYNTHESIS_SECTIONS.map((name) => `## ${name}\n\nR1 and SEC-R2, decided.\n`).join(
    "\n",
  );

  test("[TP-126] every part must be there", () => {
    expect(parseSynthesis(full, [])).toEqual({ missing: [], unmapped: [], undecided: [] });
    for (const name of SYNTHESIS_SECTIONS)
      expect(parseSynthesis(full.replace(`## ${name}`, "## x"), []).missing).toEqual([name]);
  });

  test("[TP-127] every requirement is mapped", () => {
    expect(requirementIds("R1, SEC-R2 and R1; R is none")).toEqual(["R1", "SEC-R2"]);
    expect(parseSynthesis(full, ["R1", "SEC-R2", "R3"]).unmapped).toEqual(["R3"]);
  });

  test("[TP-128] a conflict without a decision is named", () => {
    const text = full.replace("R1 and SEC-R2, decided.", "- style against quality on names");
    expect(parseSynthesis(text, []).undecided).toEqual(["style against quality on names"]);
  });
});

describe("requirements reports", () => {
  test("[TP-094] [TP-095] measured in bytes; empty never means none needed", () => {
    expect(parseRequirementsReport("").problems[0]?.code).toBe("report-empty");
    expect(parseRequirementsReport(" \n\t").bytes).toBe(0);
    expect(parseRequirementsReport("x".repeat(99)).problems[0]?.code).toBe("report-short");
    expect(parseRequirementsReport("x".repeat(100)).problems).toEqual([]);
    expect(parseRequirementsReport("ä".repeat(50)).bytes).toBe(100);
    expect(parseRequirementsReport("x".repeat(99), 50).problems).toEqual([]);
  });

  test("[TP-093] its file name says task and agent", () => {
    expect(reportName("a", "style")).toBe("a-style-requirements.md");
  });
});

describe("lines by which agents decide", () => {
  test("[TP-170] exactly one decision, plain or with a sign", () => {
    expect(readReviewDecision("x\nFINAL DECISION: APPROVED - fine\n")).toEqual({
      kind: "APPROVED",
      reason: "fine",
      line: 2,
    });
    expect(readReviewDecision("**FINAL DECISION: ❌ REJECTED - no**").kind).toBe("REJECTED");
    expect(readReviewDecision("FINAL DECISION: ✅ APPROVED").kind).toBe("APPROVED");
    for (const text of [
      "",
      "all good",
      "FINAL DECISION: maybe",
      "FINAL DECISION: APPROVED\nFINAL DECISION: REJECTED - x",
      "FINAL DECISION: ❌ APPROVED",
      "the FINAL DECISION: APPROVED",
    ])
      expect(readReviewDecision(text).kind).toBe("malformed");
  });

  test("[TP-175] scope decisions with their lists", () => {
    const text =
      "BLOCKING ISSUES: none\nDEFERRABLE ISSUES:\n- depth\n- names\nPERSISTENCE JUSTIFICATION: later\nSCOPE_DECISION: DEFER";
    expect(readScopeDecision(text)).toEqual({
      kind: "DEFER",
      blocking: [],
      deferrable: ["depth", "names"],
      justification: "later",
    });
    expect(readScopeDecision("SCOPE_DECISION: LATER").kind).toBe("malformed");
    expect(readScopeDecision("").kind).toBe("malformed");
  });
});

test("[TP-044] [TP-053] names", () => {
  for (const name of ["a", "add-parser", "fix-2"]) expect(checkTaskName(name)).toBeUndefined();
  for (const name of ["main", "A", "a_b", "a--b", "-a", "a-", "", "../x", "ä"])
    expect(checkTaskName(name)).toBeDefined();
});

test("no text makes a reader throw or an edit lose what it does not own", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      parseTaskMd(text);
      parsePlanMd(text);
      parseSynthesis(text, ["R1"]);
      parseChangelog(text);
      readReviewDecision(text);
      readScopeDecision(text);
      expect(setTodoWord(text, "nobody", "READY")).toBe(text);
      expect(removeTodoEntry(text, "nobody")).toBe(text);
      expect(addChange(text, { task: "a", date: "2026-03-01", title: "t" })).toContain("`a`");
    }),
  );
});
