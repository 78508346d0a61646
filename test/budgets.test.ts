/** How often something was tried, as people read it: "2 of 3", in words of the protocol. */
import { describe, expect, test } from "vitest";
import { budgetWords, limitOf } from "../src/core/table/budgets.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";

describe("what is counted", () => {
  test.each([
    [teamContract, "orders/.", 40],
    [teamContract, "FIX_REVIEW/T-001", 3],
    [teamContract, "launch/Coder/T-001", 2],
    [taskProtocol, "orders/build", 7],
    [taskProtocol, "rounds", 7],
  ])("has its limit: %#", (protocol, spent, max) => {
    expect(limitOf(protocol, { orders_max: 7, rounds_max: 7 }, spent)).toBe(max);
  });

  test("and without a limit in the table, none", () => {
    expect(limitOf(teamContract, {}, "nonsense")).toBeUndefined();
    expect(limitOf(taskProtocol, { rounds_max: "many" }, "rounds")).toBeUndefined();
  });

  test.each([
    ["orders/.", "orders"],
    ["FIX_REVIEW/T-001", "FIX_REVIEW of T-001"],
    ["orders/T-001", "orders for T-001"],
    ["launch/Coder/T-001", "no reply from Coder for T-001"],
    ["reask/UD-APPROVE-DESIGN/8f2c", "answers to UD-APPROVE-DESIGN that said neither"],
    ["nonsense/a/b", "nonsense for a, b"],
  ])("%s is called: %s", (spent, words) => {
    expect(budgetWords(teamContract, spent)).toBe(words);
  });
});
