import type { Effect, Workflow } from "../../../../core/state/state.ts";
import { parseTodo, setTodoWord } from "../../files/todo-md.ts";
import type { RunResult } from "../../../../ports/runner.ts";
import type { BranchHead, NotDone } from "../../../../ports/worktrees.ts";
import { ended, notDone, type GitPorts, type Wanted } from "./outcome.ts";
import type { Outcome } from "../places.ts";
import { text } from "../../../../core/values/json-read.ts";
import { broughtIn, madeBefore } from "../../table/states.ts";
import { remedy } from "../../../../core/table/remedy.ts";

/** Merges an agent's work into the task branch, or the released commit into main. */
export async function merge(ports: GitPorts, wanted: Wanted): Promise<Outcome> {
  return wanted.effect.args["scope"] === "agent"
    ? await mergeAgent(ports, wanted)
    : await mergeTask(ports, wanted);
}

async function mergeAgent(ports: GitPorts, wanted: Wanted): Promise<Outcome> {
  const { branches } = ports;
  const { state, effect } = wanted;
  const [from, into] = [text(effect.args["from"]), text(effect.args["to"])];
  const tip = await branches.head(from);
  // Nothing new since the last merge: its commits are on the branch, perhaps squashed.
  if (tip !== undefined && broughtIn(state, text(effect.args["agent"])).includes(tip.commit))
    return ended({ oid: tip.commit, commits: [] });
  const { base, again } = await baseOf(ports, wanted, tip?.commit ?? "");
  const brought = again ? (await branches.ahead(from, base)).commits : [];
  if (tip !== undefined && brought.length > 0)
    return ended({ oid: tip.commit, commits: brought.map((one) => ({ ...one })) });
  const merged = await branches.integrate({ branch: from, into, had: madeBefore(state) });
  if (merged.kind === "refused") return notDone(handedOutAgain(merged, state, effect));
  return ended({ oid: merged.commit, commits: merged.commits.map((one) => ({ ...one })) });
}

/**
 * The agent's report has ended, so it cannot simply be repeated. Resolving the conflict is new work, which is
 * sent out again.
 */
function handedOutAgain(refused: NotDone, { id }: Workflow, { args }: Effect): NotDone {
  if (refused.code !== "merge-conflict") return refused;
  const agent = text(args["agent"]);
  const fix = remedy(
    "advance",
    { workflow: id, step: "implementation", unit: agent },
    `The agent runs git rebase ${id} in its worktree, resolves it and reports; hand it out again`,
  );
  return { ...refused, fix };
}

async function mergeTask(ports: GitPorts, wanted: Wanted): Promise<Outcome> {
  const { branches } = ports;
  const { world, state, effect } = wanted;
  const [from, into] = [text(effect.args["from"]), text(effect.args["to"])];
  const [head, base] = [await branches.head(from), await branches.head(into)];
  if (head === undefined || base === undefined)
    return {
      kind: "failed",
      code: "branch-gone",
      message: `There is no branch ${head === undefined ? from : into}`,
      fix: "Bring it back, then try again.",
    };
  if (!isReleased(state, head)) return notReleased(head.commit);
  const before = await baseOf(ports, wanted, head.commit);
  const { commits } = await branches.ahead(from, before.base);
  const carry = { [text(state.vars["todo"])]: wearWords };
  const plan = { into, from: head.commit, expected: before.base, path: ".", carry };
  const aim = { ref: `refs/heads/${into}`, from: before.base, to: head.commit };
  const unsaid = before.again ? undefined : await wanted.memory?.aim?.(aim);
  if (unsaid !== undefined) return { kind: "blocked", ...unsaid };
  const merged = await branches.fastForward(plan);
  if (merged.kind === "refused") return notDone(merged);
  const build = await buildOnMain(ports, wanted);
  const done = { oid: merged.commit, commits: commits.map((one) => ({ ...one })) };
  if (build.value !== "failed") return ended({ ...done, build: build.value });
  // If somebody merged it by hand, its parent is what to go back to.
  const known = merged.moved || before.again;
  const expected = known ? before.base : ((await world.git.resolve(`${head.commit}^`)) ?? "");
  const back = await branches.takeBack({ ...plan, expected });
  const short = head.commit.slice(0, 12);
  if (back.kind === "done") return mainBroken(state.id, short, build.told);
  if (back.code !== "branch-moved") return { ...notDone(back), kind: "blocked" };
  const stays = `${short} does not build on ${into}, but stays: others have built on it`;
  return ended({ ...done, build: "failed" }, [`${stays}. ${build.told}`]);
}

/**
 * Where the branch was before this merge. If an earlier attempt died after merging, the branch has already moved,
 * and the place is remembered from that attempt.
 */
async function baseOf(
  { branches }: GitPorts,
  { effect, memory }: Wanted,
  tip: string,
): Promise<{ readonly base: string; readonly again: boolean }> {
  const into = text(effect.args["to"]);
  const known = text((await memory?.recall())?.["base"]);
  if (known !== "" && (await branches.contains(into, tip))) return { base: known, again: true };
  const base = (await branches.head(into))?.commit ?? "";
  await memory?.keep({ base });
  return { base, again: false };
}

interface Build {
  readonly value: "passed" | "failed" | "not-run";
  /** The end of its output. */
  readonly told: string;
}

/** Runs in main's own worktree if there is one, because files that git does not track may differ there. */
async function buildOnMain({ worktrees }: GitPorts, wanted: Wanted): Promise<Build> {
  const { world, effect } = wanted;
  const check = world.config.checks[text(effect.args["check"])];
  const holder = (await worktrees.list()).find(
    (one) => one.branch === text(effect.args["to"]) && !one.prunable,
  );
  if (check === undefined || holder === undefined) return { value: "not-run", told: "" };
  const { root } = world.workspace;
  const cwd = holder.path.startsWith("/") ? holder.path : `${root}/${holder.path}`;
  return buildOf(await world.runner.run(check.run, { cwd, msMax: check.minutes * 60_000 }));
}

function buildOf(result: RunResult): Build {
  if (result.kind === "exited" && result.code === 0) return { value: "passed", told: "" };
  if (result.kind === "failed") return { value: "failed", told: result.message };
  const how = result.kind === "timeout" ? "it took too long" : `it ended with ${result.code}`;
  const end = result.output.trim().split("\n").slice(-LINES_MAX);
  return { value: "failed", told: [how, ...end].join("\n").trim() };
}

function mainBroken(task: string, commit: string, told: string): Outcome {
  return {
    kind: "failed",
    code: "main-broken",
    message: `${commit} does not build where it was merged to, and was taken back: ${told}`,
    fix: remedy(
      "advance",
      { workflow: task, step: "rework", reason: "..." },
      "Make it build there and try again, or let a person send it back",
    ),
  };
}

/** Checked again at the moment of merging, because the branch may have moved since the guards ran. */
function isReleased({ id, vars, decisions }: Workflow, head: BranchHead): boolean {
  const released = Object.values(decisions).findLast(
    (one) =>
      one.question === "change" && one.status === "answered" && one.settled?.option === "approve",
  );
  if (vars["merge_policy"] === "same-patch" && released?.bound[`patch:${id}`] === head.patch)
    return true;
  return released?.bound[`head:${id}`] === head.commit;
}

function notReleased(commit: string): Outcome {
  return {
    kind: "failed",
    code: "change-differs",
    message: `${commit.slice(0, 12)} is not the commit that was released`,
    fix: "It is shown again, for a person to release.",
  };
}

/** Words that other tasks have set in the list are kept and do not count as changes. */
function wearWords(list: string, like: string, since?: string): string {
  const before = new Map(parseTodo(since ?? "").entries.map((one) => [one.name, one.status]));
  return parseTodo(like)
    .entries.filter(({ name, status }) => before.get(name) !== status)
    .reduce((worn, { name, status }) => setTodoWord(worn, name, status), list);
}

const LINES_MAX = 8;
