import { describe, expect, test } from "vitest";
import * as team from "../../../../test/fixtures/team-contract/session.ts";
import type { Json } from "../../../core/values/json.ts";
import { touchedPaths } from "./guards/paths.ts";
import { mayTouch } from "./paths.ts";

const { begin, work, ORCHESTRATOR } = team;
type Told = ReturnType<typeof begin>;
const tree = `worktree:${team.ID}`;

const ROLES = [
  "SpecAgent",
  "Architect",
  "Designer",
  "Researcher",
  "Planner",
  "Coder",
  "Reviewer",
  "QA",
  "Security",
  "Docs",
  "Integrator",
];

/** Hand it out, let the world change, take the report. */
function touching(told: Told, spec: string, unit: string, path: string): Told {
  told.send(spec, unit, ORCHESTRATOR);
  changing(told, path);
  return team.report(told, { files: [path] });
}

function changing(told: Told, path: string | undefined, commits: readonly string[] = []): void {
  const id = Object.keys(told.state.dispatches).at(-1) ?? "";
  told.given({ [`change:${id}`]: team.change(path, commits) });
}

describe("role boundaries, found from what changed", () => {
  const cases: readonly (readonly [string, () => Told, string, string, string, boolean])[] = [
    ["SpecAgent", () => begin(), "specify", ".", team.path("spec.md"), true],
    ["SpecAgent", () => begin(), "specify", ".", "src/a.ts", false],
    [
      "Architect",
      () => team.toDesign(begin()),
      "architect",
      ".",
      team.path("adr/ADR-001.md"),
      true,
    ],
    ["Architect", () => team.toDesign(begin()), "architect", ".", "src/a.ts", false],
    ["Coder", () => team.toLoop(begin()), "code", "T-001", "src/a.ts", true],
    [
      "Coder",
      () => team.toLoop(begin()),
      "code",
      "T-001",
      ".agents-work/2026-01-01_old-one/spec.md",
      false,
    ],
    [
      "Reviewer",
      () => work(team.toLoop(begin()), "code", "T-001"),
      "review",
      "T-001",
      "src/a.ts",
      false,
    ],
    [
      "QA",
      () => work(work(team.toLoop(begin()), "code", "T-001"), "review", "T-001"),
      "test",
      "T-001",
      "tests/a.test.ts",
      true,
    ],
    [
      "QA",
      () => work(work(team.toLoop(begin()), "code", "T-001"), "review", "T-001"),
      "test",
      "T-001",
      "src/a.ts",
      false,
    ],
    ["Docs", () => team.toRelease(begin()), "document", ".", "README.md", true],
    ["Docs", () => team.toRelease(begin()), "document", ".", "src/a.ts", false],
    ["Integrator", () => team.toIntegrate(begin()), "integrate", ".", "src/a.ts", true],
    [
      "Integrator",
      () => work(team.toRelease(begin()), "document"),
      "release",
      ".",
      "CHANGELOG.md",
      true,
    ],
    [
      "Integrator",
      () => work(team.toRelease(begin()), "document"),
      "release",
      ".",
      "src/a.ts",
      false,
    ],
  ];

  test.each(cases)("[TC-169] [TC-172] [TC-028] %s%#: %s %s %s", (...row) => {
    const [role, given, spec, unit, path, allowed] = row;
    const told = touching(given(), spec, unit, path);
    const expected = allowed ? [] : [`${role} may not change ${path}`];
    expect(told.refusals.map((one) => one.message)).toEqual(expected);
  });

  test("[TC-170] the Integrator belongs to INTEGRATE, FIX_BUILD and RELEASE, and product code it touched is told", () => {
    team.toLoop(begin()).send("integrate", ".", ORCHESTRATOR).expectRefused("dispatch-illegal");
    const told = touching(team.toIntegrate(begin()), "integrate", ".", "src/a.ts");
    const last = Object.values(told.state.dispatches).at(-1);
    expect(last?.notes.map((one) => one.code)).toEqual(["product-code-changed"]);
    const config = touching(team.toIntegrate(begin()), "integrate", ".", "package.json");
    expect(Object.values(config.state.dispatches).at(-1)?.notes).toEqual([]);
  });

  test("[TC-171] the limits hold in lean mode and in repairs", () => {
    const lean = work(team.leanLoop(), "code", "T-001");
    touching(lean, "review", "T-001", "src/a.ts").expectRefused("role-boundary");
    const repaired = work(work(team.toLoop(begin()), "code", "T-001"), "review", "T-001");
    work(repaired, "test", "T-001", { outcome: "BLOCKED", summary: "red" });
    touching(repaired, "fix-tests-qa", "T-001", "src/a.ts").expectRefused("role-boundary");
  });

  test("[TC-048] a refused report has no effect on its task", () => {
    const told = team.toLoop(begin()).send("code", "T-001", ORCHESTRATOR);
    changing(told, ".agents-work/2026-01-01_old-one/spec.md");
    team.report(told).expectRefused("role-boundary");
    expect(team.at(told, "T-001")).toBe("in-progress");
    told
      .move("implement", { ...team.CODER, unit: "T-001" })
      .expectRefused("actor-not-allowed", "dispatch-open");
  });

  test("[TC-167] [TC-168] the Orchestrator changes nothing itself, and no path climbs out", () => {
    expect(mayTouch("Orchestrator", "IMPLEMENT_LOOP", team.ID, "src/a.ts")).toBe(false);
    expect(mayTouch("Orchestrator", "IMPLEMENT_LOOP", team.ID, team.path("status.json"))).toBe(
      true,
    );
    expect(mayTouch("Coder", "IMPLEMENT_LOOP", team.ID, `.agents-work/${team.ID}/../x`)).toBe(
      false,
    );
  });

  test("[TC-168] what each role may write, and nobody else", () => {
    const writers = (path: string, state = "IMPLEMENT_LOOP"): readonly string[] =>
      ROLES.filter((role) => mayTouch(role, state, team.ID, path));
    expect(writers("src/a.ts")).toEqual(["Coder", "Integrator"]);
    expect(writers("src/a.ts", "RELEASE")).toEqual(["Coder"]);
    expect(writers("package.json", "RELEASE")).toEqual(["Coder", "Integrator"]);
    expect(writers("tests/a.ts")).toEqual(["Coder", "QA", "Integrator"]);
    expect(writers("README.md")).toEqual(["Coder", "Docs", "Integrator"]);
    expect(writers("docs/run.sh")).toEqual(["Coder", "Docs", "Integrator"]);
    expect(writers(team.path("status.json"))).toEqual(ROLES);
    expect(writers(team.path("tasks.yaml"))).toEqual(ROLES);
    expect(writers(team.path("spec.md"))).toEqual(["SpecAgent", "Docs"]);
    expect(writers(team.path("architecture.md"))).toEqual(["Architect", "Docs"]);
    expect(writers(team.path("adr/ADR-001.md"))).toEqual(["Architect"]);
    expect(writers(team.path("research/a.md"))).toEqual(["Researcher"]);
    expect(writers(team.path("design-specs/a.md"))).toEqual(["Designer"]);
    expect(writers(".agents-work/2026-01-01_old-one/status.json")).toEqual([]);
    expect(writers("src/../../up")).toEqual([]);
  });

  test("[TC-169] what changed is what reads differently, deleted and new files included", () => {
    const before = { a: "1", b: "f 1", c: "1" };
    const after = { a: "1", b: "l 1", c: null, d: "1" };
    expect(touchedPaths(before, after)).toEqual(["b", "c", "d"]);
    expect(touchedPaths(null, after)).toEqual([]);
  });

  test("[TC-169] a judge that commits is named, and files that git ignores are watched", () => {
    const told = work(team.toLoop(begin()), "code", "T-001").send("review", "T-001", ORCHESTRATOR);
    changing(told, undefined, ["abc mine"]);
    team.report(told).expectRefused("role-boundary");
    expect(told.refusals[0]?.message).toBe("Reviewer may not commit, but did: abc mine");
    changing(told, undefined);
    told.given({ [`sessions:${team.ID}`]: { [team.path("spec.md")]: "f 9" } });
    team.report(told).expectRefused("role-boundary");
    expect(told.refusals[0]?.message).toBe(`Reviewer may not change ${team.path("spec.md")}`);
  });

  test("[TC-169] what cannot be measured passes nothing", () => {
    const told = team.toLoop(begin()).send("code", "T-001", ORCHESTRATOR);
    const id = Object.keys(told.state.dispatches).at(-1) ?? "";
    told.given({ [`change:${id}`]: { unknown: "src/x cannot be read" } });
    team.report(told);
    expect(told.refusals.map((one) => one.code)).toContain("role-boundary");
    expect(told.refusals[0]?.message).toContain("src/x cannot be read");
  });

  test("[TC-006] a false list of files is named: what was claimed and not changed, what was changed and not claimed", () => {
    const told = team.toLoop(begin()).send("code", "T-001", ORCHESTRATOR);
    changing(told, "src/b.ts");
    team.report(told, { files: ["./src/a.ts"] }).expectAccepted();
    expect(Object.values(told.state.dispatches).at(-1)?.notes).toMatchObject([
      { code: "claimed-unchanged", message: "named, but not changed: src/a.ts" },
      { code: "changed-unclaimed", message: "changed, but not named: src/b.ts" },
    ]);
  });

  test("[TC-006] [TC-085] an OK with nothing changed is asked about, and a person may agree", () => {
    const told = team.toLoop(begin()).send("code", "T-001", ORCHESTRATOR);
    changing(told, undefined);
    team.report(told, { files: [] }).expectHeld("nothing-done");
    expect(team.at(told, "T-001")).toBe("in-progress");
    const again = told.fork().reply("nothing-done", "again");
    expect([team.at(again), team.at(again, "T-001")]).toEqual(["IMPLEMENT_LOOP", "in-progress"]);
    told.reply("nothing-done", "agree");
    expect([team.at(told), team.at(told, "T-001")]).toEqual(["IMPLEMENT_LOOP", "implemented"]);
  });

  test("[TC-141] [TC-142] a lean session that grew is asked about: it is counted, not declared", () => {
    const many = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, "f 1"]));
    const told = work(team.leanLoop(), "code", "T-001").given({ [tree]: many });
    told.send("review", "T-001", ORCHESTRATOR).expectHeld("lean-outgrown");
    expect(told.open[0]?.prompt).toContain("at most 3 files, and this one has changed 4");
    const full = told.fork().reply("lean-outgrown", "full");
    expect([team.at(full), full.state.vars["mode"]]).toEqual(["INTAKE", "full"]);
    told.reply("lean-outgrown", "keep").send("review", "T-001", ORCHESTRATOR).expectAccepted();
  });
});

describe("between two workers", () => {
  const strays = (...paths: readonly string[]): Json => ({
    files: Object.fromEntries(paths.map((path) => [path, [null, "f 1"]])),
    moved: {},
    commits: [],
  });

  test("[TC-167] [TC-168] what changed while nobody was at work is told with the next order, and noted", () => {
    const told = team.work(team.toLoop(team.begin()), "code", "T-001");
    told
      .given({ "unordered:.": strays("src/a.ts"), "unordered:T-001": strays("src/a.ts") })
      .send("review", "T-001", team.ORCHESTRATOR)
      .expectAccepted();
    const message = "changed while no agent was at work: added src/a.ts";
    expect(told.answer).toMatchObject({
      notes: [{ code: "nobody-at-work", message, rule: "TC-167" }],
    });
    expect(told.state.unordered).toEqual([
      { seq: told.state.seq, unit: "T-001", changed: strays("src/a.ts") },
    ]);
    // Nothing more since then: said once, and whoever reports now is not blamed for it.
    told.given({ "unordered:.": null, "unordered:T-001": null });
    team.report(told).expectAccepted();
    told.send("test", "T-001", team.ORCHESTRATOR).expectAccepted();
    expect(told.answer).toMatchObject({ notes: [] });
  });

  test("[TC-169] calling a judge off does not hide what it changed", () => {
    const told = work(team.toLoop(begin()), "code", "T-001").send("review", "T-001", ORCHESTRATOR);
    const id = Object.keys(told.state.dispatches).at(-1) ?? "";
    told.when({ type: "dispatch.cancel", dispatch: id, reason: "x" });
    // No step was done: what is there now is still compared with what the last one left.
    expect(told.events.map((event) => event.type)).not.toContain("work.left");
    told.given({ "unordered:T-001": strays("src/b.ts") }).send("review", "T-001", ORCHESTRATOR);
    expect(told.answer).toMatchObject({
      notes: [{ code: "nobody-at-work", message: expect.stringContaining("src/b.ts") }],
    });
  });

  test("[TC-167] what no worker made does not end a session before a person says that it is meant", () => {
    const told = work(work(team.toRelease(begin()), "document"), "release");
    told.given({ "unordered:.": strays("src/a.ts"), "digest:src/a.ts": "sha256:1" });
    told.fork().move("finish", ORCHESTRATOR).expectHeld("stray-changes");
    told.move("finish", ORCHESTRATOR);
    expect(told.open[0]?.prompt).toContain("changed while no agent was at work: src/a.ts");
    const back = told.fork().reply("stray-changes", "restore");
    expect(team.at(back)).toBe("RELEASE");
    back.given({ "unordered:.": null, "digest:src/a.ts": null });
    team.ran(back).move("finish", ORCHESTRATOR).expectAccepted();
    told.reply("stray-changes", "keep");
    expect(team.at(told)).toBe("RELEASE");
    expect(told.state.notes).toContainEqual(
      expect.objectContaining({ list: "known_issues", text: expect.stringContaining("src/a.ts") }),
    );
    team.ran(told).move("finish", ORCHESTRATOR);
    expect(team.at(told)).toBe("DONE");
  });
});
