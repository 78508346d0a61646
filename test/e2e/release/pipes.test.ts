/** Signing in one step, whatever standard input and output are connected to: the passphrase is asked for at the terminal. */
import { describe, expect, test } from "vitest";
import { codesOf, NAME, pluginAt } from "../plugin.ts";
import type { Scratch } from "../cli.ts";
import {
  ADA,
  atFakeTerminal,
  BOB,
  commitPolicy,
  isHeld,
  lineOf,
  makeKey,
  releasesIn,
  signedPlugin,
  withoutTerminal,
} from "../release.ts";

const SIGNS = ["answer", NAME, "1", "--sign"];
const PHRASE = "a long one";

/** One key, which asks for its passphrase. */
function withPhrase(): Scratch {
  const scratch = pluginAt("s0");
  const ada = makeKey(scratch, "ada", { phrase: PHRASE });
  commitPolicy(scratch, { strength: "signed" }, lineOf(ada, ADA));
  return scratch;
}

const types =
  (phrase: string) =>
  (printed: string): string | undefined =>
    printed.includes("Enter passphrase") ? `${phrase}\n` : undefined;

describe("signing", () => {
  test.each(["", "</dev/null", "</dev/null 2>/dev/null | cat"])(
    "asks for the passphrase at the terminal, also behind: %s",
    async (pipes) => {
      const scratch = withPhrase();
      const { printed } = await atFakeTerminal(scratch, SIGNS, types(PHRASE), pipes);
      expect(printed).toContain(`Signing as ${ADA}`);
      expect(isHeld(scratch), printed).toBe(false);
      expect(releasesIn(scratch).map(({ by }) => by)).toEqual([`person:${ADA}`]);
    },
  );

  test("with a wrong passphrase releases nothing, and says so", async () => {
    const scratch = withPhrase();
    const { printed, exit } = await atFakeTerminal(scratch, SIGNS, types("wrong"), "</dev/null");
    expect(exit, printed).toBe(10);
    expect(printed).toContain("a wrong passphrase");
    expect(isHeld(scratch)).toBe(true);
  });

  test("with a passphrase and no terminal is refused, and says where it can be done", () => {
    const scratch = withPhrase();
    const tried = withoutTerminal(scratch, SIGNS);
    expect(codesOf(tried)).toEqual(["signing-failed"]);
    expect(tried.json.refusals?.[0]).toMatchObject({
      message: expect.stringContaining("no terminal"),
      fix: expect.stringContaining("terminal of your own"),
    });
    expect(isHeld(scratch)).toBe(true);
  });

  test("chooses nobody's key among several, and names them", () => {
    const { scratch, ada, bob } = signedPlugin();
    const tried = scratch.hold(SIGNS);
    expect(codesOf(tried)).toEqual(["signer-ambiguous"]);
    expect(tried.json.refusals?.[0]?.fix).toContain(`--key ${ada}, or --key ${bob}`);
    expect(isHeld(scratch)).toBe(true);
    expect(scratch.hold([...SIGNS, "--as", `person:${BOB}`]).json.ok).toBe(true);
    expect(releasesIn(scratch).map(({ by }) => by)).toEqual([`person:${BOB}`]);
  });
});
