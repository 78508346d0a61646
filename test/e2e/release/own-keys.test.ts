/** An agent lets a key of its own count under a person's address: by the old list it does not, and it is named. */
import { expect, test } from "vitest";
import { commitFile } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { NAME } from "../plugin.ts";
import { ADA, BOB, isHeld, lineOf, makeKey, releasesIn, signedPlugin } from "../release.ts";

const CONFIG = "allowed_signers";

/** Where the agent puts its list. */
const PLACES: Readonly<Record<string, (scratch: Scratch, text: string) => void>> = {
  "on its own branch": (scratch, text) => {
    scratch.git("switch", "-q", "-c", "mine");
    commitFile(scratch, CONFIG, text);
  },
  "in the worktree": (scratch, text) => scratch.write(CONFIG, text),
  "on the protected branch": (scratch, text) => commitFile(scratch, CONFIG, text),
};

/** What it adds: its own key, as a line. */
const LINES: readonly (readonly [string, (eve: string) => string, string])[] = [
  ["under her address", (eve) => lineOf(eve, ADA), `another key counts for ${ADA}, who has one`],
  ["under any address", (eve) => lineOf(eve, "*@example.org"), "for every name like *@example.org"],
  ["under her address and another", (eve) => lineOf(eve, `x,${ADA}`), `for ${ADA}, who has one`],
  [
    "as an authority",
    (eve) => lineOf(eve, "*", ",cert-authority"),
    "another key counts for whomever it certifies as *",
  ],
  ["with a time", (eve) => lineOf(eve, ADA, `,valid-before="20991231"`), `for ${ADA}, who has one`],
  [
    "for everything",
    (eve) => lineOf(eve, ADA).replace("release@holdpoint", "*"),
    `for ${ADA}, who has one`,
  ],
  ["behind what looks like a comment", (eve) => `\u00A0#,${lineOf(eve, ADA)}`, ""],
];

test.each(Object.keys(PLACES))(
  "%s",
  (place) => {
    for (const [how, line, told] of LINES) {
      const { scratch, ada, bob } = signedPlugin();
      // The policy is agreed on before.
      expect(scratch.hold(["answer", NAME, "4", "--sign", "--key", ada]).json.ok).toBe(true);
      const eve = makeKey(scratch, "eve");
      PLACES[place]?.(scratch, lineOf(ada, ADA) + lineOf(bob, BOB) + line(eve));
      const policy = scratch.say("policy").stdout;
      expect(policy, how).toContain(told);
      const tried = scratch.hold(["fence", "install", "--sign", "--key", eve]);
      expect(tried.json.ok, `${how}: ${tried.stdout}`).toBe(false);
      expect(releasesIn(scratch).length, how).toBe(1);
    }
  },
  120_000,
);

test("the card of an open question names it, too", () => {
  const { scratch, ada, bob } = signedPlugin();
  const eve = makeKey(scratch, "eve");
  scratch.hold(["policy"]);
  PLACES["on its own branch"]?.(scratch, lineOf(ada, ADA) + lineOf(bob, BOB) + lineOf(eve, ADA));
  const { stdout } = scratch.say(`hold ${NAME}`);
  expect(stdout).toContain(`on mine: another key counts for ${ADA}, who has one`);
  expect(isHeld(scratch)).toBe(true);
});
