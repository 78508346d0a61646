import type { Refusal } from "../../core/answer.ts";
import type { Command } from "../../core/commands.ts";
import { isJsonArray, showJson } from "../../core/json.ts";
import type { Dispatch, Effect, Workflow } from "../../core/state.ts";
import { parseReply } from "../../files/team/output-json.ts";
import { AGENTS } from "../../files/team/names.ts";
import { SESSIONS, isSessionName, sessionPath } from "../../files/team/session-name.ts";
import { editTaskStatuses } from "../../files/team/tasks-edit.ts";
import { verifySessionTree } from "../../files/team/verify-session.ts";
import type {
  CheckConfig,
  Description,
  Family,
  Performed,
  ReadReport,
  VerifiedWorkflow,
  World,
} from "../../ports/family.ts";
import { adopt } from "./adopt.ts";
import { attests } from "./attest.ts";
import { taskOf, toClaim, unreadableClaim } from "./claim.ts";
import { claimsOfTasks } from "./claims.ts";
import { deliver } from "./deliver.ts";
import { aliasesOf, looks, sessionFiles } from "./looks.ts";
import { orderOf } from "./order.ts";
import { teamContract } from "./protocol.ts";
import { ciResult, ownedStatus, taskStatuses } from "./render.ts";
import { nameFor, start } from "./start.ts";
import { unneeded } from "./unneeded.ts";
import { tasksOf } from "./verdicts.ts";
import { viewsOf } from "./views.ts";

/** The team contract, tied to its files. */
export const teamFamily: Family = {
  protocol: teamContract,
  checkName,
  nameFor,
  start,
  views: viewsOf,
  looks,
  effects: { archive },
  checks,
  attests,
  unneeded,
  readReport,
  deliver,
  order: orderOf,
  describe,
  edits,
  adopt,
  discover,
  verify,
};

function checkName(id: string): Refusal | undefined {
  if (isSessionName(id)) return undefined;
  return {
    code: "name-illegal",
    message: `"${id}" is not a session name`,
    fix: "Name it YYYY-MM-DD_<two to four words>, such as 2026-02-17_add-dark-mode.",
    rule: "TC-022",
  };
}

function readReport(text: string, dispatch: Dispatch, state: Workflow): ReadReport {
  const agent = AGENTS.find((one) => one === dispatch.role) ?? "Coder";
  const checks = state.units[dispatch.unit]?.data["checks"];
  const { kind, value, problems } = parseReply(text, {
    agent,
    task: taskOf(dispatch),
    ...(isJsonArray(checks) ? { checks: checks.map(showJson) } : {}),
  });
  if (value !== undefined) return { kind: "report", claim: toClaim(value, dispatch), warnings: [] };
  if (kind === "unreadable") {
    const summary = problems[0]?.message ?? "The reply cannot be read";
    return { kind: "report", claim: unreadableClaim(dispatch, summary), warnings: [summary] };
  }
  const refusals = problems.map(({ code, message, fix, rule }) => ({ code, message, fix, rule }));
  return { kind: "refused", refusals };
}

/** The `cmd:` checks of tasks and criteria. The contract writes them as shell texts. */
async function checks(
  world: World,
  state: Workflow,
  check: string,
): Promise<readonly CheckConfig[]> {
  if (check !== "checks") return [];
  const criteria = await looks["acceptance"]?.(world, state.id, state);
  const named = [
    ...tasksOf(state).flatMap(({ data }) => (isJsonArray(data["checks"]) ? data["checks"] : [])),
    ...(isJsonArray(criteria) ? criteria : []).flatMap((one) =>
      one !== null && typeof one === "object" && "checks" in one && isJsonArray(one["checks"])
        ? one["checks"]
        : [],
    ),
  ].map(showJson);
  const commands = [...new Set(named)].filter((name) => name.startsWith("cmd:"));
  return commands.map((name) => ({
    run: ["sh", "-c", name.slice("cmd:".length).trim()],
    minutes: 10,
  }));
}

function describe(state: Workflow): Description {
  const { current_state, mode, blocker, blocker_detail } = ownedStatus(state);
  const tasks = Object.entries(taskStatuses(state)).map(([id, status]) => `${id} ${status}`);
  const details = [
    { name: "mode", value: mode },
    { name: "tasks", value: tasks.join(", ") },
    { name: "strategy", value: showJson(state.vars["strategy"] ?? "") },
    { name: "checks", value: ciResult(state) },
    { name: "blocked by", value: [blocker, blocker_detail].filter(Boolean).join(": ") },
  ].filter(({ value }) => value !== "");
  return {
    headline: HEADLINES[current_state] ?? current_state,
    state: current_state,
    details,
    finished: current_state === "DONE",
  };
}

const HEADLINES: Readonly<Record<string, string>> = {
  INTAKE: "Writing the specification",
  INTAKE_LEAN: "Setting up a small task",
  DESIGN: "Designing",
  APPROVE_DESIGN: "Waiting for approval of the design",
  PLAN: "Planning the tasks",
  REVIEW_STRATEGY: "Waiting for the review strategy",
  IMPLEMENT_LOOP: "Implementing",
  INTEGRATE: "Bringing it together",
  RELEASE: "Preparing the release",
  DONE: "Done",
  ASK_USER: "Waiting for an answer",
  BLOCKED: "Blocked: a person has to act",
};

/** Task statuses set by hand. Additions to the free lists need no command: they stay where they are. */
async function edits({ workspace }: World, state: Workflow): Promise<readonly Command[]> {
  const file = await workspace.read(sessionPath(state.id, "tasks.yaml"));
  if (file.kind !== "text") return [];
  const base = editTaskStatuses(file.text, taskStatuses(state));
  if (base.problems.length > 0) return [];
  return claimsOfTasks(base.text, file.text).commands.map((one) => one.command);
}

async function discover({ workspace }: World): Promise<readonly string[]> {
  return (await workspace.list(SESSIONS))
    .filter((name) => name.endsWith("/"))
    .map((name) => name.slice(0, -1))
    .filter(isSessionName);
}

async function verify(world: World): Promise<readonly VerifiedWorkflow[]> {
  const names = (await world.workspace.list(SESSIONS)).filter((name) => name.endsWith("/"));
  const sessions = await Promise.all(
    names.map(async (name) => {
      const id = name.slice(0, -1);
      const texts = await Promise.all(
        (await sessionFiles(world, id)).map(async (path) => {
          const read = await world.workspace.read(sessionPath(id, path));
          return read.kind === "text" ? [[path, read.text] as const] : [];
        }),
      );
      return [id, new Map(texts.flat())] as const;
    }),
  );
  return verifySessionTree({ sessions: new Map(sessions), aliases: aliasesOf(world) });
}

/** Put files of the session aside under another name; done twice, it finds nothing left to do. */
async function archive(world: World, state: Workflow, effect: Effect): Promise<Performed> {
  const suffix = showJson(effect.args["suffix"] ?? ".old");
  for (const file of showJson(effect.args["paths"] ?? "").split(",")) {
    const from = sessionPath(state.id, file);
    if ((await world.workspace.digest(from)) === undefined) continue;
    const moved = await world.workspace.move(from, `${from}${suffix}`);
    if (moved.kind === "installed") continue;
    const { code, message, fix } =
      moved.kind === "failed"
        ? moved
        : { code: "changed", message: `${from} was written meanwhile`, fix: "Try again." };
    return { kind: "pending", pending: { effect: effect.id, code, message, fix } };
  }
  return { kind: "done", detail: {}, warnings: [] };
}
