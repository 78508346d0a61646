/**
 * `npm run test:postgres`: everything that needs a server of PostgreSQL. It starts one of its own, runs the tests of
 * this folder on it, then the end-to-end tests of the families, and ends it. What follows the command goes to vitest:
 * the names of tests, or `-t`.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { TEMPLATE } from "../e2e/store.ts";
import { setUp } from "./harness.ts";
import type { Server } from "./server.ts";
import { startServer } from "./server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

async function vitest(suite: string, env: Readonly<Record<string, string>>): Promise<number> {
  const chosen = process.argv.slice(2);
  const some = chosen.length === 0 ? [] : ["--passWithNoTests", ...chosen];
  const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run", ...some];
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, HOLDPOINT_SUITE: suite, ...env },
    stdio: "inherit",
  });
  return await new Promise<number>((resolve) => {
    child.on("close", (code) => resolve(code ?? 1));
  });
}

/** A database that is set up as a store; every scratch repository gets a copy of it. */
async function makeTemplate(server: Server): Promise<void> {
  await setUp(server.url(), { project: "e2e", database: TEMPLATE });
}

const server = await startServer();
const room = mkdtempSync(join(tmpdir(), "holdpoint-counts-"));
const counts = join(room, "counts");
try {
  process.stdout.write(`PostgreSQL on 127.0.0.1:${server.port}, in ${server.dir}\n`);
  await makeTemplate(server);
  const own = await vitest("postgres", {
    HOLDPOINT_TEST_POSTGRES: server.url(),
    HOLDPOINT_TEST_COUNTS: counts,
  });
  const e2e = { HOLDPOINT_E2E_POSTGRES: server.url(), HOLDPOINT_TEST_COUNTS: counts };
  const clones = await vitest("postgres-clones", e2e);
  const families = await vitest("postgres-families", e2e);
  if (existsSync(counts)) process.stdout.write(`\n${readFileSync(counts, "utf8")}`);
  process.exitCode = Math.max(own, clones, families);
} finally {
  await server.remove();
  rmSync(room, { recursive: true, force: true });
}
