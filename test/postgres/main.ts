/**
 * `npm run test:postgres`: everything that needs a server of PostgreSQL. It starts one of its own, runs the tests of
 * this folder on it, and ends it. What follows the command goes to vitest: the names of tests, or `-t`.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startServer } from "./server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const server = await startServer();
try {
  process.stdout.write(`PostgreSQL on 127.0.0.1:${server.port}, in ${server.dir}\n`);
  const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...process.argv.slice(2)];
  const env = {
    ...process.env,
    HOLDPOINT_SUITE: "postgres",
    HOLDPOINT_TEST_POSTGRES: server.url(),
  };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "inherit" });
  process.exitCode = await new Promise<number>((resolve) => {
    child.on("close", (code) => resolve(code ?? 1));
  });
} finally {
  await server.remove();
}
