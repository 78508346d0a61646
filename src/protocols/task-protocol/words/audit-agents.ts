import type { Event } from "../../../core/state/events.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { judge, movesOf } from "./verdict.ts";
import type { AuditInput, AuditRecord, Verdict } from "./verdict.ts";
import { object, text } from "../../../core/values/json-read.ts";
import { requiredAgents } from "../table/states.ts";

/** What the journal shows about agents: who was asked, how, and who joined when. */
export function agentChecks(input: AuditInput): readonly Verdict[] {
  const { state, records } = input;
  const running = Object.values(state.dispatches)
    .filter((one) => one.status !== "ended")
    .map((one) => `${one.id} (${one.unit})`);
  const ended = state.units["."]?.at === "CLEANUP" ? running : [];
  return [
    judge("2.2", sequential(state)),
    judge("3.1", ended),
    judge("3.2", unheard(input)),
    judge("3.3", selfImplemented(records)),
    judge("3.4", improperAdditions(input)),
  ];
}

/** Agents sent one after the other: each started only when the one before had ended. */
function sequential(state: Workflow): readonly string[] {
  const runs = Object.values(state.dispatches).filter((one) => one.spec === "requirements");
  const first = runs.filter(
    (one, index) => runs.findIndex((other) => other.unit === one.unit) === index,
  );
  if (first.length < 2) return [];
  const overlapping = first.some((one, index) =>
    first.slice(index + 1).some((other) => one.endedAt === null || other.sentAt < one.endedAt),
  );
  return overlapping ? [] : first.map((one) => `${one.unit} from ${one.sentAt}`);
}

function unheard({ state, records }: AuditInput): readonly string[] {
  const reviewed = movesOf(records).some((one) => one.to === "REVIEW");
  const presented = state.units["."]?.entered["AWAITING_USER_APPROVAL"];
  if (!reviewed || presented === undefined) return [];
  return requiredAgents(state)
    .filter(
      (agent) =>
        !Object.values(state.findings).some((one) => one.kind === "review" && one.by === agent),
    )
    .map((agent) => `${agent} never reviewed`);
}

/** Edits by the coordinator, seen by hooks, while agents should have been writing. */
function selfImplemented(records: readonly AuditRecord[]): readonly string[] {
  let at = "INIT";
  return records.flatMap(({ seq, events }) =>
    events.flatMap((event) => {
      if (event.type === "unit.moved" && event.unit === ".") at = event.to;
      if (event.type !== "note.added" || event.list !== "tools") return [];
      const [tool = "", agent = ""] = event.tag.split(" ");
      const coordination = /(?:^|\/)(?:todo|changelog|task)\.md$/.test(event.text);
      const own = agent === "" || agent === "main";
      return own && at === "IMPLEMENTATION" && !coordination
        ? [`record ${seq}: ${tool} ${event.text}`]
        : [];
    }),
  );
}

const FORBIDDEN: readonly string[] = ["VALIDATION", "REVIEW"];

/** Four wrong ways to join: without a reason, at the wrong time, to outvote somebody, or unrecorded. */
function improperAdditions({ state, records }: AuditInput): readonly string[] {
  let at = "INIT";
  const rejecting = new Set<string>();
  return records.flatMap(({ seq, events }) =>
    events.flatMap((event) => {
      if (event.type === "unit.moved" && event.unit === ".") at = event.to;
      if (
        event.type === "finding.recorded" &&
        (event.kind === "review" || event.kind === "round")
      ) {
        if (event.value === "REJECTED") rejecting.add(event.by);
        else rejecting.delete(event.by);
      }
      if (!isAddition(event)) return [];
      const reasons = Object.values(object(event.data["justification"])).filter(
        (one) => text(one).trim() !== "",
      );
      const domain = text(event.data["domain"]) || event.unit.replace(/-\d+$/, "");
      return [
        ...(reasons.length < 4
          ? [`record ${seq}: ${event.unit} joined without a justification`]
          : []),
        ...(FORBIDDEN.includes(at) ? [`record ${seq}: ${event.unit} joined in ${at}`] : []),
        ...([...rejecting].some((one) => one.replace(/-\d+$/, "") === domain)
          ? [`record ${seq}: ${event.unit} joined against an open rejection`]
          : []),
        ...(state.units[event.unit] === undefined
          ? [`record ${seq}: ${event.unit} is not among the required agents`]
          : []),
      ];
    }),
  );
}

function isAddition(event: Event): event is Extract<Event, { type: "unit.opened" }> {
  return event.type === "unit.opened" && event.kind === "agent" && "added_at" in event.data;
}
