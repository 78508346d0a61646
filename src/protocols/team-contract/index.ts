import type { Refusal, Remedy } from "../../core/decide/answer.ts";
import type { Command } from "../../core/state/commands.ts";
import { isJsonArray, showJson } from "../../core/values/json.ts";
import { texts } from "../../core/values/json-read.ts";
import { list, objects } from "../../core/values/json-read.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Dispatch, Effect, Workflow } from "../../core/state/state.ts";
import { parseReply } from "./files/output-json.ts";
import { AGENTS } from "./files/names.ts";
import { SESSIONS, isSessionName, sessionPath } from "./files/session-name.ts";
import { editTaskStatuses } from "./files/tasks-edit.ts";
import { KNOWN_FILES, type Unreadable, verifySessionTree } from "./files/verify/session.ts";
import { defineFamily } from "../../family/define.ts";
import type {
  CheckConfig,
  Family,
  Performed,
  ReadReport,
  VerifiedWorkflow,
  World,
} from "../../ports/family.ts";
import { adopt } from "./world/adopt.ts";
import { attests, manualChecks, waivable } from "./world/attest.ts";
import { taskOf, toClaim, unreadableClaim } from "./world/claim.ts";
import { claimsOfTasks } from "./world/claims.ts";
import { deliver } from "./world/deliver.ts";
import { COMMANDS, WORKERS } from "./words/agents.ts";
import { describe } from "./words/describe.ts";
import { aliasesOf, looks, sessionFiles } from "./world/looks.ts";
import { orderOf } from "./words/order.ts";
import { teamRoots } from "./roots.ts";
import { TASK_CHECKS } from "./table/evidence.ts";
import { teamContract } from "./table/protocol.ts";
import { LAUNCH_RETRIES_MAX } from "./table/rows.ts";
import { taskStatuses } from "./world/render.ts";
import { START_OPTIONS, nameFor, start } from "./world/start.ts";
import { unneeded } from "./table/unneeded.ts";
import { tasksOf } from "./table/verdicts.ts";
import { viewsOf } from "./world/views.ts";
import { watchSession } from "./world/watch.ts";
import { remedy } from "../../core/table/remedy.ts";

/** The team contract, connected to its files. */
export const teamFamily: Family = defineFamily(teamContract, {
  names: { check: checkName, make: nameFor },
  starting: { options: START_OPTIONS, vars: start },
  views: [viewsOf],
  looks,
  work: { order: orderOf, read: readReport, deliver, unneeded },
  effects: { archive: { perform: archive } },
  checks: { own: checks },
  edits: { commands: edits, unshown: "unshown" },
  adopt: { discover, read: adopt },
  verify: {
    judge: verify,
    headings: {
      0: "sound",
      1: "NO STATUS",
      2: "STATE MISMATCH",
      3: "ARTIFACT INCOMPLETE",
      4: "LEFT OVER",
    },
  },
  audit: { keepsRefusals: true },
  watch: watchSession,
  attest: { listed: manualChecks, finding: attests, waivable },
  words: {
    describe,
    called: { archive: "the lean documents put aside" },
    agents: WORKERS,
    commands: COMMANDS,
  },
  roots: teamRoots,
});

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
  const refusals = problems.map(({ code, message, fix, rule }) => ({ code, message, fix, rule }));
  if (kind !== "unreadable") return { kind: "refused", refusals };
  const [first] = refusals;
  const summary = first?.message ?? "The reply cannot be read";
  const claim = unreadableClaim(dispatch, summary);
  const refusal = { code: "reply-unreadable", message: summary, rule: "TC-002", ...first };
  return { kind: "void", claim, refusals: [{ ...refusal, fix: sendAgain(state, dispatch) }] };
}

function sendAgain(state: Workflow, dispatch: Dispatch): Remedy {
  const { role, spec, unit, id } = dispatch;
  const failed = (state.spent[`launch/${role}/${taskOf(dispatch)}`] ?? 0) + 1;
  const ask = "Answer with one JSON object and nothing around it";
  return failed > LAUNCH_RETRIES_MAX
    ? `${ask}. ${id} was the last of ${LAUNCH_RETRIES_MAX + 1} attempts.`
    : remedy(
        "advance",
        { workflow: state.id, step: spec, ...(unit === ROOT ? {} : { unit }) },
        `${ask}. ${id} counts as failed attempt ${failed} of ${LAUNCH_RETRIES_MAX + 1}; hand it out again`,
      );
}

/** The `cmd:` checks of tasks and criteria, which the contract writes as shell commands. */
async function checks(
  world: World,
  state: Workflow,
  check: string,
): Promise<readonly CheckConfig[]> {
  const [word, task] = check.split(":");
  if (word !== "checks" && word !== TASK_CHECKS) return [];
  const criteria = word === "checks" ? await looks["acceptance"]?.(world, state.id, state) : [];
  const units = tasksOf(state).filter(({ id }) => task === undefined || id === task);
  const named = [
    ...units.flatMap(({ data }) => list(data["checks"])),
    ...objects(criteria).flatMap((one) => list(one["checks"])),
  ].map(showJson);
  const commands = [...new Set(named)].filter((name) => name.startsWith("cmd:"));
  return commands.map((name) => ({
    name,
    run: ["sh", "-c", name.slice("cmd:".length).trim()],
    minutes: 10,
  }));
}

/** Task statuses set by hand. Additions to the free lists need no command: they stay where they are. */
async function edits({ workspace }: World, state: Workflow): Promise<readonly Command[]> {
  const file = await workspace.read(sessionPath(state.id, "tasks.yaml"));
  if (file.kind !== "text") return [];
  const base = editTaskStatuses(file.text, taskStatuses(state));
  if (base.problems.length > 0) return [];
  return claimsOfTasks(base.text, file.text);
}

async function discover({ workspace }: World): Promise<readonly string[]> {
  return (await workspace.list(SESSIONS))
    .filter((name) => name.endsWith("/"))
    .map((name) => name.slice(0, -1))
    .filter(isSessionName);
}

async function verify(world: World): Promise<readonly VerifiedWorkflow[]> {
  const names = (await world.workspace.list(SESSIONS)).filter((name) => name.endsWith("/"));
  const read = await Promise.all(
    names.map(async (name) => await readSession(world, name.slice(0, -1))),
  );
  return verifySessionTree({
    sessions: new Map(read.map(({ id, texts }) => [id, texts])),
    unreadable: new Map(read.map(({ id, unreadable }) => [id, unreadable])),
    aliases: aliasesOf(world),
  });
}

interface ReadSession {
  readonly id: string;
  readonly texts: ReadonlyMap<string, string>;
  readonly unreadable: ReadonlyMap<string, Unreadable>;
}

async function readSession(world: World, id: string): Promise<ReadSession> {
  const texts = new Map<string, string>();
  const unreadable = new Map<string, Unreadable>();
  for (const path of new Set([...KNOWN_FILES, ...(await sessionFiles(world, id))])) {
    const file = await world.workspace.read(sessionPath(id, path));
    if (file.kind === "text") texts.set(path, file.text);
    if (file.kind === "unreadable") unreadable.set(path, file);
  }
  return { id, texts, unreadable };
}

/** Renames files of the session. A second run finds nothing left to do. */
async function archive(world: World, state: Workflow, effect: Effect): Promise<Performed> {
  const suffix = showJson(effect.args["suffix"] ?? ".old");
  for (const file of texts(effect.args["paths"])) {
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
