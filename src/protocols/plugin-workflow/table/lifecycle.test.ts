// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import { ID, adopted, done, phases } from "../../../../test/plugin.ts";
import { AGENT, PERSON } from "../../../../test/story.ts";
import type { Story } from "../../../../test/story.ts";
import { positionOf } from "./position.ts";

const improved = (told: Story, version?: string): Story => {
  const input = { description: "smoother", ...(version === undefined ? {} : { version }) };
  return told.when({ type: "unit.move", unit: ".", move: "improved", input }, AGENT);
};

describe("improving", () => {
  test("[PW-307] a person begins it, and there must be a backup", () => {
    const told = adopted("working", { [`backup:${ID}`]: false });
    told.move("improve", AGENT).expectRefused("person-required", "backup-missing");
    told.move("improve").expectRefused("backup-missing");
    expect(told.refusals[0]).toMatchObject({
      message: "there is no whole backup of Gain v1.0.0",
      fix: "Copy plugins/Gain to backups/Gain/v1.0.0/ first.",
    });
    told
      .given({ [`backup:${ID}`]: true })
      .move("improve")
      .expectAccepted();
    expect(positionOf(told.state).registry).toBe("🚧 Improving");
  });

  test("[PW-307][PW-170] it ends where it began: T19, T23", () => {
    for (const state of ["working", "installed"]) {
      const told = adopted(state).move("improve").settle();
      improved(told, "1.0.1").expectAccepted();
      expect(told.state.units["."]).toMatchObject({ at: state, back: [] });
      expect(told.state.vars["version"]).toBe("1.0.1");
      expect(told.state.notes.at(-1)).toMatchObject({
        list: "timeline",
        tag: "v1.0.1",
        text: "smoother",
      });
    }
  });

  test("[PW-307] the next patch, minor or major version, and nothing else", () => {
    for (const version of ["1.0.1", "1.1.0", "2.0.0"])
      improved(adopted("working").move("improve").settle(), version).expectAccepted();
    for (const version of [undefined, "", "1.0.0", "0.9.9", "1.0.2", "3.0.0", "banana", "v1.0.1"]) {
      const told = adopted("working").move("improve").settle();
      improved(told, version).expectRefused("version-illegal");
      expect(told.state.vars["version"]).toBe("1.0.0");
    }
  });

  test("[PW-307] it needs a changelog entry for that version", () => {
    const told = adopted("working", { [`changelog:${ID}:1.1.0`]: false })
      .move("improve")
      .settle();
    improved(told, "1.1.0").expectRefused("changelog-missing");
  });

  test("[PW-307] and passing tests, where they are configured", () => {
    const told = adopted("working", { "check:tests": true }).move("improve").settle();
    improved(told, "1.1.0").expectRefused("tests-failed");
    expect(told.open).toEqual([]);
  });

  test("[PW-278][PW-279] a headless plugin is recognised, also after installing", () => {
    const told = adopted("installed", {}, { vars: { gui_type: "headless", version: "1.0.0" } });
    told.move("improve").settle().expectHeld("improve-headless");
    improved(told, "1.1.0").expectRefused("held");
    told.fork().reply("improve-headless", "keep").expectAccepted();
    told.reply("improve-headless", "create-ui").expectAccepted();
    expect(told.state.vars["gui_type"]).toBe("webview");
    improved(told, "1.1.0").expectAccepted();
  });

  test("[PW-307] improving is possible while the last menu is open, which is then void", () => {
    const told = adopted("s5").move("validate").settle().expectHeld("stage-5-complete");
    told.move("improve").expectAccepted();
    expect(told.open).toEqual([]);
  });

  test("[PW-307] taken over from files without a record of where it came from", () => {
    const told = adopted("improving");
    improved(told, "1.0.1").expectRefused("way-back-unknown");
    const known = adopted("improving", {}, { back: ["installed"] });
    improved(known, "1.0.1").expectAccepted();
    expect(known.state.units["."]?.at).toBe("installed");
  });
});

describe("uninstalling, resetting, removing", () => {
  test("[PW-170] uninstalling is a person's: T24", () => {
    adopted("installed").move("uninstall", AGENT).expectRefused("person-required");
    const told = adopted("installed").move("uninstall").settle().expectAccepted();
    expect(positionOf(told.state).registry).toBe("✅ Working");
  });

  test.each(["reset", "destroy"])("[PW-310] %s: a person, a reason, a backup", (move) => {
    const told = adopted("s2", {}, { units: phases("3.1") });
    told.move(move, { reason: "r", ...AGENT }).expectRefused("person-required");
    told.move(move).expectRefused("reason-missing");
    told.move(move, { reason: " " }).expectRefused("reason-missing");
    told.move(move, { reason: "start over", ...PERSON }).expectAccepted();
    expect(Object.keys(told.state.units)).toEqual(["."]);
    expect(told.state.seals).toEqual({});
    expect(Object.values(told.state.effects).map((one) => one.kind)).toEqual(["shelve", "commit"]);
  });

  test("[PW-310] a reset keeps brief, parameters and mock-ups, and says why in the timeline", () => {
    const vars = { gui_type: "headless", handoff: true, paused: "gui", version: "1.0.0" };
    const told = adopted("s3", {}, { vars }).move("reset", { reason: "wrong idea" });
    expect(told.state.effects["E-1"]?.args["keep"]).toBe(
      "creative-brief.md,parameter-spec.md,parameter-spec-draft.md,mockups",
    );
    expect(told.state.notes.at(-1)).toMatchObject({
      list: "timeline",
      text: "Reset to ideation: wrong idea",
    });
    expect(told.state.vars).toMatchObject({
      handoff: false,
      gui_type: null,
      paused: null,
      version: "-",
    });
  });

  test("[PW-310] an open question is no obstacle, and is void afterwards", () => {
    for (const move of ["reset", "destroy"]) {
      const told = adopted("s2").send("dsp").report({ outcome: "failure" });
      told.expectHeld("stage-failed").move(move, { reason: "r" }).settle().expectAccepted();
      expect(told.open).toEqual([]);
      expect(Object.values(told.state.decisions)[0]?.status).toBe("void");
    }
  });

  test("[PW-310][PW-101] nothing is taken away under an agent at work", () => {
    for (const move of ["reset", "destroy"]) {
      const told = adopted("s2").send("dsp").move(move, { reason: "r" });
      told.expectRefused("dispatch-open");
      told.when({ type: "dispatch.cancel", dispatch: "W-1", reason: "stop" });
      told.move(move, { reason: "r" }).expectAccepted();
    }
  });

  test("[PW-310] nor before the last commit is made", () => {
    const told = adopted("s2").send("dsp");
    done(told).move("reset", { reason: "r" }).expectRefused("effect-pending");
  });

  test("[PW-170] T26: everything can be removed, and removed is the end", () => {
    const told = adopted("working").move("improve").settle().move("destroy", { reason: "r" });
    told.settle().expectAccepted();
    expect(told.state.units["."]?.at).toBe("removed");
    told.send("research").expectRefused("dispatch-illegal");
    told.move("reset", { reason: "r" }).expectRefused("transition-illegal");
  });
});
