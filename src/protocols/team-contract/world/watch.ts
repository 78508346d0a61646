import { rootOf } from "../../../core/state/evolve.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { engineRule } from "../../../family/watch.ts";
import { MAIN_AGENT } from "../../../watch/watch.ts";
import type { Watched, WatchRule } from "../../../watch/watch.ts";
import { AGENT_FILES, AGENTS } from "../files/names.ts";
import { SESSIONS, sessionPath } from "../files/session-name.ts";
import { mayWrite } from "../table/paths.ts";
import { teamContract } from "../table/protocol.ts";

/**
 * While a session is under way, a worker may write what its role allows, only while its work is out. The
 * orchestrator may write in the session's folder. Edits of the status file and the task list count as claims and
 * are allowed.
 */
export function watchSession(state: Workflow, usual: readonly Watched[]): readonly Watched[] {
  const held = usual.flatMap(({ rules }) => rules).filter(({ kind }) => kind !== "allowed");
  const history = engineRule(teamContract, state, [
    sessionPath(state.id, "approve-design-history.jsonl"),
  ]);
  const rules = [...held, history, ...allowances(state), ...boundaries(state)];
  return [{ place: "", git: "kept", rules }];
}

function allowances(state: Workflow): readonly WatchRule[] {
  const out = Object.values(state.dispatches).filter((one) => one.status === "open");
  const workers = out.flatMap(({ role }) => {
    const known = AGENTS.find((one) => one === role);
    if (known === undefined) return [];
    const like = mayWrite(role, rootOf(state).at, state.id).map(({ source }) => source);
    return [{ ...allowed(state, []), like, roles: [AGENT_FILES[known].name] }];
  });
  const folder = allowed(state, [`${SESSIONS}/${state.id}/**`]);
  return [...workers, { ...folder, roles: [MAIN_AGENT, AGENT_FILES.Orchestrator.name] }];
}

function allowed({ id }: Workflow, paths: readonly string[]): WatchRule {
  const words = { code: "", rule: "", message: "", fix: "", lift: "" };
  return { kind: "allowed", paths, workflow: id, ...words };
}

function boundaries(state: Workflow): readonly WatchRule[] {
  const lift = `a person does it themselves, or ends the session ${state.id}.`;
  const common = { kind: "role", paths: ["**"], workflow: state.id, lift } as const;
  const out = Object.values(state.dispatches).filter((one) => one.status === "open");
  const roles = out.map((one) => one.role).join(", ");
  return [
    {
      ...common,
      roles: [MAIN_AGENT, AGENT_FILES.Orchestrator.name],
      code: "orchestrator-writes",
      rule: "TC-167",
      message: `{path} is outside the session folder, and ${state.id} is under way: the orchestrator writes no source, tests or configuration.`,
      fix: "Hand the work out and start the agent of its role with that order.",
    },
    {
      ...common,
      code: "role-boundary",
      rule: "TC-169",
      message: `{path} is not for this agent to write while ${roles === "" ? "nobody" : roles} has work from ${state.id}.`,
      fix: "Write only what your role makes; say in your report what somebody else must do.",
    },
  ];
}
