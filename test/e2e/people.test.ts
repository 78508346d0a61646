/** What only people may do, and whose deed it is that a file says something. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFile, copyOf, repository } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import { NAME, codesOf, handoffOf, pluginAt } from "./plugin.ts";

const AGENT = { env: { HOLDPOINT_ACTOR: "agent:bot", HOLDPOINT_SESSION: "bot" } };

function forget(scratch: Scratch): void {
  rmSync(join(scratch.top, ".git/holdpoint"), { recursive: true, force: true });
}

function adoption(reply: Reply): readonly string[] {
  return (reply.json.workflows ?? []).flatMap((one) => [
    one.result ?? "",
    ...(one.refusals ?? []).map(({ code }) => code),
  ]);
}

describe("adopting", () => {
  test("an agent that writes Working into PLUGINS.md adopts nothing by it", () => {
    const scratch = pluginAt("new");
    forget(scratch);
    scratch.edit("PLUGINS.md", (text) => text.replaceAll("💡 Ideated", "✅ Working"));
    rmSync(join(scratch.top, handoffOf()), { force: true });
    const tried = scratch.hold(["adopt", NAME, "--yes"], AGENT);
    expect(adoption(tried), tried.stdout).toEqual(["refused", "person-required"]);
    expect(scratch.hold("list").json.workflows).toEqual([]);
  });

  test("nor one that deletes the journal of a plugin that is further on", () => {
    const scratch = pluginAt("s3");
    forget(scratch);
    const other = copyOf(scratch);
    expect(adoption(scratch.hold(["adopt", NAME, "--yes"], AGENT))).toContain("person-required");
    expect(adoption(other.hold(["adopt", NAME, "--yes"]))).toEqual(["adopted"]);
  });

  test("what has only begun, an agent may adopt", () => {
    const scratch = pluginAt("new");
    forget(scratch);
    expect(adoption(scratch.hold(["adopt", NAME, "--yes"], AGENT))).toEqual(["adopted"]);
  });
});

describe("a lean session", () => {
  const start = ["start", "--protocol", "team-contract", "--goal", "Fix the typo"];

  test("is a person's to start: no command measures what speaks for it", () => {
    const scratch = repository();
    for (const lean of [["--lean"], ["--mode", "lean"], ["--lean", "--criteria", '{"files":1}']])
      expect(codesOf(scratch.hold([...start, ...lean], AGENT))).toEqual(["person-required"]);
    expect(scratch.hold(start, AGENT).json.state).toBe("INTAKE");
    expect(scratch.hold([...start, "--lean"]).json.state).toBe("INTAKE_LEAN");
  });
});

describe("an answer without a name", () => {
  test("is to the only workflow under way; of several one must be named", () => {
    const scratch = pluginAt("s2");
    const { exit, json } = scratch.hold("answer");
    expect([exit, json.error?.message]).toEqual([2, expect.stringContaining("Build system ready")]);
    scratch.hold(["start", "Other", "--protocol", "plugin-workflow"]);
    const several = scratch.hold("answer");
    expect(codesOf(several)).toEqual(["workflow-unnamed"]);
    expect(several.json.refusals?.[0]?.fix).toContain(`${NAME}, Other`);
  });
});

describe("a deed that is found in a file", () => {
  test("is the file's, not that of the person who ran the next command", () => {
    const scratch = repository();
    const table = [
      "name: release",
      "version: 1",
      "title: Release",
      "stateFile: RELEASES.md",
      "states: [open, shut, done]",
      "start: open",
      "ends: [done]",
      "moves:",
      "  shut: { from: open, to: shut }",
      "  finish: { from: shut, to: done, by: [person] }",
    ].join("\n");
    commitFile(scratch, "holdpoint.config.json", '{"protocols":["./release.yaml"]}');
    commitFile(scratch, "release.yaml", `${table}\n`);
    expect(scratch.hold("start v1 --protocol release").exit).toBe(0);
    scratch.edit("RELEASES.md", (text) => text.replace("open", "shut"));
    scratch.hold("next v1");
    scratch.hold("reconcile v1");
    expect(scratch.hold("status v1").json.state).toBe("shut");
    const actors = (scratch.hold("audit v1").json.entries ?? [])
      .filter((one) => one.command === "unit.move")
      .map((one) => one.actor);
    expect(actors).toEqual(["agent:file:RELEASES.md"]);
    // What is a person's to do, no file does.
    scratch.edit("RELEASES.md", (text) => text.replace("shut", "done"));
    scratch.hold("reconcile v1");
    expect(scratch.hold("status v1").json.state).toBe("shut");
    expect(scratch.hold("advance v1 finish").json.state).toBe("done");
  });

  test("the interface is a person's choice, not the handoff's", () => {
    const scratch = pluginAt("s3");
    scratch.edit(handoffOf(), (text) => text.replace(/^---\n/, "---\ngui_type: headless\n"));
    scratch.hold(`advance ${NAME}`);
    expect(scratch.hold(`status ${NAME}`).json.details?.["interface"]).toBeUndefined();
  });
});

test("what lists workflows ends with the command that says what to do", () => {
  const scratch = repository();
  scratch.say("start Echo --protocol plugin-workflow");
  for (const verb of ["list", "status", "next"])
    expect(scratch.say(verb).stdout.trimEnd()).toMatch(/\n→ Next: holdpoint next Echo$/);
});
