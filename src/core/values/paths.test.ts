import { describe, expect, test } from "vitest";
import { matchesGlob, specificity } from "./glob.ts";
import { pathIn, plainPath } from "./paths.ts";

describe("paths and patterns", () => {
  test.each([
    ["a", "a", true],
    ["a", "b", false],
    ["a/b", "a", false],
    ["a", "a/b", false],
    ["*.ts", "a.ts", true],
    ["*.ts", "a/b.ts", false],
    ["?.ts", "a.ts", true],
    ["?.ts", "ab.ts", false],
    ["a*b*c", "axxbyyc", true],
    ["a*b*c", "axxbyy", false],
    ["*ab", "aab", true],
    ["a*", "a", true],
    ["a**", "a", true],
    ["ab", "a", false],
    ["", "", true],
    ["*", "", true],
    ["**", "a/b/c", true],
    ["**/c", "a/b/c", true],
    ["**/c", "c", true],
    ["a/**", "a", true],
    ["a/**", "b/a", false],
    ["a/**/d", "a/b/c/d", true],
    ["a/**/d", "a/b/c", false],
    ["a/*/d", "a/b/c/d", false],
    ["src/**", "lib/src/a", false],
  ])("%j and %j: %s", (pattern, path, matches) => {
    expect(matchesGlob(pattern, path)).toBe(matches);
  });

  test("a longer pattern pins more down", () => {
    expect(specificity("src/*.ts")).toBe(6);
    expect(specificity("**")).toBe(0);
  });

  test.each([
    ["./src//a.ts", "src/a.ts"],
    ["src/../a.ts", "a.ts"],
    ["../a.ts", "../a.ts"],
    ["a/../../b", "a/../../b"],
    ["/etc/./x", "/etc/./x"],
    [".", ""],
  ])("%s is %j", (path, plain) => {
    expect(plainPath(path)).toBe(plain);
  });

  test("an absolute path below the root is one from the root", () => {
    expect(pathIn("/r", "/r/src/./a")).toBe("src/a");
    expect(pathIn("/r", "/r")).toBe("");
    expect(pathIn("/r", "/rest/a")).toBe("/rest/a");
    expect(pathIn("/r", "src/a")).toBe("src/a");
  });
});
