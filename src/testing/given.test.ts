import { expect, test } from "vitest";
import { release } from "../../test/release.ts";
import { AGENT, given } from "../testing.ts";
import type { Protocol } from "../core/table/protocol.ts";

const letter: Protocol = {
  name: "letter",
  version: 1,
  title: "Letter",
  root: "letter",
  kinds: {
    letter: {
      states: ["draft", "sent"],
      start: "draft",
      ends: ["sent"],
      moves: [
        {
          id: "send",
          from: ["draft"],
          to: "sent",
          runs: [{ check: "spelling", binds: ["tree:."] }],
          needs: [
            {
              guard: "exists",
              args: { paths: ["letter.md"] },
              code: "no-letter",
              fix: "Write letter.md.",
              rule: "L-1",
            },
            {
              guard: "finding",
              args: { kind: "spelling", in: ["passed"] },
              code: "misspelt",
              fix: "Mend it.",
              rule: "L-2",
            },
          ],
          rule: "L-1",
        },
      ],
    },
  },
  questions: {},
  work: {},
  guards: {},
  vars: {},
  looks: ["moon"],
  lease: "dispatch",
};

const world = { workflow: "Hello", files: {}, checks: { spelling: "passed" } } as const;

test("a story is told in files: what is not there is refused, what is there is accepted", () => {
  given(letter, world)
    .start()
    .expectAt("draft")
    .move("send")
    .expectRefused("no-letter")
    .write({ "letter.md": "Dear Ada" })
    .move("send")
    .expectAccepted()
    .expectAt("sent");
});

test("checks are run as the engine runs them, and their results are bound to the tree", () => {
  const written = { ...world, files: { "letter.md": "Deer Ada" } };
  const told = given(letter, { ...written, checks: { spelling: "failed" } }).start();
  told.move("send").expectRefused("misspelt");
  expect(Object.values(told.state.findings)).toMatchObject([{ kind: "spelling", value: "failed" }]);
  given(letter, { ...written, checks: {} })
    .start()
    .move("send")
    .expectRefused("misspelt");
});

test("what is not as expected throws, with what happened instead and why", () => {
  const told = given(letter, world).start().move("send");
  expect(() => told.expectAccepted()).toThrow(
    'The last step was not as expected.\n  letter.md does not exist. Write letter.md.\n- "accepted"\n+ "refused with no-letter"',
  );
  expect(() => told.expectHeld("approve")).toThrow('- "held with approve"');
  expect(() => told.expectAt("sent")).toThrow(
    'Hello does not stand where expected\n- "sent"\n+ "draft"',
  );
  expect(() => told.reply("approve", "yes")).toThrow('"approve" is not open in this story');
  expect(() => told.report()).toThrow("Nothing is handed out in this story");
});

test("a fact that nobody gave is asked for by name", () => {
  const told = given(letter, { workflow: "Hello" }).start();
  expect(() => told.move("send")).toThrow(
    'The world of this story has no fact "digest:letter.md": give it with given({ "digest:letter.md": ... })',
  );
  told.given({ "digest:letter.md": null }).move("send").expectRefused("no-letter", "misspelt");
});

test("a fork goes its own way", () => {
  const told = given(letter, world).start().write({ "letter.md": "Dear Ada" });
  const other = told.fork().move("send").expectAt("sent");
  told.expectAt("draft").write({ "letter.md": null }).move("send").expectRefused("no-letter");
  other.expectAt("sent");
});

test("the release checklist is told in files, checks and people", () => {
  const bob = { actor: { kind: "person", name: "bob" } } as const;
  const files = { "CHANGELOG.md": "# v1", "src/a.ts": "a" };
  const told = given(release, { workflow: "v2", files, checks: { tests: "passed" } }).start();
  told.send("write", ".", AGENT).report().expectRefused("work-not-measured");
  told.write({ "CHANGELOG.md": "# v2\n\n# v1", "src/a.ts": "b" });
  told.report().expectRefused("work-outside");
  told.write({ "src/a.ts": "a" }).report().expectAccepted().expectAt("frozen");
  told.move("test").expectHeld("approve");
  told.reply("approve", "yes", AGENT).expectRefused("person-required");
  told.reply("approve", "yes").expectHeld("approve").reply("approve", "yes", bob);
  told.expectAt("approved").move("publish").expectAt("published");
});
