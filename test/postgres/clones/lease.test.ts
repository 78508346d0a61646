/** Whose a workflow is when its holder may be on another machine, whose clock and processes nobody here can see. */
import { describe, expect, test } from "vitest";
import { commitFile, repository } from "../../e2e/cli.ts";
import type { Reply, Scratch } from "../../e2e/cli.ts";
import { NAME, reportText, writeIdeas } from "../../e2e/plugin.ts";
import { FIRST_CLONE, tellStore } from "../../e2e/store.ts";
import { START, taskRepository } from "../../e2e/task.ts";
import { clonesOf } from "./clones.ts";

const codes = ({ json }: Reply): readonly string[] => (json.refusals ?? []).map(({ code }) => code);
const agent = { env: { HOLDPOINT_ACTOR: "agent:claude", HOLDPOINT_SESSION: "s-1" } };
const ada = { env: { HOLDPOINT_ACTOR: "person:ada", HOLDPOINT_SESSION: "human:ada" } };

/** Work on a plugin is out, handed out in the first clone. */
function handedOut(): readonly [Scratch, ...Scratch[]] {
  const first = repository();
  writeIdeas(first);
  first.git("add", ".");
  first.git("commit", "--quiet", "-m", "ideas");
  commitFile(first, "PLUGINS.md", "# Plugins\n");
  const clones = clonesOf(first, 2);
  expect(first.hold(`start ${NAME} --protocol plugin-workflow`, agent).exit).toBe(0);
  expect(first.hold(`advance ${NAME}`, agent).json.order?.dispatch).toBe("W-1");
  return clones;
}

/** By the server's clock; those of the machines do not matter. */
function silence(scratch: Scratch, minutes: number): void {
  tellStore(scratch.top, `UPDATE holdpoint.beats SET at = at - interval '${minutes} minutes'`);
}

describe("a lease across machines", () => {
  test("it names the clone; a quiet one is taken over, and its late commands are refused by its number", () => {
    const [one, two] = handedOut();
    if (two === undefined) throw new Error("no second clone");
    const status = one.hold(`status ${NAME}`).json.lease;
    expect(status).toMatchObject({ session: "s-1", place: FIRST_CLONE });
    const number = Number(Reflect.get(status ?? {}, "fence"));

    const soon = two.hold(`advance ${NAME} --take`, ada);
    expect([soon.exit, codes(soon)]).toEqual([12, ["lease-held"]]);
    expect(soon.json.refusals?.[0]?.message).toContain(FIRST_CLONE);
    // The same name in another clone is no proof that it is the same session.
    const same = two.hold(`advance ${NAME} cancel --reason mine`, agent);
    expect([same.exit, codes(same)]).toEqual([12, ["lease-held"]]);

    silence(one, 61);
    // Silence proves nothing to an agent.
    expect(
      codes(
        two.hold(`advance ${NAME} --take`, { env: { ...agent.env, HOLDPOINT_SESSION: "s-2" } }),
      ),
    ).toEqual(["lease-held"]);
    expect(two.hold(`lock ${NAME} --break --reason gone`, ada).exit).toBe(0);
    const late = one.hold(`advance ${NAME}`, agent);
    expect([late.exit, codes(late)]).toEqual([12, ["fence-stale"]]);
    expect(late.json.refusals?.[0]?.message).toContain(`lease ${number} on ${NAME}`);
    const report = one.hold(["report", NAME, "-", "--dispatch", "W-1"], { ...agent, stdin: "{}" });
    expect(report.exit).toBe(10);
    // Whoever takes it anew, knowing where it stands, may go on.
    expect(one.hold(`lock ${NAME}`, agent).json.lease).toMatchObject({ session: "s-1" });
    expect(one.hold(`advance ${NAME}`, agent).json.order?.dispatch).toBe("W-2");
  });

  test("a person takes over from a quiet machine at once; what was out there is cancelled", () => {
    const [one, two] = handedOut();
    if (two === undefined) throw new Error("no second clone");
    silence(one, 61);
    const taken = two.hold(`advance ${NAME} --take`, ada);
    expect({ exit: taken.exit, why: taken.json.refusals }).toEqual({ exit: 0, why: undefined });
    expect(two.hold(`status ${NAME}`).json.lease).toMatchObject({ session: "human:ada" });
    const late = one.hold(`advance ${NAME}`, agent);
    expect([late.exit, codes(late)]).toEqual([12, ["lease-held"]]);
  });

  test("an order is reported where it was handed out", () => {
    const [, two] = handedOut();
    if (two === undefined) throw new Error("no second clone");
    const there = two.hold(["report", NAME, "-", "--dispatch", "W-1"], {
      ...agent,
      stdin: reportText("0"),
    });
    expect(codes(there)).toContain("work-elsewhere");
    expect(there.json.refusals?.map(({ message }) => message).join()).toContain(FIRST_CLONE);
  });

  test("of two clones that start one task, one has it, and the other is told where", () => {
    const [one, two] = clonesOf(taskRepository({ alpha: "docs/a.md" }), 2);
    if (two === undefined) throw new Error("no second clone");
    expect(one.hold(["start", "alpha", ...START], agent).exit).toBe(0);
    const second = two.hold(["start", "alpha", ...START], agent);
    expect([second.exit, codes(second)]).toEqual([12, ["lease-held"]]);
    expect(second.json.refusals?.[0]?.message).toContain(FIRST_CLONE);
  });
});
