import { describe, expect, test } from "vitest";
import { pluginFamily } from "../protocols/plugin-workflow/index.ts";
import { teamFamily } from "../protocols/team-contract/index.ts";
import { toyTable } from "../../test/toy.ts";
import { agentsByTable, commandsByTable, kebab } from "./agents.ts";

describe("agents and short commands", () => {
  test.each([
    ["SpecAgent", "spec-agent"],
    ["dsp agent", "dsp-agent"],
    ["--x__Y9Z--", "x-y9-z"],
    ["../../etc", "etc"],
  ])("%s is called %s", (role, name) => expect(kebab(role)).toBe(name));

  test("come from the table where a family says nothing", () => {
    const roles = Object.values(toyTable.work).map(({ role }) => role);
    const named = roles.filter((role) => !role.includes("{"));
    expect(agentsByTable(toyTable).map(({ role }) => role)).toEqual([...new Set(named)]);
    expect(Object.keys(commandsByTable(toyTable))).toEqual(
      expect.arrayContaining(["toy", "continue", "reconcile"]),
    );
  });

  test("[TC-175] every worker has its name in kebab-case beside the one dispatches use", () => {
    const names = teamFamily.words.agents.map(({ role, name }) => [role, name]);
    expect(names).toContainEqual(["SpecAgent", "spec-agent"]);
    expect(names).toContainEqual(["QA", "qa"]);
    expect(names).toHaveLength(11);
  });

  test.each([pluginFamily, teamFamily])("name every role that work is handed to", (family) => {
    const roles = Object.values(family.protocol.work).map(({ role }) => role);
    const known = family.words.agents.map(({ role }) => role);
    expect(roles.filter((role) => !known.includes(role) && role !== "Orchestrator")).toEqual([]);
  });

  test("[PW-290] plan, implement and continue are doors to steps that exist", () => {
    const { commands, aliases } = pluginFamily.words;
    expect(commands["plan"]?.act.input["step"]).toBe("plan");
    expect(Object.keys(aliases)).toEqual(expect.arrayContaining(["plan", "implement"]));
    expect(commands["continue"]?.act).toEqual({
      operation: "advance",
      input: { workflow: "<workflow>" },
    });
  });
});
