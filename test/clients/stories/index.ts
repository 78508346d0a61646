export { complexPlugin, simplePlugin } from "./plugin.ts";
export { highTask, lowTask } from "./task.ts";
export { fullSession, leanSession } from "./team.ts";
