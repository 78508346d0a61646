import { expect, test } from "vitest";
import * as answers from "../../files/team/answers.ts";
import * as names from "../../files/team/names.ts";
import { SESSIONS } from "../../files/team/session-name.ts";
import { task } from "./task.ts";
import * as words from "./words.ts";

test("[TC-051] [TC-121] tables and codecs use the same words", () => {
  expect(words.STATES).toEqual(names.STATES);
  expect(words.SESSIONS).toBe(SESSIONS);
  expect(words.APPROVED_STARTS).toEqual(answers.APPROVED_STARTS);
  expect(words.CHANGES_START).toBe(answers.CHANGES_START);
  expect(words.STRATEGY_WORDS).toEqual(answers.STRATEGY_WORDS);
  expect(task.states).toEqual(names.TASK_STATUSES);
});
