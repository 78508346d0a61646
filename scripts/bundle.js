// One file per verb instead of two hundred small modules: loading them was most of a command's time.
import { readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { cpSync } from "node:fs";
import { build } from "esbuild";

const OUT = "dist/bin";

const { metafile } = await build({
  entryPoints: ["dist/cli/main.js"],
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifyWhitespace: true,
  minifySyntax: true,
  metafile: true,
  // `yaml` is CommonJS inside and asks for `require`.
  banner: {
    js: 'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);',
  },
  logLevel: "warning",
});

// For editors: they lie beside the program, wherever it was installed.
cpSync("schemas", "dist/schemas", { recursive: true });

// Names of parts change with their content: without this, every build ever made would be shipped.
const made = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
for (const name of readdirSync(OUT)) if (!made.has(name)) rmSync(join(OUT, name));
