/** Edits by hand: a step nobody made is drift, what is overwritten is told, recorded and kept. */
import { expect, test } from "vitest";
import type { Scratch } from "../cli.ts";
import {
  NAME,
  answer,
  changeSetting,
  codesOf,
  doWork,
  finish,
  giveReport,
  handoffOf,
  pluginAt,
  questionOf,
  reportText,
  today,
  writeValidated,
} from "../plugin.ts";

const LINE = `- **${today()} (Stage 5):** Validation complete - ready for installation`;
const BULLET = "- **Stage 5:** Validation complete - CHANGELOG created, ready to install";

/** A lie in all the places where a finished validation would stand. */
function lie(scratch: Scratch): void {
  scratch.edit("PLUGINS.md", (text) =>
    text.replace(/(\n- \*\*[^\n]*\(Stage 4\)[^\n]*)/, `$1\n${LINE}`),
  );
  scratch.edit(handoffOf(), (text) =>
    text
      .replace(/(\n- \*\*Stage 4:[^\n]*)/, `$1\n${BULLET}`)
      .replace(/^# .*$/m, "# Stage 5 Complete - Ready for Installation")
      .replace(/^## Current State:.*$/m, "## Current State: Validation Complete"),
  );
}

test("[PW-098][PW-128][PW-175] a step the journal does not know is drift, goes with --restore, and is kept", () => {
  const scratch = pluginAt("s4");
  lie(scratch);
  const verified = scratch.hold(`verify ${NAME}`);
  expect(verified.exit).toBe(2);
  const said = verified.json.workflows?.[0]?.findings.map((one) => one.message).join("\n");
  expect(said).toContain("claims Stage 5, which the journal does not know");
  expect(said).toContain("calls Stage 5 completed, which the journal does not know");
  const refused = scratch.hold(`answer ${NAME} 1`);
  expect(codesOf(refused)).toEqual(["state-mismatch"]);
  const restored = scratch.hold(`reconcile ${NAME} --restore`);
  const blobs = [...(restored.json.warnings?.join() ?? "").matchAll(/blob ([0-9a-f]{64})/g)];
  const kept = blobs.map(([, blob = ""]) => scratch.say(`show ${blob}`).stdout).join("\n");
  expect(kept).toContain(LINE);
  expect(kept).toContain(BULLET);
  expect(scratch.read("PLUGINS.md")).not.toContain("Stage 5");
  expect(scratch.read(handoffOf())).not.toContain("Stage 5:**");
  expect(scratch.read(handoffOf())).toContain("## Current State: Interface Complete");
  expect(scratch.read(handoffOf())).toContain("# Stage 4 Complete");
  expect(scratch.hold(`verify ${NAME}`).exit).toBe(0);
  answer(scratch, "1");
  writeValidated(scratch);
  scratch.hold(`advance ${NAME}`);
  expect(scratch.read("PLUGINS.md").match(/\(Stage 5\)/g)).toHaveLength(1);
  expect(scratch.git("show", "HEAD:PLUGINS.md").match(/\(Stage 5\)/g)).toHaveLength(1);
});

test("[PW-098][PW-117] a lie that comes with a report is taken out by it, told, recorded and kept", () => {
  const scratch = pluginAt("p4");
  doWork(scratch, "4");
  scratch.edit("PLUGINS.md", (text) =>
    text.replace(/(\n- \*\*[^\n]*\(Stage 3\)[^\n]*)/, `$1\n${LINE}`),
  );
  const reply = giveReport(scratch, reportText("4"));
  expect(reply.json.state).toBe("🚧 Stage 4");
  expect(reply.json.warnings?.join()).toMatch(/claims Stage 5.*it does not count.*blob/);
  expect(scratch.git("show", "HEAD:PLUGINS.md")).not.toContain("(Stage 5)");
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("edit of PLUGINS.md refused");
});

test("[PW-098][PW-117] what a report's own check records leaves what the agent wrote to be judged by the report", () => {
  const config = { checks: { tests: { run: ["true"] } } };
  const withTests = (): Scratch => {
    const scratch = pluginAt("s3");
    changeSetting(scratch, "holdpoint.config.json", config);
    answer(scratch, "headless");
    doWork(scratch, "4");
    return scratch;
  };
  const said = { with: { stateUpdated: true } };
  const first = withTests();
  giveReport(first, reportText("4"));
  const honest = withTests();
  for (const path of ["PLUGINS.md", handoffOf()]) honest.write(path, first.read(path));
  const taken = giveReport(honest, reportText("4", said));
  expect(taken.json.state).toBe("🚧 Stage 4");
  expect([taken.json.notes, taken.json.warnings]).toEqual([[], []]);
  const lying = withTests();
  lying.edit("PLUGINS.md", (text) =>
    text.replace(/(\n- \*\*[^\n]*\(Stage 3\)[^\n]*)/, `$1\n${LINE}`),
  );
  const told = giveReport(lying, reportText("4")).json.warnings?.join() ?? "";
  expect(told).toMatch(/claims Stage 5.*it does not count.*blob/);
  expect(lying.say(`audit ${NAME}`).stdout).toContain("edit of PLUGINS.md refused");
});

test("[PW-117][PW-175] whatever verb overwrites an edit tells, records and keeps it", () => {
  const verbs: readonly (readonly string[])[] = [
    ["answer", NAME, "1"],
    ["answer", NAME, "pause"],
    ["ask", NAME, "--question", "why?"],
    ["lock", NAME],
  ];
  for (const verb of verbs) {
    const scratch = pluginAt("s2");
    scratch.edit(handoffOf(), (text) =>
      text.replace(/^next_action: .*$/m, "next_action: ask_bob").replace(/^1\. .*$/m, "1. Ask Bob"),
    );
    const reply = scratch.hold([...verb]);
    if (scratch.has(handoffOf()) && scratch.read(handoffOf()).includes("ask_bob")) continue;
    const warned = reply.json.warnings?.join("\n") ?? "";
    expect({ verb, warned }).toEqual({ verb, warned: expect.stringContaining("ask_bob") });
    const [, blob = ""] = /blob ([0-9a-f]{64})/.exec(warned) ?? [];
    expect(scratch.say(`show ${blob}`).stdout).toContain("1. Ask Bob");
    expect(scratch.say(`audit ${NAME}`).stdout).toContain(`kept as ${blob}`);
  }
});

test("[PW-018] after a fallback nothing of the step before stays in Current State and Next Steps", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  scratch.edit(handoffOf(), (text) =>
    text.replace(/^# .*$/m, "# Stage 3 Complete - All The Sound"),
  );
  giveReport(scratch, reportText("3"));
  const text = scratch.read(handoffOf());
  expect(text).toContain("# Stage 3 Complete - All The Sound");
  expect(text).toContain("## Current State: Audio Engine Complete");
  expect(text).not.toContain("In Progress");
  expect(text).not.toContain("Finish audio engine");
  expect(text).toContain("1. Choose between a custom UI and a headless editor");
});

test("[PW-026][PW-044][PW-190] duplicate or missing places in the registry stop the work, and restoring mends them", () => {
  const entry = /### TapeDelay\n[^]*$/;
  const damages: readonly ((text: string) => string)[] = [
    (text) => text.replace(/^(\| TapeDelay .*\n)/m, "$1$1"),
    (text) => `${text}\n${entry.exec(text)?.[0] ?? ""}`,
    (text) => text.replace(/^\| TapeDelay .*\n/m, ""),
  ];
  for (const damage of damages) {
    const scratch = pluginAt("s2");
    const sound = scratch.read("PLUGINS.md");
    scratch.edit("PLUGINS.md", damage);
    expect(scratch.hold(`verify ${NAME}`).exit).toBe(2);
    expect(codesOf(scratch.hold(`answer ${NAME} 1`))).toEqual(["state-mismatch"]);
    scratch.hold(`reconcile ${NAME} --restore`);
    expect(scratch.read("PLUGINS.md").trimEnd()).toBe(sound.trimEnd());
    expect(scratch.hold(`verify ${NAME}`).exit).toBe(0);
    expect(answer(scratch, "1").json.order?.stage).toBe(3);
  }
});

test("[PW-153][PW-159][PW-161][PW-162] a table that differs from the full entry is asked about, in four options", () => {
  const scratch = pluginAt("s2");
  const sound = scratch.read("PLUGINS.md");
  const broken = sound.replace("| TapeDelay | 🚧 Stage 2 |", "| TapeDelay | 🚧 Stage 4 |");
  scratch.write("PLUGINS.md", broken);
  const held = scratch.hold(`answer ${NAME} 1`);
  expect(questionOf(held)).toBe("registry-drift");
  const [menu] = held.json.held ?? [];
  expect(menu?.about["message"]).toContain("the row says 🚧 Stage 4");
  expect(menu?.options.map((one) => one.id)).toEqual(["auto-fix", "values", "manual", "other"]);
  expect(menu?.options[0]?.recommended).toBe(true);
  expect(questionOf(scratch.hold(`answer ${NAME} 2`))).toBe("registry-drift");
  expect(scratch.read("PLUGINS.md")).toBe(broken);
  answer(scratch, "1");
  expect(scratch.read("PLUGINS.md")).toBe(sound);
  expect(scratch.hold(`advance ${NAME}`).json.order?.stage).toBe(3);
});

test("[PW-023][PW-310] after a reset nothing counts as completed that was done before it", () => {
  const scratch = pluginAt("s2");
  scratch.hold(["advance", NAME, "reset", "--reason", "again"]);
  scratch.hold(`advance ${NAME} research`);
  finish(scratch, "0");
  const text = scratch.read(handoffOf());
  expect(text).toContain("- **Stage 0:**");
  expect(text).not.toContain("- **Stage 2:**");
});
