import { isJsonObject, parseJson } from "../core/values/json.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import { openWorld } from "../engine/parts.ts";
import type { Schema } from "../files/json-schema.ts";
import type { Act } from "../core/decide/answer.ts";
import type { Workspace } from "../ports/workspace.ts";
import { refusedAnswer } from "./parts/answers.ts";
import type { Answered } from "./parts/answers.ts";
import { flag, inputOf } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { FLAG, TEXT, TEXTS, CHOICES, answers, listOf, orNull, shape } from "./parts/shapes.ts";
import { shownHere, startable } from "./start.ts";

export type InitInput = { readonly yes?: boolean };

/** What a repository has, and the configuration that fits it. */
export interface SetUp extends Answer {
  /** Protocols whose files or journals are here, and how many of their workflows have no journal yet. */
  readonly protocols: readonly { readonly name: string; readonly title: string }[];
  readonly adoptable: readonly string[];
  readonly checks: readonly { readonly name: string; readonly run: string; readonly why: string }[];
  readonly file: string;
  /** The text of the configuration: as it is, and as it would be. */
  readonly before: string | null;
  readonly after: string;
  readonly written: boolean;
  /** Whether there is a commit that the configuration can count from. */
  readonly git: boolean;
  readonly next: readonly (string | Act)[];
}

const SET_UP: Schema = answers(
  shape({
    ok: FLAG,
    protocols: listOf(shape({ name: TEXT, title: TEXT })),
    adoptable: TEXTS,
    checks: listOf(shape({ name: TEXT, run: TEXT, why: TEXT })),
    file: TEXT,
    before: orNull(TEXT),
    after: TEXT,
    written: FLAG,
    git: FLAG,
    next: CHOICES,
  }),
);

export const init: Operation<InitInput, Answered<SetUp>> = told({
  name: "init",
  purpose: "Set a repository up: what is here, and a configuration that fits it",
  input: inputOf<InitInput>({
    required: {},
    optional: {
      yes: flag("write the configuration; without it, only say what would be written"),
    },
  }),
  result: SET_UP,
  examples: [{}, { yes: true }],
  readOnly: ({ yes }) => yes !== true,
  run,
});

const FILE = "holdpoint.config.json";

async function run({ parts }: Context, { yes = false }: InitInput): Promise<Answered<SetUp>> {
  const world = openWorld(parts);
  const families = await startable(parts);
  const shown = await shownHere(parts, families);
  const found = await Promise.all(families.map(async (one) => await one.adopt.discover(world)));
  const known = new Set((await parts.journal.list()).map(({ stream }) => stream));
  const adoptable = families.flatMap((family, index) =>
    (found[index] ?? []).filter((id) => !known.has(`${family.protocol.name}:${id}`)),
  );
  const tools = await toolsIn(parts.workspace);
  const now = await parts.workspace.read(FILE);
  if (now.kind === "unreadable") return refusedAnswer([unreadable(now)]);
  const before = now.kind === "text" ? now.text : null;
  const languages = [...new Set(tools.map(({ language }) => language))];
  const settings = shown.map((one) => one.starting.settings(languages));
  const after = before ?? configText(tools, Object.assign({}, ...settings));
  const writes = yes && before === null;
  if (writes) {
    const installed = await parts.workspace.install(FILE, after, null);
    if (installed.kind === "failed") return refusedAnswer([unreadable(installed)]);
  }
  const git = parts.place.kind === "repository";
  return {
    ok: true,
    protocols: shown.map(({ protocol: { name, title } }) => ({ name, title })),
    adoptable,
    checks: tools.map(({ check, run: words, why }) => ({ name: check, run: words.join(" "), why })),
    file: FILE,
    before,
    after,
    written: writes,
    git,
    next: [
      ...(git ? [] : ["git init"]),
      ...(before === null ? [`git add ${FILE} && git commit -m "Set Holdpoint up"`] : []),
      adoptable.length > 0
        ? { operation: "adopt", input: { all: true, dryRun: true } }
        : { operation: "start", input: { protocol: shown[0]?.protocol.name ?? "<protocol>" } },
    ],
  };
}

function unreadable({ message, fix }: { readonly message: string; readonly fix: string }): {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
} {
  return { code: "config-unreadable", message, fix, rule: "core" };
}

interface Tool {
  readonly language: string;
  readonly check: string;
  readonly run: readonly string[];
  /** What shows that it is used here. */
  readonly why: string;
}

/** The tests that a repository shows; of several, each under a name of its own. */
async function toolsIn(workspace: Workspace): Promise<readonly Tool[]> {
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
    isUsed: (text) => /^test:/m.test(text),
  },
];

/** The script that npm puts there by itself runs nothing. */
function hasTestScript(text: string): boolean {
  const read = parseJson(text);
  const scripts = isJsonObject(read) ? read["scripts"] : undefined;
  const test = isJsonObject(scripts) ? scripts["test"] : undefined;
  return typeof test === "string" && test.trim() !== "" && !test.includes("no test specified");
}

const LINE_MAX = 80;

/** A repository in which no test was seen says nothing about checks: whoever knows of one writes it there. */
function configText(tools: readonly Tool[], settings: JsonObject): string {
  const checks: Record<string, Json> = {};
  for (const { check, run } of tools) checks[check] = { run: [...run], minutes: 10 };
  const text = JSON.stringify({ checks, ...settings }, undefined, 2);
  // A list of words reads best on one line.
  const lean = text.replaceAll(/\[\s+("[^[\]]*?")\s+\]/g, (whole, words: string) => {
    const line = `[${words.replaceAll(/,\s+/g, ", ")}]`;
    return line.length <= LINE_MAX ? line : whole;
  });
  return `${lean}\n`;
}
