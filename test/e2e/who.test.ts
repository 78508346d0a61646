/** Who is acting: an agent that its client vouches for has the work whose order it fetched, and nobody else's. */
import { afterEach, describe, expect, test } from "vitest";
import { compose } from "../../src/compose/compose.ts";
import type { Json } from "../../src/core/values/json.ts";
import { agentCaller } from "../../src/engine/caller.ts";
import type { Vouched } from "../../src/engine/caller.ts";
import type { Parts } from "../../src/engine/parts.ts";
import { invoke, operations } from "../../src/operations/index.ts";
import type { Answer } from "../../src/operations/operation.ts";
import { forgerOf } from "./forged.ts";
import { codesOf } from "./plugin.ts";
import { sessionAt } from "./team.ts";
import type { TeamSession } from "./team.ts";

const opened: Parts[] = [];
afterEach(async () => {
  for (const parts of opened.splice(0)) await parts.journal.close();
});

/** The Orchestrator of these sessions is a person's; its agents are of one conversation of a client. */
const S = { client: "claude", session: "human:ada" };

async function ask(
  { repo, id }: TeamSession,
  who: Vouched,
  name: string,
  input: Readonly<Record<string, Json>>,
): Promise<Answer & { readonly refusals?: readonly { readonly code: string }[] }> {
  const composed = await compose({ cwd: repo.top, env: { ...repo.env } });
  if (composed.kind === "failed") throw new Error(composed.message);
  opened.push(composed.parts);
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`there is no ${name}`);
  const loaded = await composed.parts.journal.load(`team-contract:${id}`);
  const caller = { ...agentCaller(who), session: loaded.state.lease?.session ?? "" };
  return await invoke(operation, { parts: composed.parts, caller }, input);
}

const codes = ({ refusals = [] }: { readonly refusals?: readonly { readonly code: string }[] }) =>
  refusals.map((one) => one.code);

describe("a subagent that fetched the order", () => {
  test("has the work; its siblings, its main agent and unknown agents do not report it", async () => {
    const team = sessionAt("loop");
    team.send("code", "T-001");
    const workflow = team.id;
    const [one, two] = [
      { ...S, agent: "a1" },
      { ...S, agent: "a2" },
    ];
    expect((await ask(team, one, "order", { workflow })).ok).toBe(true);
    expect(codes(await ask(team, two, "order", { workflow }))).toEqual(["dispatch-taken"]);
    // Its main agent may look, and leaves it where it is.
    expect((await ask(team, S, "order", { workflow })).ok).toBe(true);
    const text = team.play("Coder");
    for (const other of [two, S])
      expect(codes(await ask(team, other, "report", { workflow, text }))).toEqual([
        "dispatch-taken",
      ]);
    expect(codesOf(team.report(text))).toEqual(["dispatch-taken"]);
    expect((await ask(team, one, "report", { workflow, text })).ok).toBe(true);
    const { entries = [], refusals = [] } = team.audit();
    expect(entries.at(-1)).toMatchObject({ agent: "claude-code:human_ada/a1" });
    expect(JSON.stringify(entries)).toContain("taken by claude-code:human_ada/a1");
    expect(JSON.stringify(refusals)).toContain("claude-code:human_ada/a2");
  });

  test("does not judge what it made; a person gives work free", async () => {
    const team = sessionAt("loop");
    const workflow = team.id;
    const maker = { ...S, agent: "a1" };
    team.send("code", "T-001");
    expect((await ask(team, maker, "report", { workflow, text: team.play("Coder") })).ok).toBe(
      true,
    );
    team.send("review", "T-001");
    const text = team.play("Reviewer");
    expect(codes(await ask(team, maker, "order", { workflow }))).toEqual(["judges-itself"]);
    expect(codes(await ask(team, maker, "report", { workflow, text }))).toEqual(["judges-itself"]);
    expect((await ask(team, { ...S, agent: "a2" }, "order", { workflow })).ok).toBe(true);
    expect(codesOf(team.run("order", ["--take"]))).toEqual(["dispatch-taken"]);
    expect(team.repo.hold(["order", workflow, "--take"]).exit).toBe(0);
    expect((await ask(team, { ...S, agent: "a3" }, "report", { workflow, text })).ok).toBe(true);
  });
});

describe("a role that is only claimed", () => {
  test("reports no other role's work", () => {
    const team = sessionAt("coded");
    team.send("review", "T-001");
    const text = team.play("Reviewer");
    const as = (actor: string): readonly string[] => ["report", team.id, "-", "--as", actor];
    const coder = team.repo.hold(as("agent:bot/Coder"), { stdin: text });
    expect(codesOf(coder)).toEqual(["role-mismatch"]);
    expect(team.repo.hold(as("agent:bot/reviewer"), { stdin: text }).exit).toBe(0);
  });
});

describe("a journal that says otherwise", () => {
  test("a report of another agent than the one that had the work is named", async () => {
    const team = sessionAt("loop");
    const workflow = team.id;
    team.send("code", "T-001");
    await ask(team, { ...S, agent: "a1" }, "order", { workflow });
    await ask(team, { ...S, agent: "a1" }, "report", { workflow, text: team.play("Coder") });
    expect(team.repo.hold(["verify", workflow]).exit).toBe(0);
    const forger = forgerOf(team.repo);
    const last = forger.records().findLast(({ body }) => JSON.stringify(body).includes("ended"));
    forger.rewrite(Number(last?.["seq"]), ({ body, ...record }) => ({
      ...record,
      body: { ...(body as object), agent: "claude-code:human_ada/a2" },
    }));
    forger.forget("snapshots", "shown", "refusals");
    expect(team.repo.hold(["audit", workflow]).stdout).toContain(
      "is with claude-code:human_ada/a1",
    );
  });
});
