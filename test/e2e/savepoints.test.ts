/** What is in a savepoint: the bytes that were judged, under the paths that were meant. */
import { describe, expect, test } from "vitest";
import { repository } from "./cli.ts";
import type { Scratch } from "./cli.ts";

const ADA = { env: { HOLDPOINT_ACTOR: "person:ada", HOLDPOINT_SESSION: "human:ada" } };

function withSavepoint(paths: readonly string[]): Scratch {
  const scratch = repository();
  scratch.write("holdpoint.config.json", JSON.stringify({ protocols: ["./release.mjs"] }));
  scratch.write(
    "release.mjs",
    `import { defineProtocol } from "holdpoint";
export default defineProtocol({
  name: "release", version: 1, title: "Release",
  states: ["draft", "done"], start: "draft", ends: ["done"],
  moves: {
    finish: {
      from: "draft", to: "done",
      effects: [{ kind: "commit", args: { subject: "done {id}", paths: ${JSON.stringify(paths)} } }],
    },
  },
});
`,
  );
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "the protocol");
  expect(scratch.hold("start v1", ADA).exit).toBe(0);
  return scratch;
}

describe("the paths of a savepoint", () => {
  test("are a list: a comma in a path is part of its name", () => {
    const scratch = withSavepoint(["notes, {id}.md", "a,b"]);
    scratch.write("notes, v1.md", "notes\n");
    scratch.write("a,b/c,d.txt", "x\n");
    scratch.write("a", "not meant\n");
    const reply = scratch.hold("advance v1 finish", ADA);
    expect(reply.exit, reply.stdout).toBe(0);
    const named = scratch.git("show", "--name-only", "--format=", "HEAD").split("\n");
    expect(named).toEqual(["a,b/c,d.txt", "notes, v1.md"]);
  });
});
