/** What `verify` knows that files alone do not show: changes since the last step, and states that no journal vouches for. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bareDirectory, commitFile, copyOf, scratchAt } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import { NAME, pluginAt } from "./plugin.ts";
import * as team from "./team.ts";

const CODE = `plugins/${NAME}/Source/PluginProcessor.cpp`;

function clone({ git, top }: Scratch): Scratch {
  const at = join(bareDirectory().top, "copy");
  git("clone", "-q", top, at);
  return scratchAt(at);
}

function done(): Scratch {
  const session = team.sessionAt("leanIntegrate");
  expect(session.run("advance", ["finish"]).exit).toBe(0);
  return session.repo;
}

function unvouched(reply: Reply): readonly string[] {
  return (reply.json.warnings ?? []).filter((one) => one.includes("vouches for"));
}

function found(reply: Reply): readonly (readonly [string, string])[] {
  return (reply.json.workflows ?? []).flatMap((one) =>
    one.findings.map(({ code, message }) => [code, message] as const),
  );
}

function foundTwice(scratch: Scratch, id: string): readonly (readonly [string, string])[] {
  const [one, all] = [scratch.hold(`verify ${id}`), scratch.hold("verify --all")];
  expect(found(one)).toEqual(found(all));
  return found(one);
}

describe("what changed since the last step", () => {
  test("edits after Working are told, and are no error", () => {
    const scratch = pluginAt("working");
    expect(foundTwice(scratch, NAME)).toEqual([]);
    commitFile(scratch, CODE, "int evil;\n");
    const [[code, message] = ["", ""]] = foundTwice(scratch, NAME);
    expect(code).toBe("changed-since");
    expect(message).toMatch(/^since [0-9a-f]{12}, .*1 file .*PluginProcessor.cpp/);
    expect(scratch.hold(`verify ${NAME}`)).toMatchObject({ exit: 0, json: { ok: true } });
    expect(scratch.say(`verify ${NAME}`).stdout).toContain("PluginProcessor.cpp");
  });

  test("edits after DONE are told, and while an order is out they are its agent's", () => {
    const scratch = done();
    expect(found(scratch.hold("verify --all"))).toEqual([]);
    scratch.write("app.js", "evil\n");
    const reply = scratch.hold("verify --all");
    expect(found(reply).map(([code]) => code)).toEqual(["changed-since"]);
    expect(reply.exit).toBe(0);
    const out = pluginAt("p3");
    out.write(CODE, "int work;\n");
    expect(found(out.hold("verify --all"))).toEqual([]);
  }, 120_000);
});

describe("states that no journal vouches for", () => {
  test("a journal that is gone from a repository whose commits name it is named", () => {
    const scratch = pluginAt("working");
    rmSync(join(scratch.top, ".git/holdpoint"), { recursive: true });
    const reply = scratch.hold("verify --all");
    expect(found(reply).map(([code]) => code)).toContain("journal-missing");
    expect(reply.exit).toBe(2);
  });

  test("in a clone the same files are unvouched, which is no error", () => {
    const scratch = clone(pluginAt("working"));
    const reply = scratch.hold("verify --all");
    expect(found(reply)).toEqual([]);
    expect(unvouched(reply)).toEqual([expect.stringContaining(NAME)]);
    expect(reply.exit).toBe(0);
  });

  test("so is a session without a journal where the configuration shows that Holdpoint is used", () => {
    const scratch = copyOf(done());
    rmSync(join(scratch.top, ".git/holdpoint"), { recursive: true });
    expect(unvouched(scratch.hold("verify --all"))).toHaveLength(1);
    scratch.remove("holdpoint.config.json");
    scratch.git("rm", "--cached", "-q", "holdpoint.config.json");
    scratch.git("commit", "-qm", "Without");
    expect(unvouched(scratch.hold("verify --all"))).toEqual([]);
  }, 120_000);

  test("files at a beginning claim nothing", () => {
    const scratch = pluginAt("new");
    scratch.git("add", "-A");
    scratch.git("commit", "-qm", "Begin");
    expect(unvouched(clone(scratch).hold("verify --all"))).toEqual([]);
  });
});
