/** What people and programs are shown: whatever a name, a key or a reason holds, no control character acts. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { VERBS } from "../../src/surfaces/cli/verbs/index.ts";
import type { Scratch } from "./cli.ts";
import { START, taskRepository } from "./task.ts";
import { aboutToReport } from "./hostile.ts";
import { NAME } from "./plugin.ts";

const EVIL = "\u001B[31mred\u001B]0;title\u0007\u009B2J\u202Eback";
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/u;

/** A key, a folder and a reason with control characters, each where it was once shown as it is. */
function poisoned(): Scratch {
  const scratch = aboutToReport();
  scratch.write("holdpoint.config.json", JSON.stringify({ [EVIL]: 1, settings: { [EVIL]: EVIL } }));
  mkdirSync(join(scratch.top, ".agents-work", `2026-11-01_${EVIL.replaceAll("/", "")}`), {
    recursive: true,
  });
  scratch.write(
    `.agents-work/2026-11-01_${EVIL}/status.json`,
    JSON.stringify({ [EVIL]: EVIL, session: EVIL, current_state: EVIL }),
  );
  scratch.hold(["lock", NAME], { env: { HOLDPOINT_SESSION: "gone" } });
  return scratch;
}

test("no verb prints a control character, as text or as JSON, whatever it is asked about", () => {
  const scratch = poisoned();
  const calls: (readonly string[])[] = [
    ["lock", NAME, "--break", "--reason", EVIL],
    ["verify", "--all"],
    ["adopt", "--all", "--dry-run"],
    ["audit", NAME],
    ["status", NAME],
    ["ask", NAME, EVIL],
  ];
  for (const verb of Object.keys(VERBS)) {
    calls.push([verb, EVIL], [verb, NAME, EVIL], [verb, `2026-11-01_${EVIL}`]);
    calls.push([verb, "--all"], [verb, NAME], [verb, NAME, `--${EVIL}`]);
  }
  for (const call of calls)
    for (const args of [call, [...call, "--json"]]) {
      const { stdout, stderr } = scratch.say(args, { stdin: `{"${EVIL}": ` });
      expect({ args, out: CONTROL.exec(stdout)?.[0], err: CONTROL.exec(stderr)?.[0] }).toEqual({
        args,
        out: undefined,
        err: undefined,
      });
    }
  const { stdout } = scratch.say(["audit", NAME, "--json"]);
  expect(stdout, "in JSON nothing is lost").toContain(String.raw`\\u009b2J\\u202eback`);
});

describe("a path of the configuration that leads out of the repository", () => {
  test("is refused when the task begins, not when it is merged", () => {
    for (const [key, path] of [
      ["archive", "../x"],
      ["archive", "/tmp/x"],
      ["root", "a/../../b"],
      ["changelog", ".git/x"],
      ["todo", ""],
    ]) {
      const scratch = taskRepository(
        { "add-parser": "docs/guide.md" },
        { task: { [`${key}`]: path } },
      );
      const reply = scratch.hold(["start", "add-parser", ...START]);
      expect(reply.exit, reply.stdout).toBe(10);
      expect(reply.json.refusals?.[0]).toMatchObject({ code: "setting-outside" });
      expect(reply.json.refusals?.[0]?.message).toContain(`task.${key}`);
      expect(scratch.hold(["list"]).json.workflows).toEqual([]);
    }
  });
});
