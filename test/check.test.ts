/** The protocols that ship with Holdpoint keep what `holdpoint check` asks of every protocol. */
import { expect, test } from "vitest";
import { PROPERTIES, checkProtocol } from "../src/core/check/check.ts";
import { release } from "./release.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { mainProtocol } from "../src/protocols/task-protocol/table/main-protocol.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";

test.each([pluginWorkflow, teamContract, taskProtocol, mainProtocol, release])(
  "[C92] $name is proved",
  (protocol) => {
    const { findings, proved, complete } = checkProtocol(protocol);
    expect(findings).toEqual([]);
    expect(proved).toEqual(Object.keys(PROPERTIES));
    expect(complete).toBe(true);
  },
);
