/** Ways in which an agent could release a hold by itself, where the policy asks for a signature. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { compose } from "../../../src/compose/compose.ts";
import { openEngine } from "../../../src/door/engine.ts";
import type { Confirm, Shown } from "../../../src/engine/release/confirm.ts";
import { answer as answering } from "../../../src/operations/answer.ts";
import { commitFile, NO_CHECKS } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { codesOf, handoffOf, NAME } from "../plugin.ts";
import {
  ADA,
  atFakeTerminal,
  BOB,
  commitPolicy,
  homeOf,
  isHeld,
  lineOf,
  makeKey,
  releasesIn,
  signedPlugin,
  wordsIn,
} from "../release.ts";
import type { Release } from "../release.ts";

/** Answer as a program would that uses ours as a library, and says of itself whatever it likes. */
async function answerWith(
  scratch: Scratch,
  ask: Confirm["ask"],
  input: { readonly choice: string; readonly decision?: string } = { choice: "1" },
): Promise<readonly string[]> {
  const composed = await compose({ cwd: scratch.top, env: {} });
  if (composed.kind !== "open") throw new Error(composed.message);
  const actor = { kind: "person", name: ADA } as const;
  const caller = { actor, session: "human:ada", confirm: { signs: true, ask } };
  const told = await answering.run({ parts: composed.parts, caller }, { workflow: NAME, ...input });
  await composed.parts.journal.close();
  const refusals = "refusals" in told ? (told.refusals ?? []) : [];
  said.push(...refusals.map((one) => one.message));
  return refusals.map((one) => one.code);
}

/** What the refusals said. */
const said: string[] = [];

function given(
  statement: string,
  signature: string,
  by: string = ADA,
): Awaited<ReturnType<Confirm["ask"]>> {
  return { kind: "confirmed", by, statement, signature };
}

function signWith(key: string, text: string, namespace: string = "release@holdpoint"): string {
  return execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", key, "-n", namespace], {
    input: text,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
}

describe("under signed, an agent releases nothing by", () => {
  test("calling the CLI", () => {
    const { scratch } = signedPlugin();
    const agent = scratch.hold(["answer", NAME, "1", "--sign"], { env: { CLAUDECODE: "1" } });
    expect(codesOf(agent)).toEqual(["person-required"]);
    const hidden = scratch.hold(["answer", NAME, "1"]);
    expect(codesOf(hidden)).toEqual(["signature-missing"]);
    expect(hidden.json.refusals?.[0]?.fix).toContain(`holdpoint answer ${NAME} 1 --sign`);
    const named = scratch.hold(["answer", NAME, "1", "--as", `person:${ADA}`]);
    expect(codesOf(named)).toEqual(["signature-missing"]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("calling the CLI with a key of its own", () => {
    const { scratch, ada, bob } = signedPlugin();
    for (const file of [ada, bob]) for (const end of ["", ".pub"]) rmSync(`${file}${end}`);
    const own = makeKey(scratch, "own");
    const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", own]);
    expect(codesOf(tried)).toEqual(["signer-unknown"]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("a fake terminal (script)", async () => {
    const { scratch } = signedPlugin();
    const { printed, exit } = await atFakeTerminal(scratch, ["answer", NAME, "1"], wordsIn);
    expect(exit, printed).toBe(10);
    expect(printed).toContain("asks for a signature");
    expect(isHeld(scratch)).toBe(true);
  });

  test("a program of its own in front of ssh-keygen in PATH", () => {
    const { scratch, ada, bob } = signedPlugin();
    const bin = join(homeOf(scratch), "bin");
    mkdirSync(bin);
    const liar = `#!/bin/sh\necho 'Good "release@holdpoint" signature for ${ADA} with ED25519 key SHA256:x'\n`;
    scratch.write("../bin/ssh-keygen", liar);
    execFileSync("chmod", ["+x", join(bin, "ssh-keygen")]);
    for (const file of [ada, bob]) rmSync(file);
    const env = { PATH: `${bin}:${scratch.env["PATH"] ?? ""}` };
    const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada], { env });
    expect(codesOf(tried)).toEqual(["signing-failed"]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("a program of its own that brings the proof along", async () => {
    const { scratch } = signedPlugin();
    const engine = await openEngine({ cwd: scratch.top });
    if (!("workflow" in engine)) throw new Error(engine.message);
    const proof = { strength: "signed", statement: "{}", key: "SHA256:x", hardware: true };
    const actor = { kind: "person", name: ADA } as const;
    const as = { actor, session: "human:ada", proof };
    const told = await engine.workflow(NAME).answer("1", {}, { as });
    await engine.close();
    expect(told).toMatchObject({ ok: false, error: { message: expect.stringContaining("proof") } });
    expect(isHeld(scratch)).toBe(true);
  });

  test("letting one gate be weak that leads past the others", () => {
    const { scratch, ada } = signedPlugin({
      strength: "word",
      gates: { "plugin-workflow/stage-0-complete": { strength: "signed" } },
    });
    expect(scratch.hold(["answer", NAME, "2", "--sign", "--key", ada]).json.ok).toBe(true);
    commitPolicy(scratch, { strength: "word" });
    const accept = ["policy", "--accept", "--reason", "fewer rules"];
    expect(codesOf(scratch.hold(accept))).toEqual(["signature-missing"]);
    expect(codesOf(scratch.hold(["answer", NAME, "1"]))).toEqual(["signature-missing"]);
    expect(scratch.hold([...accept, "--sign", "--key", ada]).json.ok).toBe(true);
  });

  test("committing a policy that nobody can fulfil: it is not agreed on, and a revert ends it", () => {
    const { scratch, ada } = signedPlugin();
    expect(scratch.hold(["answer", NAME, "2", "--sign", "--key", ada]).json.ok).toBe(true);
    commitPolicy(scratch, { strength: "signed", people: 20 });
    scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(isHeld(scratch)).toBe(true);
    expect(scratch.say("policy").stdout).toContain("nobody can fulfil it");
    commitPolicy(scratch, { strength: "signed" });
    expect(scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]).json.ok).toBe(true);
  });

  test("editing views", () => {
    const { scratch } = signedPlugin();
    scratch.edit(handoffOf(), (text) => text.replace(/^stage: 0$/m, "stage: 2"));
    scratch.edit("PLUGINS.md", (text) => text.replaceAll("Stage 0", "Stage 2"));
    scratch.hold(["next", NAME]);
    scratch.hold(["report", NAME, "-"], { stdin: "{}" });
    expect(isHeld(scratch)).toBe(true);
  });

  test("replaying an old release", async () => {
    const { scratch, ada } = signedPlugin();
    expect(scratch.hold(["answer", NAME, "4", "--sign", "--key", ada]).exit).toBe(0);
    const [old] = releasesIn(scratch) as readonly [Release];
    const { statement, signature } = old.proof;
    const again = await answerWith(scratch, async () => given(statement, signature), {
      choice: "4",
      decision: "D-1",
    });
    expect(again).toEqual(["already-answered"]);
    const other = signedPlugin();
    const foreign = await answerWith(other.scratch, async () => given(statement, signature));
    expect(foreign).toEqual(["signer-unknown"]);
  });

  test("replaying a release of the same question that was given for another choice", async () => {
    const { scratch, ada } = signedPlugin({ people: 2 });
    expect(scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]).json.ok).toBe(true);
    const [first] = releasesIn(scratch) as readonly [Release];
    const { statement, signature } = first.proof;
    expect(await answerWith(scratch, async () => given(statement, signature))).toEqual([
      "answer-replayed",
    ]);
    const swapped = await answerWith(scratch, async () => given(statement, signature), {
      choice: "4",
    });
    expect(swapped).toEqual(["answer-replayed"]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("answering from a stale card", async () => {
    const { scratch, ada } = signedPlugin();
    const change = async (shown: Shown): ReturnType<Confirm["ask"]> => {
      const statement = shown.statement(ADA);
      scratch.write("plugins/TapeDelay/Source/Backdoor.cpp", "int main() {}\n");
      return given(statement, signWith(ada, statement));
    };
    expect(await answerWith(scratch, change)).toEqual(["release-stale"]);
    expect(said.at(-1)).toBe(
      "What was shown has changed since it was released: plugins/TapeDelay/Source/Backdoor.cpp",
    );
    expect(isHeld(scratch)).toBe(true);
  });

  test("a signature for something else: another purpose, another text, another person's key", async () => {
    const { scratch, ada, bob } = signedPlugin();
    const by = async (make: (text: string) => string): Promise<readonly string[]> =>
      await answerWith(scratch, async (shown) => {
        const statement = shown.statement(ADA);
        return given(statement, make(statement));
      });
    expect(await by((text) => signWith(ada, text, "git"))).toEqual(["signature-bad"]);
    expect(await by((text) => signWith(ada, `${text} `))).toEqual(["signature-bad"]);
    expect(await by((text) => signWith(bob, text))).toEqual(["signature-bad"]);
    expect(await by(() => "no signature at all")).toEqual(["signature-bad"]);
    expect(await by((text) => signWith(ada, text))).toEqual([]);
  });

  test("changing the policy on its own branch", () => {
    const { scratch } = signedPlugin();
    scratch.git("switch", "--quiet", "-c", "agent");
    commitPolicy(scratch, { strength: "word" });
    expect(codesOf(scratch.hold(["answer", NAME, "1"]))).toEqual(["signature-missing"]);
    commitFile(scratch, "holdpoint.config.json", JSON.stringify({ checks: NO_CHECKS }));
    expect(codesOf(scratch.hold(["answer", NAME, "1"]))).toEqual(["signature-missing"]);
    const moved = { checks: NO_CHECKS, protected: ["agent"], policy: { strength: "word" } };
    commitFile(scratch, "holdpoint.config.json", JSON.stringify(moved));
    expect(codesOf(scratch.hold(["answer", NAME, "1"]))).toEqual(["signature-missing"]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("changing the signers on its own branch", () => {
    const { scratch, ada } = signedPlugin();
    const own = makeKey(scratch, "own");
    scratch.git("switch", "--quiet", "-c", "agent");
    commitFile(scratch, "allowed_signers", lineOf(own, ADA) + lineOf(ada, "nobody"));
    const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", own]);
    expect(codesOf(tried)).toEqual(["signer-unknown"]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("changing policy and signers on the protected branch: the old ones judge until a person accepts", () => {
    const { scratch, ada, bob } = signedPlugin();
    expect(scratch.hold(["answer", NAME, "2", "--sign", "--key", ada]).json.ok).toBe(true);
    const own = makeKey(scratch, "own");
    commitPolicy(scratch, { strength: "word" }, lineOf(own, ADA) + lineOf(bob, BOB));
    expect(codesOf(scratch.hold(["answer", NAME, "1"]))).toEqual(["signature-missing"]);
    const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", own]);
    expect(codesOf(tried)).toEqual(["signer-unknown"]);
    const card = scratch.hold(["hold", NAME]).stdout;
    expect(card).toContain("*/* asks for less");
    expect(card).toContain("another key counts");
    const accept = ["policy", "--accept", "--reason", "we trust everybody"];
    expect(codesOf(scratch.hold(accept))).toEqual(["signature-missing"]);
    expect(codesOf(scratch.hold([...accept, "--sign", "--key", own]))).toEqual(["signer-unknown"]);
    expect(isHeld(scratch)).toBe(true);
    expect(scratch.hold([...accept, "--sign", "--key", ada]).json.ok).toBe(true);
    expect(scratch.hold(["answer", NAME, "1"]).json.ok).toBe(true);
  });

  test("a copied session id", () => {
    const { scratch } = signedPlugin();
    const session = "human:ada";
    const tried = scratch.hold([
      "answer",
      NAME,
      "1",
      "--session",
      session,
      "--as",
      `person:${ADA}`,
    ]);
    expect(codesOf(tried)).toEqual(["signature-missing"]);
    const env = { HOLDPOINT_SESSION: session, HOLDPOINT_ACTOR: `person:${ADA}` };
    expect(codesOf(scratch.hold(["answer", NAME, "1"], { env }))).toEqual(["signature-missing"]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("another store, in which nothing was accepted yet", () => {
    const { scratch, ada } = signedPlugin();
    const env = { HOLDPOINT_DIR: join(homeOf(scratch), "elsewhere") };
    scratch.git("switch", "--quiet", "-c", "agent");
    commitPolicy(scratch, { strength: "word" });
    const adopted = scratch.hold(["adopt", NAME, "--yes"], { env });
    expect(JSON.stringify(adopted.json)).toContain("signature-missing");
    expect(isHeld(scratch)).toBe(true);
    // With a signature it is adopted.
    const signed = scratch.hold(["adopt", NAME, "--yes", "--sign", "--key", ada], { env });
    expect(signed.exit, signed.stdout).toBe(0);
  });
});
