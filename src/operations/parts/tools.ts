/** Detects the tests of a repository from the files of common tools. */
import { textBody } from "../../files/text.ts";
import { isJsonObject, parseJson, showJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { object } from "../../core/values/json-read.ts";
import type { Workspace } from "../../ports/workspace.ts";

export interface Tool {
  readonly language: string;
  readonly check: string;
  readonly run: readonly string[];
  /** The file that shows that it is used. */
  readonly why: string;
}

/** The test commands found. If there are several, each gets its own name. */
export async function toolsIn(workspace: Workspace): Promise<readonly Tool[]> {
  const found: Tool[] = [];
  for (const { file, language, run, isUsed } of TOOLS) {
    const read = await workspace.read(file);
    if (read.kind !== "text" || !isUsed(read.text)) continue;
    const check = found.length === 0 ? "tests" : `tests-${language}`;
    found.push({ language, check, run, why: file });
  }
  return found;
}

const always = (): boolean => true;

const TOOLS: readonly {
  readonly file: string;
  readonly language: string;
  readonly run: readonly string[];
  readonly isUsed: (text: string) => boolean;
}[] = [
  { file: "package.json", language: "javascript", run: ["npm", "test"], isUsed: hasTestScript },
  { file: "Cargo.toml", language: "rust", run: ["cargo", "test"], isUsed: always },
  { file: "go.mod", language: "go", run: ["go", "test", "./..."], isUsed: always },
  { file: "pom.xml", language: "java", run: ["mvn", "-q", "test"], isUsed: always },
  { file: "build.gradle", language: "java", run: ["./gradlew", "test"], isUsed: always },
  { file: "build.gradle.kts", language: "java", run: ["./gradlew", "test"], isUsed: always },
  {
    file: "pyproject.toml",
    language: "python",
    run: ["python", "-m", "pytest"],
    isUsed: (text) => text.includes("pytest"),
  },
  { file: "pytest.ini", language: "python", run: ["python", "-m", "pytest"], isUsed: always },
  {
    file: "CMakeLists.txt",
    language: "cpp",
    run: ["ctest", "--test-dir", "build"],
    isUsed: (text) => /enable_testing|add_test|include\s*\(\s*CTest/i.test(text),
  },
  {
    file: "Makefile",
    language: "make",
    run: ["make", "test"],
    isUsed: (text) => /^test:(?!=)/m.test(text) && !SENDS.test(recipe(text)),
  },
];

/** The rule for the target `test`, with its commands. */
function recipe(makefile: string): string {
  return /^test:.*(?:\n\t.*)*/m.exec(makefile)?.[0] ?? "";
}

/** The script that `npm init` writes runs no tests. One that publishes something is not a check either. */
function hasTestScript(text: string): boolean {
  const read = parseJson(textBody(text));
  const scripts = object(isJsonObject(read) ? read["scripts"] : undefined);
  const test = scripts["test"];
  if (typeof test !== "string" || test.trim() === "" || test.includes("no test specified"))
    return false;
  const run = reached(scripts, ["pretest", "test", "posttest"]);
  return !run.some((line) => SENDS.test(line));
}

/** The commands of these scripts, and of those that they call. */
function reached(scripts: JsonObject, names: readonly string[]): readonly string[] {
  const known = new Set(names);
  const lines: string[] = [];
  for (const name of known) {
    const line = Object.hasOwn(scripts, name) ? showJson(scripts[name]) : "";
    lines.push(line);
    const words = line.split(/[\s;&|()"']+/);
    for (const other of Object.keys(scripts)) if (words.includes(other)) known.add(other);
  }
  return lines;
}

/** Only as separate words: neither a flag such as `--release` nor part of a path. */
const SENDS =
  /(?:^|[^a-z/.-])(?:(?:publish|deploy|release|upload|push)(?:[^a-z/.-]|$)|semantic-release)/i;
