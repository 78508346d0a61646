/** Workflows as far as the cases need them, in repositories where a client is at home. */
import { repository } from "../e2e/cli.ts";
import type { Scratch } from "../e2e/cli.ts";
import { NAME, answer, finish, writeIdeas } from "../e2e/plugin.ts";
import type { Room } from "./adapters.ts";
import type { Lab, MoveOptions } from "./lab.ts";

export interface Home {
  readonly scratch: Scratch;
  readonly room: Room;
}

/** A plugin whose plan is sealed; stage 2 is done, and a person is asked. */
export function askedPlugin(lab: Lab, options?: MoveOptions): Home {
  const scratch = repository();
  const room = lab.move(scratch, options);
  scratch.hold(["start", NAME, "--protocol", "plugin-workflow"]);
  writeIdeas(scratch);
  scratch.hold(["advance", NAME]);
  finish(scratch, "0");
  answer(scratch, "1");
  const reply = finish(scratch, "2");
  if (reply.exit !== 11) throw new Error(`nobody is asked: ${reply.stdout}`);
  return { scratch, room };
}
