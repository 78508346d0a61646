import { isJsonArray, isJsonObject, showJson } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import { texts } from "../../../core/values/json-read.ts";
import { ROOT } from "../../../core/state/state.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { checkName, parseAcceptance } from "../files/acceptance-json.ts";
import { type Aliases, artifactOf, checkArtifact } from "../files/artifacts.ts";
import { contextFilesFor } from "../files/context-files.ts";
import { AGENTS } from "../files/names.ts";
import { SESSIONS, sessionPath } from "../files/session-name.ts";
import { parseStatus } from "../files/status-json.ts";
import { parseTasks } from "../files/tasks-yaml.ts";
import type { Problem } from "../../../files/problem.ts";
import type { Look, World } from "../../../ports/family.ts";
import { lookChanges, lookCode, lookSessions, lookWorktree } from "./changes.ts";
import { copilotOf } from "./copilot.ts";
import { redTask, tellFailed } from "../table/evidence.ts";
import { designSummary, planSummary } from "../words/summary.ts";

/** How a session looks up its facts. Each look is quick and changes nothing. */
export const looks: Readonly<Record<string, Look>> = {
  content: lookContent,
  remarks: async (world, path, state) =>
    (await problemsAt(world, path, state))
      ?.filter((one) => one.severity === "warning" && one.code === "check-unquoted")
      .map(({ line, message, fix }) => `line ${line}: ${message}. ${fix}`) ?? null,
  context: lookContext,
  tasks: lookTasks,
  plan: async (world, session) => {
    const text = await read(world, sessionPath(session, "tasks.yaml"));
    return planSummary(parseTasks(text ?? "").value?.tasks ?? []);
  },
  design: lookDesign,
  designs: async (world, session) => await lookFolder(world, session, "design-specs"),
  research: async (world, session) => await lookFolder(world, session, "research"),
  worktree: lookWorktree,
  sessions: lookSessions,
  copilot: copilotOf,
  changes: lookChanges,
  code: lookCode,
  decision: lookDecision,
  acceptance: async (world, session) => {
    const text = await read(world, sessionPath(session, "acceptance.json"));
    const criteria = text === undefined ? undefined : parseAcceptance(text).value;
    return criteria?.map(({ id, verify }) => ({ id, checks: verify.map(checkName) })) ?? null;
  },
  failed: async (_, __, state) => tellFailed(state),
  red: async (_, __, state) => redTask(state) ?? null,
  entry: async (_, name, state) => state.units[ROOT]?.entered[name] ?? 0,
};

async function read({ workspace }: World, path: string): Promise<string | undefined> {
  const file = await workspace.read(path);
  return file.kind === "text" ? file.text : undefined;
}

/** What is wrong with a file of the session, in words; null if there is no file. */
async function lookContent(world: World, path: string, state: Workflow): Promise<Json> {
  const problems = await problemsAt(world, path, state);
  return problems?.filter((one) => one.severity === "error").map((one) => one.message) ?? null;
}

async function problemsAt(
  world: World,
  path: string,
  state: Workflow,
): Promise<readonly Problem[] | undefined> {
  const text = await read(world, path);
  if (text === undefined) return undefined;
  const file = path.slice(sessionPath(state.id, "").length);
  return problemsOf(file, text, state, aliasesOf(world));
}

function problemsOf(
  file: string,
  text: string,
  state: Workflow,
  aliases: Aliases,
): readonly Problem[] {
  const mode = state.vars["mode"] === "lean" ? "lean" : "full";
  if (file === "status.json") return parseStatus(text, { session: state.id }).problems;
  if (file === "tasks.yaml") return parseTasks(text, { mode }).problems;
  if (file === "acceptance.json") return parseAcceptance(text).problems;
  const artifact = artifactOf(file);
  return artifact === undefined ? [] : checkArtifact(artifact, text, aliases);
}

/** Reasons not to start an agent: files it must read that are missing or wrong. */
async function lookContext(world: World, name: string, state: Workflow): Promise<Json> {
  const agent = AGENTS.filter((one) => one !== "Orchestrator").find((one) => one === name);
  if (agent === undefined) return [`${name} is no agent`];
  const files = new Set(await sessionFiles(world, state.id));
  const { required, missing } = contextFilesFor(agent, state.id, files);
  const gated = required.filter((path) => !missing.includes(path) && GATED.test(path));
  const broken = await Promise.all(
    gated.map(async (path) => {
      const problems = await lookContent(world, path, state);
      const named = isJsonArray(problems) ? problems.slice(0, 5).map(showJson) : [];
      return named.length === 0 ? [] : [`${path}: ${named.join(", ")}`];
    }),
  );
  return [...missing.map((path) => `${path} does not exist`), ...broken.flat()];
}

const GATED = /\/(?:spec\.md|architecture\.md|acceptance\.json|tasks\.yaml)$/;

/** Section names in other languages, from the repository's configuration. */
export function aliasesOf({ config }: World): Aliases {
  const team = config.settings["team"];
  const aliases = isJsonObject(team) ? team["aliases"] : undefined;
  if (!isJsonObject(aliases)) return {};
  return Object.fromEntries(Object.entries(aliases).map(([name, value]) => [name, texts(value)]));
}

/** Paths in the session's folder, one level deep. */
export async function sessionFiles(
  { workspace }: World,
  session: string,
): Promise<readonly string[]> {
  const names = await workspace.list(`${SESSIONS}/${session}`);
  const found = await Promise.all(
    names.map(async (name) =>
      name.endsWith("/")
        ? (await workspace.list(sessionPath(session, name.slice(0, -1))))
            .filter((inner) => !inner.endsWith("/"))
            .map((inner) => `${name}${inner}`)
        : [name],
    ),
  );
  return found.flat();
}

async function lookTasks(world: World, session: string): Promise<Json> {
  const text = await read(world, sessionPath(session, "tasks.yaml"));
  const tasks = text === undefined ? [] : (parseTasks(text).value?.tasks ?? []);
  return tasks.map((task) => ({
    id: task.id,
    status: task.status,
    type: task.type ?? null,
    title: task.title,
    goal: task.goal,
    after: task.dependsOn,
    checks: task.checks,
    risks: task.risks,
  }));
}

async function lookDesign(world: World, session: string): Promise<Json> {
  const text = async (file: string): Promise<string> =>
    (await read(world, sessionPath(session, file))) ?? "";
  const files = await sessionFiles(world, session);
  return designSummary({
    criteria: parseAcceptance(await text("acceptance.json")).value ?? [],
    assumptions: parseStatus(await text("status.json")).value?.assumptions ?? [],
    spec: await text("spec.md"),
    architecture: await text("architecture.md"),
    decisions: files.filter((file) => file.startsWith("adr/")),
    designs: files.filter((file) => file.startsWith("design-specs/")),
  });
}

/** Every file of a folder, with its digest and what is wrong with it. */
async function lookFolder(world: World, session: string, folder: string): Promise<Json> {
  const files = (await sessionFiles(world, session)).filter((file) =>
    file.startsWith(`${folder}/`),
  );
  const entries = await Promise.all(
    files.map(async (file): Promise<[string, Json]> => {
      const text = (await read(world, sessionPath(session, file))) ?? "";
      const artifact = artifactOf(file);
      const problems =
        artifact === undefined ? [] : checkArtifact(artifact, text, aliasesOf(world));
      const errors = problems.filter((one) => one.severity === "error").map((one) => one.message);
      return [file, { digest: world.sha256(text), problems: errors }];
    }),
  );
  return Object.fromEntries(entries);
}

async function lookDecision(world: World, id: string, state: Workflow): Promise<Json> {
  const text = await read(world, sessionPath(state.id, "status.json"));
  const entry = parseStatus(text ?? "").value?.decisions.find((one) => one.id === id);
  return entry === undefined ? null : { status: entry.status, answer: entry.answer };
}
