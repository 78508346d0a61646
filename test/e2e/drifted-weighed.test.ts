/** Row, entry and handoff are not believed where timeline, plan, numbering or git say something else. */
import { describe, expect, test } from "vitest";
import { repository } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import { handoffOf, ideas } from "./plugin.ts";

const DAY = "2025-11-02";
const PHASED =
  "# Plan\n\n**Complexity Score:** 3.5\n\n### Phase 3.1: a\n\n### Phase 3.2: b\n\n### Phase 3.3: c\n";
const FLAT = "# Plan\n\n**Complexity Score:** 2.0\n";

interface Tree {
  readonly row: string;
  /** Lines below the timeline of its entry. */
  readonly timeline?: readonly string[];
  readonly handoff?: string;
  readonly plan?: string;
  /** Subjects of commits that touch it, oldest first. */
  readonly commits?: readonly string[];
}

function tree({ row, timeline, handoff, plan = FLAT, commits = [] }: Tree): Scratch {
  const scratch = repository();
  const head = "| Plugin Name | Status | Version | Last Updated |\n|---|---|---|---|";
  const entry =
    timeline === undefined
      ? ""
      : `\n## Full entries\n\n### Solo\n\n**Status:** ${row}\n\nDear words.\n\n**Lifecycle Timeline:**\n\n${timeline.map((line) => `- ${line}`).join("\n")}\n\n---\n`;
  scratch.write("PLUGINS.md", `# Mine\n\n${head}\n| Solo | ${row} | - | ${DAY} |\n${entry}`);
  for (const file of ["creative-brief", "parameter-spec", "architecture"])
    scratch.write(ideas(`${file}.md`, "Solo"), "words\n");
  scratch.write(ideas("plan.md", "Solo"), plan);
  if (handoff !== undefined)
    scratch.write(
      handoffOf("Solo"),
      `---\nplugin: Solo\n${handoff}\nlast_updated: ${DAY}\n---\n\n# Resume\n`,
    );
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "as it is");
  for (const [index, subject] of commits.entries()) {
    scratch.write("plugins/Solo/Source/Plugin.cpp", `// ${index}\n`);
    scratch.git("add", ".");
    scratch.git("commit", "--quiet", "-m", subject);
  }
  return scratch;
}

interface Asked {
  readonly result?: string;
  readonly message: string;
  readonly choices: string;
  readonly evidence: string;
}

function asked(reply: Reply): Asked {
  const [row] = reply.json.workflows ?? [];
  const list = (name: string): string => {
    const value: unknown = Reflect.get(row ?? {}, name);
    return Array.isArray(value) ? `${value.join("\n")}\n` : "";
  };
  return {
    ...(row?.result === undefined ? {} : { result: row.result }),
    message: row?.refusals?.[0]?.message ?? "",
    choices: list("choices"),
    evidence: list("evidence"),
  };
}

const LINE = (tag: string, text: string): string => `**${DAY} (${tag}):** ${text}`;

describe("what contradicts the state files is asked", () => {
  test.each<[string, Tree, RegExp, readonly RegExp[]]>([
    [
      "a timeline that is further on",
      { row: "🚧 Stage 2", timeline: [LINE("Stage 2", "Foundation"), LINE("Stage 3", "Engine")] },
      /say Stage 2, the timeline says: .*Engine/,
      [/--at s2\n/, /--at s3\n/],
    ],
    [
      "a timeline that has not come so far",
      { row: "✅ Working", timeline: [LINE("Stage 2 COMPLETE", "Foundation")] },
      /say Working, the timeline says/,
      [/--at working\n/, /--at s2\n/],
    ],
    [
      "a commit that is further on",
      { row: "🚧 Stage 2", commits: ["feat(Solo): Stage 3 complete - engine", "chore: tidy"] },
      /say Stage 2, git \(\w{7}\) says: .*Stage 3/,
      [/--at s2\n/, /--at s3\n/],
    ],
    [
      "a stage that no commit has reached",
      { row: "🚧 Stage 4", commits: ["feat: Solo build system ready"] },
      /say Stage 4, git/,
      [/--at s4\n/, /--at s2\n/],
    ],
    [
      "a phase that the plan does not have",
      { row: "🚧 Stage 3.7", plan: PHASED },
      /phase 3\.7, which plan\.md does not have/,
      [/--at s2 --phase 3\.1\n/, /--at s2 --phase 3\.3\n/, /--at s3\n/],
    ],
    [
      "a phase of a plan without phases",
      { row: "🚧 Stage 3.2" },
      /phase 3\.2, which plan\.md does not have/,
      [/--at s2\n/, /--at s3\n/],
    ],
    [
      "a reset that only the timeline knows",
      {
        row: "🚧 Stage 3",
        timeline: [LINE("Stage 3", "Engine"), `**${DAY}:** Reset to ideation (too big)`],
      },
      /the timeline says: .*Reset/,
      [/--at ideated\n/, /--at s3\n/],
    ],
  ])("%s", (_, files, message, choices) => {
    const scratch = tree(files);
    const told = asked(scratch.hold("adopt --all --yes"));
    expect(told.result, told.message).toBe("refused");
    expect(told.message).toMatch(message);
    for (const choice of choices) expect(told.choices).toMatch(choice);
    expect(scratch.git("status", "--porcelain")).toBe("");
  });

  test("in words, with the line to type for each", () => {
    const { stdout } = tree({ row: "🚧 Stage 3.7", plan: PHASED }).say("adopt --all");
    expect(stdout).toMatch(
      /^ {4}Stage 2, phase 3\.1 finished: holdpoint adopt Solo --at s2 --phase 3\.1$/m,
    );
    expect(stdout).toContain("Stage 2 (--at s2)");
  });

  test("and the evidence names what each of them says", () => {
    const { evidence } = asked(
      tree({
        row: "🚧 Stage 2",
        timeline: [LINE("Stage 2", "Foundation")],
        commits: ["feat: Solo Stage 3 - audio engine working", "chore: tidy"],
      }).hold("adopt --all"),
    );
    expect(evidence).toMatch(/table of PLUGINS\.md: 🚧 Stage 2/);
    expect(evidence).toMatch(/the timeline, .*Foundation/);
    expect(evidence).toMatch(/git \(\w{7}\), the last step it names: .* Stage 3/);
  });
});

describe("what agrees is not asked", () => {
  test.each<[string, Tree, string]>([
    [
      "row, timeline and commit of one stage",
      {
        row: "🚧 Stage 3",
        timeline: [LINE("Stage 2", "Foundation"), LINE("Stage 3", "Engine")],
        commits: ["feat: Solo Stage 3 - audio engine working", "wip: Solo Stage 4"],
      },
      "🚧 Stage 3",
    ],
    [
      "a phase that the plan has",
      {
        row: "🚧 Stage 3.1",
        plan: PHASED,
        timeline: [LINE("Stage 3.1", "Core")],
        commits: ["feat: Solo Stage 3.1 - core"],
      },
      "🚧 Stage 3.1",
    ],
    [
      "what is finished, and whose commits never said so",
      { row: "📦 Installed", commits: ["feat: Solo Stage 2 - build system ready"] },
      "📦 Installed",
    ],
    [
      "commits that speak of another plugin",
      { row: "🚧 Stage 2", commits: ["feat: SoloTwo Stage 4 - UI integrated"] },
      "🚧 Stage 2",
    ],
    [
      "old numbers, told by the phases of the plan",
      {
        row: "🚧 Stage 3",
        handoff: "stage: 3\nphase: null\nstatus: complete",
        plan: "# Plan\n\n**Complexity Score:** 3.5\n\n### Phase 4.1: a\n\n### Phase 5.1: b\n",
      },
      "🚧 Stage 2",
    ],
    [
      "old numbers, told by what the timeline calls them",
      {
        row: "🚧 Stage 4",
        handoff: "stage: 4\nphase: null\nstatus: complete",
        timeline: [LINE("Stage 3", "Shell builds"), LINE("Stage 4", "Audio engine")],
      },
      "🚧 Stage 3",
    ],
  ])("%s", (_, files, state) => {
    const scratch = tree(files);
    const reply = scratch.hold("adopt --all --yes");
    expect(asked(reply).result, reply.stdout).toBe("adopted");
    expect(scratch.hold("status Solo").json.state).toBe(state);
  });
});
