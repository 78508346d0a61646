import type { Command } from "../core/commands.ts";
import { isFresh } from "../core/guard.ts";
import type { RunRow } from "../core/protocol.ts";
import { ROOT } from "../core/state.ts";
import type { Bound, Workflow } from "../core/state.ts";
import type { CheckConfig, Family } from "../ports/family.ts";
import type { RunResult } from "../ports/runner.ts";
import { handle } from "./handle.ts";
import { lookUp } from "./look.ts";
import type { Failed } from "./outcome.ts";
import { openWorld } from "./parts.ts";
import type { Parts } from "./parts.ts";

export type Ran = { readonly kind: "ran"; readonly runs: readonly string[] } | Failed;

/**
 * Run the checks a command's row asks for, unless a result for exactly this tree is there already. Each
 * result is a finding, bound to what it ran on: it goes stale by itself when that changes.
 */
export async function runChecks(
  parts: Parts,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  command: Command,
): Promise<Ran> {
  const runs: string[] = [];
  for (const row of rowsOf(family, state, command)) {
    const check = parts.config.checks[row.check];
    if (check === undefined) continue;
    const bound = await bindRow(parts, family, state, row);
    if (isKnown(state, row.check, bound)) continue;
    const result = await parts.runner.run(check.run, {
      cwd: parts.workspace.root,
      msMax: check.minutes * 60_000,
    });
    const recorded = await record(parts, { family, state }, { row, bound, check, result });
    if (recorded !== undefined) return recorded;
    runs.push(row.check);
  }
  return { kind: "ran", runs };
}

function rowsOf(family: Family, state: Workflow, command: Command): readonly RunRow[] {
  const { kinds, root, dispatches } = family.protocol;
  if (command.type === "unit.move") {
    const kind = state.units[command.unit]?.kind ?? root;
    const at = state.units[command.unit]?.at ?? "";
    const row = kinds[kind]?.moves.find((one) => one.id === command.move && one.from.includes(at));
    return row?.runs ?? [];
  }
  if (command.type === "dispatch.report" && FINISHING.has(command.claim.outcome)) {
    return dispatches[state.dispatches[command.dispatch]?.spec ?? ""]?.runs ?? [];
  }
  if (command.type !== "decision.answer") return [];
  // An answer may set a parked report free again, which then needs its checks.
  const parked = Object.values(state.dispatches).find((one) => one.status === "parked");
  return dispatches[parked?.spec ?? ""]?.runs ?? [];
}

const FINISHING: ReadonlySet<string> = new Set(["success", "state-failure", "OK", "COMPLETE"]);

async function bindRow(parts: Parts, family: Family, state: Workflow, row: RunRow): Promise<Bound> {
  const keys = row.binds.map((key) => key.replaceAll("{id}", state.id));
  return await lookUp(family, openWorld(parts), state, keys);
}

/** Only a pass is reused: a failure may have been the machine's, and is worth another run. */
function isKnown(state: Workflow, check: string, bound: Bound): boolean {
  return Object.values(state.findings).some(
    (one) =>
      one.kind === check && one.value === "passed" && isFresh((key) => bound[key], one.bound),
  );
}

const TAIL_CHARS = 2_000;

async function record(
  parts: Parts,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  run: {
    readonly row: RunRow;
    readonly bound: Bound;
    readonly check: CheckConfig;
    readonly result: RunResult;
  },
): Promise<Failed | undefined> {
  const { row, bound, check, result } = run;
  const passed = result.kind === "exited" && result.code === 0;
  const output = result.kind === "failed" ? result.message : result.output;
  const code = result.kind === "exited" ? `exit ${result.code}` : result.kind;
  const actor = { kind: "engine", name: "holdpoint" } as const;
  const request = { family, workflow: state.id, actor, session: "engine" };
  const value = passed ? "passed" : "failed";
  const finding = await handle(parts, {
    ...request,
    command: { type: "finding.record", unit: ROOT, kind: row.check, by: "engine", value, bound },
  });
  if (finding.kind === "failed") return finding;
  const text = `${check.run.join(" ")}: ${code}, output ${await parts.blobs.put(output)}\n${output.slice(-TAIL_CHARS)}`;
  const noted = await handle(parts, {
    ...request,
    command: { type: "note.add", list: "runs", tag: row.check, text },
  });
  return noted.kind === "failed" ? noted : undefined;
}
