import { describe, expect, test } from "vitest";
import { ID, PERSON, SPEC, Session } from "../../../test/fixtures/team-contract/engine.ts";
import { adoptOne } from "../../engine/adopt.ts";

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
async function adopted(tasks: string, status: object = STATUS) {
  const session = await new Session().open();
  session.file("status.json", JSON.stringify(status));
  session.file("spec.md", SPEC);
  session.file("tasks.yaml", tasks);
  const options = { yes: true };
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
