import { describe, expect, test } from "vitest";
import { canonicalAgent, decidesConflict, isSelectable, selectAgents } from "./agents.ts";
import { matchesGlob } from "../../../core/values/glob.ts";
import { agentsFor, classify, gradePath, mayTakeShortWay, safetyGates } from "./risk.ts";

const plain = { description: "tidy up" };

describe("paths", () => {
  test.each([
    ["src/test/X.java", "MEDIUM"],
    ["src/main/X.java", "HIGH"],
    ["src/main/XTest.java", "MEDIUM"],
    ["pom.xml", "HIGH"],
    ["module/pom.xml", "HIGH"],
    ["README.md", "LOW"],
    ["lib/README", "LOW"],
    ["lib/README.rst", "LOW"],
    ["lib/README.js", "HIGH"],
    ["CLAUDE.md", "HIGH"],
    ["docs/project/task-protocol.md", "HIGH"],
    ["docs/guide/use.md", "LOW"],
    ["docs/code-style/java.md", "MEDIUM"],
    [".github/workflows/ci.yml", "HIGH"],
    ["foo.bin", "HIGH"],
    ["a/resources/b/c.properties", "MEDIUM"],
  ])("[TP-074] [TP-075] %s is %s", (path, level) => {
    expect(gradePath(path).level).toBe(level);
  });

  test("[TP-074] the highest path decides", () => {
    expect(classify({ ...plain, paths: ["src/test/X.java"] }).level).toBe("MEDIUM");
    expect(classify({ ...plain, paths: ["src/test/X.java", "pom.xml"] }).level).toBe("HIGH");
  });

  test("[TP-075] nothing known is HIGH", () => {
    expect(classify({ ...plain, paths: [] })).toMatchObject({ level: "HIGH", variant: "FULL" });
  });

  test("[TP-074] patterns are a setting", () => {
    const patterns = { HIGH: ["lib/**"], MEDIUM: [], LOW: ["**/*.test.ts"] };
    expect(gradePath("lib/a.test.ts", patterns).level).toBe("LOW");
    expect(gradePath("lib/a.rs", patterns).level).toBe("HIGH");
  });

  test.each([
    ["**/x", "x", true],
    ["**/x", "a/b/x", true],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/c/d/b", true],
    ["*.md", "a/b.md", false],
    ["a?c", "abc", true],
    ["a*c*e", "abcde", true],
    ["a*c*e", "abcd", false],
    [`${"*a".repeat(40)}b`, "a".repeat(60), false],
  ])("glob %s on %s", (pattern, path, matches) => {
    expect(matchesGlob(pattern, path)).toBe(matches);
  });
});

describe("level", () => {
  test("[TP-076] a keyword raises it by one; HIGH stays; parts of words do not count", () => {
    const of = (path: string, description: string): string =>
      classify({ paths: [path], description }).level;
    expect(of("README.md", "describe security")).toBe("MEDIUM");
    expect(of("src/test/X.java", "the api")).toBe("HIGH");
    expect(of("pom.xml", "security")).toBe("HIGH");
    expect(of("README.md", "a statement about capitals")).toBe("LOW");
  });

  test("[TP-077] an override is honoured and recorded as one", () => {
    const low = classify({ ...plain, paths: ["src/main/X.java"], override: "LOW" });
    expect(low).toMatchObject({ level: "LOW", method: "manual override" });
    expect(classify({ ...plain, paths: ["README.md"], override: "FULL" }).level).toBe("HIGH");
  });

  test("[TP-080] the record has level, method, triggers, variant and agents", () => {
    expect(classify({ ...plain, paths: ["src/test/X.java"] })).toMatchObject({
      level: "MEDIUM",
      method: "pattern",
      triggers: ["src/test/X.java matches src/test/**/*.java"],
      variant: "ABBREVIATED",
      agents: ["architect", "quality", "test"],
    });
  });

  test("[TP-082] a safety gate that fails makes LOW MEDIUM", () => {
    const safety = safetyGates({
      referencedFrom: ["src/A.java"],
      affectsBuild: false,
      sensitive: [],
    });
    expect(safety).toEqual(["referenced from src/A.java"]);
    expect(classify({ ...plain, paths: ["README.md"], safety })).toMatchObject({
      level: "MEDIUM",
      method: "safety escalation",
    });
    expect(
      safetyGates({ referencedFrom: [], affectsBuild: true, sensitive: ["keys"] }),
    ).toHaveLength(2);
  });

  test("[TP-081] where the short way exists", () => {
    expect(mayTakeShortWay("LOW", "code")).toBe(true);
    expect(mayTakeShortWay("MEDIUM", "config_only")).toBe(true);
    expect(mayTakeShortWay("MEDIUM", "code")).toBe(false);
    expect(mayTakeShortWay("HIGH", "documentation_only")).toBe(false);
    expect(mayTakeShortWay(null, "documentation_only")).toBe(false);
  });

  test("[TP-081] the kind of change is read from the paths", () => {
    const of = (...paths: readonly string[]): string => classify({ ...plain, paths }).change_type;
    expect(of("a.md", "b.txt")).toBe("documentation_only");
    expect(of("a.yml", "b.properties")).toBe("config_only");
    expect(of("a.md", "b.java")).toBe("code");
  });
});

describe("LOW is for plain files of text", () => {
  const all = { HIGH: [], MEDIUM: [], LOW: ["**"] };
  const text = `100644 ${"a".repeat(40)}`;

  test.each([
    ["a link", `- 120000 ${"b".repeat(40)}`],
    ["a program", `- 100755 ${"b".repeat(40)}`],
    ["a submodule", `${text} 160000 ${"b".repeat(40)}`],
    ["made a program", `${text} 100755 ${"a".repeat(40)}`],
    ["no longer a program", `100755 ${"a".repeat(40)} ${text}`],
    ["a link that is gone", `120000 ${"b".repeat(40)} -`],
  ])(
    "[TP-074] [TP-082] %s is not LOW, nor a text, whatever its name and the one who says so",
    (_, entry) => {
      for (const override of [null, "LOW"] as const)
        expect(
          classify({ ...plain, paths: ["a.md"], override, entries: { "a.md": entry } }),
        ).toMatchObject({ level: "MEDIUM", change_type: "code", method: "safety escalation" });
    },
  );

  test.each([
    [".github/workflows/x.md", "code"],
    ["AGENTS.md", "code"],
    ["docs/.claude/notes.txt", "documentation_only"],
    [".claude/commands/x.md", "code"],
    ["a/.npmrc", "code"],
    ["tsconfig.json", "code"],
    ["a/app.yml", "config_only"],
  ])("[TP-074] %s, which a repository calls LOW", (path, change_type) => {
    const level = change_type === "documentation_only" ? "LOW" : "MEDIUM";
    expect(classify({ ...plain, paths: [path], patterns: all })).toMatchObject({
      level,
      change_type,
    });
  });

  test("[TP-074] a text that is new, changed, or gone stays LOW", () => {
    for (const entry of [`- ${text}`, `${text} 100644 ${"b".repeat(40)}`, `${text} -`])
      expect(classify({ ...plain, paths: ["a.md"], entries: { "a.md": entry } }).level).toBe("LOW");
  });
});

describe("agents", () => {
  test.each([
    ["LOW", [], "x", []],
    ["MEDIUM", [], "x", ["architect", "quality"]],
    ["MEDIUM", ["docs/code-style/a.md"], "x", ["architect", "quality", "style"]],
    ["MEDIUM", [], "security", ["architect", "quality", "security"]],
    ["HIGH", [], "x", ["architect", "style", "quality", "build"]],
    ["HIGH", ["src/security/A.java"], "x", ["architect", "style", "quality", "build", "security"]],
    ["HIGH", [], "performance", ["architect", "style", "quality", "build", "performance"]],
    ["HIGH", ["src/test/A.java"], "x", ["architect", "style", "quality", "build", "test"]],
    ["HIGH", ["src/cli/A.java"], "x", ["architect", "style", "quality", "build", "usability"]],
    ["HIGH", [], "style", ["architect", "style", "quality", "build"]],
  ] as const)("[TP-078] %s with %j, %s", (level, paths, description, expected) => {
    expect(agentsFor(level, { paths, description })).toEqual(expected);
  });

  test("[TP-079] aliases have one name; configuration and audit are never selected", () => {
    expect(selectAgents(["engineer", "quality", "config", "Hacker"])).toEqual({
      agents: ["quality", "security"],
      refused: ["config"],
    });
    expect(canonicalAgent("formatter")).toBe("style");
    expect(isSelectable("configurator")).toBe(false);
  });

  test("[TP-128] conflicts are decided by tier; between equals the architect decides", () => {
    expect(decidesConflict("style against quality on names")).toBe(
      "quality decides, being of tier 2",
    );
    expect(decidesConflict("hacker wants it, architect does not")).toBe(
      "architect decides, being of tier 1",
    );
    for (const equal of ["style against test", "style against itself", "who knows"])
      expect(decidesConflict(equal)).toBe("the architect decides");
  });
});
