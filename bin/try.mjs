// Loads a module in a process of its own, and says what it has left behind: the program that asks would have to live
// with it. What comes through descriptor 3 is a dot when the module's own time begins, and then a list, as JSON.
import { createHook } from "node:async_hooks";
import { writeSync } from "node:fs";
import { register } from "node:module";

const { url, hook, data, library } = JSON.parse(process.argv[2]);
// A module that looks for how it is tried finds less to go by.
process.argv.splice(2);

const { kill } = process;
const exit = process.exit.bind(process);
const stringify = JSON.stringify.bind(JSON);
const say = writeSync;
const later = setImmediate;

const RUNNING = {
  Timeout: "a timer",
  Immediate: "a timer",
  PROCESSWRAP: "a child process",
  WORKER: "a worker",
  TCPSERVERWRAP: "a server",
  PIPESERVERWRAP: "a server",
  TCPWRAP: "a connection",
  PIPEWRAP: "a connection",
  GETADDRINFOREQWRAP: "a connection",
  UDPWRAP: "a socket",
  FSEVENTWRAP: "a watcher of files",
  STATWATCHER: "a watcher of files",
  SIGNALWRAP: "a listener for signals",
};

register?.(hook, { data });
await import(library).catch(() => {});

// Loaded when they are first used, which is no change of the module's.
const lazy = new Set();
for (const name of Reflect.ownKeys(globalThis))
  if (!("value" in Object.getOwnPropertyDescriptor(globalThis, name))) lazy.add(String(name));

const running = new Map();
const before = snapshot();
createHook({
  init: (id, type, _, resource) =>
    Object.hasOwn(RUNNING, type) && running.set(id, { type, resource }),
  destroy: (id) => running.delete(id),
}).enable();

say(3, ".");
try {
  await import(url);
} catch (error) {
  // Node shows where a syntax error is; of other errors it would print the line of the library that threw.
  if (!(error instanceof Error) || error.name === "SyntaxError") throw error;
  say(2, error.stack ?? "");
  exit(1);
}
const left = new Set();
look();
// What goes on without end, or fails unseen, does so before the next turn.
await new Promise((done) => running.delete(idOf(later(done))));
look();
say(3, stringify(told()));
exit(0);

function look() {
  for (const { type, resource } of running.values()) {
    left.add(`leaves ${RUNNING[type]} running`);
    if (type === "PROCESSWRAP" && resource.pid > 0) kill(resource.pid, "SIGKILL");
  }
}

function idOf(resource) {
  for (const [id, one] of running) if (one.resource === resource) return id;
  return undefined;
}

/** In loops and nothing cleverer: what arrays can do may be what was changed. */
function told() {
  const after = snapshot();
  const list = [...left];
  const max = list.length + 5;
  let last = "";
  for (const [name, value] of [...before, ...after]) {
    const same = Object.is(before.get(name), value) && Object.is(after.get(name), value);
    // Of a global that is another one now, its members are not told as well.
    if (same || (last !== "" && name.startsWith(last))) continue;
    if (list.length < max && !list.includes(`changes ${name}`))
      list[list.length] = `changes ${name}`;
    last = name.startsWith("global ") ? `${name.slice(7)}.` : "";
  }
  return list;
}

/** Everything a module shares with the program, by its name: globals, what belongs to them, the environment. */
function snapshot() {
  const seen = new Map();
  for (const [name, value] of members(globalThis)) {
    // Symbols are what Node keeps there for itself.
    if (lazy.has(name) || name.startsWith("Symbol(")) continue;
    seen.set(`global ${name}`, value);
    if (!isOwner(value) || value === globalThis || name === "process") continue;
    for (const [key, one] of members(value)) seen.set(`${name}.${key}`, one);
    const { prototype } = value;
    if (typeof value !== "function" || !isOwner(prototype)) continue;
    for (const [key, one] of members(prototype)) seen.set(`${name}.prototype.${key}`, one);
  }
  for (const [name, value] of Object.entries(process.env)) seen.set(`process.env.${name}`, value);
  for (const name of ["exit", "cwd", "chdir", "emit", "on", "nextTick", "kill"])
    seen.set(`process.${name}`, process[name]);
  for (const name of ["stdout", "stderr"]) seen.set(`process.${name}.write`, process[name].write);
  for (const event of process.eventNames())
    seen.set(`process.on("${String(event)}")`, process.listenerCount(event));
  seen.set("the working directory", process.cwd());
  return seen;
}

function members(owner) {
  const list = [];
  for (const key of Reflect.ownKeys(owner)) {
    const found = Object.getOwnPropertyDescriptor(owner, key);
    // oxlint-disable-next-line typescript/unbound-method -- compared, not called
    list[list.length] = [String(key), "value" in found ? found.value : found.get];
  }
  return list;
}

function isOwner(value) {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
