/** Protocols that a repository brings along, on the command line: used, broken, changed, carried over. */
import { describe, expect, test } from "vitest";
import { commitFile, repository } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";

const ADA = { env: { HOLDPOINT_ACTOR: "person:ada", HOLDPOINT_SESSION: "human:ada" } };

describe("a repository with a protocol of its own", () => {
  test("starts, moves and ends its workflows like any other, without the package in it", () => {
    const scratch = withProtocol(release());
    expect(scratch.hold("start v1", ADA)).toMatchObject({ exit: 0, json: { state: "draft" } });
    expect(scratch.hold("advance v1 freeze", ADA)).toMatchObject({ exit: 0 });
    expect(scratch.hold("status v1").json).toMatchObject({ state: "frozen" });
    expect(scratch.hold("graph release").exit).toBe(0);
  });

  test("a broken file stops its own workflows with its place, and no others", () => {
    const scratch = withProtocol(release());
    scratch.hold("start v1", ADA);
    scratch.hold("start Reverb --protocol plugin-workflow", ADA);
    commitFile(scratch, "release.mjs", "export default {\n  name: : 1,\n};\n");
    for (const verb of ["status v1", "next v1", "advance v1", "start v2 --protocol release"]) {
      const reply = scratch.hold(verb, ADA);
      expect(reply.exit, verb).toBe(10);
      expect(reply.json.refusals?.[0], verb).toMatchObject({
        code: "protocol-unusable",
        message: expect.stringContaining("release.mjs:2: SyntaxError"),
      });
    }
    const list = scratch.hold("list");
    expect(list.exit).toBe(0);
    expect(list.json.warnings).toEqual([expect.stringContaining("release.mjs:2")]);
    expect(scratch.hold("status Reverb")).toMatchObject({
      exit: 0,
      json: { workflow: "Reverb", warnings: [expect.stringContaining("release.mjs:2")] },
    });
    expect(scratch.hold("verify --all").exit).toBeLessThan(5);
    commitFile(scratch, "release.mjs", release());
    expect(scratch.hold("advance v1 freeze", ADA).exit).toBe(0);
  });

  test("start without a protocol says which file it could not use", () => {
    const scratch = withProtocol("export default 5;");
    const asked = scratch.hold("start v1", ADA);
    expect(asked.exit).toBe(2);
    expect(asked.stdout + asked.stderr).toContain("release.mjs");
  });

  test("an endless loop ends, and the answer is one object", () => {
    const scratch = withProtocol("for (;;) {}");
    expect(scratch.hold("start v1 --protocol release", ADA)).toMatchObject({
      exit: 10,
      json: { refusals: [{ message: expect.stringContaining("does not come to an end") }] },
    });
  });
});

describe("a definition that changes under a running workflow", () => {
  test("is shown, and nothing moves until a person accepts it with a reason", () => {
    const scratch = withProtocol(release());
    scratch.hold("start v1", ADA);
    commitFile(scratch, "release.mjs", release().replace("Freeze it", "Freeze it now"));
    expect(codesOf(scratch.hold("status v1"))).toEqual(["definition-changed"]);
    const next = scratch.say("next v1").stdout;
    expect(next).toContain("is not the one that v1 follows");
    expect(next).toContain("holdpoint reconcile v1 --definition --reason");
    expect(scratch.hold("next v1").json).toMatchObject({ blocked: { code: "definition-changed" } });
    const stopped = scratch.hold("advance v1 freeze", ADA);
    expect(stopped).toMatchObject({
      exit: 10,
      json: { refusals: [{ code: "definition-changed" }] },
    });
    const bot = { env: { HOLDPOINT_ACTOR: "agent:bot", HOLDPOINT_SESSION: "bot" } };
    const accept = "reconcile v1 --definition --reason agreed";
    expect(scratch.hold(accept, bot)).toMatchObject({
      exit: 10,
      json: { refusals: [{ code: "person-required" }] },
    });
    expect(scratch.hold(accept, ADA).exit).toBe(0);
    expect(codesOf(scratch.hold("status v1"))).toEqual([]);
    expect(scratch.hold("advance v1 freeze", ADA).exit).toBe(0);
    expect(scratch.hold("audit v1").stdout).toContain("goes on under release version 1");
  });

  test("a state that is gone is named, wedges nothing, and migrate carries the workflow over", () => {
    const scratch = withProtocol(release());
    scratch.hold("start v1", ADA);
    scratch.hold("advance v1 freeze", ADA);
    const second = release().replaceAll('"frozen"', '"sealed"').replace("version: 1", "version: 2");
    commitFile(scratch, "release.mjs", second);
    for (const verb of ["status v1", "list", "audit v1", "next v1", "verify --all"])
      expect(scratch.hold(verb).exit, verb).toBeLessThan(5);
    const refused = scratch.hold("reconcile v1 --definition --reason agreed", ADA);
    expect(refused).toMatchObject({
      exit: 10,
      json: {
        refusals: [{ code: "definition-lacks", message: expect.stringContaining('"frozen"') }],
      },
    });
    commitFile(scratch, "release.mjs", withMigrate(second, "() => { throw new Error('no') }"));
    expect(scratch.hold("reconcile v1 --definition --reason agreed", ADA)).toMatchObject({
      exit: 10,
      json: { refusals: [{ code: "migration-failed" }] },
    });
    commitFile(scratch, "release.mjs", withMigrate(second, '() => ({ at: { ".": "sealed" } })'));
    expect(scratch.hold("reconcile v1 --definition --reason agreed", ADA)).toMatchObject({
      exit: 0,
      json: { state: "sealed" },
    });
    expect(scratch.hold("advance v1 finish", ADA)).toMatchObject({ exit: 0 });
  });
});

function release(): string {
  return `import { defineProtocol } from "holdpoint";
export default defineProtocol({
  name: "release", version: 1, title: "Release",
  states: ["draft", "frozen", "done"], start: "draft", ends: ["done"],
  moves: {
    freeze: { from: "draft", to: "frozen", label: "Freeze it" },
    finish: { from: "frozen", to: "done" },
  },
});
`;
}

function withMigrate(text: string, migrate: string): string {
  return text.replace('title: "Release",', `title: "Release", migrate: ${migrate},`);
}

function withProtocol(text: string): Scratch {
  const scratch = repository();
  commitFile(scratch, "holdpoint.config.json", JSON.stringify({ protocols: ["./release.mjs"] }));
  commitFile(scratch, "release.mjs", text);
  return scratch;
}

function codesOf({ json }: Reply): readonly string[] {
  return (json.pending ?? []).map(({ code }) => code);
}
