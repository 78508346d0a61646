/** A release that is signed on another machine, as the how-to says it, and what is no such thing. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { BIN, scratchDirectory } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { codesOf, NAME } from "../plugin.ts";
import { ADA, isHeld, releasesIn, signedPlugin } from "../release.ts";

const HOW_TO = join(import.meta.dirname, "../../../docs/how-to/sign-releases.md");

function commands(): readonly string[] {
  const [, page = ""] = readFileSync(HOW_TO, "utf8").split("## Sign on another machine");
  const [section = ""] = page.split("\n## ");
  return [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, lines = ""]) => lines);
}

/** What is to be signed, outside of the repository. */
function written(scratch: Scratch, choice = "1", name = ADA): string {
  const file = join(dirname(scratch.top), "release");
  for (const end of ["", ".card", ".sig"]) rmSync(`${file}${end}`, { force: true });
  const args = ["answer", NAME, choice, "--as", `person:${name}`, "--to-sign", file];
  expect(codesOf(scratch.hold(args))).toEqual(["signature-awaited"]);
  return file;
}

function signElsewhere(file: string, key: string): string {
  const args = ["-q", "-Y", "sign", "-n", "release@holdpoint", "-f", key, file];
  execFileSync("ssh-keygen", args, { stdio: "ignore" });
  return `${file}.sig`;
}

test("the commands of docs/how-to release it, with a key that is not on this machine", () => {
  const { scratch, ada, bob } = signedPlugin();
  const away = join(scratchDirectory(), "home");
  mkdirSync(join(away, ".ssh"), { recursive: true });
  copyFileSync(ada, join(away, ".ssh/ada"));
  execFileSync("chmod", ["600", join(away, ".ssh/ada")]);
  for (const key of [ada, bob]) rmSync(key);
  const [ask = "", sign = "", handIn = ""] = commands();
  const own = `"${process.execPath}" "${BIN}" `;
  const here = { cwd: scratch.top, env: { ...scratch.env }, encoding: "utf8" } as const;
  const asked = spawnSync("sh", ["-c", ask.replaceAll("holdpoint ", own)], here);
  expect([asked.status, asked.stdout]).toEqual([
    10,
    expect.stringContaining("Nothing is released yet"),
  ]);
  expect(isHeld(scratch)).toBe(true);
  for (const name of ["release", "release.card"])
    copyFileSync(join(dirname(scratch.top), name), join(away, name));
  const said = execFileSync("sh", ["-e", "-c", sign], {
    cwd: away,
    env: { ...scratch.env, HOME: away },
    encoding: "utf8",
    stdio: "pipe",
  });
  const [, digest = ""] = /^([0-9a-f]{64}) {2}release\.card$/m.exec(said) ?? [];
  expect(said).toContain(`"card":"${digest}"`);
  copyFileSync(join(away, "release.sig"), join(dirname(scratch.top), "release.sig"));
  execFileSync("sh", ["-c", handIn.replaceAll("holdpoint ", own)], { ...here, stdio: "pipe" });
  expect(isHeld(scratch)).toBe(false);
  expect(releasesIn(scratch)).toMatchObject([
    { by: `person:${ADA}`, proof: { strength: "signed" } },
  ]);
  expect(scratch.hold("audit --chain").json).toMatchObject({ ok: true, signatures: 1 });
});

test("handed in for another choice, after something changed, twice, or for nothing that was signed, it releases nothing", () => {
  const { scratch, ada, bob } = signedPlugin();
  const hand = (file: string, choice = "1"): readonly string[] =>
    codesOf(scratch.hold(["answer", NAME, choice, "--signature", file]));
  expect(hand(signElsewhere(written(scratch), ada), "4")).toEqual(["release-foreign"]);
  expect(hand(signElsewhere(written(scratch), bob))).toEqual(["signature-bad"]);
  const stale = signElsewhere(written(scratch), ada);
  scratch.write("plugins/TapeDelay/late.txt", "x\n");
  expect(hand(stale)).toEqual(["release-stale"]);
  const file = written(scratch);
  expect(hand(`${file}.sig`)).toEqual(["signature-unreadable"]);
  execFileSync("mkfifo", [`${file}.sig`]);
  expect(hand(`${file}.sig`)).toEqual(["signature-unreadable"]);
  rmSync(`${file}.sig`);
  writeFileSync(`${file}.sig`, "x".repeat(100_000));
  expect(hand(`${file}.sig`)).toEqual(["signature-unreadable"]);
  expect(isHeld(scratch)).toBe(true);
  const good = signElsewhere(written(scratch, "4"), ada);
  expect(hand(good, "4")).toEqual([]);
  expect(hand(good, "4")).not.toEqual([]);
});

test("it is written for a name whose key counts, once, and not among what is released", () => {
  const { scratch } = signedPlugin();
  const ask = (file: string, name = ADA): readonly string[] =>
    codesOf(scratch.hold(["answer", NAME, "1", "--as", `person:${name}`, "--to-sign", file]));
  expect(ask(join(scratch.top, "release"))).toEqual(["statement-inside"]);
  expect(ask("sub/release")).toEqual(["statement-inside"]);
  expect(ask("../other", "eve@example.org")).toEqual(["signer-unknown"]);
  expect(ask(written(scratch))).toEqual(["statement-unwritable"]);
  expect(isHeld(scratch)).toBe(true);
});
