/** Journals that somebody wrote words of people into, each line with a correct hash, under a policy that asks for signatures. */
import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { canonicalJson, isJsonObject, parseJson } from "../../../src/core/values/json.ts";
import type { Json, JsonObject } from "../../../src/core/values/json.ts";
import { object, objects, text } from "../../../src/core/values/json-read.ts";
import { copyOf } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { authenticator } from "../authenticator.ts";
import { forgerOf } from "../forged.ts";
import type { Forger } from "../forged.ts";
import { NAME } from "../plugin.ts";
import { ADA, commitPolicy, homeOf, lineOf, makeKey, signedPlugin } from "../release.ts";

function now(): string {
  return new Date().toISOString();
}

function chained(scratch: Scratch): string {
  return scratch.hold("audit --chain").stdout;
}

function bodyOf(forger: Forger, has: string): JsonObject {
  const { body } = forger.records().findLast((one) => canonicalJson(one).includes(has)) ?? {};
  if (!isJsonObject(body)) throw new Error(`no record has ${has}`);
  return body;
}

function eventsOf({ events = null }: JsonObject): readonly JsonObject[] {
  return objects(events);
}

/** The same events, with another word before them. */
function insteadOf(events: readonly JsonObject[], given: JsonObject | undefined): Json {
  return events.map((one) => (one["type"] === "release.given" ? (given ?? null) : one));
}

describe("is found, and vouches for nothing:", () => {
  test("a signed no that was turned into a yes", () => {
    const { scratch, ada } = signedPlugin();
    const other = copyOf(scratch);
    const kept = join(homeOf(other), ".ssh");
    cpSync(join(homeOf(scratch), ".ssh"), kept, { recursive: true });
    expect(other.hold(["answer", NAME, "1", "--sign", "--key", join(kept, "ada")]).json.ok).toBe(
      true,
    );
    expect(scratch.hold(["answer", NAME, "4", "--sign", "--key", ada]).json.ok).toBe(true);
    expect(chained(scratch)).toContain('"ok":true');
    const [yes, no] = [forgerOf(other, "plugin"), forgerOf(scratch, "plugin")];
    const given = eventsOf(bodyOf(no, "decision.settled")).find(
      (one) => one["type"] === "release.given",
    );
    const forged = bodyOf(yes, "decision.settled");
    const seq =
      no.records().findIndex((one) => canonicalJson(one).includes("decision.settled")) + 1;
    no.cut(seq);
    no.rewrite(seq, (one) => ({
      ...one,
      body: { ...forged, events: insteadOf(eventsOf(forged), given) },
    }));
    no.forget("snapshots", "shown", "refusals");
    expect(chained(scratch)).toContain(
      'is released at \\"stage-0-complete\\", and D-1 is answered with',
    );
  });

  test("the fence taken down by nobody's signature", () => {
    const { scratch, ada } = signedPlugin();
    scratch.hold(["fence", "install", "--sign", "--key", ada]);
    expect(chained(scratch)).toContain('"ok":true');
    const forger = forgerOf(scratch, "repository");
    const own = bodyOf(forger, "release.given");
    const down = [
      { type: "vars.changed", vars: { fence: null } },
      { type: "note.added", list: "fence", tag: "taken down", text: "x" },
    ];
    const count = forger.records().length;
    forger.append({ ...own, actor: "person:root", events: down, used: {} }, now());
    expect(chained(scratch)).toContain("without the signature");
    forger.cut(count);
    forger.append({ ...own, actor: "agent:eve", events: down, used: {} }, now());
    expect(chained(scratch)).toContain("nothing in the record sets fence to null");
  });

  test("a fence around other branches than those that were signed", () => {
    const { scratch, ada } = signedPlugin();
    scratch.hold(["fence", "install", "--sign", "--key", ada]);
    const forger = forgerOf(scratch, "repository");
    forger.rewrite(forger.records().length, (one) => ({
      ...one,
      body:
        parseJson(
          canonicalJson(one["body"] ?? null).replace(
            '"vars":{"fence":{"hook"',
            '"vars":{"fence":{"odd":1,"hook"',
          ),
        ) ?? null,
    }));
    forger.forget("snapshots", "shown", "refusals");
    expect(chained(scratch)).toContain('\\"fence\\" is released with another fence than was set');
  });

  test("a weaker policy with a key of one's own, accepted by nobody", () => {
    const { scratch, ada } = signedPlugin();
    scratch.hold(["answer", NAME, "4", "--sign", "--key", ada]);
    const own = makeKey(scratch, "own");
    const forger = forgerOf(scratch, "repository");
    const count = forger.records().length;
    const body = forger.records().at(-1)?.["body"] as JsonObject;
    const signers = lineOf(own, "eve@example.org");
    const accepted = {
      from: "main",
      policy: { strength: "word", gates: {} },
      protected: [],
      signers,
      revoked: "",
    };
    const events = [{ type: "vars.changed", vars: { accepted } }];
    forger.append(
      { ...body, command: "unit.move", actor: "engine:holdpoint", events, used: {} },
      now(),
    );
    expect(chained(scratch)).toContain("policy-weakened");
    forger.cut(count);
    forger.append({ ...body, command: "unit.move", actor: "person:root", events, used: {} }, now());
    expect(chained(scratch)).toContain('released \\"accept\\" without the signature');
  });

  /** An answer that only Ada has signed, written into a journal whose policy asks for more, as if it were enough. */
  function signedByAda(policy: JsonObject): string {
    const { scratch, ada } = signedPlugin();
    const asked = copyOf(scratch);
    const device = `carl@example.org ${authenticator().key}\n`;
    const signers = scratch.read("allowed_signers") + device;
    commitPolicy(asked, { strength: "signed", ...policy }, signers);
    expect(asked.hold("policy --accept --reason x").exit).not.toBe(0);
    const forger = forgerOf(asked, "plugin");
    const honest = forgerOf(scratch, "plugin");
    scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    const yes = bodyOf(honest, "decision.settled");
    const last = forger.records().at(-1) ?? {};
    const [given = {}] = eventsOf(yes).filter((one) => one["type"] === "release.given");
    const told = parseJson(text(object(given["proof"] ?? null)["statement"]));
    if (!isJsonObject(told)) throw new Error("nothing was signed");
    const { hash = "", seq = 0 } = last;
    const statement = canonicalJson({ ...told, head: hash, seq, nonce: "n", at: now() });
    const args = ["-q", "-Y", "sign", "-f", ada, "-n", "release@holdpoint"];
    const stdio: ["pipe", "pipe", "ignore"] = ["pipe", "pipe", "ignore"];
    const signature = execFileSync("ssh-keygen", args, {
      input: statement,
      encoding: "utf8",
      stdio,
    });
    const proof = { ...object(given["proof"] ?? null), statement, signature };
    const events = insteadOf(
      eventsOf(yes).filter((one) => one["type"] !== "policy.agreed"),
      { ...given, nonce: "n", proof },
    );
    forger.append({ ...yes, events }, now());
    return chained(asked);
  }

  test("one signature where two people are asked", () => {
    expect(signedByAda({ people: 2 })).toContain(
      '1 of 2 people have signed \\"stage-0-complete\\"',
    );
  });

  test("a key in a file where a device is asked for", () => {
    expect(signedByAda({ hardware: true })).toContain("key-not-hardware");
  });

  test("a signature of somebody whose word does not count there", () => {
    expect(signedByAda({ by: ["bob@example.org"] })).toContain("approver-not-allowed");
    expect(signedByAda({ by: [ADA] })).not.toContain("approver-not-allowed");
  });
});
