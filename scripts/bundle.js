// One file instead of four hundred modules: loading them was most of a command's time.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const OUT = "dist/bin";
const NAME = "holdpoint.cjs";

const { outputFiles } = await build({
  entryPoints: ["dist/cli/main.js"],
  bundle: true,
  write: false,
  format: "cjs",
  platform: "node",
  target: "node20",
  minify: true,
  // Families are still read when they are met; in one file there is nothing to import for that.
  supported: { "dynamic-import": false },
  define: { "import.meta.url": "moduleUrl" },
  // A function as a whole: it is compiled as it is read, without a copy.
  banner: {
    js: '(function (require, module, __filename) {const moduleUrl = require("node:url").pathToFileURL(__filename).href;',
  },
  footer: { js: "})" },
  logLevel: "warning",
});

// bin/holdpoint.js keeps compiled code under this digest: V8 itself compares no more than lengths.
const text = toAscii(outputFiles[0].text);
const digest = createHash("sha256").update(text).digest("hex");
mkdirSync(OUT, { recursive: true });
for (const name of readdirSync(OUT))
  if (name !== NAME) rmSync(join(OUT, name), { recursive: true });
// By rename: a call that starts meanwhile reads the old program or the new one.
writeFileSync(join(OUT, `.${NAME}`), `//${digest}\n${text}`);
renameSync(join(OUT, `.${NAME}`), join(OUT, NAME));

/** So that it can be read without decoding. esbuild escapes strings, but leaves regular expressions as they are. */
function toAscii(source) {
  return source.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
