/** Each client drives a whole workflow of each family through the tools of the server. */
import { heldIf } from "./lab.ts";
import type { Group, Lab, Outcome } from "./lab.ts";
import { playWithClient } from "./play.ts";
import { simplePlugin } from "./stories/plugin.ts";
import type { Story } from "./stories/story.ts";
import { lowTask } from "./stories/task.ts";
import { leanSession } from "./stories/team.ts";

export const workflows: Group = {
  name: "Whole workflows through MCP",
  cases: {
    plugin: "a plugin, from its idea to a build that works",
    team: "a lean session, from its goal to DONE",
    task: "a task, from the list to the merged commit",
  },
  run: async (lab) => ({
    plugin: await whole(lab, simplePlugin()),
    team: await whole(lab, leanSession()),
    task: await whole(lab, lowTask()),
  }),
};

async function whole(lab: Lab, story: Story): Promise<Outcome> {
  const room = lab.move(story.scratch);
  const { exit, stdout } = await playWithClient(lab, room, story);
  const sound = story.scratch.hold(["verify", "--all"]);
  const why = [`exit ${exit}`, ...lab.model.missing(), sound.stdout, stdout.slice(-2000)].join(
    "; ",
  );
  return heldIf(story.isOver() && exit === 0 && sound.exit === 0, why);
}
