// One file per verb instead of two hundred small modules: loading them was most of a command's time.
import { build } from "esbuild";

await build({
  entryPoints: ["dist/cli/main.js"],
  outdir: "dist/bin",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  minifyWhitespace: true,
  minifySyntax: true,
  // `yaml` is CommonJS inside and asks for `require`.
  banner: {
    js: 'import { createRequire as createRequireHere } from "node:module"; const require = createRequireHere(import.meta.url);',
  },
  logLevel: "warning",
});
