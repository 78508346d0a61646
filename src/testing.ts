/**
 * Given, when, then for protocols: the harness with which Holdpoint tests its own protocols. It needs no test
 * runner: whatever is not as expected throws and shows the difference.
 */
export { given } from "./testing/given.ts";
export type { Facts, StoryWorld } from "./testing/world.ts";
export { AGENT, ENGINE, PERSON } from "./testing/story.ts";
export type { As, Story } from "./testing/story.ts";
