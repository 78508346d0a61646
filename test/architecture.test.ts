/** What keeps the code in shape: who may import whom, what is banned where, and that rules have tests. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { COMMAND } from "./remedies.ts";

const ROOT = join(import.meta.dirname, "..");
const LINES_MAX = 300;
const COMMENT_OR_TEXT =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

interface Source {
  /** Path from the root of the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Modules of this repository by path, others by name. */
  readonly imports: readonly string[];
}

const all: readonly Source[] = [...filesBelow("src"), ...filesBelow("test")]
  .filter((path) => path.endsWith(".ts") && !path.startsWith("test/fixtures/"))
  .map((path) => read(path));
const sources = all.filter(({ path }) => path.startsWith("src/") && !path.endsWith(".test.ts"));
const tests = all.filter(({ path }) => path.endsWith(".test.ts"));

/**
 * Every import points toward core, core imports nothing, and only compose knows the adapters. The first
 * row that fits a file counts; `may` are path prefixes of this repository and names of packages, with `@family`
 * for the folder of its protocol family.
 */
const RULES: readonly { readonly files: RegExp; readonly may: readonly string[] }[] = [
  { files: /^src\/core\//, may: ["src/core/"] },
  {
    files: /^src\/protocols\/[^/]+\/files\//,
    may: ["src/core/", "src/files/", "@family/files/", "yaml"],
  },
  {
    files: /^src\/protocols\/[^/]+\/table\//,
    may: ["src/core/", "src/files/", "@family/files/", "@family/table/"],
  },
  {
    files: /^src\/protocols\//,
    may: ["src/core/", "src/watch/", "src/files/", "src/ports/", "src/family/", "@family/"],
  },
  {
    files: /^src\/family\//,
    may: ["src/core/", "src/watch/", "src/files/", "src/ports/", "src/family/"],
  },
  { files: /^src\/files\//, may: ["src/core/", "src/files/", "yaml"] },
  { files: /^src\/authoring\//, may: ["src/core/", "src/files/", "src/authoring/", "yaml"] },
  { files: /^src\/testing(?:\.ts|\/)/, may: ["src/core/", "src/testing/"] },
  // Judged with every use of a tool, before anything else is loaded.
  { files: /^src\/watch\//, may: ["src/core/values/", "src/watch/"] },
  { files: /^src\/ports\//, may: ["src/core/", "src/watch/", "src/ports/"] },
  { files: /^src\/engine\//, may: ["src/core/", "src/watch/", "src/ports/", "src/engine/"] },
  { files: /^src\/adapters\/workspace\/measure\/rules\.ts$/, may: ["ignore"] },
  // Loaded only where the store is named.
  {
    files: /^src\/adapters\/store\/postgres\//,
    may: ["src/core/", "src/ports/", "src/adapters/", "node:", "pg"],
  },
  {
    files: /^src\/adapters\//,
    may: ["src/core/", "src/watch/", "src/files/", "src/ports/", "src/adapters/", "node:"],
  },
  {
    files: /^src\/operations\//,
    may: [
      "src/authoring/",
      "src/core/",
      "src/ports/",
      "src/files/",
      "src/engine/",
      "src/operations/",
      "src/watch/",
    ],
  },
  {
    files: /^src\/surfaces\/mcp\//,
    may: [
      "src/core/",
      "src/ports/",
      "src/engine/",
      "src/operations/",
      "src/watch/",
      "src/compose/",
      "src/surfaces/",
      "node:",
      "@modelcontextprotocol/server",
    ],
  },
  {
    // Files of clients are edited here, byte for byte.
    files: /^src\/surfaces\/install\//,
    may: [
      "src/core/",
      "src/files/",
      "src/watch/",
      "src/ports/",
      "src/engine/",
      "src/operations/",
      "src/compose/",
      "src/surfaces/",
      "node:",
    ],
  },
  {
    files: /^src\/surfaces\//,
    may: [
      "src/core/",
      "src/watch/",
      "src/ports/",
      "src/engine/",
      "src/operations/",
      "src/compose/",
      "src/surfaces/",
      "node:",
    ],
  },
  {
    files: /^src\/compose\//,
    may: [
      "src/compose/",
      "src/door/",
      "src/core/",
      "src/watch/",
      "src/protocols/",
      "src/ports/",
      "src/engine/",
      "src/adapters/",
      "node:",
    ],
  },
  {
    files: /^src\/door\//,
    may: [
      "src/core/",
      "src/ports/",
      "src/engine/",
      "src/family/",
      "src/operations/",
      "src/authoring/",
      "src/compose/",
      "src/door/",
    ],
  },
  {
    files: /^src\/index\.ts$/,
    may: [
      "src/authoring/",
      "src/door/",
      "src/operations/",
      "src/core/",
      "src/family/",
      "src/protocols/",
      "src/ports/",
      "src/engine/",
      "src/compose/",
    ],
  },
  // A second opinion that knew our sources would be the first one.
  {
    files: /^test\/second-opinion\/(?!watch\.ts$)(?:[^/]+\/.*|(?!.*\.test\.ts$).*)$/,
    may: ["test/second-opinion/", "mdast-util-from-markdown", "node:", "yaml"],
  },
  {
    files: /^test\/second-opinion\//,
    may: ["test/second-opinion/", "test/e2e/", "node:", "vitest"],
  },
];

describe("imports", () => {
  test("every file has a rule", () => {
    const lost = sources.filter(({ path }) => !RULES.some(({ files }) => files.test(path)));
    expect(lost.map(({ path }) => path)).toEqual([]);
  });

  test("every import points toward core, and only compose knows the adapters", () => {
    expect(sources.flatMap((source) => wrongImports(source))).toEqual([]);
  });

  test("the second opinion knows nothing of what it is about; its runs know the command line alone", () => {
    const second = all.filter(({ path }) => path.startsWith("test/second-opinion/"));
    expect(second.flatMap((source) => wrongImports(source))).toEqual([]);
    const imports = ["src/protocols/team-contract/files/names.ts", "test/e2e/cli.ts"];
    const sample = { text: "", imports };
    expect(wrongImports({ ...sample, path: "test/second-opinion/x/y.ts" })).toHaveLength(2);
    expect(wrongImports({ ...sample, path: "test/second-opinion/agree.ts" })).toHaveLength(2);
    expect(wrongImports({ ...sample, path: "test/second-opinion/x.test.ts" })).toHaveLength(1);
    expect(wrongImports({ ...sample, path: "test/second-opinion/watch.ts" })).toHaveLength(1);
  });

  test("no import goes in a circle", () => {
    expect(findCycles(new Map(sources.map(({ path, imports }) => [path, imports])))).toEqual([]);
  });

  test("the checks find what they are for", () => {
    expect(
      importsOf(
        'import { a } from "./b.ts";\nimport type {\n  C,\n} from "../d/e.ts";\nexport { f } from "yaml";\nconst g = await import("node:fs");\n// import "no"',
        "src/core/x.ts",
      ),
    ).toEqual(["src/core/b.ts", "src/d/e.ts", "yaml", "node:fs"]);
    const sample = { text: "", imports: ["src/adapters/a.ts", "src/core/a.ts", "node:fs"] };
    expect(wrongImports({ ...sample, path: "src/core/x.ts" })).toHaveLength(2);
    expect(wrongImports({ ...sample, path: "src/surfaces/cli/x.ts" })).toHaveLength(1);
    expect(wrongImports({ ...sample, path: "src/compose/compose.ts" })).toEqual([]);
    const circle = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", ["a"]],
      ["d", []],
    ]);
    expect(findCycles(circle)).toEqual(["a → b → c → a"]);
  });
});

describe("banned", () => {
  const pure = sources.filter(({ path }) => /^src\/(?:core|family|protocols|files)\//.test(path));

  test.each([
    ["the clock", /\bDate\.now\b|\bnew Date\s*\(\s*\)|\bperformance\.now\b|\bsetTimeout\b/],
    ["randomness", /\bMath\.random\b|\brandomUUID\b|\bcrypto\./],
    ["the process", /\bprocess\./],
    ["node modules", /["']node:/],
    ["the console", /\bconsole\./],
  ])("core, protocols and files do not use %s", (_, banned) => {
    const code = banned.source.includes("node:") ? withoutComments : withoutTexts;
    expect(pure.filter(({ text }) => banned.test(code(text))).map(({ path }) => path)).toEqual([]);
  });

  test("only a family cites its rules; all others leave that to its table, by code", () => {
    const rule = /\b(?:PW|TC|TP)-\d/;
    const common = sources.filter(({ path }) => !path.startsWith("src/protocols/"));
    expect(common.filter(({ text }) => rule.test(text)).map(({ path }) => path)).toEqual([]);
    expect(rule.test('rule: "PW-203"')).toBe(true);
  });

  test("nobody asks whether a family has a member: defineFamily has filled it in", () => {
    const asks = /\bfamily\??\.(?:\w+\.)?\w+\?\.\(/;
    expect(sources.filter(({ text }) => asks.test(text)).map(({ path }) => path)).toEqual([]);
    expect(asks.test("await family.words.brief?.(world)")).toBe(true);
    expect(asks.test("family.effects[kind]?.removes?.(world)")).toBe(false);
  });

  test("the command line is no business of core, engine, operations, families and tables", () => {
    const below = /^src\/(?:core|engine|operations|family|ports|protocols\/[^/]+\/table)\//;
    const typed = sources
      .filter(({ path }) => below.test(path))
      .flatMap(({ path, text }) =>
        withoutComments(text)
          .split("\n")
          .filter((line) => COMMAND.test(line))
          .map((line) => `${path}: ${line.trim()}`),
      );
    expect(typed).toEqual([]);
    expect(COMMAND.test("fix: `holdpoint reconcile ${id}`")).toBe(true);
  });

  test("what a ledger holds is asked by `member`: `constructor` names nothing", () => {
    const ledger = "(?:units|decisions|dispatches|effects|seals|spent)";
    const asks = new RegExp(`\\.${ledger}\\[(?!ROOT\\b|["\`])|[\\w)] in [\\w.]*\\b${ledger}\\b`);
    const common = sources.filter(({ path }) =>
      /^src\/(?:core\/(?!check\/)|engine|operations|family)/.test(path),
    );
    const found = common.filter(({ text }) => asks.test(text.replaceAll(/\bROOT in/g, "")));
    expect(found.map(({ path }) => path)).toEqual([]);
    expect(asks.test("state.units[id]")).toBe(true);
    expect(asks.test("id in draft.state.units")).toBe(true);
  });

  test("no any", () => {
    const any = /[:<]\s*any\b|[,|&]\s*any\s*[>)\];|&]|\bas\s+any\b|\bany\[\]/;
    expect(
      sources.filter(({ text }) => any.test(withoutTexts(text))).map(({ path }) => path),
    ).toEqual([]);
    expect(any.test("const a: any = 1")).toBe(true);
    expect(any.test("x as any")).toBe(true);
    expect(any.test("Record<string, any>")).toBe(true);
    expect(any.test("{ guard: row.any, any: [] }")).toBe(false);
  });

  test(`no source file has more than ${LINES_MAX} lines`, () => {
    const long = sources
      .map(({ path, text }) => `${path}: ${text.split("\n").length - 1}`)
      .filter((line) => Number(line.split(": ")[1]) > LINES_MAX);
    expect(long).toEqual([]);
  });

  test("what only tests use is no part of the program: a rule it shows would be nobody's", () => {
    const scripts = filesBelow("scripts").filter((path) => path.endsWith(".ts"));
    const users = [...sources, ...scripts.map((path) => read(path))].map(({ path, text }) => ({
      path,
      names: namesIn(text),
    }));
    const unused = sources.flatMap(({ path, text }) =>
      exportedBy(text)
        .filter((name) => !users.some((one) => one.path !== path && one.names.has(name)))
        .filter((name) => text.split(new RegExp(`\\b${name}\\b`)).length === 2),
    );
    expect(unused.sort()).toEqual(Object.keys(ONLY_TESTED).sort());
  });

  test.each(["ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md"])(
    "%s names only files that are there",
    (page) => {
      const text = readFileSync(join(ROOT, page), "utf8");
      const named = [...text.matchAll(/`([\w./-]+\.ts)`/g)].map((match) => match[1] ?? "");
      const there = [...filesBelow("src"), ...filesBelow("test"), ...filesBelow("scripts")];
      const lost = named.filter((name) => !there.some((path) => `/${path}`.endsWith(`/${name}`)));
      expect(lost).toEqual([]);
      expect(page === "AGENTS.md" || named.length > 0).toBe(true);
    },
  );

  test("no test is left out", () => {
    const left = /\b(?:test|it|describe)\.(?:skip|only|todo|fails)\b(?!If)/;
    const named = tests.filter(({ path }) => path !== "test/architecture.test.ts");
    expect(named.filter(({ text }) => left.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

/** Exported values that nothing but tests asks for, and why they stay. */
const ONLY_TESTED: Readonly<Record<string, string>> = {
  createMemoryJournal: "a second journal, so that the conformance suite is not one store's own",
};

function exportedBy(text: string): readonly string[] {
  const exported = /^export (?:async )?(?:function|const|class) (\w+)/gm;
  return [...text.matchAll(exported)].map((match) => match[1] ?? "");
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set(withoutComments(text).match(/[\w$]+/g));
}

describe("rules", () => {
  const specs = filesBelow("src")
    .filter((path) => path.endsWith("SPEC.md"))
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }));
  const cited = new Set(tests.flatMap(({ text }) => citedIn(text)));

  test.each(specs.map(({ path, text }) => [path, rulesIn(text)] as const))(
    "every numbered rule of %s is cited by a test, and none is numbered twice",
    (_, rules) => {
      expect(rules.filter((id) => !cited.has(id))).toEqual([]);
      expect(rules.filter((id, index) => rules.indexOf(id) !== index)).toEqual([]);
    },
  );

  test("every numbered rule that is cited exists", () => {
    const known = new Set(specs.flatMap(({ text }) => rulesIn(text)));
    const letters = new Set([...known].map((id) => id.replace(/\d+$/, "")));
    const lost = [...cited].filter(
      (id) => /^[A-Z]+\d+$/.test(id) && letters.has(id.replace(/\d+$/, "")) && !known.has(id),
    );
    expect(lost).toEqual([]);
  });

  test.each(
    specs
      .filter(({ path }) => path.startsWith("src/protocols/"))
      .map(({ path, text }) => [path, rowsIn(text)] as const),
  )("every row of %s is cited by a test or accounted for in the coverage table", (_, rows) => {
    const accounted = new Set(coverage().match(/\b(?:PW|TC|TP)-\d{3}\b/g));
    expect(rows.filter((id) => !cited.has(id) && !accounted.has(id))).toEqual([]);
  });

  test("the checks find what they are for", () => {
    expect(rulesIn("- **C1** one\n- **C12** two, see **bold** and C3")).toEqual(["C1", "C12"]);
    expect(rowsIn("| id | text |\n|---|---|\n| PW-001 | a |\n|TC-002|b|\nPW-003 | PW-004")).toEqual(
      ["PW-001", "TC-002"],
    );
    expect(citedIn('test("[C7] x", f); it.each(t)(`[PW-001][TP-002] %s`)')).toEqual([
      "C7",
      "PW-001",
      "TP-002",
    ]);
  });
});

function rulesIn(text: string): readonly string[] {
  return [...text.matchAll(/\*\*([A-Z]+\d+)\*\*/g)].map((match) => match[1] ?? "");
}

function rowsIn(text: string): readonly string[] {
  return [...text.matchAll(/^\|\s*((?:PW|TC|TP)-\d{3})\s*\|/gm)].map((match) => match[1] ?? "");
}

/** Ids in brackets. They stand in titles; nothing else in a test is written like this. */
function citedIn(text: string): readonly string[] {
  return [...text.matchAll(/\[([A-Z]+-?\d+)\]/g)].map((match) => match[1] ?? "");
}

function coverage(): string {
  const path = join(ROOT, "docs/reference/coverage.md");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function wrongImports({ path, imports }: Source): readonly string[] {
  const rule = RULES.find(({ files }) => files.test(path));
  const family = path.split("/").slice(0, 3).join("/");
  const may = (rule?.may ?? []).map((one) => one.replace("@family", family));
  return imports
    .filter((one) => !may.some((prefix) => one.startsWith(prefix)))
    .map((one) => `${path} imports ${one}`);
}

function findCycles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const walk = (node: string, trail: readonly string[]): void => {
    if (trail.includes(node)) {
      cycles.push([...trail.slice(trail.indexOf(node)), node].join(" → "));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) walk(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) walk(node, []);
  return cycles;
}

function read(path: string): Source {
  const text = readFileSync(join(ROOT, path), "utf8");
  return { path, text, imports: importsOf(text, path) };
}

function importsOf(text: string, path: string): readonly string[] {
  const statement =
    /^(?:import|export)\b[^;"'`]*?\bfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)/gm;
  return [...withoutComments(text).matchAll(statement)]
    .map((match) => match[1] ?? match[2] ?? match[3] ?? "")
    .map((name) => (name.startsWith(".") ? normalize(join(dirname(path), name)) : name));
}

function withoutComments(text: string): string {
  return text.replaceAll(COMMENT_OR_TEXT, (found) => (found.startsWith("/") ? "" : found));
}

function withoutTexts(text: string): string {
  return text.replaceAll(COMMENT_OR_TEXT, (found) => (found.startsWith("/") ? "" : '""'));
}

function filesBelow(folder: string): readonly string[] {
  const directory = join(ROOT, folder);
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}
