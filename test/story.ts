/** The public harness, with the name that most of these tests give their workflow. */
import type { Protocol } from "../src/core/table/protocol.ts";
import { given } from "../src/testing.ts";
import type { Story, StoryWorld } from "../src/testing.ts";

export { AGENT, ENGINE, PERSON } from "../src/testing.ts";
export type { As, Facts, Story, StoryWorld } from "../src/testing.ts";

export function story(protocol: Protocol, world: StoryWorld): Story {
  return given(protocol, { workflow: "Toy", ...world });
}
