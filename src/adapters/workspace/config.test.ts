import { describe, expect, test } from "vitest";
import { taskRoots } from "../../protocols/task-protocol/roots.ts";
import { teamRoots } from "../../protocols/team-contract/roots.ts";
import { readConfig } from "./config.ts";
import type { ReadConfig } from "./config.ts";

const FAMILIES = {
  ...taskRoots.settings,
  ...teamRoots.settings,
  settings: { type: "object" },
} as const;

function read(text: string): ReadConfig {
  return readConfig(text, FAMILIES);
}

describe("the configuration", () => {
  test("says what each check runs, or why there is none", () => {
    const text =
      '{"checks":{"tests":{"run":["npm","test"]},"build":{"none":"nothing to build"}},' +
      '"protocols":["./a.yaml"],"task":{"rounds_max":3},"settings":{"own":1}}';
    expect(read(text)).toEqual({
      kind: "read",
      config: {
        checks: { tests: { run: ["npm", "test"], minutes: 10 } },
        none: { build: "nothing to build" },
        protocols: ["./a.yaml"],
        settings: { task: { rounds_max: 3 }, settings: { own: 1 } },
      },
    });
  });

  const wrong: Readonly<Record<string, readonly [string, RegExp, RegExp]>> = {
    "no JSON": ['{"checks":', /line 1/, /checks/],
    "an empty file": ["", /line 1/, /checks/],
    "a misspelt key": ['{\n"chekcs": {}}', /line 2: \$\.chekcs/, /Write checks in place/],
    "a key that nothing is like": ['{"colour": 1}', /\$\.colour/, /known are checks, protocols/],
    "a key that is there twice": [
      '{"checks": {"tests": {"run": ["a"]}},\n"checks": {}}',
      /line 2: The key "checks" is there twice/,
      /every key once/,
    ],
    "a check that is there twice": [
      '{"checks": {"tests": {"run": ["a"]}, "tests": {"run": ["true"]}}}',
      /"tests" is there twice/,
      /once/,
    ],
    "a name with blanks around it": [
      '{"checks": {"tests ": {"run": ["a"]}}}',
      /tests /,
      /without blanks/,
    ],
    "a name of nothing": ['{"checks": {"": {"run": ["a"]}}}', /\$\.checks\./, /without blanks/],
    "an empty command": ['{"checks": {"tests": {"run": []}}}', /\$\.checks\.tests/, /"run"/],
    "no program": ['{"checks": {"tests": {"run": ["  "]}}}', /is no program/, /"npm", "test"/],
    "a shell text": ['{"checks": {"tests": {"run": "npm test"}}}', /\$\.checks\.tests/, /"run"/],
    "a misspelt command": ['{"checks": {"tests": {"runs": ["a"]}}}', /\$\.checks\.tests/, /"run"/],
    "a command and none": [
      '{"checks": {"tests": {"run": ["a"], "none": "x"}}}',
      /\$\.checks\.tests/,
      /"none"/,
    ],
    "none without a reason": ['{"checks": {"tests": {"none": " "}}}', /\$\.checks\.tests/, /why/],
    "minutes of nothing": [
      '{"checks": {"tests": {"run": ["a"], "minutes": 0}}}',
      /minutes/,
      /minutes/,
    ],
    "a setting with a typing mistake": [
      '{"task": {"paterns": {}}}',
      /\$\.task\.paterns/,
      /Write patterns/,
    ],
    "a class of risk that is none": [
      '{"task": {"patterns": {"Low": []}}}',
      /patterns\.Low/,
      /Write LOW/,
    ],
    "what only the workflow sets": ['{"task": {"risk_level": "LOW"}}', /risk_level/, /Take|Write/],
    "a list that is none": ['{"protocols": "a.yaml"}', /\$\.protocols/, /list of files/],
  };
  for (const [what, [text, message, fix]] of Object.entries(wrong))
    test(`${what} is an error with its place and a fix`, () => {
      const told = read(text);
      if (told.kind !== "broken") throw new Error("it was read");
      expect(told.message).toMatch(/^Cannot read holdpoint\.config\.json, line \d+: /);
      expect(told.message).toMatch(message);
      expect(told.fix).toMatch(fix);
    });
});
