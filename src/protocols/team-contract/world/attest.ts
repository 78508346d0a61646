import { isJsonArray, isJsonObject, showJson } from "../../../core/values/json.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { checkName, parseAcceptance } from "../files/acceptance-json.ts";
import { sessionPath } from "../files/session-name.ts";
import type { Attestation, World } from "../../../ports/family.ts";
import { tasksOf } from "../table/verdicts.ts";

/** Every `manual:` check of a task or a criterion. */
export async function manualChecks(world: World, state: Workflow): Promise<readonly string[]> {
  const file = await world.workspace.read(sessionPath(state.id, "acceptance.json"));
  const criteria = file.kind === "text" ? (parseAcceptance(file.text).value ?? []) : [];
  const all = [
    ...tasksOf(state).flatMap(({ data }) =>
      isJsonObject(data) && isJsonArray(data["checks"]) ? data["checks"].map(showJson) : [],
    ),
    ...criteria.flatMap(({ verify }) => verify.map(checkName)),
  ];
  return [...new Set(all)].filter((name) => name.startsWith("manual:"));
}

/** Bound to the code, so that a later change makes it stale. */
export async function attests(world: World, state: Workflow, what: string): Promise<Attestation> {
  const manual = await manualChecks(world, state);
  const found = manual.find(
    (name) => name === what || name.slice("manual:".length).trim() === what,
  );
  if (found !== undefined)
    return { kind: "finding", name: `attest:${found}`, binds: ["changes:."] };
  return {
    kind: "refused",
    refusals: [
      {
        code: "check-unknown",
        message: `"${what}" is no manual check of ${state.id}`,
        fix: manual.length === 0 ? "It has none." : `These are: ${manual.join("; ")}.`,
        rule: "TC-179",
      },
    ],
  };
}

/** Criteria, and the two agents that only some sessions need. */
export async function waivable(world: World, { id }: Workflow): Promise<readonly string[]> {
  const file = await world.workspace.read(sessionPath(id, "acceptance.json"));
  const criteria = file.kind === "text" ? (parseAcceptance(file.text).value ?? []) : [];
  return [...criteria.map((one) => one.id), "Designer", "Researcher"];
}
