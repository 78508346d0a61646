/** Whole walks with the fence up, where every gate asks for a signature: no word leads past one, and a key leads to the end. */
import { expect, test } from "vitest";
import { repository } from "../cli.ts";
import type { Reply, Scratch } from "../cli.ts";
import { expectStopped, problemsOf, tryGit } from "../fence.ts";
import {
  codesOf,
  finish,
  NAME,
  pluginAt,
  writeBuild,
  writeValidated,
  UNTESTED,
} from "../plugin.ts";
import { ADA, commitPolicy, lineOf, makeKey, releasesIn } from "../release.ts";
import * as tasks from "../task.ts";
import * as team from "../team.ts";

/** Ada's key counts, a signature is asked for everywhere, and main is fenced in. */
function guarded(scratch: Scratch): readonly string[] {
  const ada = makeKey(scratch, "ada");
  commitPolicy(scratch, { strength: "signed" }, lineOf(ada, ADA));
  const key = ["--sign", "--key", ada];
  expect(scratch.hold(["fence", "install", ...key]).json).toMatchObject({ ok: true, up: true });
  return key;
}

/** A word is not enough, a signature is. */
function signs(scratch: Scratch, args: readonly string[], key: readonly string[]): Reply {
  expect(codesOf(scratch.hold(args)), args.join(" ")).toEqual(["signature-missing"]);
  const reply = scratch.hold([...args, ...key]);
  expect(reply.json.refusals, reply.stdout).toBeUndefined();
  return reply;
}

/** All of it holds: the fence, the journals, every signature. */
function expectWhole(scratch: Scratch, signatures: number): void {
  expect(problemsOf(scratch)).toEqual([]);
  expect(releasesIn(scratch)).toHaveLength(signatures);
  const chain = scratch.hold("audit --chain");
  expect(chain.json, chain.stdout).toMatchObject({ ok: true, bad: [], signatures });
  const judged = scratch.hold(["verify", "--all"]);
  expect(judged.exit, judged.stdout).toBe(0);
}

test("of the plugin workflow", () => {
  const scratch = pluginAt("p0");
  const key = guarded(scratch);
  const base = scratch.git("rev-parse", "main");
  const says = (choice: string): Reply => signs(scratch, ["answer", NAME, choice], key);
  finish(scratch, "0");
  says("1");
  finish(scratch, "2", { outputs: { parameter_count: 3 } });
  says("1");
  finish(scratch, "3");
  says("headless");
  finish(scratch, "4");
  says("1");
  writeValidated(scratch);
  expect(scratch.hold(`advance ${NAME}`).json.refusals).toBeUndefined();
  writeBuild(scratch);
  expect(says("1").json).toMatchObject({ pending: [], warnings: [UNTESTED] });
  expect(scratch.hold(["status", NAME]).stdout).toContain("Installed");
  expectWhole(scratch, 6);
  expect(Number(scratch.git("rev-list", "--count", `${base}..main`))).toBeGreaterThan(4);
  expect(scratch.hold(["fence", "check", `${base}..main`]).json).toMatchObject({ ok: true });
}, 180_000);

test("of the team contract", () => {
  const repo = repository();
  const key = guarded(repo);
  const session = team.startTeam({ repo });
  const says = (choice: string): Reply => signs(repo, ["answer", session.id, choice], key);
  session.work("specify");
  session.work("architect");
  says("changes-requested: say how it is stored");
  session.send("correct-architecture");
  session.file("architecture.md", `${team.ARCHITECTURE}\nIn a file.\n`);
  session.report(team.agentReply());
  says("approved");
  session.work("plan");
  says("per-batch");
  session.task();
  session.work("review-all");
  session.work("secure-all");
  session.work("integrate");
  expect(session.run("advance", ["to-release"]).json.state).toBe("RELEASE");
  session.work("document");
  session.work("release");
  expect(session.run("advance", ["finish"]).json.state).toBe("DONE");
  expectWhole(repo, 4);
}, 180_000);

test("of the task protocol", () => {
  const { ID, SCOPES } = tasks;
  const scratch = tasks.taskRepository({ [ID]: SCOPES.LOW });
  const key = guarded(scratch);
  const answer = (...words: readonly string[]): Reply =>
    signs(scratch, ["answer", ID, ...words], key);
  const task = { ...tasks.classified(tasks.started(scratch, ID), SCOPES.LOW), answer };
  tasks.gathered(task);
  tasks.planned(task, [SCOPES.LOW]);
  tasks.write(task.code, SCOPES.LOW, "one\n");
  tasks.archived(task);
  const head = task.git("rev-parse", "HEAD");
  task.run(["advance", ID, "skip"]);
  expectStopped(scratch, () => tryGit(scratch, ["update-ref", "refs/heads/main", ID]));
  task.answer("approve");
  const before = scratch.git("rev-parse", "main");
  const done = task.run(["advance", ID, "complete"], { cwd: scratch.top });
  expect(done.json.refusals, done.stdout).toBeUndefined();
  expect(scratch.git("rev-parse", "main")).toBe(head);
  expectWhole(scratch, 3);
  expect(scratch.hold(["fence", "check", `${before}..main`]).json).toMatchObject({ ok: true });
}, 180_000);
