import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// The end-to-end tests run the built command line, never the sources: what users get is what is tested.
// They share one directory of repositories that take long to prepare.
export function setup(): () => void {
  // Where a machine names certificates of its own, every start of Node reads them all, which takes longer than
  // starting. Tests start Node thousands of times and speak to nobody but this machine.
  delete process.env["NODE_EXTRA_CA_CERTS"];
  const build = (...args: readonly string[]): void => {
    execFileSync(process.execPath, [...args], { stdio: "inherit" });
  };
  build("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
  build("scripts/bundle.js");
  const shared = mkdtempSync(join(tmpdir(), "holdpoint-e2e-shared-"));
  process.env["HOLDPOINT_E2E_DIR"] = shared;
  return () => rmSync(shared, { recursive: true, force: true });
}
