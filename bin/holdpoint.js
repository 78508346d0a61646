#!/usr/bin/env node
"use strict";
// Starting is felt on every call, and compiling the program was a third of it. What V8 compiled is kept
// beside the program, under the program's digest and the version of Node; the first calls add to it what
// each of them needed. Whoever could write something else there could as well change the program itself.
const { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } = require("node:fs");
const { dirname, join } = require("node:path");
const { Script } = require("node:vm");

const CALLS_MAX = 16;

const file = join(__dirname, "../dist/bin/holdpoint.cjs");
const source = readProgram();
const digest = source.slice(2, 2 + 16);
const kept = `${file}.${digest}-${process.version}-${process.arch}.cache`;

const known = readKept();
const script = new Script(source, {
  filename: file,
  ...(known.length === 0 ? {} : { cachedData: known.subarray(1) }),
});
const program = { exports: {} };
script.runInThisContext()(require, program, file);
program.exports.main(process.argv.slice(2)).then((exit) => {
  process.exitCode = exit;
  const calls = script.cachedDataRejected === true ? 0 : (known[0] ?? 0);
  if (calls < CALLS_MAX) keep(calls + 1);
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

function readKept() {
  try {
    return readFileSync(kept);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Where nothing may be written, every call compiles. */
function keep(calls) {
  try {
    const place = mkdtempSync(join(dirname(file), ".cache-"));
    writeFileSync(join(place, "new"), Buffer.concat([Buffer.of(calls), script.createCachedData()]));
    renameSync(join(place, "new"), kept);
    rmSync(place, { recursive: true });
  } catch {
    return;
  }
}
