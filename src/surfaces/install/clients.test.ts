import { describe, expect, test } from "vitest";
import { CLIENTS } from "../../watch/call.ts";
import { switchesOff } from "../../watch/own.ts";
import { hookFiles, homesIn } from "./client.ts";
import { SETUPS } from "./clients/index.ts";
import { closedHook, isHookCommand, openHook, startingHook } from "./hook-command.ts";
import { programFor } from "./program.ts";

const where = { root: "/repo", home: homesIn({ HOME: "/home/ada" }) };
const program = { words: "holdpoint", command: "holdpoint", args: [], told: "" };

describe.each(CLIENTS.map((client) => [client, SETUPS[client]] as const))("%s", (client, setup) => {
  test.each([true, false])(
    "no file that its hooks depend on is an agent's to write (user: %s)",
    (user) => {
      const files = [
        ...hookFiles(setup, where, user),
        setup.serverFile(where, user),
        ...(client === "opencode" ? ["/repo/.agents/holdpoint/opencode-plugin.js"] : []),
      ];
      for (const file of files) expect(switchesOff(file.slice(1).split("/")), file).toBe(true);
    },
  );

  test("every part says what it is and lies in the repository or in the client's home", () => {
    for (const user of [true, false]) {
      const parts = setup.parts({ ...where, user, program, families: [], tools: [] });
      const ids = parts.map(({ path, name }) => `${path} ${name}`);
      expect(new Set(ids).size).toBe(ids.length);
      for (const { path } of parts) expect(path).toMatch(/^\/(?:repo|home\/ada)\//);
    }
  });

  test("knows its own hooks, and nobody else's", () => {
    for (const words of [
      "holdpoint",
      "/usr/bin/node '/a b/bin/holdpoint.js'",
      '"$X"/node_modules/.bin/holdpoint',
    ])
      for (const make of [openHook, closedHook, startingHook])
        expect(isHookCommand(make(words, client), client)).toBe(true);
    for (const other of [
      "true",
      `holdpoint hook ${client}x`,
      "my-holdpoint-hook",
      `holdpoint status`,
    ])
      expect(isHookCommand(other, client), other).toBe(false);
  });
});

describe("the program", () => {
  const place = {
    client: "claude",
    root: "/nowhere",
    node: "/n/node",
    script: "/a b/holdpoint.js",
  } as const;

  test("is quoted for a shell, and never what npx or a passing PATH has for the moment", () => {
    expect(programFor({ ...place, user: true, path: "" })?.words).toBe(
      "/n/node '/a b/holdpoint.js'",
    );
    const passing = "/x/_npx/1/node_modules/.bin:relative:";
    expect(programFor({ ...place, user: false, path: passing })).toBeUndefined();
  });
});
