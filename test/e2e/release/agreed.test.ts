/** What a repository has agreed on is known to the workflows that were decided under it: losing one journal loses no gate. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject } from "../../../src/core/values/json.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { forgerOf } from "../forged.ts";
import { answer, codesOf, finish, NAME, pluginAt } from "../plugin.ts";
import { ADA, commitPolicy, lineOf, makeKey, signedPlugin } from "../release.ts";
import type { Guarded } from "../release.ts";

/** Ada has signed once, and the next question waits. */
function signedOnce(): Guarded {
  const guarded = signedPlugin();
  const { scratch, ada } = guarded;
  const first = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
  expect(first.json.ok, first.stdout).toBe(true);
  finish(scratch, "2", { outputs: { parameter_count: 3 } });
  return guarded;
}

describe("an agent that weakens the policy", () => {
  test.each([
    ["and deletes the journal of the repository", "journals", "snapshots"],
    ["and deletes all that lies beside it, too", "journals", "snapshots", "shown"],
  ])("%s releases nothing", (_, ...places) => {
    const { scratch, ada } = signedOnce();
    for (const place of places) {
      const folder = `.git/holdpoint/${place}`;
      for (const name of readdirSync(join(scratch.top, folder)))
        if (name.startsWith("repository") || name === "_all.json")
          scratch.remove(`${folder}/${name}`);
    }
    commitPolicy(scratch, { strength: "word" });
    const told = scratch.hold(["policy"]);
    expect(told.json).toMatchObject({ rule: { strength: "signed" } });
    expect(codesOf(scratch.hold(["answer", NAME, "1"]))).toEqual(["signature-missing"]);
    const accept = ["policy", "--accept", "--reason", "we trust each other"];
    expect(codesOf(scratch.hold(accept))).toEqual(["signature-missing"]);
    const accepted = scratch.hold([...accept, "--sign", "--key", ada]);
    expect(accepted.json.ok, accepted.stdout).toBe(true);
    expect(scratch.hold(["answer", NAME, "1"]).json.ok).toBe(true);
    expect(scratch.hold(["verify", "--all"]).exit).toBe(0);
  });

  test("and writes a journal of the repository by itself releases nothing", () => {
    const { scratch } = signedOnce();
    const forger = forgerOf(scratch, "repository");
    forger.rewrite(1, (record) => {
      const text = JSON.stringify(record).replaceAll('"signed"', '"word"');
      return JSON.parse(text);
    });
    forger.forget("snapshots");
    commitPolicy(scratch, { strength: "word" });
    expect(codesOf(scratch.hold(["answer", NAME, "1"]))).toEqual(["signature-missing"]);
  });
});

describe("a forged answer", () => {
  test("that is dated before the policy, in a workflow that has nothing newer, is named all the same", () => {
    const scratch = pluginAt("s0");
    answer(scratch, "2");
    const signers = lineOf(makeKey(scratch, "ada"), ADA);
    commitPolicy(scratch, { strength: "signed" }, signers);
    scratch.hold(["policy", "--accept", "--reason", "x"]);
    const plain = pluginAt("s0");
    answer(plain, "1");
    const { body } = forgerOf(plain, "plugin").records().at(-1) ?? {};
    const forger = forgerOf(scratch, "plugin");
    const seq = forger.records().length + 1;
    forger.append(body as never);
    const named = { bad: [{ journal: `plugin-workflow:${NAME}`, seq, code: "signature-missing" }] };
    expect(scratch.hold("audit --chain").json).toMatchObject(named);
    // Nor does it help to put it in the place of the last record that was there.
    forger.rewrite(seq - 1, (record) => ({ ...record, body: body as JsonObject }));
    forger.cut(seq - 1);
    forger.forget("snapshots", "shown", "refusals");
    expect(scratch.hold("audit --chain").stdout).toContain("has seen another record");
  });

  test("with a correct hash and without a release is named", () => {
    const { scratch } = signedOnce();
    const forger = forgerOf(scratch, "plugin");
    const { body } = forger.records().find((record) => released(record)) ?? {};
    if (!isJsonObject(body)) throw new Error("Nothing was released");
    const events = body["events"] as readonly JsonObject[];
    forger.append({
      ...body,
      actor: `person:${ADA}`,
      events: events
        .filter(({ type }) => type === "decision.settled")
        .map((event) => ({ ...event, decision: "D-2" })),
    });
    forger.forget("snapshots");
    const reply = scratch.hold(["verify", NAME]);
    expect(reply.exit).not.toBe(0);
    expect(reply.stdout).toContain("no release proves it as agreed (signed)");
  });
});

function released({ body }: JsonObject): boolean {
  return JSON.stringify(body ?? null).includes('"release.given"');
}
