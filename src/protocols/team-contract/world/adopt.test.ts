import { describe, expect, test } from "vitest";
import { ID, PERSON, SPEC, Session } from "../../../../test/fixtures/team-contract/engine.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { adoptOne } from "../../../engine/intake/adopt.ts";

const STATUS = {
  current_state: "IMPLEMENT_LOOP",
  session: ID,
  mode: "full",
  assumptions: [],
  user_decisions: [],
  retry_counts: {},
  known_issues: [],
  last_ci_result: "unknown",
  last_update: "2026-02-17T01:15:39Z",
};

/** A foreign session with this plan, taken over. */
async function adopted(tasks: string, status: object = STATUS, more: JsonObject = {}) {
  const session = await new Session().open();
  session.file("status.json", JSON.stringify(status));
  session.file("spec.md", SPEC);
  session.file("tasks.yaml", tasks);
  const options = { yes: true, ...more };
  const caller = { actor: PERSON, session: "s-1" };
  return { session, adoption: await adoptOne(session.open_, { id: ID, options, caller }) };
}

describe("plans that nobody can read", () => {
  test.each([
    ["a key that is there twice", "# mine\ntasks:\n  - id: T-001\n    id: T-002\n    goal: g\n"],
    ["prose", "Dear team,\n  first: do [this\n- and that\n"],
    ["half a file", 'tasks:\n  - id: "T-0'],
    ["no tasks", "Here is the plan:\n- first this\n- then that\n"],
  ])("[TC-120] [TC-130] adopting keeps %s where it is", async (_, tasks) => {
    const { session, adoption } = await adopted(tasks);
    expect(adoption.kind).toBe("adopted");
    expect(session.read("tasks.yaml")).toBe(tasks);
    await session.do({ type: "note.add", list: "assumptions", tag: "", text: "a" });
    expect(session.read("tasks.yaml")).toBe(tasks);
  });
});

describe("sessions with nothing to go by", () => {
  test("[TC-049] [TC-037] the refusal says what is the matter with status.json", async () => {
    const refused = async (write: (session: Session) => void): Promise<string> => {
      const session = await new Session().open();
      session.file("spec.md", SPEC);
      write(session);
      const caller = { actor: PERSON, session: "s-1" };
      const { refusals } = await adoptOne(session.open_, { id: ID, options: {}, caller });
      return refusals[0]?.message ?? "";
    };
    expect(await refused(() => undefined)).toContain("status.json does not exist");
    expect(await refused((session) => session.file("status.json", '{\n"half'))).toMatch(
      /status\.json:2 This string does not end/,
    );
    expect(await refused((session) => session.file("status.json/x", "1"))).toContain(
      "it is a directory, not a file",
    );
  });

  test("[TC-086] an answer without an id would be lost, so nothing is adopted", async () => {
    const status = { ...STATUS, user_decisions: [{ status: "answered", answer: "yes" }] };
    const { session, adoption } = await adopted("tasks: []\n", status);
    expect(adoption.refusals.map(({ code }) => code)).toEqual(["decision-invalid"]);
    expect(session.read("status.json")).toBe(JSON.stringify(status));
  });

  test("[TC-051] [TC-121] a state nobody knows is asked for, and tasks without an id are told", async () => {
    const tasks = "tasks:\n  - id: 5\n    goal: g\n  - id: T-001\n    status: done\n    goal: g\n";
    const odd = { ...STATUS, current_state: "REVIEWING" };
    const asked = (await adopted(tasks, odd)).adoption;
    expect(asked.kind).toBe("refused");
    expect(asked.evidence?.[0]).toContain("REVIEWING");
    expect(asked.choices).toContainEqual({ at: "IMPLEMENT_LOOP", says: "IMPLEMENT_LOOP" });
    const { adoption } = await adopted(tasks, odd, { at: "IMPLEMENT_LOOP" });
    expect(adoption.summary.slice(0, 4)).toEqual([
      `${ID} at IMPLEMENT_LOOP, full mode`,
      "status.json says REVIEWING; it goes on at IMPLEMENT_LOOP",
      "1 of 2 tasks have no id of their own",
      "T-001 not-started",
    ]);
  });
});
