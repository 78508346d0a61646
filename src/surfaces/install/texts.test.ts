import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { compose } from "../../compose/compose.ts";
import { startable } from "../../operations/start.ts";
import type { Family } from "../../ports/family.ts";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import { homesIn } from "./client.ts";
import { SETUPS } from "./clients/index.ts";
import { AGENT_TEXT, agentsOf, commandText, commandsOf, sectionLines } from "./texts.ts";

const TOOLS = ["next", "advance", "order", "report", "start"];
const count = (text: string): number => encode(text).length;

async function families(): Promise<readonly Family[]> {
  const composed = await compose({ cwd: import.meta.dirname, readOnly: true });
  return composed.kind === "open" ? await startable(composed.parts) : [];
}

describe("what agents read", () => {
  test("is at most 150 tokens for each protocol, and 100 for an agent or a command", async () => {
    const all = await families();
    expect(all.map(({ protocol }) => protocol.name)).toHaveLength(3);
    const told = all.map((one) => {
      const section = count(sectionLines([one], TOOLS).join("\n"));
      const commands = commandsOf([one]).map((each) =>
        count(commandText(each, "$ARGUMENTS", TOOLS)),
      );
      return { name: one.protocol.name, section, most: Math.max(...commands) };
    });
    for (const { name, section, most } of told) {
      expect(section, name).toBeLessThanOrEqual(150);
      expect(most, name).toBeLessThanOrEqual(100);
    }
    expect(count(AGENT_TEXT.join("\n"))).toBeLessThanOrEqual(100);
  });

  test("names the tools, because not every client does", () => {
    expect(sectionLines([], TOOLS).join("\n")).toContain(
      "`mcp__holdpoint__next` (also advance, order, report",
    );
  });

  test("has one agent for one name, and a command of its own for what differs", async () => {
    const all = await families();
    const names = agentsOf(all).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(agentsOf(all).find(({ name }) => name === "architect")?.about).toContain(". Task agent");
    expect(commandsOf(all).filter(({ name }) => name.endsWith("continue"))).toHaveLength(1);
  });

  test("holds nothing that a table could smuggle out of its line or its folder", async () => {
    const [one] = await families();
    if (one === undefined) throw new Error("no family");
    const agents = [
      { role: "x", name: "../../evil", about: "x" },
      { role: "y", name: "ok", about: 'a"\n---\nname: root\u0000' },
    ];
    const commands = {
      "a/b": one.words.commands["continue"] ?? { about: "", act: { operation: "", input: {} } },
    };
    const bad = { ...one, words: { ...one.words, agents, commands } };
    expect(agentsOf([bad])).toEqual([{ role: "y", name: "ok", about: "a --- name: root" }]);
    expect(commandsOf([bad])).toEqual([]);
  });
});

test("OpenCode keeps its own agents, whichever roles are called so", async () => {
  const all = await families();
  const roles = agentsOf(all).map(({ name }) => name);
  expect(roles).toContain("build");
  const program = { words: "holdpoint", command: "holdpoint", args: [], told: "" };
  const place = { root: "/repo", home: homesIn({ HOME: "/home/ada" }), program, tools: TOOLS };
  for (const user of [true, false]) {
    const made = SETUPS.opencode.parts({ ...place, user, families: all }).flatMap((part) => {
      const put = part.put(undefined);
      const text = put.kind === "text" ? parseJson(put.text ?? "") : undefined;
      const agents = isJsonObject(text) ? text["agent"] : undefined;
      return isJsonObject(agents) ? Object.keys(agents) : [];
    });
    expect(made).toEqual(roles.filter((one) => one !== "build"));
  }
});

test("Gemini CLI has its short commands beside its agents, and not where they need a trust that hooks do not", async () => {
  const all = await families();
  const program = { words: "holdpoint", command: "holdpoint", args: [], told: "" };
  const place = { root: "/repo", home: homesIn({ HOME: "/home/ada" }), program, tools: TOOLS };
  const made = (user: boolean): readonly string[] =>
    SETUPS.gemini.parts({ ...place, user, families: all }).map(({ path }) => path);
  const named = (folder: string, user: boolean): number =>
    made(user).filter((path) => path.startsWith(`${folder}/`)).length;
  expect(made(true).filter((path) => !path.startsWith("/home/ada/.gemini/"))).toEqual([]);
  expect(named("/home/ada/.gemini/agents", true)).toBe(agentsOf(all).length);
  expect(named("/home/ada/.gemini/commands", true)).toBe(commandsOf(all).length);
  expect(named("/repo/.gemini/commands", false)).toBe(commandsOf(all).length);
});
