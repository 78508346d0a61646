/** Menus: how they look, what counts as an answer, who may give one, and how often. */
import { expect, test } from "vitest";
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
} from "../plugin.ts";

test("[PW-224][PW-225][PW-226][PW-227][PW-228][PW-241] a menu is numbered text with its marks", () => {
  const shown = pluginAt("s3").say(`status ${NAME}`).stdout;
  expect(shown).toContain(
    [
      "✓ Audio engine working",
      "",
      "What's next?",
      "1. Add a custom UI (recommended)",
      "2. Stay headless: a minimal editor, the host's own controls",
      "3. Review the audio engine",
      "4. Check the mock-up against the brief ← catch design drift before it is built",
      "5. Pause here",
      "6. Other",
      "",
      "Choose (1-6): _",
    ].join("\n"),
  );
  expect(pluginAt("s4").say(`status ${NAME}`).stdout).toContain(
    "3. Save this interface as a template ← reuse this design in other plugins",
  );
  expect(pluginAt("s0").say(`status ${NAME}`).stdout).toContain("← find research beyond the plan");
});

test("[PW-234][PW-236][PW-238] what is no answer says so, changes nothing, and the menu stays", () => {
  const scratch = pluginAt("s0");
  const before = scratch.hold(`status ${NAME}`).json;
  const bad = ["0", "6", "-1", "1.5", "", "🎛️", "x".repeat(10_000)];
  for (const text of bad) {
    const reply = scratch.hold(["answer", NAME, "--", text]);
    expect([text, ...codesOf(reply)]).toEqual([text, "not-an-option"]);
    expect(reply.exit).toBe(10);
  }
  const told = scratch.hold(["answer", NAME, "foo"]).json.refusals?.[0];
  expect(told?.fix).toBe(
    "Answer with a number or a keyword: 1 Build the foundation, 2 Review architecture.md and plan.md, 3 Look deeper into similar designs, 4 Pause here, 5 Other.",
  );
  const after = scratch.hold(`status ${NAME}`).json;
  expect(after.held).toEqual(before.held);
  expect(after.seq).toBe(before.seq);
  const usage = scratch.hold(`answer ${NAME}`);
  expect(usage.exit).toBe(2);
  expect(usage.json.error?.message).toContain("Choose (1-5): _");
});

test("[PW-236] a keyword without a matching option is no answer", () => {
  const scratch = pluginAt("s5");
  changeSetting(scratch, "holdpoint.config.json", { checks: { tests: { run: ["false"] } } });
  scratch.write(`plugins/${NAME}/CHANGELOG.md`, "1.0.0\n");
  scratch.write(`plugins/${NAME}/Presets/a.xml`, "\n");
  expect(questionOf(scratch.hold(`advance ${NAME}`))).toBe("validation-failed");
  expect(codesOf(scratch.hold(`answer ${NAME} pause`))).toEqual(["not-an-option"]);
  expect(codesOf(scratch.hold(`answer ${NAME} review`))).toEqual(["not-an-option"]);
});

test("[PW-233][PW-235][PW-239][PW-244] keywords work in any case, exploring keeps the menu, deciding ends it", () => {
  const scratch = pluginAt("s2");
  const looked = answer(scratch, "REVIEW");
  expect(questionOf(looked)).toBe("stage-2-complete");
  expect(looked.json.shown?.join("\n")).toContain("Report of foundation-shell-agent (W-2)");
  expect(questionOf(answer(scratch, "2"))).toBe("stage-2-complete");
  const gone = answer(scratch, "CONTINUE");
  expect(gone.json.order).toMatchObject({ role: "dsp-agent" });
  const paused = answer(pluginAt("s2"), "Pause");
  expect(paused).toMatchObject({ exit: 0, json: { held: [] } });
});

test("[PW-237] Other asks for words, keeps them, and shows the menu again", () => {
  const scratch = pluginAt("s2");
  for (const bare of ["4", "Other", "other:"]) {
    expect(codesOf(scratch.hold(["answer", NAME, bare]))).toEqual(["other-needs-text"]);
  }
  const said = answer(scratch, "other: look at the filter first");
  expect(questionOf(said)).toBe("stage-2-complete");
  const numbered = answer(scratch, "4: and at the noise");
  expect(numbered.json.dispatches ?? []).toEqual([]);
  const told = scratch.say(`audit ${NAME}`).stdout;
  expect(told).toMatch(/other D-2: look at the filter first \(person:/);
  expect(told).toMatch(/and at the noise/);
});

test("the next order carries what a person answered, in that person's words, and how the work failed", () => {
  const scratch = pluginAt("s2");
  answer(scratch, "other: use a ladder filter");
  const first = answer(scratch, "1").json.order?.prompt ?? "";
  expect(first).toMatch(/person:.* answered "Build system ready": Build the audio engine/);
  expect(first).toContain("before that: use a ladder filter");
  const failed = giveReport(
    scratch,
    reportText("3", { with: { status: "failure", issues: ["the filter howls at 20 kHz"] } }),
  );
  expect(questionOf(failed)).toBe("stage-failed");
  answer(scratch, "other: clip the resonance");
  const second = answer(scratch, "retry").json.order?.prompt ?? "";
  for (const words of ["use a ladder filter", "the filter howls at 20 kHz", "clip the resonance"])
    expect(second).toContain(words);
  finish(scratch, "3");
  const gui = answer(scratch, "headless").json.order?.prompt ?? "";
  expect(gui).toContain("use a ladder filter");
  expect(gui).not.toContain("reported failure");
});

test("[PW-242][PW-243] an answer is taken once, and who gave it is on record", async () => {
  const scratch = pluginAt("s2");
  const nonce = scratch.hold(`status ${NAME}`).json.held?.[0]?.nonce ?? "";
  const stale = scratch.hold(["answer", NAME, "1", "--nonce", "another"]);
  expect(codesOf(stale)).toEqual(["answer-stale"]);
  const replies = await Promise.all(
    ["1", "1"].map((choice, index) =>
      scratch.holdLater(["answer", NAME, choice, "--nonce", nonce], {
        env: { HOLDPOINT_SESSION: `terminal-${index}` },
      }),
    ),
  );
  const taken = replies.filter((one) => one.json.order !== undefined);
  const refused = replies.filter((one) => one.json.refusals !== undefined);
  expect(taken).toHaveLength(1);
  expect(refused.map(codesOf)).toEqual([["already-answered"]]);
  expect(refused[0]?.json.refusals?.[0]?.message).toMatch(/settled with "continue" by person:/);
  const late = scratch.hold(["answer", NAME, "1", "--decision", "D-1"]);
  expect(codesOf(late)).toEqual(["already-answered"]);
  const { entries = [] } = scratch.hold(`audit ${NAME}`).json;
  const settled = entries.flatMap((one) => one.events).filter((event) => event.startsWith("D-2 "));
  expect(settled).toEqual([
    "D-2 asked: Build system ready",
    expect.stringMatching(/^D-2 answered by person:.*: continue$/),
  ]);
});

test("[PW-035][PW-215][PW-243] an agent's shell cannot answer, whatever it calls itself", () => {
  const scratch = pluginAt("s2");
  const shells = [
    { CLAUDECODE: "1" },
    { CODEX_SESSION_ID: "abc" },
    { HOLDPOINT_ACTOR: "agent:dsp-agent" },
    { CLAUDECODE: "1", HOLDPOINT_ACTOR: "person:ada" },
  ];
  for (const env of shells) {
    const reply = scratch.hold(`answer ${NAME} 1`, { env });
    expect(codesOf(reply)).toEqual(["person-required"]);
    expect(reply.exit).toBe(10);
  }
  expect(scratch.hold(["answer", NAME, "1", "--as", "agent:x"]).exit).toBe(10);
  expect(questionOf(scratch.hold(`status ${NAME}`))).toBe("stage-2-complete");
  const { refusals = [] } = scratch.hold(`audit ${NAME}`).json as {
    refusals?: readonly { code?: string; actor?: string }[];
  };
  expect(refusals.map((one) => one.actor)).toContain("agent:claude-code");
});

test("[PW-230][PW-231][PW-232] a repository can word the menus; what the options do stays", () => {
  const scratch = pluginAt("p2");
  changeSetting(scratch, "assets/decision-menus.json", {
    stage_2_complete: {
      completion_statement: "It compiles",
      milestone: "Foundation",
      options: [
        { label: "Make the {milestone} sound", action: "continue", recommended: true },
        { label: "Rest a while", action: "pause", discovery: "come back any time" },
        { label: "Delete everything", action: "format_disk" },
      ],
    },
  });
  const reply = finish(scratch, "2");
  expect(reply.json.held?.[0]?.options).toEqual([
    { number: 1, id: "continue", label: "Make the Foundation sound", recommended: true },
    { number: 2, id: "pause", label: "Rest a while", discovery: "come back any time" },
    { number: 3, id: "other", label: "Other" },
  ]);
  expect(scratch.say(`status ${NAME}`).stdout).toContain(
    "✓ It compiles\n\nWhat's next?\n1. Make the Foundation sound (recommended)\n2. Rest a while ← come back any time\n3. Other\n\nChoose (1-3): _",
  );
  expect(answer(scratch, "1").json.order).toMatchObject({ role: "dsp-agent" });
});

test("[PW-230] a menu file that cannot be read, or leads nowhere, does not lock anybody in", () => {
  for (const text of ["{ half", JSON.stringify({ stage_2_complete: { options: [] } })]) {
    const scratch = pluginAt("p2");
    changeSetting(scratch, "assets/decision-menus.json", text);
    const reply = finish(scratch, "2");
    expect(reply.json.held?.[0]?.options[0]?.label).toBe("Build the audio engine");
  }
});

test("[PW-214][PW-223][PW-240] an open question is the same after any number of processes", () => {
  const scratch = pluginAt("s2");
  const first = scratch.hold(`status ${NAME}`).json.held?.[0];
  scratch.hold("list");
  scratch.hold("verify --all");
  expect(scratch.hold(`next ${NAME}`).json.held?.[0]).toEqual(first);
  expect(scratch.say(`answer ${NAME}`).stderr).toContain("✓ Build system ready");
});

test("[PW-220] a manual pause asks nothing and leaves the work where it stands", () => {
  const scratch = pluginAt("p3");
  doWork(scratch, "3");
  giveReport(scratch, reportText("3", { with: { status: "failure", issues: ["noise"] } }));
  const paused = answer(scratch, "pause");
  expect(paused).toMatchObject({ exit: 0, json: { held: [] } });
  expect(scratch.read(handoffOf())).toMatch(/stage: 3\n[^]*status: in_progress\n/);
  const asked = scratch.hold(`advance ${NAME}`);
  expect(questionOf(asked)).toBe("resume");
});
