/** What `presence` asks for, what is no answer to it, and, honestly, what it does not stop. */
import { describe, expect, test } from "vitest";
import { codesOf, NAME, pluginAt } from "../plugin.ts";
import {
  atFakeTerminal,
  isHeld,
  presentPlugin,
  releasesIn,
  withoutTerminal,
  wordsIn,
} from "../release.ts";

/** Types this once the challenge stands there. */
function once(text: string): (printed: string) => string | undefined {
  return (printed) => (wordsIn(printed) === undefined ? undefined : text);
}

describe("presence", () => {
  test("is refused without a terminal, whatever standard input says", () => {
    const scratch = presentPlugin();
    const tried = withoutTerminal(scratch, ["answer", NAME, "1"]);
    expect(codesOf(tried)).toEqual(["presence-missing"]);
    expect(tried.json.refusals?.[0]?.fix).toMatch(/terminal of your own/);
    expect(isHeld(scratch)).toBe(true);
  });

  test("shows the card at the terminal, and the words there release it", async () => {
    const scratch = presentPlugin();
    const { printed, exit } = await atFakeTerminal(scratch, ["answer", NAME, "1"], wordsIn);
    expect(exit, printed).toBe(0);
    expect(printed).toContain("measured: added");
    expect(printed).toMatch(/Release "continue" at stage-0-complete of TapeDelay/);
    expect(isHeld(scratch)).toBe(false);
    const [release] = releasesIn(scratch);
    expect(JSON.parse(release?.proof.statement ?? "{}")).toMatchObject({
      holdpoint: "release/1",
      workflow: NAME,
      hold: "D-1",
      gate: "stage-0-complete",
      choice: "continue",
    });
  });

  test.each([
    ["answer-empty", "\n"],
    ["answer-ended", "\u0004"],
    ["answer-interrupted", "\u0003"],
    ["challenge-failed", "yes\n"],
  ])("%s: what is typed is no answer, and nothing is released", async (code, typed) => {
    const scratch = presentPlugin();
    const args = ["answer", NAME, "1", "--rules"];
    const { printed, exit } = await atFakeTerminal(scratch, args, once(typed));
    expect(exit, printed).toBe(10);
    expect(printed).toContain(code);
    expect(isHeld(scratch)).toBe(true);
  });

  test("asks nobody about an answer that is refused anyway", async () => {
    const scratch = presentPlugin();
    const { printed, exit } = await atFakeTerminal(scratch, ["answer", NAME, "99"], wordsIn);
    expect(exit, printed).toBe(10);
    expect(printed).not.toContain("to release it");
  });

  test("wants nothing for looking, and nothing at a gate that a word is enough for", () => {
    const scratch = presentPlugin({
      gates: { "plugin-workflow/stage-0-complete": { strength: "word" } },
    });
    expect(withoutTerminal(scratch, ["answer", NAME, "2"]).json.ok).toBe(true);
    expect(withoutTerminal(scratch, ["answer", NAME, "1"]).json.ok).toBe(true);
  });
});

describe("an answer that is none, to a menu at the terminal", () => {
  test.each([
    ["answer-empty", "\n"],
    ["answer-ended", "\u0004"],
    ["answer-interrupted", "\u0003"],
    ["not-an-option", "77\n"],
  ])("%s", async (code, typed) => {
    const scratch = pluginAt("s0");
    const shown = (printed: string): string | undefined =>
      printed.includes("Choose (1-") ? typed : undefined;
    const { printed, exit } = await atFakeTerminal(scratch, ["answer", NAME, "--rules"], shown);
    expect(exit, printed).toBe(10);
    expect(printed).toContain(code);
    expect(isHeld(scratch)).toBe(true);
  });

  test("answer-empty: nor is one that is given as a word", () => {
    const scratch = pluginAt("s0");
    expect(codesOf(scratch.hold(["answer", NAME, " "]))).toEqual(["answer-empty"]);
    expect(isHeld(scratch)).toBe(true);
  });
});

describe("presence does not stop", () => {
  test("an agent that runs a terminal of its own (script) and reads the words there", async () => {
    const scratch = presentPlugin();
    const { exit } = await atFakeTerminal(scratch, ["answer", NAME, "1"], wordsIn);
    expect(exit).toBe(0);
    // It is seen: the record says that it was confirmed at a terminal, and nobody signed it.
    expect(scratch.say(["audit", NAME]).stdout).toMatch(
      /released at stage-0-complete by .*presence/,
    );
  });

  test("but an agent that its client names is refused, at a terminal too", async () => {
    const scratch = presentPlugin();
    const known = { ...scratch, env: { ...scratch.env, CLAUDECODE: "1" } };
    const { printed, exit } = await atFakeTerminal(known, ["answer", NAME, "1"], wordsIn);
    expect(exit, printed).toBe(10);
    expect(printed).not.toContain("to release it");
    expect(isHeld(scratch)).toBe(true);
  });
});
