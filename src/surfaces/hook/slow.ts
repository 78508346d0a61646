/** The part of the hook that needs the engine. Loaded only if the small file alone cannot answer. */
export { answerEvent, noteBefore } from "./events.ts";
export { makeWatchAt } from "./remake.ts";
