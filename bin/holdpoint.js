#!/usr/bin/env node
"use strict";
// Starting is felt on every call, and compiling the program was a third of it. What V8 compiled is kept
// beside the program, under the program's digest and the version of Node; the first calls of every verb add
// to it what each of them needed. Whoever could write something else there could as well change the program.
const { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const CALLS_MAX = 4;
const VERBS_MAX = 32;

const file = join(__dirname, "../dist/bin/holdpoint.cjs");
const source = readProgram();
const digest = source.slice(2, 2 + 16);
const kept = `${file}.${digest}-${process.version}-${process.arch}.cache`;

const known = readKept();
const script = new Script(source, {
  filename: file,
  ...(known.data === undefined ? {} : { cachedData: known.data }),
});
const program = { exports: {} };
script.runInThisContext()(require, program, file);
program.exports.main(process.argv.slice(2)).then((exit) => {
  process.exitCode = exit;
  const calls = script.cachedDataRejected === true ? {} : known.calls;
  const verb = /^[a-z]{1,16}$/.test(process.argv[2]) ? process.argv[2] : "";
  const made = calls[verb] ?? 0;
  if (made < CALLS_MAX && Object.keys(calls).length < VERBS_MAX)
    keep({ ...calls, [verb]: made + 1 });
});

function readProgram() {
  try {
    return readFileSync(file, "latin1");
  } catch (error) {
    process.stderr.write(
      `Cannot read the program: ${error.message}\nIn a clone, run npm install.\n`,
    );
    process.exit(1);
  }
}

/** A line that says how often each verb has added to it, then what V8 made. */
function readKept() {
  try {
    const bytes = readFileSync(kept);
    const end = bytes.indexOf("\n");
    return { calls: JSON.parse(bytes.toString("latin1", 0, end)), data: bytes.subarray(end + 1) };
  } catch {
    return { calls: {}, data: undefined };
  }
}

/** Where nothing may be written, every call compiles. */
function keep(calls) {
  try {
    const place = mkdtempSync(join(dirname(file), ".cache-"));
    const line = Buffer.from(`${JSON.stringify(calls)}\n`);
    writeFileSync(join(place, "new"), Buffer.concat([line, script.createCachedData()]));
    renameSync(join(place, "new"), kept);
    rmSync(place, { recursive: true });
  } catch {
    return;
  }
}
