/** The plugin workflow in two opinions: the published checks, and Holdpoint's, after every command of whole runs. */
import { describe, expect, test } from "vitest";
import { type Reply, type Scratch, copyOf, repository } from "../e2e/cli.ts";
import * as driven from "../e2e/plugin.ts";
import { Exceptions, type Verdict } from "./agree.ts";
import { type Objection, today } from "./opinion.ts";
import { EXCEPTIONS, speaksOf } from "./plugin-workflow/exceptions.ts";
import { type PluginFiles, readPlugin } from "./plugin-workflow/files.ts";
import { judgeMove } from "./plugin-workflow/history.ts";
import { exitOf, judgePlugin } from "./plugin-workflow/opinion.ts";
import { judgeClone } from "./plugin-workflow/kept.ts";
import { PLANTS, type Stand } from "./plugin-workflow/plants.ts";
import { placesOf, statusOf } from "./plugin-workflow/registry.ts";
import { REASONS, reasonOf } from "./plugin-workflow/reported.ts";
import { TOLD, notesOf } from "./plugin-workflow/told.ts";
import { doneAt, judgeValidity } from "./plugin-workflow/validity.ts";
import { verdictOn, watched } from "./watch.ts";

const { NAME } = driven;
const SINCE = today();
const exceptions = new Exceptions(EXCEPTIONS, speaksOf);

/** What both say of the files as they lie there. */
function expectAgreement(
  scratch: Scratch,
  files: PluginFiles,
  more: readonly Objection[] = [],
): Verdict {
  const verdict = verdictOn(scratch, NAME);
  const objections = [...judgePlugin(files), ...more];
  const compared = exceptions.compare({ files, objections, verdict });
  expect({ differences: compared.differences, exit: verdict.exit }).toEqual({
    differences: [],
    exit: exitOf(compared.objections),
  });
  return verdict;
}

/** After every command: the files, the commits, where it stands, and that nobody was passed over. */
function watchedPlugin(scratch: Scratch): Scratch {
  let last = readPlugin(scratch, NAME);
  let stage: number | undefined;
  let reason: string | undefined;
  return watched(scratch, {
    before: ([verb], { stdin = "" }) => {
      const files = readPlugin(scratch, NAME, last.git);
      reason = verb === "report" && stage !== undefined ? reasonOf(files, stdin, stage) : undefined;
    },
    after: ({ words, reply }) => {
      const { state = "", orders: [order] = [] } = scratch.hold(["next", NAME]).json;
      const files = readPlugin(scratch, NAME);
      expectReason(words, reply, { files: last, reason });
      // The files of a command that was killed may still show the work as out.
      const shown = reply.exit === -1 ? undefined : files.handoff?.fields["status"];
      const running = order !== undefined || shown === "in_progress";
      const done = running ? undefined : doneAt(state);
      const validity = done === undefined ? [] : judgeValidity(files, done, SINCE);
      expectAgreement(scratch, files, [...judgeMove(last, files), ...validity]);
      const status = statusOf(placesOf(files.registry, NAME));
      expect({
        // Work that was reported ends in a question, never in more work.
        order: words[0] === "report" ? reply.json.order : undefined,
        // A command that was killed may have been recorded and not yet shown.
        status: reply.exit === -1 ? state : status,
      }).toEqual({ status: state });
      const saved = (reply.json.commits ?? []).length > 0;
      expect(saved ? judgeClone(scratch.top, NAME) : []).toEqual([]);
      last = files;
      stage = order?.stage;
    },
  });
}

/** Of a report that was taken both say alike whether its agent kept the state. */
function expectReason(
  [verb]: readonly string[],
  { json }: Reply,
  mine: { readonly reason: string | undefined; readonly files: PluginFiles },
): void {
  if (verb !== "report" || json.commits?.length !== 1) return;
  const codes = (json.notes ?? []).map(({ code }) => code);
  const said = REASONS.find((one) => codes.includes(one));
  const phase = mine.files.handoff?.fields["phase"] ?? null;
  const overlooked = mine.reason === undefined && said === "plugins_md_not_updated";
  if (overlooked && phase !== null) exceptions.use("C-17");
  else expect(said).toBe(mine.reason);
}

describe("whole runs", () => {
  test("a simple plugin: a draft, a refused report, a changed contract, a crash, an improvement", () => {
    const scratch = watchedPlugin(repository());
    scratch.hold(["start", NAME, "--brief", "A", "--protocol", "plugin-workflow"]);
    driven.writeIdeas(scratch);
    scratch.remove(driven.ideas("parameter-spec.md"));
    scratch.write(driven.ideas("parameter-spec-draft.md"), "# Parameters\n\n- TIME\n");
    scratch.hold(`advance ${NAME} draft`);
    scratch.hold(`advance ${NAME}`);
    expect(driven.giveReport(scratch, driven.reportText("3")).exit).toBe(10);
    driven.finish(scratch, "0");
    driven.answer(scratch, "pause");
    driven.writeIdeas(scratch);
    const asked = scratch.hold(`advance ${NAME}`);
    if (asked.json.order === undefined) driven.answer(scratch, "1");
    driven.finish(scratch, "2");
    driven.answer(scratch, "1");
    const sealed = scratch.read(driven.ideas("plan.md"));
    scratch.write(driven.ideas("plan.md"), "less\n");
    expect(driven.finish(scratch, "3").exit).toBe(11);
    scratch.write(driven.ideas("plan.md"), sealed);
    driven.answer(scratch, "restore");
    driven.answer(scratch, "1");
    driven.answer(scratch, "headless");
    driven.doWork(scratch, "4");
    const env = { HOLDPOINT_DIE_AT: "appended" };
    expect(driven.giveReport(scratch, driven.reportText("4"), { env }).exit).toBe(-1);
    scratch.hold(["reconcile", NAME]);
    driven.answer(scratch, "1");
    driven.writeValidated(scratch);
    scratch.hold(`advance ${NAME}`);
    driven.writeBuild(scratch);
    driven.answer(scratch, "1");
    driven.writeBackup(scratch, "1.0.0");
    scratch.hold(`advance ${NAME} improve`);
    driven.answer(scratch, "keep");
    scratch.edit(`plugins/${NAME}/CHANGELOG.md`, (text) => `${text}\n## 1.0.1\n\n- Less noise\n`);
    scratch.edit(`plugins/${NAME}/CMakeLists.txt`, (text) => `${text}quieter\n`);
    const better = JSON.stringify({ version: "1.0.1", description: "less noise" });
    expect(scratch.hold(["advance", NAME, "improved", "--input", better]).exit).toBe(0);
    expect(statusOf(placesOf(scratch.read("PLUGINS.md"), NAME))).toBe("📦 Installed");
  });

  test("a plugin in phases, its agents keeping the state, or not", () => {
    const scratch = watchedPlugin(repository());
    scratch.hold(["start", NAME, "--brief", "A", "--protocol", "plugin-workflow"]);
    driven.writeIdeas(scratch);
    scratch.hold(`advance ${NAME}`);
    driven.finish(scratch, "0", { plan: driven.planText("5.0", ["3.1", "3.2", "4.1", "4.2"]) });
    driven.answer(scratch, "1");
    driven.finish(scratch, "2");
    driven.answer(scratch, "1");
    const written = {
      stage: 3,
      phase: "3.1",
      nextAction: "continue_dsp_phase_3.2",
      nextPhase: "3.2",
      registry: "🚧 Stage 3.1",
      tags: ["Stage 3.1"],
    };
    driven.finishAlone(scratch, "3.1", written);
    driven.answer(scratch, "1");
    // The stage is the same, so the four steps find nothing: the agent wrote nothing, and says it did.
    driven.finish(scratch, "3.2", { with: { stateUpdated: true } });
    driven.writeMockup(scratch);
    driven.answer(scratch, "1");
    driven.finish(scratch, "4.1", { with: { stateUpdateError: "the disk is full" } });
    driven.answer(scratch, "1");
    driven.finish(scratch, "4.2", { with: { stateUpdated: true, stateUpdateError: "full" } });
    driven.answer(scratch, "1");
    expect(statusOf(placesOf(scratch.read("PLUGINS.md"), NAME))).toBe("🚧 Stage 5");
  });
});

const FILES = [
  "PLUGINS.md",
  driven.handoffOf(),
  ...["creative-brief.md", "parameter-spec.md", "architecture.md", "plan.md"].map((file) =>
    driven.ideas(file),
  ),
];

const grounds = new Map<Stand, Scratch>();

function groundAt(stand: Stand): Scratch {
  const known = grounds.get(stand) ?? (stand === "phase" ? phased() : driven.pluginAt(stand));
  grounds.set(stand, known);
  return known;
}

function phased(): Scratch {
  const scratch = driven.pluginAt("p0");
  driven.finish(scratch, "0", { plan: driven.planText("5.0", ["3.1", "3.2"]) });
  driven.answer(scratch, "1");
  driven.finish(scratch, "2");
  driven.answer(scratch, "1");
  driven.finish(scratch, "3.1");
  return scratch;
}

describe("planted into the files", () => {
  test.each(PLANTS)("at $at: $name", ({ at, plant }) => {
    const ground = groundAt(at);
    const last = readPlugin(ground, NAME);
    const kept = FILES.filter((file) => ground.has(file)).map(
      (file) => [file, ground.read(file)] as const,
    );
    plant(ground);
    const files = readPlugin(ground, NAME, last.git);
    const moved = judgeMove(last, files);
    try {
      const { findings } = expectAgreement(ground, files, moved);
      // Somebody names it, or it is no plant.
      expect([...judgePlugin(files), ...moved, ...findings]).not.toEqual([]);
    } finally {
      for (const [file, text] of kept) ground.write(file, text);
    }
  });
});

describe("planted, and more work asked for", () => {
  test.each(PLANTS.filter((one) => one.stops))("$name", ({ at, plant }) => {
    const scratch = copyOf(groundAt(at));
    plant(scratch);
    expect(scratch.hold(["answer", NAME, "1"]).json.order).toBeUndefined();
  });
});

describe("planted into what an agent says it wrote", () => {
  test.each(TOLD)("without $name", ({ spoil }) => {
    const scratch = copyOf(driven.pluginAt("p3"));
    driven.doWork(scratch, "3");
    const written = {
      stage: 3,
      nextAction: "invoke_gui_agent",
      registry: "🚧 Stage 3",
      tags: ["Stage 3"],
    };
    driven.writeHandoff(scratch, written);
    driven.writeRegistry(scratch, written);
    spoil(scratch);
    const files = readPlugin(scratch, NAME);
    const expected = { stage: "3", phase: null, status: "🚧 Stage 3" };
    const mine = notesOf([...judgePlugin(files), ...judgeValidity(files, expected, SINCE)]);
    const outputs = { state_files_updated: [driven.handoffOf(), "PLUGINS.md"] };
    const report = driven.reportText("3", { outputs, with: { stateUpdated: true } });
    const { json } = driven.giveReport(scratch, report);
    const refused = (json.refusals ?? []).map(({ code }) => code).includes("state-mismatch")
      ? ["phase_mismatch"]
      : [];
    const said = [...(json.notes ?? []).map(({ code }) => code), ...refused];
    expect([...new Set(said)].toSorted()).toEqual(mine);
  });
});

test("every exception is needed", () => {
  expect(exceptions.unneeded()).toEqual([]);
});
