/** The same server through DBOS: durable steps a second in workflows of its own, installed into a folder that goes again. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const VERSION = "5.3.0";
const INSTALL_MS_MAX = 180_000;
const RUN_MS_MAX = 120_000;

const SCRIPT = `
import { DBOS } from "@dbos-inc/dbos-sdk";
const [url, clients, ms] = process.argv.slice(2);
let until = 0;
let count = 0;
async function work(said) {
  for (let n = 0; n < 100000 && Date.now() < until; n += 1) {
    await DBOS.runStep(async () => said, { name: "step" });
    count += 1;
  }
}
const workflow = DBOS.registerWorkflow(work, { name: "work" });
DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "error", runAdminServer: false });
await DBOS.launch();
const said = "x".repeat(500);
until = Date.now() + 500;
await (await DBOS.startWorkflow(workflow)(said)).getResult();
count = 0;
const begun = Date.now();
until = begun + Number(ms);
const all = await Promise.all(Array.from({ length: Number(clients) }, () => DBOS.startWorkflow(workflow)(said)));
await Promise.all(all.map((one) => one.getResult()));
console.log("FIGURE " + Math.round((count / (Date.now() - begun)) * 1000));
await DBOS.shutdown();
process.exit(0);
`;

export interface Dbos {
  /** Why there is none. */
  readonly why?: string;
  /** Steps a second, or why there is no figure. */
  readonly run: (url: string, clients: number, ms: number) => number | string;
  readonly remove: () => void;
}

export function openDbos(leftOut: boolean): Dbos {
  const none = (why: string): Dbos => ({ why, run: () => why, remove: () => undefined });
  if (leftOut) return none("left out");
  const dir = mkdtempSync(join(tmpdir(), "holdpoint-dbos-"));
  writeFileSync(join(dir, "package.json"), '{"private":true,"type":"module"}\n');
  writeFileSync(join(dir, "bench.mjs"), SCRIPT);
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const install = ["install", ...quiet, `@dbos-inc/dbos-sdk@${VERSION}`];
  const made = spawnSync("npm", install, { cwd: dir, encoding: "utf8", timeout: INSTALL_MS_MAX });
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  if (made.status !== 0) {
    remove();
    return none(`it does not install here: ${made.stderr.trim().split("\n")[0] ?? ""}`);
  }
  const run: Dbos["run"] = (url, clients, ms) => {
    const args = [
      "bench.mjs",
      url.replace(/\/postgres$/, "/bench_dbos"),
      String(clients),
      String(ms),
    ];
    const how = { cwd: dir, encoding: "utf8", timeout: RUN_MS_MAX } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, how);
    // A run that printed a figure and then failed vouches for none.
    const figure = status === 0 ? /^FIGURE (\d+)$/m.exec(stdout)?.[1] : undefined;
    return figure === undefined ? (stderr || stdout).trim().slice(-300) : Number(figure);
  };
  return { run, remove };
}
