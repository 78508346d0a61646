/** Sealed contracts: what happens when somebody changes one, and who may accept it. */
import { expect, test } from "vitest";
import type { Scratch } from "../cli.ts";
import {
  NAME,
  answer,
  codesOf,
  doWork,
  finish,
  giveReport,
  handoffOf,
  ideas,
  pluginAt,
  questionOf,
  reportText,
  sha256,
  subjects,
  writeMockup,
} from "../plugin.ts";

const TAMPERED = "# Plan\n\n**Complexity Score:** 1.2\n\nNow with less to do.\n";

/** Stage 3 reported by an agent that changed the plan on the way. */
function tampered(): { scratch: Scratch; sealed: string } {
  const scratch = pluginAt("p3");
  const sealed = scratch.read(ideas("plan.md"));
  scratch.write(ideas("plan.md"), TAMPERED);
  const reply = finish(scratch, "3");
  expect(reply.exit).toBe(11);
  expect(questionOf(reply)).toBe("contract-changed");
  return { scratch, sealed };
}

test("[PW-053][PW-054][PW-060][PW-063][PW-183] a changed contract holds the report and names the file", () => {
  const { scratch, sealed } = tampered();
  const menu = scratch.hold(`status ${NAME}`).json.held?.[0];
  expect(menu?.prompt).toBe("CONTRACT DRIFT DETECTED");
  expect(menu?.about["message"]).toContain("plan.md");
  expect(menu?.options.slice(0, 3).map((one) => one.id)).toEqual(["restore", "update", "improve"]);
  expect(menu?.options[0]?.recommended).toBe(true);
  expect(scratch.read(handoffOf())).toContain(`plan: ${sha256(sealed)}`);
  expect(scratch.read("PLUGINS.md")).toContain("| 🚧 Stage 2 |");
  expect(subjects(scratch)).toHaveLength(2);
  const again = giveReport(scratch, reportText("3"));
  expect(again.exit).toBe(11);
  const agent = { env: { CLAUDECODE: "1" } };
  const blessed = scratch.hold(["answer", NAME, "update", "--reason", "trust me"], agent);
  expect(codesOf(blessed)).toEqual(["person-required"]);
});

test("[PW-057][PW-058] restoring brings back the sealed bytes, even after the change was committed", () => {
  const { scratch, sealed } = tampered();
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "sneaky");
  scratch.write(ideas("mockups/v2-ui.html"), "<p>not committed</p>\n");
  scratch.write(ideas("notes.txt"), "mine\n");
  const restored = answer(scratch, "restore");
  expect(scratch.read(ideas("plan.md"))).toBe(sealed);
  expect(scratch.read(ideas("mockups/v2-ui.html"))).toBe("<p>not committed</p>\n");
  expect(scratch.read(ideas("notes.txt"))).toBe("mine\n");
  expect(restored.json.warnings?.join()).toContain("plan.md");
  expect(questionOf(restored)).toBe("contract-restored");
  const taken = answer(scratch, "1");
  expect(taken.json.state).toBe("🚧 Stage 3");
  expect(scratch.git("show", `HEAD:${ideas("plan.md")}`)).toBe(sealed.trimEnd());
});

test("[PW-035][PW-059][PW-154] accepting the change needs a person and a reason, and both are on record", () => {
  const { scratch, sealed } = tampered();
  const without = scratch.hold(`answer ${NAME} update`);
  expect(without.json.refusals?.[0]).toMatchObject({ code: "reason-missing" });
  const accepted = scratch.hold(["answer", NAME, "update", "--reason", "the client cut scope"]);
  expect(accepted.json.state).toBe("🚧 Stage 3");
  expect(scratch.read(handoffOf())).toContain(`plan: ${sha256(TAMPERED)}`);
  const told = scratch.say(`audit ${NAME}`).stdout;
  const short = (text: string): string => sha256(text).slice(7, 19);
  expect(told).toContain(`${ideas("plan.md")} (${short(sealed)})`);
  expect(told).toMatch(/Stage 2 → Stage 3 \(the client cut scope\)/);
  expect(told).toContain(`sealed ${ideas("plan.md")} (${short(TAMPERED)})`);
  expect(scratch.say(`verify ${NAME}`).exit).toBe(0);
});

test("[PW-060][PW-239] looking at the third choice changes nothing, and the work can be handed back", () => {
  const { scratch } = tampered();
  expect(questionOf(answer(scratch, "3"))).toBe("contract-changed");
  const back = answer(scratch, "hand-back");
  expect(back.json.held).toEqual([]);
  expect(scratch.read(handoffOf())).toMatch(/stage: 3\n[^]*status: in_progress\n/);
  const blocked = scratch.hold(`advance ${NAME}`);
  expect(blocked.exit).toBe(11);
  expect(questionOf(blocked)).toBe("contract-changed");
});

test("[PW-055][PW-183][PW-190][PW-192] a contract that is gone is missing, not changed; every finding is listed", () => {
  const scratch = pluginAt("s2");
  scratch.remove(ideas("architecture.md"));
  scratch.write(ideas("creative-brief.md"), "another idea\n");
  const found = scratch.hold(`verify ${NAME}`);
  expect(found.exit).toBe(3);
  expect(found.json.workflows?.[0]?.findings.map(({ code, file }) => [code, file])).toEqual([
    ["contract-changed", ideas("creative-brief.md")],
    ["contract-missing", ideas("architecture.md")],
    ["changed-since", "."],
  ]);
  const text = scratch.say(`verify ${NAME}`).stdout;
  expect(text).toContain("CONTRACT DRIFT DETECTED");
  expect(text).toMatch(/Restore .*, or have a person accept the change/);
  const blocked = scratch.hold(["answer", NAME, "1"]);
  expect(blocked.exit).toBe(11);
  expect(scratch.hold(`status ${NAME}`).json.dispatches).toEqual([]);
});

test("[PW-061][PW-187] planning again may change the contracts; that is what it is for", () => {
  const scratch = pluginAt("s0");
  answer(scratch, "pause");
  const again = scratch.hold(`advance ${NAME} plan`);
  const resumed = questionOf(again) === "resume" ? answer(scratch, "1") : again;
  expect(resumed.json.order).toBeDefined();
});

test("[PW-303][PW-304] mock-ups are compared with the brief before anything is built", () => {
  const scratch = pluginAt("s0");
  writeMockup(scratch);
  const asked = answer(scratch, "1");
  expect(asked).toMatchObject({ exit: 11 });
  expect(questionOf(asked)).toBe("design-sync");
  expect(asked.json.order).toBeUndefined();
  const bare = scratch.hold(`answer ${NAME} override`);
  expect(codesOf(bare)).toEqual(["reason-missing"]);
  const over = scratch.hold(["answer", NAME, "override", "--reason", "the demo is tomorrow"]);
  expect(over.json.order).toMatchObject({ role: "foundation-shell-agent" });
  doWork(scratch, "2");
  expect(giveReport(scratch, reportText("2")).json.state).toBe("🚧 Stage 2");
  expect(scratch.say(`audit ${NAME}`).stdout).toContain("the demo is tomorrow");
  expect(scratch.read(`plugins/${NAME}/.validation-overrides.yaml`)).toContain(
    "the demo is tomorrow",
  );
});

test("[PW-277] a custom interface needs a finished mock-up", () => {
  const scratch = pluginAt("s3");
  const refused = scratch.hold(["answer", NAME, "1"]);
  expect(refused.json.refusals?.[0]).toMatchObject({ code: "mockup-missing", rule: "PW-277" });
  scratch.write(ideas("mockups/v2-ui.html"), "2\n");
  scratch.write(ideas("mockups/v10-ui.html"), "10\n");
  const handed = answer(scratch, "1");
  expect(handed.json.order?.role).toBe("gui-agent");
  expect(handed.json.order?.prompt).toContain("v10-ui.html");
  expect(scratch.read(handoffOf())).toMatch(/orchestration_mode: true\ngui_type: webview\n/);
  const done = finish(scratch, "4");
  expect(done.json.state).toBe("🚧 Stage 4");
  expect(scratch.read(handoffOf())).toContain("next_action: begin_stage_5\n");
});
