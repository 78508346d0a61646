#!/usr/bin/env node
"use strict";
// Starting is felt on every call, and compiling the program was a third of it. What V8 compiled is kept
// beside the program, under its digest, the version of Node and the verb: what other verbs need would have to
// be read back as well. The first calls of a verb add to it what each of them needed. Whoever could write
// something else there could as well change the program itself.
const { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { Script } = require("node:vm");

const CALLS_MAX = 4;
const VERBS_MAX = 64;
const USAGE = 2;
const HOME = join(__dirname, "../dist/bin");
const MADE_BY = `${process.version}-${process.arch}`;
const CALLS = join(HOME, `calls-${MADE_BY}.json`);

/** The bundle takes nothing from these by default import alone, and nothing while it is loaded. */
const LATE = new Set(
  [
    "child_process",
    "crypto",
    "fs/promises",
    "readline",
    "timers/promises",
    "tty",
    "worker_threads",
  ].map((name) => `node:${name}`),
);

const modules = new Map();
/** Parts that were read, by name. */
const shelf = new Map();
const files = [];
const words = process.argv.slice(2);
const verb = /^[a-z-]{1,16}$/.test(words[0]) ? words[0] : "";
// Asked by installers and scripts, and answered without the program.
if (words.length === 1 && words[0] === "--version")
  process.stdout.write(`${require("../package.json").version}\n`);
else
  begin().then((exit) => {
    process.exitCode = exit;
    keepWhatIsNew(exit);
  });

function begin() {
  if (words[0] === "hook") return startHook(words.slice(1));
  // Git's own hooks call it, before a protected branch moves.
  return words[0] === "fence-hook" ? load("fence.cjs").main(words.slice(1)) : start().main(words);
}

/** Started before every use of a tool; what it cannot find out must not pass for a yes. */
function startHook(rest) {
  return Promise.resolve()
    .then(() => load("hook.cjs").main(rest, join(__dirname, "..")))
    .catch((error) => {
      process.stderr.write(`HOLD internal_error: the hook cannot judge: ${error?.message}\n`);
      return 2;
    });
}

function start() {
  try {
    return load("holdpoint.cjs");
  } catch (error) {
    if (error?.code !== "ENOENT") throw error;
    process.stderr.write(
      `Cannot read the program: ${error.message}\nIn a clone, run npm install.\n`,
    );
    process.exit(1);
  }
}

/** One part of the program, once; it asks for the others by their names. */
function load(name) {
  const known = modules.get(name);
  if (known !== undefined) return known.exports;
  if (!shelf.has(name)) read(name);
  const module = { exports: {} };
  modules.set(name, module);
  shelf.get(name)(requirePart, module, join(HOME, name));
  return module.exports;
}

/** Parts and slow modules of Node's are loaded once something of theirs is used: no call uses all of them. */
function requirePart(wanted) {
  if (wanted.startsWith("./")) return late(() => load(wanted.slice(2)));
  return LATE.has(wanted) ? late(() => require(wanted)) : require(wanted);
}

/** Stands for a module until the first of it is asked for; from then on whatever is asked is the module's. */
function late(loaded) {
  const get = (_, member) => {
    const module = loaded();
    Object.setPrototypeOf(exports, module);
    if (!("default" in module)) exports.default = module;
    return exports[member];
  };
  const exports = Object.create(new Proxy({}, { get }));
  return exports;
}

/** A file is one part, or what a call begins with and all the parts that it cannot be loaded without. */
function read(name) {
  const file = join(HOME, name);
  const source = readFileSync(file, "latin1");
  const kept = `${file}.${source.slice(2, 2 + 16)}-${MADE_BY}-${verb}.cache`;
  const cachedData = readIfThere(kept);
  const script = new Script(source, { filename: file, cachedData });
  const isKept = cachedData !== undefined && script.cachedDataRejected !== true;
  files.push({ kept, script, isKept });
  const made = script.runInThisContext();
  for (const [part, run] of Object.entries(typeof made === "function" ? { [name]: made } : made))
    if (!shelf.has(part)) shelf.set(part, run);
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function keepWhatIsNew(exit) {
  const calls = readCalls();
  const made = calls.get(verb) ?? 0;
  // A word that is no verb ends as wrong usage, and is worth no room on the disk.
  if (made === 0 && (exit === USAGE || calls.size >= VERBS_MAX)) return;
  if (made >= CALLS_MAX && files.every((file) => file.isKept)) return;
  try {
    const place = mkdtempSync(join(HOME, ".new-"));
    const write = (file, bytes) => {
      writeFileSync(join(place, "new"), bytes);
      renameSync(join(place, "new"), file);
    };
    for (const { kept, script } of files) write(kept, script.createCachedData());
    write(CALLS, JSON.stringify([...calls.set(verb, made + 1)]));
    rmSync(place, { recursive: true });
  } catch {
    // Where nothing may be written, every call compiles.
  }
}

/** How often each verb has added to what is kept. */
function readCalls() {
  try {
    return new Map(JSON.parse(readFileSync(CALLS, "utf8")));
  } catch {
    return new Map();
  }
}
