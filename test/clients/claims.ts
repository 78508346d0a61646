/** Who says that it is done when it is not is told so, and goes on. */
import { repository } from "../e2e/cli.ts";
import type { Scratch } from "../e2e/cli.ts";
import { NAME, agentOf, giveReport, writeIdeas } from "../e2e/plugin.ts";
import { HELD, red } from "./lab.ts";
import type { Group, Lab, Outcome } from "./lab.ts";
import { mark } from "./model/script.ts";
import type { Scripts } from "./model/script.ts";

const WORDS = `${NAME} is done.`;

export const claims: Group = {
  name: "Claims to be done, and is not",
  cases: {
    "claim-turn": "the end of a turn that claims a workflow done",
    "claim-out": "the end of a turn with work that is out and not reported",
    "claim-agent": "the last words of a subagent that are no report",
    "claim-bounded": "refused twice, a turn ends all the same",
  },
  run: async (lab) => {
    const turn = await claimed(lab, "not-done", (begin) => ({ main: [begin, { say: WORDS }] }));
    const out = await claimed(lab, "work-unreported", (begin) => ({
      main: [begin, { calls: [{ mcp: "advance" }] }, { say: WORDS }, { say: WORDS }],
    }));
    const agent = await claimed(lab, "report-missing", (begin) => ({
      main: [
        begin,
        { calls: [{ mcp: "advance" }] },
        { calls: [{ agent: agentOf("0"), prompt: `W-1 ${mark("helper")}` }] },
        { calls: [{ wait: 12 }] },
        { say: "It is not reported." },
      ],
      helper: [{ calls: [{ mcp: "order", args: { dispatch: "W-1" } }] }, { say: WORDS }],
    }));
    return {
      "claim-turn": turn.outcome,
      "claim-out": out.outcome,
      "claim-agent": agent.outcome,
      "claim-bounded": [turn, out, agent].every(({ exit }) => exit === 0)
        ? HELD
        : red([turn, out, agent].map(({ exit }) => exit).join(", ")),
    };
  },
};

type Begin = { readonly calls: readonly [{ readonly mcp: string; readonly args: object }] };

/** Told with this code, in a request that came after those words; else it is shown that the words count for nothing. */
async function claimed(
  lab: Lab,
  code: string,
  scripts: (begin: Begin) => Scripts,
): Promise<{ readonly outcome: Outcome; readonly exit: unknown }> {
  const scratch = repository();
  const room = lab.move(scratch);
  writeIdeas(scratch);
  const args = { workflow: NAME, protocol: "plugin-workflow" };
  const ended = await lab.play(room, scripts({ calls: [{ mcp: "start", args }] }));
  const heard = lab.model.asked().some(({ body }) => JSON.stringify(body).includes(code));
  const tried = lab.model.missing().length === 0 && lab.model.lastWords("main") !== undefined;
  const why = `exit ${ended.exit}; ${lab.model.missing().join("; ")} ${ended.stderr.slice(-500)}`;
  if (!tried) return { outcome: red(`it was not tried: ${why}`), exit: ended.exit };
  return { outcome: heard ? HELD : countsForNothing(scratch), exit: ended.exit };
}

/** Nothing has moved, and the words are refused where they are given as a report. */
function countsForNothing(scratch: Scratch): Outcome {
  if (/^\*\*Status:\*\* ✅/m.test(scratch.read("PLUGINS.md"))) return red("it counts as done");
  const { exit, json } = giveReport(scratch, WORDS);
  const codes = (json.refusals ?? []).map((one) => one.code);
  const asked = (json.held ?? []).map((one) => `a person is asked: ${one.question}`);
  const why = `at the report: ${[...codes, ...asked].join(", ")}`;
  return exit === 0 ? red("the words count") : { kind: "engine", why };
}
