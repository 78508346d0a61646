import { parseTaskJson } from "../files/task-json.ts";
import type { Adopted, World } from "../../../ports/family.ts";
import { LOG } from "../table/log.ts";
import { settingsOf } from "./settings.ts";
import { text } from "../../../core/values/json-read.ts";
import { isTaskState } from "../table/states.ts";

/** Take in a task whose files were written by others. Its approvals are not taken over: nobody can vouch for a flag. */
export async function adopt(world: World, id: string): Promise<Adopted> {
  const vars = settingsOf(world.config);
  const path = `${text(vars["root"]) || ".holdpoint/tasks"}/${id}/task.json`;
  const file = await world.workspace.read(path);
  const { value, problems } = parseTaskJson(file.kind === "text" ? file.text : "", { task: id });
  const state = value?.state ?? "";
  if (value === undefined || !isTaskState(state)) {
    const [problem] = problems;
    const message = problem?.message ?? `${path} cannot be read`;
    const fix = "Mend the lock, or start the task anew.";
    return {
      kind: "refused",
      refusals: [{ code: "adopt-unreadable", message, fix, rule: "TP-215" }],
    };
  }
  const states = ["INIT", ...value.log.map((one) => one.to)];
  return {
    kind: "ready",
    import: {
      at: state,
      vars: {
        ...vars,
        risk_level: value.riskLevel ?? null,
        risk_reason: value.riskLevel === undefined ? "" : "as the files say",
      },
      units: value.requiredAgents.map((agent) => ({
        id: agent,
        kind: "agent",
        at: "ready",
        data: { domain: agent, reason: "as the files say" },
      })),
      notes: value.log.map((one) => ({
        list: LOG,
        tag: `${one.from ?? "INIT"} ${one.to}`,
        text: one.reason ?? "",
        at: one.timestamp,
      })),
      seals: {},
      why: "adopted from files",
      from: { path, states, session: value.sessionId ?? null },
    },
    summary: [
      `${id} stands at ${state}, owned by session ${value.sessionId ?? "(none)"}`,
      ...problems.map((one) => `line ${one.line}: ${one.message}`),
    ],
    confirm: true,
  };
}
