/** Screens speak the words of the protocol, and what they offer can be typed. */
import { describe, expect, test } from "vitest";
import { NAME, pluginAt } from "./plugin.ts";
import { sessionAt } from "./team.ts";

describe("a plugin", () => {
  test("stands at stages, not at names of the table", () => {
    const scratch = pluginAt("s3");
    for (const words of ["list", "status", `status ${NAME}`, `audit ${NAME}`]) {
      const { stdout } = scratch.say(words);
      expect(stdout, words).not.toMatch(/\bs[0-5]\b|ideated|stateUpdated_false|human:|by engine/);
      expect(stdout, words).toContain("Stage 3");
    }
    const { stdout } = scratch.say(`audit ${NAME}`);
    expect(stdout).toContain("Stage 2 → Stage 3");
    expect(stdout).toMatch(/^ {2}committed [0-9a-f]{7}$/m);
  });

  test("says who is at work", () => {
    const scratch = pluginAt("p2");
    expect(scratch.say(`agents ${NAME}`).stdout).toMatch(/^foundation-shell-agent +at work +W-2$/m);
    expect(pluginAt("s2").say(`agents ${NAME}`).stdout).toContain("No agent is at work");
  });
});

describe("a session", () => {
  test("in repair tells attempts with their limit, and who found what", () => {
    const { repo, id } = sessionAt("fixBuild");
    const { stdout } = repo.say(["status", id]);
    expect(stdout).toMatch(/FIX_BUILD of meta +1 of 3$/m);
    expect(stdout).toMatch(/checks +Holdpoint +failed/);
    const audit = repo.say(["audit", id]).stdout;
    expect(audit).toContain("checks: failed (Holdpoint)");
    expect(audit).not.toMatch(/[0-9a-f]{64}| done$/m);
  });

  test("that is blocked offers the way out as it is typed", () => {
    const { repo, id } = sessionAt("blocked");
    const { stdout } = repo.say(["next", id]);
    const [line = ""] = /holdpoint advance \S+ unblock --reason "\.\.\."/.exec(stdout) ?? [];
    const words = line.replace('"..."', "back").split(" ").slice(1);
    expect(repo.say(words).exit, stdout).toBe(0);
  });

  test("without a question has nothing to release, and no answer to type", () => {
    const { repo, id } = sessionAt("loop");
    const { stdout } = repo.say(["hold", id]);
    expect(stdout).toContain("there is nothing to release");
    expect(stdout).not.toContain("holdpoint answer");
  });
});
