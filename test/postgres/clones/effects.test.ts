/** What a clone was to do when its machine died, as another clone finds it. */
import { expect, test } from "vitest";
import { NAME, doWork, giveReport, pluginAt, reportText } from "../../e2e/plugin.ts";
import { FIRST_CLONE } from "../../e2e/store.ts";
import { clonesOf } from "./clones.ts";

test("a commit that a dead machine owes is its clone's; another makes none of a tree that it does not have", () => {
  const [one, two] = clonesOf(pluginAt("p2"), 2);
  if (two === undefined) throw new Error("no second clone");
  doWork(one, "2");
  const died = giveReport(one, reportText("2"), { env: { HOLDPOINT_DIE_AT: "effect.commit" } });
  expect(died.exit).toBe(-1);
  const before = two.git("rev-parse", "HEAD");

  const other = two.hold(`answer ${NAME} 1`);
  expect([other.exit, other.json.refusals?.[0]?.code]).toEqual([12, "effect-held"]);
  expect(other.json.refusals?.[0]?.message).toContain(FIRST_CLONE);

  // Whoever takes it over as a person still has not got the files.
  two.hold(`lock ${NAME} --break --reason gone`);
  two.hold(`lock ${NAME}`);
  const tried = two.hold(`reconcile ${NAME}`);
  expect(two.git("rev-parse", "HEAD")).toBe(before);
  expect(two.git("fsck", "--no-dangling")).toBe("");
  expect(tried.json.pending?.[0]).toMatchObject({ code: "not-fetched" });

  // Back again, it does what it owes.
  expect(one.hold(`reconcile ${NAME}`).stdout).not.toContain("not-fetched");
});
