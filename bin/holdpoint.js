#!/usr/bin/env node
import module from "node:module";

// From Node 22 on, compiled code is kept between calls; a verb's start is then mostly Node's own.
module.enableCompileCache?.();
const { main } = await import("../dist/bin/main.js");

process.exitCode = await main(process.argv.slice(2));
