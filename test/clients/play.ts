/** A story played by a real client: its model hears what its tools answer, its subagents are the client's own. */
import { setTimeout as pause } from "node:timers/promises";
import type { Room } from "./adapters.ts";
import type { Lab } from "./lab.ts";
import { mark } from "./model/script.ts";
import type { Script } from "./model/script.ts";
import type { Model } from "./model/server.ts";
import type { Ended, RunOptions } from "./session.ts";
import { Lead, agentSteps } from "./stories/story.ts";
import type { Out, Story } from "./stories/story.ts";

const AGENTS_MS_MAX = 40_000;
const POLL_MS = 50;

export async function playWithClient(
  lab: Lab,
  room: Room,
  story: Story,
  options: RunOptions = {},
): Promise<Ended> {
  story.prepare?.();
  return await lab.play(room, { main: leading(lab, story) }, options);
}

function leading({ model }: Lab, story: Story): Script {
  const lead = new Lead(story);
  let out: readonly Out[] = [];
  return async (heard) => {
    // Some clients' subagents work in the background; nothing goes on before they have spoken.
    await allEnded(out, model);
    const said = out.map(({ dispatch }) => model.lastWords(dispatch) ?? "").join("\n");
    // What a subagent passed on comes once more where it worked in the background, and is old then.
    const fresh = heard.replaceAll(/^.*Orchestrator: .*$/gm, "");
    const turn = lead.turn(`${fresh}\n${said}`);
    out = turn.kind === "agents" ? turn.out : [];
    if (turn.kind === "over") return { say: "Done." };
    if (turn.kind === "calls") return { calls: turn.ops };
    if (turn.kind === "person") {
      story.person();
      return { calls: [turn.after] };
    }
    for (const one of out) model.also(one.dispatch, agentSteps(one, story.work));
    const calls = out.map(({ role, dispatch }) => ({
      agent: role,
      prompt: `${dispatch} ${mark(dispatch)}`,
    }));
    return { calls };
  };
}

async function allEnded(out: readonly Out[], model: Model): Promise<void> {
  const until = performance.now() + AGENTS_MS_MAX;
  while (out.some(({ dispatch }) => model.lastWords(dispatch) === undefined)) {
    if (performance.now() > until || model.missing().length > 0)
      throw new Error(`no end of ${JSON.stringify(out)}`);
    await pause(POLL_MS);
  }
}
