/** Several people, authors, waivers, expiry, and what a policy may be made of. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commitFile, repository } from "../cli.ts";
import * as team from "../team.ts";
import { codesOf, NAME, noteCodes, pluginAt } from "../plugin.ts";
import {
  ADA,
  BOB,
  commitPolicy,
  homeOf,
  isHeld,
  lineOf,
  makeKey,
  presentPlugin,
  signedPlugin,
} from "../release.ts";

describe("several people", () => {
  test("two of them release it, each with a key of their own", () => {
    const { scratch, ada, bob } = signedPlugin({ people: 2 });
    const first = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(noteCodes(first), first.stdout).toEqual(["people-missing"]);
    expect(isHeld(scratch)).toBe(true);
    const again = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(noteCodes(again)).toEqual(["people-missing"]);
    expect(isHeld(scratch)).toBe(true);
    const second = scratch.hold(["answer", NAME, "1", "--sign", "--key", bob]);
    expect(second.json.ok, second.stdout).toBe(true);
    expect(isHeld(scratch)).toBe(false);
  });

  test("another choice, or another card, is not the same word", () => {
    const { scratch, ada, bob } = signedPlugin({ people: 2 });
    scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    scratch.hold(["answer", NAME, "4", "--sign", "--key", bob]);
    expect(isHeld(scratch)).toBe(true);
    scratch.write("plugins/TapeDelay/Source/new.cpp", "x\n");
    scratch.hold(["answer", NAME, "1", "--sign", "--key", bob]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("two names for one key are one", () => {
    const { scratch, ada } = signedPlugin({ people: 2 });
    commitFile(scratch, "allowed_signers", lineOf(ada, ADA) + lineOf(ada, "eve@example.org"));
    scratch.hold(["answer", NAME, "1", "--sign", "--key", ada, "--as", `person:${ADA}`]);
    scratch.hold(["answer", NAME, "1", "--sign", "--key", ada, "--as", "person:eve@example.org"]);
    expect(isHeld(scratch)).toBe(true);
  });
});

describe("who", () => {
  test("whoever made the work does not release it, somebody else does", () => {
    const { scratch, ada, bob } = signedPlugin({ notAuthor: true });
    const own = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(codesOf(own), own.stdout).toEqual(["approver-is-author"]);
    expect(scratch.hold(["answer", NAME, "1", "--sign", "--key", bob]).json.ok).toBe(true);
  });

  test("only those who are named", () => {
    const { scratch, ada, bob } = signedPlugin({ by: [BOB] });
    expect(codesOf(scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]))).toEqual([
      "approver-not-allowed",
    ]);
    expect(scratch.hold(["answer", NAME, "1", "--sign", "--key", bob]).json.ok).toBe(true);
  });

  test("a key in a file does not count where a device is asked for", () => {
    const { scratch, ada } = signedPlugin({ hardware: true });
    const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(codesOf(tried)).toEqual(["key-not-hardware"]);
    expect(tried.json.refusals?.[0]?.fix).toContain("holdpoint keys --hardware");
  });
});

describe("keys", () => {
  test("an expired key does not count, nor one that is not valid yet", () => {
    const { scratch, ada, bob } = signedPlugin();
    const expired = lineOf(ada, ADA, ',valid-before="20200101"');
    const early = lineOf(bob, BOB, ',valid-after="20990101"');
    commitFile(scratch, "allowed_signers", expired + early);
    for (const key of [ada, bob]) {
      const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", key]);
      expect(codesOf(tried), tried.stdout).toEqual(["key-expired"]);
    }
    expect(isHeld(scratch)).toBe(true);
  });

  test("a revoked key does not count, at once", () => {
    const { scratch, ada, bob } = signedPlugin();
    expect(scratch.hold(["answer", NAME, "2", "--sign", "--key", ada]).json.ok).toBe(true);
    const [, type = "", key = ""] = / (ssh-\S+) (\S+)/.exec(lineOf(ada, ADA)) ?? [];
    commitFile(scratch, "revoked_keys", `${type} ${key}\n`);
    expect(codesOf(scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]))).toEqual([
      "key-revoked",
    ]);
    expect(scratch.hold(["answer", NAME, "1", "--sign", "--key", bob]).json.ok).toBe(true);
  });

  test("a broken line of allowed_signers is named, and nothing is released by the others", () => {
    const { scratch, ada } = signedPlugin();
    commitFile(scratch, "allowed_signers", `${lineOf(ada, ADA)}not a line\n`);
    const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(codesOf(tried)).toEqual(["signers-broken"]);
    expect(tried.json.refusals?.[0]?.message).toContain("Line 2");
    expect(scratch.say("policy").stdout).toContain("line 2 of the keys");
    expect(isHeld(scratch)).toBe(true);
  });

  test("keys finds one, adds its line, and warns of one that any program can use", () => {
    const scratch = repository();
    const file = makeKey(scratch, "ada@example.org");
    const told = scratch.say("keys");
    expect(told.stdout).toContain("Added to allowed_signers: ada@example.org namespaces=");
    expect(told.stdout).toContain("an agent too, can sign with it");
    expect(scratch.read("allowed_signers")).toContain(lineOf(file, ADA).trim());
    const before = scratch.read("allowed_signers");
    expect(scratch.hold("keys").json.ok).toBe(true);
    expect(scratch.read("allowed_signers")).toBe(before);
    expect(scratch.say("keys --check").stdout).toContain("does not count here");
    commitPolicy(scratch, { strength: "signed" }, before);
    expect(scratch.say("keys --check").stdout).toContain("counts as ada@example.org");
  });

  test("keys says nothing of a passphrase that is there, and sets nothing up for an agent", () => {
    const scratch = repository();
    makeKey(scratch, "ada@example.org", { phrase: "a long one" });
    expect(codesOf(scratch.hold("keys", { env: { CLAUDECODE: "1" } }))).toEqual([
      "person-required",
    ]);
    expect(scratch.has("allowed_signers")).toBe(false);
    expect(scratch.say("keys").stdout).not.toContain("an agent too");
  });
});

describe("attesting", () => {
  test("what a person vouches for is signed as well, under the name of the key", () => {
    const made = team.sessionAt("lean");
    const { repo, id } = made;
    made.send("specify-lean");
    const report = made.play("SpecAgent");
    const check = '"manual: it looks right"';
    made.file("acceptance.json", team.ACCEPTANCE.replace('"test -f app.js"', check));
    made.report(report);
    const ada = makeKey(repo, "ada");
    commitPolicy(repo, { strength: "signed" }, lineOf(ada, ADA));
    const approve = ["approve", id, "manual: it looks right"];
    expect(codesOf(repo.hold(approve))).toEqual(["signature-missing"]);
    const signed = repo.hold([...approve, "--sign", "--key", ada]);
    expect(signed.json.ok, signed.stdout).toBe(true);
    expect(repo.say(["audit", id]).stdout).toContain(`by person:${ADA}`);
    expect(repo.say(["hold", id]).stdout).toMatch(/holds {2}.*it looks right/);
    repo.write("app.js", "changed since\n");
    expect(repo.say(["hold", id]).stdout).toMatch(/stale {2}.*it looks right/);
  });
});

describe("waivers", () => {
  test("are as strong as the policy asks, and stand on every later card and in the audit", () => {
    const { scratch, ada, bob } = signedPlugin({ gates: { "*/waive": { people: 2 } } });
    const waive = ["approve", NAME, "tests", "--waive", "--reason", "no tests yet"];
    expect(codesOf(scratch.hold(waive))).toEqual(["signature-missing"]);
    expect(noteCodes(scratch.hold([...waive, "--sign", "--key", ada]))).toEqual(["people-missing"]);
    expect(scratch.say(["hold", NAME]).stdout).not.toContain("no tests yet");
    expect(scratch.hold([...waive, "--sign", "--key", bob]).json.ok).toBe(true);
    expect(scratch.say(["hold", NAME]).stdout).toContain("tests: no tests yet");
    expect(scratch.say(["audit", NAME]).stdout).toContain("no tests yet");
    scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(scratch.say(["hold", NAME]).stdout).toContain("tests: no tests yet");
  });

  test("need a reason, and a person", () => {
    const { scratch, ada } = signedPlugin();
    const waive = ["approve", NAME, "tests", "--waive", "--sign", "--key", ada];
    expect(codesOf(scratch.hold(waive))).toEqual(["reason-missing"]);
    const agent = scratch.hold([...waive, "--reason", "x"], { env: { CLAUDECODE: "1" } });
    expect(codesOf(agent)).toEqual(["person-required"]);
  });
});

describe("policy", () => {
  test("says that there is none, and what one would be", () => {
    const told = pluginAt("s0").say("policy").stdout;
    expect(told).toContain("a person's word is enough");
    expect(told).toContain("No policy is committed");
  });

  test("says which is in force, where it comes from, and which gate nothing is called", () => {
    const { scratch } = signedPlugin({
      gates: { "plugin-workflow/stage-0-complet": { strength: "word" }, "*/waive": { people: 2 } },
    });
    const told = scratch.say("policy").stdout;
    expect(told).toContain("signed with a key");
    expect(told).toContain("from main");
    expect(told).toContain("*/waive: signed with a key (signed), 2 people");
    expect(told).toContain("plugin-workflow/stage-0-complet is no gate of a protocol here");
    expect(told).toContain(ADA);
  });

  test("an edit in the worktree counts for nothing", () => {
    const scratch = presentPlugin();
    scratch.write("holdpoint.config.json", JSON.stringify({ policy: { strength: "word" } }));
    expect(isHeld(scratch)).toBe(true);
    expect(scratch.say("policy").stdout).toContain("confirmed at a terminal");
  });

  test("one that asks for more counts at once, and needs nobody's acceptance", () => {
    const { scratch, ada } = signedPlugin();
    expect(scratch.hold(["answer", NAME, "2", "--sign", "--key", ada]).json.ok).toBe(true);
    commitPolicy(scratch, { strength: "signed", people: 2 });
    const first = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(noteCodes(first)).toEqual(["people-missing"]);
    expect(codesOf(scratch.hold(["policy", "--accept", "--reason", "x"]))).toEqual([
      "policy-unchanged",
    ]);
  });

  test.each([
    ["strength", { strength: "strong" }],
    ["people", { people: 0 }],
    ["minutes", { minutes: 0 }],
    ["gates", { gates: { waive: {} } }],
    ["signers", { signers: "../elsewhere" }],
    ["unknown", { stength: "signed" }],
  ])("a broken one (%s) is an error, never a default", (_, policy) => {
    const scratch = pluginAt("s0");
    commitPolicy(scratch, policy);
    const tried = scratch.hold(["answer", NAME, "1"]);
    expect(tried.json.error?.code, tried.stdout).toBe("config-broken");
    expect(tried.json.error?.fix).not.toBe("");
  });
});

test("the card names the files that an agent claims beside those that changed", () => {
  const { stdout } = pluginAt("s2").say(["hold", NAME]);
  expect(stdout).toMatch(/claimed: .*CMakeLists\.txt.*\n +measured: .*CMakeLists\.txt/);
});

describe("bad input", () => {
  test("a card over a 50 MB diff is shown bounded, and can be released", () => {
    const { scratch, ada } = signedPlugin();
    scratch.write("plugins/TapeDelay/big.txt", "0123456789abcde\n".repeat(3_300_000));
    const many = Array.from({ length: 3_000 }, (_, at) => `plugins/TapeDelay/many/${at}.txt`);
    for (const path of many) scratch.write(path, `${path}\n`);
    const told = scratch.hold(["hold", NAME]);
    expect(told.json.ok, told.stdout.slice(0, 500)).toBe(true);
    expect(told.stdout.length).toBeLessThan(200_000);
    expect(told.stdout).toContain("too many to show");
    const full = scratch.hold(["hold", NAME, "--full"]);
    expect(full.stdout.length).toBeLessThan(2_000_000);
    expect(scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]).json.ok).toBe(true);
  });

  test("a repository without a commit releases nothing by keys that anybody can write there", () => {
    const scratch = pluginAt("s0");
    const ada = makeKey(scratch, "ada");
    scratch.git("update-ref", "-d", "refs/heads/main");
    scratch.write("allowed_signers", lineOf(ada, ADA));
    scratch.write("holdpoint.config.json", JSON.stringify({ policy: { strength: "signed" } }));
    const tried = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(codesOf(tried), tried.stdout).not.toEqual([]);
    expect(isHeld(scratch)).toBe(true);
  });

  test("a shallow clone has the policy of its tip", () => {
    const { scratch } = signedPlugin();
    const clone = join(homeOf(scratch), "shallow");
    scratch.git("clone", "--quiet", "--depth", "1", `file://${scratch.top}`, clone);
    expect(scratch.say("policy", { cwd: clone }).stdout).toContain("signed with a key");
  });

  test("a clock that jumps makes no release that counts for ever, and wedges nothing", () => {
    const { scratch, ada } = signedPlugin({ minutes: 1 });
    const clock = join(homeOf(scratch), "clock.cjs");
    const shift = (ms: number): Readonly<Record<string, string>> => {
      writeFileSync(
        clock,
        `const now = Date.now; Date.now = () => now() + ${ms}; const D = Date; globalThis.Date = class extends D { constructor(...a) { if (a.length) super(...a); else super(D.now()); } };`,
      );
      return { NODE_OPTIONS: `--require ${clock}` };
    };
    const ahead = scratch.hold(["answer", NAME, "2", "--sign", "--key", ada], {
      env: shift(86_400_000),
    });
    expect(ahead.json.ok, ahead.stdout).toBe(true);
    const back = scratch.hold(["answer", NAME, "1", "--sign", "--key", ada]);
    expect(back.json.ok, back.stdout).toBe(true);
  });
});
