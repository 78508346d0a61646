/**
 * What tests of bad input and a bad machine share. Every answer says what, where and what to do; exit codes are DESIGN's;
 * nothing is lost, half-written or executed; no call hangs (each is bounded in cli.ts and here).
 */
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { BIN } from "./cli.ts";
import type { Reason, Reply, Scratch } from "./cli.ts";
import { NAME, doWork, giveReport, pluginAt, questionOf, reportText } from "./plugin.ts";

/** Many processes on a busy machine; nothing here is about speed. */
export const PATIENCE_MS = 180_000;
vi.setConfig({ testTimeout: PATIENCE_MS });
export const MB: number = 1024 * 1024;
export const ESC = "\u001B";
export const VERBS: readonly string[] = [
  "status",
  "next",
  "advance",
  "report",
  "answer",
  "verify",
  "reconcile",
  "adopt",
  "audit",
];
export const DONE = 0;
export const FAILED = 1;
export const USAGE = 2;
export const REFUSED = 10;
export const HELD = 11;

/** A plugin whose planning agent has done its work and is about to report. */
export function aboutToReport(): Scratch {
  const scratch = pluginAt("p0");
  doWork(scratch, "0");
  return scratch;
}

export function report(scratch: Scratch): Reply {
  return giveReport(scratch, reportText("0"));
}

export function problemsOf(reply: Reply): readonly Pick<Reason, "code" | "message" | "fix">[] {
  const { refusals = [], error, held = [], pending = [] } = reply.json;
  const waiting = pending.map(({ code, message }) => ({ code, message, fix: "reconcile" }));
  const asked = held.map(({ question, about }) => ({
    code: typeof about["code"] === "string" ? about["code"] : question,
    message: JSON.stringify(about["message"] ?? ""),
    fix: JSON.stringify(about["fix"] ?? "answer"),
  }));
  return [...refusals, ...(error === undefined ? [] : [error]), ...asked, ...waiting];
}

/** What is wrong, where it is, and what to do; and not by falling over. */
export function expectClear(reply: Reply, where: string | RegExp): void {
  const problems = problemsOf(reply);
  expect(problems.length, reply.stdout).toBeGreaterThan(0);
  expect(problems.map((one) => one.code)).not.toContain("internal");
  for (const { fix } of problems) expect(fix, reply.stdout).not.toBe("");
  expect(problems.map((one) => `${one.message} ${one.fix}`).join("\n")).toMatch(where);
}

/** Everything below the top, journal and git included, except what looking may touch. */
export function everything(scratch: Scratch): Readonly<Record<string, string>> {
  const files = readdirSync(scratch.top, { recursive: true, encoding: "utf8" }).filter(
    (name) =>
      !/^\.git\/(index$|holdpoint\/(beats|refusals|tmp|snapshots|blobs))|^\.holdpoint/.test(name),
  );
  return Object.fromEntries(
    files
      .filter((name) => lstatSync(join(scratch.top, name)).isFile())
      .map((name) => [name, readFileSync(join(scratch.top, name)).toString("latin1")]),
  );
}

export function commits(scratch: Scratch): number {
  return Number(scratch.git("rev-list", "--count", "HEAD"));
}

/** Put things right and go on: whatever had happened, nothing stands in the way of the real report. */
export function expectFinishes(scratch: Scratch): void {
  const { held = [] } = scratch.hold(`status ${NAME}`).json;
  const given = held.length > 0 ? scratch.hold(["answer", NAME, "retry"]) : report(scratch);
  // A step that was recorded before the disk was full is carried out by the next command.
  const isRecorded = given.json.refusals?.[0]?.code === "dispatch-unknown";
  const reply = isRecorded ? scratch.hold(`status ${NAME}`) : given;
  expect(questionOf(reply), given.stdout).toBe("stage-0-complete");
  expect(reply.json.pending, reply.stdout).toEqual([]);
  expect(commits(scratch)).toBe(2);
  expect(scratch.git("status", "--porcelain", "--", "plugins", "PLUGINS.md")).toBe("");
  expect(scratch.hold("verify --all").exit).toBe(DONE);
}

/** A call with an unusual environment: another user, other streams, another PATH. */
export function odd(
  scratch: Scratch,
  args: readonly string[],
  options: {
    readonly stdio?: readonly ("pipe" | "ignore")[];
    readonly env?: Record<string, string>;
    readonly uid?: number;
    readonly program?: { readonly node: string; readonly bin: string };
    readonly shell?: string;
    readonly input?: string;
  } = {},
): { readonly exit: number; readonly stdout: string; readonly stderr: string } {
  const { stdio = ["pipe", "pipe", "pipe"], env = {}, uid, shell, input = "" } = options;
  const { node, bin } = options.program ?? { node: process.execPath, bin: BIN };
  const [file, list] =
    shell === undefined
      ? [node, [bin, ...args]]
      : ["/bin/sh", ["-c", shell, "sh", node, bin, ...args]];
  const result = spawnSync(file, list, {
    cwd: scratch.top,
    env: { ...scratch.env, ...env },
    stdio: [...stdio],
    input,
    encoding: "utf8",
    timeout: PATIENCE_MS,
    ...(uid === undefined ? {} : { uid }),
  });
  return { exit: result.status ?? -1, stdout: result.stdout ?? "", stderr: result.stderr ?? "" };
}

export function asReply(one: ReturnType<typeof odd>): Reply {
  // oxlint-disable-next-line no-unsafe-type-assertion -- what is not there reads as undefined
  return { ...one, json: JSON.parse(one.stdout) as Reply["json"] };
}
