/** What a person vouches for: listed with ids, several at once, all after one look. */
import { describe, expect, test } from "vitest";
import * as team from "./team.ts";

const CHECKS = ["manual: it looks right", "manual: it sounds right", "manual: it is quick"];

/** A session whose only criterion has three checks that no command can do. */
function session(): ReturnType<typeof team.sessionAt> {
  const made = team.sessionAt("lean");
  made.send("specify-lean");
  const said = made.play("SpecAgent");
  const checks = CHECKS.map((one) => JSON.stringify(one)).join(", ");
  made.file("acceptance.json", team.ACCEPTANCE.replace('"test -f app.js"', checks));
  made.report(said);
  return made;
}

interface Listed {
  readonly id: string;
  readonly what: string;
  readonly by: string | null;
}

function listed({ repo, id }: ReturnType<typeof session>): readonly Listed[] {
  const { json, exit } = repo.hold(["approve", id]);
  expect(exit).toBe(0);
  const { vouchable } = json as unknown as { readonly vouchable: readonly Listed[] };
  return vouchable;
}

describe("approve", () => {
  test("lists what can be vouched for, takes ids, several at once", () => {
    const made = session();
    const { repo, id } = made;
    const before = listed(made);
    expect(before.map(({ what, by }) => [what, by])).toEqual(CHECKS.map((one) => [one, null]));
    const screen = repo.say(["approve", id]).stdout;
    for (const one of before) expect(screen).toContain(`? ${one.id}  ${one.what}`);
    expect(screen).toContain(`holdpoint approve ${id} --all`);

    const ids = before.slice(0, 2).map((one) => one.id);
    expect(repo.hold(["approve", id, ids[0] ?? "", "zzzz"]).json.refusals?.[0]).toMatchObject({
      code: "check-unknown",
      remedy: { operation: "approve", input: { workflow: id } },
    });
    expect(listed(made).every(({ by }) => by === null)).toBe(true);

    const done = repo.say(["approve", id, ...ids]);
    expect(done.exit, done.stderr).toBe(0);
    for (const what of CHECKS.slice(0, 2)) expect(done.stdout).toContain(what);
    expect(listed(made).map(({ by }) => by !== null)).toEqual([true, true, false]);
    repo.write("app.js", "changed since\n");
    expect(listed(made).every(({ by }) => by === null)).toBe(true);
  });

  test("all of them are vouched for after one look, or where somebody says so", () => {
    const made = session();
    const { repo, id } = made;
    const asked = repo.say(["approve", id, "--all"]);
    expect(asked).toMatchObject({ exit: 2 });
    expect(asked.stderr).toContain("--all would vouch for 3");
    expect(repo.hold(["approve", id, "--all", "it looks right"]).exit).toBe(2);
    expect(made.run("approve", ["--all", "--yes"]).json.refusals?.[0]?.code).toBe(
      "actor-not-allowed",
    );
    expect(listed(made).every(({ by }) => by === null)).toBe(true);
    expect(repo.hold(["approve", id, "--all", "--yes"]).exit).toBe(0);
    expect(listed(made).every(({ by }) => by !== null)).toBe(true);
    expect(repo.say(["approve", id, "--all", "--yes"]).stdout).not.toContain("? ");
  });

  test("what is vouched for by nobody is listed as nothing", () => {
    const made = team.sessionAt("lean");
    expect(listed(made)).toEqual([]);
    expect(made.repo.say(["approve", made.id]).stdout).toContain("nothing that a person vouches");
  });
});
