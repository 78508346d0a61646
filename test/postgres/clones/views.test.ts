/** Each clone shows the shared truth in files of its own, and says what it has not fetched. */
import { describe, expect, test } from "vitest";
import type { Reply } from "../../e2e/cli.ts";
import { NAME, finish, handoffOf, pluginAt } from "../../e2e/plugin.ts";
import { clonesOf } from "./clones.ts";

const codes = ({ json }: Reply): readonly string[] => (json.refusals ?? []).map(({ code }) => code);

describe("views in every clone", () => {
  test("a clone that has not fetched what another committed says so, and shows nothing until it has", () => {
    const [one, two] = clonesOf(pluginAt("p2"), 2);
    if (two === undefined) throw new Error("no second clone");
    const before = two.read(handoffOf());
    const reported = finish(one, "2");
    expect(reported.exit).toBe(11);
    const [commit] = reported.json.commits ?? [];

    const blind = two.hold(`answer ${NAME} 1`);
    expect([blind.exit, codes(blind)]).toEqual([10, ["not-fetched"]]);
    expect(blind.json.refusals?.[0]).toMatchObject({
      message: expect.stringContaining(commit?.short ?? "?"),
      fix: "git fetch, then git merge --ff-only, and try again.",
    });
    expect(two.read(handoffOf())).toBe(before);
    expect(two.hold(`status ${NAME}`).json.pending?.[0]).toMatchObject({ code: "not-fetched" });

    one.git("push", "--quiet", "origin", "main");
    two.git("fetch", "--quiet");
    expect(codes(two.hold(`answer ${NAME} 1`))).toEqual(["not-fetched"]);
    two.git("merge", "--quiet", "--ff-only");
    const answered = two.hold(`answer ${NAME} 1`);
    expect({ exit: answered.exit, why: answered.json.refusals }).toEqual({
      exit: 0,
      why: undefined,
    });
    // The other shows it too, as soon as anything is asked of it.
    expect(one.read(handoffOf())).not.toBe(two.read(handoffOf()));
    one.hold(`reconcile ${NAME}`);
    expect(one.read(handoffOf())).toBe(two.read(handoffOf()));
  });

  test("of two that edit at once one is taken in; the other is refused, and its text kept", async () => {
    const [one, two] = clonesOf(pluginAt("s2"), 2);
    if (two === undefined) throw new Error("no second clone");
    expect(two.hold(`reconcile ${NAME}`).exit).toBe(0);
    const edit = (text: string, who: string): string =>
      text.replace(/^next_action: .*$/m, `next_action: ask_${who}`);
    one.edit(handoffOf(), (text) => edit(text, "ada"));
    two.edit(handoffOf(), (text) => edit(text, "bob"));
    expect(one.hold(`answer ${NAME} pause`).json.refusals).toBeUndefined();
    const late = two.hold(`reconcile ${NAME} --restore`);
    const said = `${late.stdout}\n${late.stderr}`;
    expect(said).toContain("was edited as it read at record");
    const [, blob = ""] = /blob ([0-9a-f]{64})/.exec(said) ?? [];
    expect(two.say(`show ${blob}`).stdout).toContain("ask_bob");
    expect(one.say(`show ${blob}`).stdout).toContain("ask_bob");
    expect(two.read(handoffOf())).not.toContain("ask_bob");
    expect(one.say(`audit ${NAME}`).stdout).toContain(`edit of ${handoffOf()} refused`);
  });
});
