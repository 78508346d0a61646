/** A plugin from its idea to a build that works: simple, or with stages in phases. */
import { repository } from "../../e2e/cli.ts";
import {
  NAME,
  PHASES,
  answer,
  doWork,
  planText,
  reportText,
  writeIdeas,
  writeMockup,
  writeValidated,
} from "../../e2e/plugin.ts";
import { recording } from "./story.ts";
import type { Story } from "./story.ts";

interface Way {
  readonly plan: string;
  /** Stages and phases, each with what a person answers after it. */
  readonly steps: readonly (readonly [step: string, choice: string])[];
}

const SIMPLE: Way = {
  plan: planText("1.2"),
  steps: [
    ["0", "1"],
    ["2", "1"],
    ["3", "headless"],
    ["4", "1"],
  ],
};

const COMPLEX: Way = {
  plan: planText("5.0", PHASES),
  steps: ["0", "2", ...PHASES].map((step) => [step, "1"] as const),
};

export function simplePlugin(): Story {
  return pluginStory("a simple plugin", SIMPLE);
}

export function complexPlugin(): Story {
  return pluginStory("a complex plugin", COMPLEX);
}

function pluginStory(name: string, { plan, steps }: Way): Story {
  const scratch = repository();
  const later = recording(scratch);
  const left = [...steps];
  let ready = false;
  let [done, choice] = ["", ""];
  return {
    name,
    scratch,
    begin: { mcp: "start", args: { workflow: NAME, protocol: "plugin-workflow" } },
    own: () => {
      if (!ready) writeIdeas(later.scratch);
      else if (left.length === 0 && !scratch.has(`plugins/${NAME}/CHANGELOG.md`))
        writeValidated(later.scratch);
      ready = true;
      return later.taken();
    },
    person: () => {
      if (done === "3.3") writeMockup(scratch);
      answer(scratch, choice);
    },
    work: () => {
      [done, choice] = left.shift() ?? ["", ""];
      doWork(later.scratch, done, { plan });
      return { does: later.taken(), report: reportText(done) };
    },
    isOver: () => /^\*\*Status:\*\* ✅ Working/m.test(scratch.read("PLUGINS.md")),
  };
}
