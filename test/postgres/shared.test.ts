/** The built program on a store in PostgreSQL: two clones of one repository have one truth. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commitFile, repository, scratchAt, scratchDirectory } from "../e2e/cli.ts";
import type { Scratch } from "../e2e/cli.ts";
import { join } from "node:path";
import { makeRoom } from "./harness.ts";
import type { Room } from "./harness.ts";

let room: Room;
beforeAll(async () => {
  room = await makeRoom();
});
afterAll(async () => await room.remove());

function cloneOf(scratch: Scratch): Scratch {
  const top = join(scratchDirectory(), "work tree");
  scratch.git("clone", "--quiet", scratch.top, top);
  return scratchAt(top);
}

describe("two clones", () => {
  test("[S4] what one begins, the other lists and goes on with; nothing is kept in files", () => {
    const one = repository();
    const other = cloneOf(one);
    const env = { HOLDPOINT_STORE: room.agent };
    expect(one.hold("start TapeDelay --protocol plugin-workflow", { env }).exit).toBe(0);
    expect(one.has(".git/holdpoint/journals")).toBe(false);
    expect(other.hold("list", { env }).json.workflows).toMatchObject([{ id: "TapeDelay" }]);
    expect(other.hold("list").json.workflows).toEqual([]);
    expect(other.hold("status TapeDelay", { env }).json).toMatchObject({ ok: true, seq: 1 });
    expect(other.hold("audit TapeDelay", { env }).json.chain).toMatchObject({ records: 1 });
    const dark = { HOLDPOINT_STORE: room.agent.replace(/:\d+\//, ":1/") };
    const old = expect.arrayContaining([expect.stringMatching(/cannot be reached.*seen before/)]);
    for (const words of ["list", "status TapeDelay"])
      expect(one.hold(words, { env: dark }).json, words).toMatchObject({ ok: true, warnings: old });
    const shut = one.hold("start Next --protocol plugin-workflow", { env: dark });
    expect(shut.json.error).toMatchObject({ code: "store-unreachable" });
  });

  test("the committed configuration names the store; a password in it is refused, and not shown", () => {
    const url = new URL(room.agent);
    const secret = url.password;
    url.password = "";
    const one = repository();
    commitFile(one, "holdpoint.config.json", JSON.stringify({ store: { postgres: url.href } }));
    const env = { PGPASSWORD: secret };
    expect(one.hold("list", { env }).json.workflows).toMatchObject([{ id: "TapeDelay" }]);
    expect(one.hold("list").json.error).toMatchObject({ code: "store-password" });
    const past = one.hold("list", { env: { ...env, HOLDPOINT_STORE: "embedded" } });
    expect(past.json.error).toMatchObject({ code: "store-bypassed" });
    commitFile(one, "holdpoint.config.json", JSON.stringify({ store: { postgres: room.agent } }));
    const { exit, stdout, json } = one.hold("list", { env });
    expect(exit).toBe(1);
    expect(json.error).toMatchObject({ code: "config-broken" });
    expect(stdout).not.toContain(secret);
  });
});
