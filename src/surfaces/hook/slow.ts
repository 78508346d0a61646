/** What the hook needs of the engine: loaded only where the small file alone cannot answer. */
export { answerEvent, noteBefore } from "./events.ts";
export { makeWatchAt } from "./remake.ts";
