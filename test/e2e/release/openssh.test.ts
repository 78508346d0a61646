/** A release made with a real key: stock OpenSSH verifies it as the how-to says, and one changed byte makes it fail. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compose } from "../../../src/compose/compose.ts";
import type { Card } from "../../../src/engine/release/card.ts";
import type { Confirm } from "../../../src/engine/release/confirm.ts";
import { canonicalJson, toJson } from "../../../src/core/values/json.ts";
import { answer as answering } from "../../../src/operations/answer.ts";
import { BIN, copyOf } from "../cli.ts";
import { NAME } from "../plugin.ts";
import { ADA, homeOf, isHeld, releasesIn, signedPlugin, write } from "../release.ts";

const HOW_TO = join(import.meta.dirname, "../../../docs/how-to/sign-releases.md");

test("the three stock OpenSSH commands of docs/how-to verify a release, offline", () => {
  const { scratch } = signedPlugin();
  expect(scratch.hold(["answer", NAME, "1", "--sign", "--as", `person:${ADA}`]).exit).toBe(0);
  const [, page = ""] = readFileSync(HOW_TO, "utf8").split("## Check a release without Holdpoint");
  const [fetch = "", commands = ""] = [...page.matchAll(/```sh\n([^]*?)```/g)].map(
    ([, lines = ""]) => lines,
  );
  const env = { ...scratch.env };
  const own = `"${process.execPath}" "${BIN}"`;
  execFileSync("sh", ["-e", "-c", fetch.replaceAll("holdpoint ", `${own} `)], {
    cwd: scratch.top,
    env,
  });
  const lines = commands.trim().split("\n");
  expect(lines).toHaveLength(3);
  const said = lines.map((line) => {
    expect(line).toMatch(/^ssh-keygen -Y /);
    return execFileSync("sh", ["-c", line], { cwd: scratch.top, env, encoding: "utf8" }).trim();
  });
  expect(said[0]).toMatch(/^Good "release@holdpoint" signature with ED25519 key SHA256:/);
  expect(said[1]).toBe(ADA);
  expect(said[2]).toMatch(/^Good "release@holdpoint" signature for ada@example.org /);
});

test("one changed byte of the statement makes stock OpenSSH refuse it", () => {
  const { scratch } = signedPlugin();
  scratch.hold(["answer", NAME, "1", "--sign", "--as", `person:${ADA}`]);
  const [release] = releasesIn(scratch);
  const bytes = Buffer.from(release?.proof.statement ?? "");
  const signature = write(join(homeOf(scratch), "sig"), release?.proof.signature ?? "");
  const signers = join(scratch.top, "allowed_signers");
  const verifies = (input: Buffer): boolean =>
    spawnSync(
      "ssh-keygen",
      ["-Y", "verify", "-n", "release@holdpoint", "-I", ADA, "-f", signers, "-s", signature],
      { input },
    ).status === 0;
  expect(verifies(bytes)).toBe(true);
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const other = Buffer.from(bytes);
      other[at] = (other[at] ?? 0) ^ by;
      expect(verifies(other)).toBe(false);
    }),
    { numRuns: 60 },
  );
}, 120_000);

/** Sign with the real key whatever `shows` makes of what was shown, and say what came of it. */
async function releasing(top: string, ask: Confirm["ask"]): Promise<readonly string[]> {
  const composed = await compose({ cwd: top, env: {} });
  if (composed.kind !== "open") throw new Error(composed.message);
  const actor = { kind: "person", name: ADA } as const;
  const caller = { actor, session: "human:ada", confirm: { signs: true, ask } };
  const input = { workflow: NAME, choice: "1" };
  const told = await answering.run({ parts: composed.parts, caller }, input);
  await composed.parts.journal.close();
  return "refusals" in told ? (told.refusals ?? []).map((one) => one.code) : [];
}

function digestOf(card: Card): string {
  return execFileSync("sha256sum", { input: canonicalJson(toJson(card)), encoding: "utf8" }).slice(
    0,
    64,
  );
}

test("one changed byte anywhere in what was shown makes the release fail", async () => {
  const { scratch, ada } = signedPlugin();
  const sign = (text: string): string =>
    execFileSync("ssh-keygen", ["-q", "-Y", "sign", "-f", ada, "-n", "release@holdpoint"], {
      input: text,
      encoding: "utf8",
      stdio: ["pipe", "pipe", "ignore"],
    });
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 1, max: 25 }),
      async (where, by) => {
        const codes = await releasing(scratch.top, async (shown) => {
          const text = canonicalJson(toJson(shown.card));
          expect(digestOf(shown.card)).toBe(shown.digest);
          const at = Math.floor(where * text.length);
          const byte = text.charCodeAt(at);
          const other =
            text.slice(0, at) +
            String.fromCharCode(32 + ((byte - 32 + by) % 95)) +
            text.slice(at + 1);
          fc.pre(other !== text);
          // Signed in good faith for a card in which one character reads otherwise.
          const digest = execFileSync("sha256sum", { input: other, encoding: "utf8" }).slice(0, 64);
          const statement = shown.statement(ADA).replace(shown.digest, digest);
          return { kind: "confirmed", by: ADA, statement, signature: sign(statement) };
        });
        expect(codes).toEqual(["release-stale"]);
      },
    ),
    { numRuns: 25 },
  );
  expect(isHeld(scratch)).toBe(true);
}, 180_000);

test("one changed byte of any file it is about makes the release fail", async () => {
  const { scratch, ada } = signedPlugin();
  const files = scratch
    .git("ls-files", "-z")
    .split("\0")
    .filter((path) => path !== "" && !/PLUGINS\.md|continue-here/.test(path));
  for (const path of files) {
    const one = copyOf(scratch);
    const codes = await releasing(one.top, async (shown) => {
      const statement = shown.statement(ADA);
      one.edit(path, (text) => `${text.slice(0, -1)}${text.endsWith("\n") ? " " : "\n"}`);
      const signature = execFileSync(
        "ssh-keygen",
        ["-q", "-Y", "sign", "-f", ada, "-n", "release@holdpoint"],
        { input: statement, encoding: "utf8", stdio: ["pipe", "pipe", "ignore"] },
      );
      return { kind: "confirmed", by: ADA, statement, signature };
    });
    expect([path, ...codes]).toEqual([path, "release-stale"]);
  }
}, 180_000);
