/** Where nothing is held nothing is stopped: a client does all its kinds of work, and goes on another time. */
import { join } from "node:path";
import { repository } from "../e2e/cli.ts";
import { ADAPTERS } from "./adapters.ts";
import { heldIf } from "./lab.ts";
import type { Group } from "./lab.ts";
import { mark } from "./model/script.ts";

export const alive: Group = {
  name: "Nothing is held",
  cases: {
    "free-edit": "files are written and edited",
    "free-shell": "commands run",
    "free-agent": "a subagent works",
    "free-resume": "the session goes on another time",
  },
  run: async (lab) => {
    const scratch = repository();
    const room = lab.move(scratch);
    const file = join(room.top, "two.txt");
    const first = await lab.play(room, {
      main: [
        { calls: [{ shell: "echo one > one.txt" }] },
        { calls: [{ write: [file, "two\n"] }] },
        { calls: [{ read: file }] },
        { calls: [{ edit: [file, "two", "three"] }] },
        { calls: [{ agent: ADAPTERS[lab.client].anyAgent, prompt: `Help. ${mark("helper")}` }] },
        { calls: [{ wait: 3 }] },
        { say: "Done." },
      ],
      helper: [{ calls: [{ shell: "echo four > four.txt" }] }, { say: "Done." }],
    });
    const again = await lab.play(
      room,
      { main: [{ calls: [{ shell: "echo five > five.txt" }] }, { say: "Done." }] },
      { session: first.session ?? "" },
    );
    const has = (name: string, text: string): boolean =>
      scratch.has(name) && scratch.read(name) === text;
    const why = `exit ${first.exit}, then ${again.exit}; ${lab.model.missing().join("; ")}`;
    return {
      "free-edit": heldIf(has("two.txt", "three\n"), why),
      "free-shell": heldIf(has("one.txt", "one\n"), why),
      "free-agent": heldIf(has("four.txt", "four\n"), why),
      "free-resume": heldIf(again.exit === 0 && has("five.txt", "five\n"), why),
    };
  },
};
