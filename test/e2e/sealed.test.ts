/** A sealed file of any kind can be put back, or it is said when it is sealed that it cannot. */
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "./cli.ts";
import type { Scratch } from "./cli.ts";

const ADA = { env: { HOLDPOINT_ACTOR: "person:ada", HOLDPOINT_SESSION: "human:ada" } };
const BYTES = Buffer.from([0, 255, 254, 13, 10, 0, 128, 200]);

function withSeal(): Scratch {
  const scratch = repository();
  scratch.write("holdpoint.config.json", JSON.stringify({ protocols: ["./release.mjs"] }));
  scratch.write(
    "release.mjs",
    `import { defineProtocol, sealed } from "holdpoint";
export default defineProtocol({
  name: "release", version: 1, title: "Release",
  states: ["draft", "frozen", "done"], start: "draft", ends: ["done"],
  moves: {
    freeze: { from: "draft", to: "frozen", seals: ["art.png"] },
    "put-back": { from: "frozen", to: "frozen", effects: [{ kind: "restore", args: {} }] },
    finish: {
      from: "frozen", to: "done",
      needs: [sealed(["art.png"], { code: "changed-since", fix: "Put it back." })],
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

test("a picture that was sealed is put back, byte for byte, whatever stands in its place", () => {
  const scratch = withSeal();
  const art = join(scratch.top, "art.png");
  writeFileSync(art, BYTES);
  expect(scratch.hold("advance v1 freeze", ADA).exit).toBe(0);
  for (const other of [Buffer.from([1, 0, 2]), Buffer.from("a text\n")]) {
    writeFileSync(art, other);
    expect(scratch.hold("advance v1 finish", ADA).json.refusals?.[0]?.code).toBe("changed-since");
    const restored = scratch.hold("advance v1 put-back", ADA);
    expect(restored.exit, restored.stdout).toBe(0);
    expect(readFileSync(art)).toEqual(BYTES);
  }
  scratch.remove("art.png");
  expect(scratch.hold("advance v1 put-back", ADA).exit).toBe(0);
  expect(readFileSync(art)).toEqual(BYTES);
  expect(scratch.hold("advance v1 finish", ADA).exit).toBe(0);
});

test("one that is too large to keep is named when it is sealed", () => {
  const scratch = withSeal();
  writeFileSync(join(scratch.top, "art.png"), "");
  truncateSync(join(scratch.top, "art.png"), 65 * 1024 * 1024);
  const reply = scratch.hold("advance v1 freeze", ADA);
  expect(reply.exit, reply.stdout).toBe(0);
  expect(reply.json.warnings?.join()).toMatch(/art\.png is sealed, but no copy is kept.*limit/);
  scratch.write("art.png", "other");
  const pending = scratch.hold("advance v1 put-back", ADA).json.pending;
  expect(pending?.[0]).toMatchObject({ code: "seal-copy-missing" });
});
