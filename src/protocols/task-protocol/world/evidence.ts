import type { Workflow } from "../../../core/state/state.ts";
import { text } from "../../../core/values/json-read.ts";
import { isByAdoption } from "../table/log.ts";
import type { LogEntry } from "../table/log.ts";

/**
 * The evidence for a move: what was reported, run, released and made since the move before it. Those records do
 * not change any more, so neither does a log entry made from them.
 */
export function evidenceFor(
  state: Workflow,
  log: readonly LogEntry[],
  entry: LogEntry,
): readonly string[] {
  if (isByAdoption(entry)) return [entry.reason];
  const since = log[log.indexOf(entry) - 1]?.timestamp ?? "";
  const within = (at: string): boolean => at > since && at <= entry.timestamp;
  const { startedAt, vars } = state;
  const taken = [`taken at ${startedAt}`, `worktree ${text(vars["root"])}/${state.id}/code`];
  const last = log.findLast((one) => one.from === "CLASSIFIED") === entry;
  const chosen = `${text(vars["risk_level"])}: ${text(vars["risk_reason"])}`;
  const reports = Object.values(state.dispatches)
    .filter((one) => one.status === "ended" && within(one.endedAt ?? ""))
    .map((one) => `${one.id} ${one.unit} ${one.spec} ${one.outcome ?? ""}`);
  // A run made before an earlier move counts for this one too, if the tree is the same.
  const ran = state.notes.filter((note) => note.list === "runs" && note.at <= entry.timestamp);
  const runs = [...new Map(ran.map((note) => [note.tag, note])).values()]
    .filter((note) => within(note.at) || entry.from === "VALIDATION")
    .map((note) => `${note.tag} ${(note.text.split("\n")[0] ?? "").trim()}`);
  const answers = Object.values(state.decisions)
    .filter(({ settled }) => settled !== null && within(settled.at))
    .map(({ question, settled, bound }) => {
      const of = Object.values(bound).filter((one) => typeof one === "string");
      const about = of.length === 0 ? "" : ` for ${of.join(", ")}`;
      return `${question} ${settled?.option ?? ""} by ${settled?.by ?? ""}${about}`;
    });
  return [
    ...(entry.reason === "" ? [] : [entry.reason]),
    ...(entry.from === "INIT" ? taken : []),
    ...(last ? [chosen] : []),
    ...reports,
    ...runs,
    ...answers,
  ];
}
