/**
 * Given, when, then for protocols: the harness that Holdpoint tests its own with. It needs no test runner; what
 * is not as expected throws, with the difference.
 */
export { given } from "./testing/given.ts";
export type { Facts, StoryWorld } from "./testing/world.ts";
export { AGENT, ENGINE, PERSON } from "./testing/story.ts";
export type { As, Story } from "./testing/story.ts";
