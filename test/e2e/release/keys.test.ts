/** Which keys count: certificates, lists of revoked keys, keys that have expired, and what dates are worth. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canonicalJson, isJsonObject, parseJson } from "../../../src/core/values/json.ts";
import { objects } from "../../../src/core/values/json-read.ts";
import { commitFile } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { forgerOf } from "../forged.ts";
import { codesOf, NAME } from "../plugin.ts";
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
} from "../release.ts";

const SIGNS = ["answer", NAME, "1", "--sign", "--key"];

/** A key, and what an authority says about whose it is. */
function certify(authority: string, key: string, ...says: readonly string[]): string {
  execFileSync("ssh-keygen", ["-q", "-s", authority, "-I", "x", ...says, `${key}.pub`]);
  return `${key}-cert.pub`;
}

/** People's keys are those that an authority certifies, besides Bob's. */
function certifiedPlugin(): {
  readonly scratch: Scratch;
  readonly bob: string;
  readonly own: string;
  readonly authority: string;
} {
  const { scratch, bob } = signedPlugin();
  const [own, authority] = [makeKey(scratch, "own"), makeKey(scratch, "authority")];
  const line = lineOf(authority, "*@example.org", ",cert-authority");
  commitFile(scratch, "allowed_signers", lineOf(bob, BOB) + line);
  return { scratch, bob, own, authority };
}

test("a certificate counts by the line of its authority, for the names it bears and as long as it is valid", () => {
  const { scratch, bob, own, authority } = certifiedPlugin();
  const tried = (certificate: string): readonly string[] =>
    codesOf(scratch.hold([...SIGNS, certificate]));
  const certificate = certify(authority, own, "-n", ADA);
  scratch.git("revert", "--no-edit", "HEAD");
  scratch.hold(["answer", NAME, "2", "--sign", "--key", bob]);
  scratch.git("revert", "--no-edit", "HEAD");
  // Another key counts only once somebody whose key counts already has accepted it.
  expect(tried(certificate)).toEqual(["signer-unknown"]);
  scratch.hold(["policy", "--accept", "--reason", "an authority", "--sign", "--key", bob]);
  expect(scratch.say("policy").stdout).toContain("*@example.org certified by ssh-ed25519");
  expect(scratch.say("keys --check").stdout).toContain(ADA);
  expect(codesOf(scratch.hold(["keys", "--key", certificate]))).toEqual(["key-certified"]);
  // Neither the key without it, nor the authority itself.
  for (const key of [own, authority]) expect(tried(key)).toEqual(["signer-unknown"]);
  const stranger = makeKey(scratch, "stranger");
  expect(tried(certify(stranger, own, "-n", ADA))).toEqual(["signer-unknown"]);
  expect(tried(certify(authority, own, "-n", "eve@elsewhere"))).toEqual(["signature-bad"]);
  expect(tried(certify(authority, own, "-n", ADA, "-h"))).toEqual(["signature-bad"]);
  expect(tried(certify(authority, own, "-n", ADA, "-V", "-2d:-1d"))).toEqual(["signature-bad"]);
  expect(tried(certify(authority, own))).toEqual(["signer-unknown"]);
  expect(isHeld(scratch)).toBe(true);
  expect(scratch.hold([...SIGNS, certify(authority, own, "-n", ADA)]).json.ok).toBe(true);
  expect(releasesIn(scratch).map(({ by }) => by)).toContain(`person:${ADA}`);
  expect(scratch.hold("audit --chain").json).toMatchObject({ ok: true, signatures: 2 });
});

test("a certificate is revoked by its key and by its authority's, and two of one key are one person", () => {
  const { scratch, own, authority } = certifiedPlugin();
  const line = lineOf(authority, "*@example.org", ",cert-authority");
  commitPolicy(scratch, { strength: "signed", people: 2 }, line);
  for (const name of [ADA, BOB]) {
    const certificate = certify(authority, own, "-n", name);
    const { stdout } = scratch.hold([...SIGNS, certificate, "--as", `person:${name}`]);
    expect(stdout).toContain("1 of 2 different people");
  }
  expect(isHeld(scratch)).toBe(true);
  for (const revoked of [own, authority]) {
    commitFile(scratch, "revoked_keys", readFileSync(`${revoked}.pub`, "utf8"));
    const refused = scratch.hold([...SIGNS, certify(authority, own, "-n", ADA)]);
    expect(codesOf(refused)).toEqual(["signature-bad"]);
  }
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
