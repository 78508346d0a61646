/** Which keys count: certificates, lists of revoked keys, keys that have expired, and what dates are worth. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canonicalJson, isJsonObject, parseJson } from "../../src/core/values/json.ts";
import { objects } from "../../src/core/values/json-read.ts";
import { commitFile, repository } from "./cli.ts";
import { forgerOf } from "./forged.ts";
import { codesOf, NAME } from "./plugin.ts";
import {
  ADA,
  BOB,
  commitPolicy,
  homeOf,
  isHeld,
  lineOf,
  makeKey,
  releasesIn,
  signedPlugin,
} from "./release.ts";

const SIGNS = ["answer", NAME, "1", "--sign", "--key"];

test("a certificate counts for nobody, and a line that would let one count is named", () => {
  const { scratch, ada } = signedPlugin();
  const own = makeKey(scratch, "own");
  execFileSync("ssh-keygen", ["-q", "-s", ada, "-I", "x", "-n", ADA, `${own}.pub`]);
  for (const key of [own, `${own}-cert.pub`])
    expect(codesOf(scratch.hold([...SIGNS, key]))).toEqual(["signer-unknown"]);
  // What nobody has agreed on does not count, and does not stop those who did.
  scratch.hold(["answer", NAME, "2", "--sign", "--key", ada]);
  commitFile(scratch, "allowed_signers", lineOf(ada, ADA) + lineOf(ada, "*", ",cert-authority"));
  expect(codesOf(scratch.hold([...SIGNS, `${own}-cert.pub`]))).toEqual(["signer-unknown"]);
  expect(scratch.hold([...SIGNS, ada]).json.ok).toBe(true);
  const other = repository();
  const key = makeKey(other, "ada");
  commitPolicy(other, { strength: "signed" }, lineOf(key, ADA, ",cert-authority"));
  expect(other.say("policy").stdout).toContain("cert-authority");
});

test("a list of revoked keys that is not read lets no key count, and says why", () => {
  const { scratch, ada, bob } = signedPlugin();
  const krl = join(homeOf(scratch), "krl");
  execFileSync("ssh-keygen", ["-q", "-k", "-f", krl, `${bob}.pub`]);
  commitFile(scratch, "revoked_keys", readFileSync(krl, "latin1"));
  const tried = scratch.hold([...SIGNS, ada]);
  expect(codesOf(tried)).toEqual(["revoked-broken"]);
  expect(tried.json.refusals?.[0]?.fix).toContain("KRL");
  expect(isHeld(scratch)).toBe(true);
});

/** As `valid-before` has it, so many days from now. */
function dayIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

test("what was signed while a key counted holds when it counts no more, removed, revoked or expired", () => {
  const bare = (file: string): string => lineOf(file, "x").split(" ").slice(2).join(" ");
  for (const end of ["removed", "revoked", "expired"] as const) {
    const { scratch, ada, bob } = signedPlugin();
    expect(scratch.hold(["answer", NAME, "4", "--sign", "--key", ada]).exit).toBe(0);
    const until = `,valid-before="${dayIn(-1).slice(0, 10).replaceAll("-", "")}"`;
    const line = end === "removed" ? "" : lineOf(ada, ADA, end === "expired" ? until : "");
    if (end === "revoked") commitFile(scratch, "revoked_keys", bare(ada));
    else commitFile(scratch, "allowed_signers", line + lineOf(bob, BOB));
    scratch.hold(["policy", "--accept", "--reason", end, "--sign", "--key", bob]);
    const chained = scratch.hold("audit --chain");
    expect(chained.json, `${end}: ${chained.stdout}`).toMatchObject({ ok: true });
    const code = { removed: "signer-unknown", revoked: "key-revoked", expired: "key-expired" }[end];
    const again = scratch.hold(["fence", "install", "--sign", "--key", ada]);
    expect(codesOf(again)).toEqual([code]);
  }
});

test("an expired key signs for no earlier day, neither at the door nor in a journal", () => {
  const { scratch, ada, bob } = signedPlugin();
  expect(scratch.hold(["answer", NAME, "2", "--sign", "--key", ada]).json.ok).toBe(true);
  const until = `,valid-before="${dayIn(-1).slice(0, 10).replaceAll("-", "")}"`;
  commitFile(scratch, "allowed_signers", lineOf(ada, ADA, until) + lineOf(bob, BOB));
  scratch.hold(["policy", "--accept", "--reason", "it expires", "--sign", "--key", bob]);
  expect(codesOf(scratch.hold([...SIGNS, ada]))).toEqual(["key-expired"]);
  expect(scratch.hold([...SIGNS, bob]).json.ok).toBe(true);
  const forger = forgerOf(scratch, "plugin");
  const last = forger.records().at(-1) ?? {};
  const before = parseJson(releasesIn(scratch).at(0)?.proof.statement ?? "");
  const { body } = forger.records().findLast((one) => canonicalJson(one).includes(BOB)) ?? {};
  if (!isJsonObject(before) || !isJsonObject(body)) throw new Error("nothing was released");
  const { hash = "", seq = 0 } = last;
  const at = dayIn(-2);
  const statement = canonicalJson({ ...before, by: ADA, head: hash, seq, nonce: "n", at });
  const args = ["-q", "-Y", "sign", "-f", ada, "-n", "release@holdpoint"];
  const stdio: ["pipe", "pipe", "ignore"] = ["pipe", "pipe", "ignore"];
  const signature = execFileSync("ssh-keygen", args, { input: statement, encoding: "utf8", stdio });
  const proof = { strength: "signed", statement, signature, key: "SHA256:x" };
  const events = objects(body["events"] ?? null).map((one) =>
    one["type"] === "release.given" ? { ...one, nonce: "n", proof } : one,
  );
  forger.append({ ...body, events }, at);
  const { stdout } = scratch.hold("audit --chain");
  expect(stdout).toContain("key-expired");
});
