/** A session that was killed goes on where it was: what happened is in the journal, not in the conversation. */
import { heldIf } from "./lab.ts";
import type { Group } from "./lab.ts";
import { playWithClient } from "./play.ts";
import { leanSession } from "./stories/team.ts";

export const resumed: Group = {
  name: "Killed and taken up again",
  cases: {
    "resumed-told": "the new session is told where the workflow stands",
    "resumed-done": "and brings it to its end",
  },
  run: async (lab) => {
    const story = leanSession();
    const room = lab.move(story.scratch);
    story.prepare?.();
    let hang: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (hang = resolve));
    const first = await lab.play(
      room,
      {
        main: [
          { calls: [{ mcp: "next" }] },
          { calls: [{ mcp: "advance" }] },
          {
            say: "",
            before: () => {
              hang();
              return new Promise(() => undefined);
            },
          },
        ],
      },
      { until },
    );
    const why = `first ${first.exit}, session ${first.session}`;
    const ended = await playWithClient(
      lab,
      room,
      { ...story, prepare: () => undefined },
      {
        session: first.session ?? "",
      },
    );
    const asked = lab.model.asked().find(({ script }) => script === "main");
    const told = JSON.stringify(asked?.body ?? {}).includes("Holdpoint: under way here");
    return {
      "resumed-told": heldIf(first.exit === "killed" && told, why),
      "resumed-done": heldIf(
        first.exit === "killed" && story.isOver(),
        `${why}, then ${ended.exit}; ${lab.model.missing().join("; ")}`,
      ),
    };
  },
};
