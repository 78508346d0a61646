/** Planned from a draft: what is sealed is what is there, and nothing else is called sealed. */
import { expect, test } from "vitest";
import type { Scratch } from "../cli.ts";
import {
  NAME,
  answer,
  doWork,
  finish,
  giveReport,
  handoffOf,
  ideas,
  pluginAt,
  questionOf,
  reportText,
  sha256,
  writeMockup,
} from "../plugin.ts";

const SPEC = "# Parameters\n\n- TIME\n";

/** Stage 0 done with nothing but a draft of the parameters. */
function drafted(): Scratch {
  const scratch = pluginAt("new");
  scratch.write(ideas("parameter-spec-draft.md"), "# Draft\n\n- TIME\n");
  scratch.remove(ideas("parameter-spec.md"));
  scratch.hold(`advance ${NAME} research`);
  expect(finish(scratch, "0").exit).toBe(11);
  return scratch;
}

test("[PW-051][PW-056] planning from a draft seals the draft, and no parameter spec that is not there", () => {
  const scratch = drafted();
  const sealed = /^ *sealed (.*)$/m.exec(scratch.say(`audit ${NAME}`).stdout)?.[1] ?? "";
  expect(sealed).toMatch(/\/parameter-spec-draft\.md \([0-9a-f]{12}\)/);
  expect(sealed).not.toContain("/parameter-spec.md");
  expect(scratch.read(handoffOf())).toContain("parameter_spec: null");
  scratch.edit(ideas("parameter-spec-draft.md"), (text) => `${text}- MIX\n`);
  scratch.write(ideas("parameter-spec.md"), SPEC);
  const next = scratch.hold(`answer ${NAME} 1`);
  expect(questionOf(next)).toBe("contract-changed");
  expect(next.json.held?.[0]?.about["message"]).toContain("parameter-spec-draft.md");
});

test("[PW-053][PW-054] the parameter spec is sealed when stage 2 is handed out, and cannot be changed by it", () => {
  const scratch = drafted();
  scratch.write(ideas("parameter-spec.md"), SPEC);
  const sent = answer(scratch, "1");
  expect(sent.json.order?.prompt).toContain(`${ideas("parameter-spec.md")} (sealed)`);
  expect(scratch.read(handoffOf())).toContain(`parameter_spec: ${sha256(SPEC)}`);
  expect(scratch.hold(`verify ${NAME}`).exit).toBe(0);
  scratch.write(ideas("parameter-spec.md"), "# Parameters\n\nNone.\n");
  const reply = finish(scratch, "2");
  expect(questionOf(reply)).toBe("contract-changed");
  expect(reply.json.held?.[0]?.about["message"]).toContain("parameter-spec.md changed");
});

test("[PW-054][PW-277] the mock-up an interface is built from is sealed with its order", () => {
  const scratch = pluginAt("s3");
  writeMockup(scratch);
  const order = answer(scratch, "1").json.order?.prompt ?? "";
  expect(order).toContain(`${ideas("mockups/v1-ui.html")} (sealed)`);
  scratch.write(ideas("research.md"), "notes\n");
  scratch.edit(ideas("mockups/v1-ui.html"), (text) => text.replace("main", "p"));
  doWork(scratch, "4");
  const reply = giveReport(scratch, reportText("4"));
  expect(questionOf(reply)).toBe("contract-changed");
  expect(answer(scratch, "restore").json.warnings?.join()).toContain("v1-ui.html");
  expect(answer(scratch, "1").json.state).toBe("🚧 Stage 4");
  scratch.edit(ideas("mockups/v1-ui.html"), (text) => `${text}<p>later</p>\n`);
  expect(answer(scratch, "1").json.state).toBe("🚧 Stage 5");
});

test("[PW-054] an order calls sealed only what is sealed", () => {
  const scratch = pluginAt("s2");
  scratch.write(ideas("research.md"), "notes\n");
  scratch.write(ideas("parameter-spec-draft.md"), "an old draft\n");
  const order = answer(scratch, "1").json.order?.prompt ?? "";
  expect(order).toContain(`${ideas("plan.md")} (sealed)`);
  expect(order).toContain(`- ${ideas("research.md")}\n`);
  expect(order).toContain(`- ${ideas("parameter-spec-draft.md")}\n`);
});
