// A few files instead of four hundred modules: loading them was most of a command's time. What every call
// needs is in one of them, and each family in its own.
import { createHash } from "node:crypto";
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { build, transform } from "esbuild";

const OUT = "dist/bin";
const FIRST = "holdpoint.cjs";
/** What `bin/holdpoint.js` and the hook load by name. */
const BEGINS = new Set([FIRST, "hook-slow.cjs", "fence.cjs"]);
const HOW = {
  platform: "node",
  target: "node20",
  minify: true,
  logLevel: "warning",
  // As a literal V8 compiles it when it is used; esbuild would build it while its module is loaded.
  supported: { "regexp-unicode-property-escapes": true },
};
// Installed by whoever wants it, and loaded only where the store is named.
const NOT_OURS = ["pg"];

const { outputFiles, metafile } = await build({
  ...HOW,
  entryPoints: {
    holdpoint: "dist/surfaces/cli/main.js",
    "hook-slow": "dist/surfaces/hook/slow.js",
    fence: "dist/surfaces/fence/main.js",
  },
  bundle: true,
  external: NOT_OURS,
  write: false,
  outdir: OUT,
  outExtension: { ".js": ".cjs" },
  format: "esm",
  splitting: true,
  define: { "import.meta.url": "moduleUrl" },
  metafile: true,
});

// The hook runs before every use of a tool: one file, which asks for the engine only where it needs it.
const hook = await build({
  ...HOW,
  entryPoints: { hook: "dist/surfaces/hook/main.js" },
  bundle: true,
  external: NOT_OURS,
  write: false,
  outdir: OUT,
  outExtension: { ".js": ".cjs" },
  format: "esm",
  plugins: [
    {
      name: "slow",
      setup: (bundler) =>
        bundler.onResolve({ filter: /\/slow\.js$/ }, () => ({
          path: "./hook-slow.cjs",
          external: true,
        })),
    },
  ],
});
outputFiles.push(...hook.outputFiles);

mkdirSync(OUT, { recursive: true });
const names = new Set();
// The one that names the others comes last, and by rename: a call that starts meanwhile finds all it needs.
const parts = new Map();
for (const { path, text } of outputFiles) parts.set(basename(path), await toFunction(text));
for (const name of [...parts.keys()].toSorted((a, b) => order(a) - order(b))) {
  writeFileSync(join(OUT, `.${name}`), signed(shelfOf(name)));
  renameSync(join(OUT, `.${name}`), join(OUT, name));
  names.add(name);
}
for (const name of readdirSync(OUT))
  if (!names.has(name)) rmSync(join(OUT, name), { recursive: true });

// Packages of others that are in it; nobody who installs ours gets their own files.
const packages = Object.keys(metafile.inputs).flatMap(
  (path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
);
writeFileSync(
  "dist/LICENSES.txt",
  [...new Set(packages)]
    .sort()
    .map((path) => `${path.slice(13)}\n\n${licenseIn(path)}\n`)
    .join("\n"),
);

// What the file of a protocol imports, as one file: it is loaded with every call that meets such a protocol.
await build({
  ...HOW,
  entryPoints: ["dist/index.js"],
  outfile: "dist/library.mjs",
  bundle: true,
  format: "esm",
  external: ["./door/*", ...NOT_OURS],
  // A package in it is CommonJS, and asks for Node's modules by require.
  banner: {
    js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);',
  },
});

// Runs inside a client, as it is.
copyFileSync("src/surfaces/hook/opencode-plugin.js", "dist/opencode-plugin.js");

function licenseIn(path) {
  const name = readdirSync(path).find((one) => /^licen[cs]e/i.test(one));
  if (name === undefined) throw new Error(`${path} is bundled, and has no licence to go with it`);
  return readFileSync(join(path, name), "utf8").trim();
}

function order(name) {
  return name === FIRST ? 1 : 0;
}

/**
 * What a call begins with, and everything it cannot be loaded without, in one file: esbuild makes a file for each set of
 * entries that share something, and reading sixty of them took a third of a short call.
 */
function shelfOf(name) {
  if (!BEGINS.has(name)) return `(${parts.get(name)})`;
  const all = neededBy(name);
  // Without a bracket around each: V8 takes that for a function that is called at once, and compiles it.
  return `({${[...all].map((one) => `${JSON.stringify(one)}:${parts.get(one)}`).join(",\n")}})`;
}

function neededBy(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const { path, kind } of metafile.outputs[`${OUT}/${name}`].imports)
    if (kind === "import-statement" && parts.has(basename(path))) neededBy(basename(path), found);
  return found;
}

function signed(text) {
  return `//${createHash("sha256").update(text).digest("hex")}\n${text}`;
}

/**
 * Modules that are compiled as they are read: a function as a whole, in ASCII, and under a digest, because
 * V8 compares no more than lengths. esbuild splits nothing but ES modules, so the rest is done afterwards.
 */
async function toFunction(module) {
  const url = 'const moduleUrl=require("node:url").pathToFileURL(__filename).href;';
  const { code } = await transform(module, {
    ...HOW,
    format: "cjs",
    supported: { ...HOW.supported, "dynamic-import": false },
    banner: `function(require,module,__filename){${module.includes("moduleUrl") ? url : ""}`,
    footer: "}",
  });
  return toAscii(withoutCopies(code)).trim();
}

/** esbuild copies what a module exports, which loads it; `bin/holdpoint.js` hands it out as it is. */
function withoutCopies(code) {
  return code.replaceAll(/(?<![\w$])[\w$]+\((require\("[^"]+"\))(?:,1)?\)/g, "$1");
}

/** So that it can be read without decoding. esbuild escapes strings, but leaves regular expressions as they are. */
function toAscii(source) {
  return source.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
