import type { JsonObject } from "../core/values/json.ts";
import type { Refusal } from "../core/decide/answer.ts";
import { judgeRange } from "../engine/fence/range.ts";
import type { JudgedCommit } from "../engine/fence/range.ts";
import { openFence, putFence, takeFence } from "../engine/fence/put.ts";
import type { FenceDone } from "../engine/fence/put.ts";
import { provenStanding } from "../engine/fence/standing.ts";
import { shortRef } from "../engine/fence/state.ts";
import type { Trouble } from "../engine/fence/state.ts";
import { remedy } from "../core/table/remedy.ts";
import { answerTo, givenAgain, refusedAnswer, usage } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { FIX, FLAG, REMEDY, TEXT, TAKEN_SHAPE, answers, listOf, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type FenceInput = {
  readonly action: string;
  readonly what?: string;
  readonly commit?: string;
  readonly from?: string;
  readonly delete?: boolean;
  readonly reason?: string;
};

export interface FenceStatus extends Answer {
  /** True if the fence is up and nothing has bypassed it. */
  readonly up: boolean;
  readonly since: string;
  readonly branches: readonly {
    readonly branch: string;
    readonly tip: string;
    readonly released: string;
  }[];
  readonly problems: readonly Trouble[];
}

export interface FenceCheck extends Answer {
  readonly range: string;
  readonly commits: readonly JudgedCommit[];
}

const PROBLEM: Schema = shape({ code: TEXT, message: TEXT, ...FIX }, REMEDY);
const STATUS: JsonObject = {
  ok: FLAG,
  up: FLAG,
  since: TEXT,
  branches: listOf(shape({ branch: TEXT, tip: TEXT, released: TEXT })),
  problems: listOf(PROBLEM),
};
const CHECK: JsonObject = {
  ok: FLAG,
  range: TEXT,
  commits: listOf(shape({ oid: TEXT, released: FLAG, why: TEXT })),
};

const ACTIONS: readonly string[] = ["install", "uninstall", "status", "check", "open"];

export const fence: Operation<FenceInput, Answered<FenceStatus | FenceCheck | Taken>> = told({
  name: "fence",
  purpose: "Let git move protected branches only to what was released",
  input: inputOf<FenceInput>({
    required: { action: text(`what to do: ${ACTIONS.join(", ")}`) },
    optional: {
      what: text("the branch that is opened, or the range of commits that is checked"),
      commit: text("open: the one commit the branch may move to"),
      from: text("open: where it moves from; without it, where it stands now"),
      delete: flag("open: the branch may be deleted"),
      reason: text("why; it is recorded"),
    },
  }),
  result: answers(shape(STATUS), shape(CHECK), TAKEN_SHAPE),
  examples: [
    { action: "install" },
    { action: "status" },
    { action: "check", what: "origin/main..HEAD" },
    { action: "open", what: "main", commit: "4f2c1a9", reason: "hotfix, reviewed by hand" },
  ],
  readOnly: ({ action }) => action === "status" || action === "check",
  run,
});

async function run(
  context: Context,
  input: FenceInput,
): Promise<Answered<FenceStatus | FenceCheck | Taken>> {
  const { parts, caller } = context;
  const { what = "", reason = "" } = input;
  switch (input.action) {
    case "status":
      return await statusOf(context);
    case "check":
      return what === ""
        ? usage(NO_RANGE, "Example: fence check origin/main..HEAD")
        : await check(context, what);
    case "install":
      return await answerOf(
        context,
        input,
        await putFence(parts, caller, what === "" ? [] : what.split(",")),
      );
    case "uninstall":
      return await answerOf(context, input, await takeFence(parts, caller, reason));
    case "open":
      if (what === "" || (input.commit === undefined) !== (input.delete === true))
        return usage(NO_MOVE, "Example: fence open main 4f2c1a9 --reason hotfix");
      return await answerOf(
        context,
        input,
        await openFence(parts, caller, { ...input, branch: what, reason }),
      );
    default:
      return usage(`fence cannot "${input.action}".`, `It can: ${ACTIONS.join(", ")}.`);
  }
}

const NO_RANGE = "fence check needs a range of commits.";
const NO_MOVE = "fence open needs a branch, and a commit or --delete.";

async function statusOf({ parts }: Context): Promise<FenceStatus> {
  const { fence: up, branches, problems } = await provenStanding(parts);
  return {
    ok: up !== undefined && problems.length === 0,
    up: up !== undefined && problems.length === 0,
    since: up?.since ?? "",
    branches: branches.map(({ ref, tip, released }) => ({ branch: shortRef(ref), tip, released })),
    problems: up === undefined && problems.length === 0 ? [NOT_PUT] : problems,
  };
}

const NOT_PUT: Trouble = {
  code: "fence-absent",
  message: "No fence was put up here: git moves every branch for everybody",
  fix: remedy("fence", { action: "install" }, "Put it up"),
};

async function check({ parts }: Context, range: string): Promise<Answered<FenceCheck>> {
  const judged = await judgeRange(parts, range);
  if ("code" in judged) return refusedAnswer([refusalOf(judged)]);
  return { ok: judged.every((one) => one.released), range, commits: judged };
}

/** The answer to a fence command. If all went well, it describes the fence as it is now. */
async function answerOf(
  context: Context,
  input: FenceInput,
  done: FenceDone,
): Promise<Answered<FenceStatus | Taken>> {
  if ("code" in done) return refusedAnswer([refusalOf(done)]);
  const { outcome, family } = done;
  if (outcome.kind === "refused" || outcome.kind === "failed" || outcome.kind === "held")
    return givenAgain(answerTo(outcome, { family }), "fence", { ...input });
  const status = await statusOf(context);
  // After uninstalling, a missing fence is what was asked for.
  const isDown = input.action === "uninstall" && status.problems.every((one) => one === NOT_PUT);
  return isDown ? { ...status, ok: true, problems: [] } : status;
}

function refusalOf(problem: Trouble): Refusal {
  return { ...problem, rule: "core" };
}
