/**
 * Whatever vouches is bound to facts. Change any byte, mode, name or link below what a fact is about, and it reads
 * otherwise or is unknown; either way, what was bound to it no longer counts.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { compose } from "../../src/compose/compose.ts";
import { isJsonArray, isJsonObject } from "../../src/core/values/json.ts";
import type { Json } from "../../src/core/values/json.ts";
import { isUnknown } from "../../src/core/values/unknown.ts";
import { find } from "../../src/engine/engine.ts";
import { lookUp } from "../../src/engine/look/look.ts";
import { openWorld } from "../../src/engine/parts.ts";
import { pluginFamily } from "../../src/protocols/plugin-workflow/index.ts";
import { taskProtocol } from "../../src/protocols/task-protocol/table/protocol.ts";
import { teamFamily } from "../../src/protocols/team-contract/index.ts";
import { NAME, ideas, pluginAt, writeMockup } from "./plugin.ts";
import { sessionAt } from "./team.ts";

/** Changes of one file that nobody may miss. */
const CHANGES: Readonly<Record<string, (file: string) => void>> = {
  "another byte": (file) => writeFileSync(file, "something else\n"),
  "no byte": (file) => writeFileSync(file, ""),
  "another name": (file) => renameSync(file, join(dirname(file), "renamed")),
  "no file": (file) => rmSync(file),
  "a link": (file) => {
    rmSync(file);
    symlinkSync("/etc/hostname", file);
  },
  "a directory": (file) => {
    rmSync(file);
    mkdirSync(file);
    writeFileSync(join(file, "x"), "x");
  },
};

/** The mode counts where it can make a difference to what is run. */
const MODE = (file: string): void => chmodSync(file, 0o755);

describe("a plugin", () => {
  const cases: readonly (readonly [fact: string, file: string])[] = [
    [`tree:plugins/${NAME}`, `plugins/${NAME}/Source/PluginProcessor.cpp`],
    [`tree:plugins/${NAME}`, ideas("plan.md")],
    [`digest:${ideas("creative-brief.md")}`, ideas("creative-brief.md")],
    [`mockups:${NAME}`, ideas("mockups/v1-ui.html")],
    [`around:${NAME}`, "shared/dsp.cpp"],
  ];
  test.each(cases)("%s sees every change of %s", async (fact, file) => {
    const scratch = pluginAt("s2");
    writeMockup(scratch);
    put(scratch.top, `plugins/${NAME}/Source/PluginProcessor.cpp`, "int a;\n");
    put(scratch.top, file, "as it is\n");
    await checkAll({ top: scratch.top, workflow: NAME, fact, file });
  });

  test("also where git is told to ignore all plugins, or the folder that is asked for", async () => {
    const scratch = pluginAt("s2");
    const file = `plugins/${NAME}/Source/PluginProcessor.cpp`;
    for (const rule of ["plugins/", `${NAME}/`, "Source", "*.cpp\nplugins/*"]) {
      scratch.write(".gitignore", `${rule}\n`);
      const fact = rule === "Source" ? `tree:plugins/${NAME}/Source` : `tree:plugins/${NAME}`;
      await checkAll({ top: scratch.top, workflow: NAME, fact, file });
    }
  });

  test("what need not be looked at again: prose beside the plugins", async () => {
    const { top } = pluginAt("s2");
    const before = await look(top, NAME, `around:${NAME}`);
    put(top, "README.md", "# Words\n");
    expect(await look(top, NAME, `around:${NAME}`)).toEqual(before);
  });

  test("a new file below it is seen", async () => {
    const { top } = pluginAt("s2");
    const before = await look(top, NAME, `tree:plugins/${NAME}`);
    put(top, `plugins/${NAME}/deep/down/new.cpp`, "int b;\n");
    expect(await look(top, NAME, `tree:plugins/${NAME}`)).not.toEqual(before);
  });
});

describe("a team session", () => {
  const cases: readonly (readonly [fact: string, file: string, mode: boolean])[] = [
    ["changes:.", "src/new.ts", true],
    ["changes:T-001", "src/new.ts", true],
    ["worktree:{id}", "src/new.ts", true],
    ["digest:.agents-work/{id}/spec.md", ".agents-work/{id}/spec.md", false],
    ["digest:.agents-work/{id}/architecture.md", ".agents-work/{id}/architecture.md", false],
    ["digest:.agents-work/{id}/acceptance.json", ".agents-work/{id}/acceptance.json", false],
    ["designs:{id}", ".agents-work/{id}/design-specs/design-spec-x.md", false],
  ];
  test.each(cases)("%s sees every change of %s", async (fact, file, mode) => {
    const { repo, id } = sessionAt("coded");
    const fill = (text: string): string => text.replace("{id}", id);
    put(repo.top, fill(file), "as it is\n");
    const one = { top: repo.top, workflow: id, fact: fill(fact), file: fill(file) };
    await checkAll({ ...one, mode });
  });
});

test("every fact that something is bound to is tried here, or is a commit's own", () => {
  const words = [pluginFamily.protocol, teamFamily.protocol, taskProtocol].flatMap((one) =>
    bindsIn({ kinds: one.kinds, questions: one.questions, dispatches: one.work }).map((key) =>
      key.replace(/:.*/, ""),
    ),
  );
  // Of a commit or a plan that is kept with its bytes; tried in the task protocol's own tests.
  const commits = ["clean", "head", "patch", "plan-digest", "work"];
  const tried = ["around", "changes", "designs", "digest", "mockups", "tree", "worktree"];
  // How often a state was entered: it can only grow.
  const counted = ["entry"];
  // What changed while nobody was ordered to: the whole of it is measured, and tried in unordered.test.ts.
  const measured = ["unordered"];
  const known = [...commits, ...tried, ...counted, ...measured];
  expect([...new Set(words)].sort()).toEqual(known.sort());
});

interface Bound {
  readonly top: string;
  readonly workflow: string;
  readonly fact: string;
  readonly file: string;
  readonly mode?: boolean;
}

async function checkAll({
  top,
  workflow,
  fact,
  file,
  mode = /^(?:tree|around):/.test(fact),
}: Bound) {
  const place = join(top, file);
  for (const [name, change] of Object.entries(
    mode ? { ...CHANGES, "another mode": MODE } : CHANGES,
  )) {
    rmSync(place, { recursive: true, force: true });
    rmSync(join(dirname(place), "renamed"), { force: true });
    put(top, file, "as it is\n");
    // What lies around a plugin counts as it is committed.
    if (fact.startsWith("around:")) commitAll(top);
    const before = await look(top, workflow, fact);
    expect(isUnknown(before), name).toBe(false);
    expect(await look(top, workflow, fact), name).toEqual(before);
    change(place);
    const now = await look(top, workflow, fact);
    expect(isUnknown(now) ? "unknown" : now, name).not.toEqual(before);
  }
}

async function look(cwd: string, workflow: string, fact: string): Promise<Json> {
  const composed = await compose({ cwd });
  if (composed.kind === "failed") throw new Error(composed.message);
  const { parts } = composed;
  try {
    const found = await find(parts, workflow);
    if (found.kind === "refused") throw new Error(found.refusals[0]?.message);
    return (await lookUp(found.family, openWorld(parts), found.state, [fact]))[fact] ?? null;
  } finally {
    await parts.journal.close();
  }
}

function bindsIn(value: unknown): readonly string[] {
  const json = JSON.parse(JSON.stringify(value)) as Json;
  const walk = (one: Json): readonly string[] => {
    if (isJsonArray(one)) return one.flatMap(walk);
    if (!isJsonObject(one)) return [];
    return Object.entries(one).flatMap(([name, inner]) =>
      name === "binds" && isJsonArray(inner)
        ? inner.filter((key) => typeof key === "string")
        : walk(inner),
    );
  };
  return walk(json);
}

function commitAll(cwd: string): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  execFileSync("git", ["add", "--all"], { cwd });
  execFileSync("git", [...who, "commit", "--quiet", "--allow-empty", "-m", "as it is"], { cwd });
}

function put(top: string, path: string, text: string): void {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), text);
}
