/** What must not be touched in the current state, for families that do not define it themselves. */
import { fillText } from "../core/decide/draft.ts";
import { member } from "../core/values/json.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Workflow } from "../core/state/state.ts";
import type { View } from "../ports/family.ts";
import type { Watched, WatchRule } from "../watch/watch.ts";

export interface Watching {
  readonly protocol: Protocol;
  readonly state: Workflow;
  readonly views: readonly View[];
}

/** Protects seals, state files while a question is open, and paths outside those the current work may write. */
export function watchByTable(watching: Watching): readonly Watched[] {
  const rules = [...sealedRules(watching), ...askedRules(watching), ...makesRules(watching)];
  return rules.length === 0 ? [] : [{ place: "", git: "kept", rules }];
}

export function sealedRules({ protocol, state }: Watching): readonly WatchRule[] {
  return Object.values(state.seals).map(({ artifact, why }) => ({
    kind: "sealed",
    paths: [artifact],
    workflow: state.id,
    code: "sealed-artifact",
    rule: protocol.rules?.["sealed-artifact"] ?? "core",
    message: `${artifact} is sealed while work on ${state.id} depends on it${why === "" ? "" : ` (${why})`}.`,
    fix: "Work from it as it is; if it must change, say so in your report.",
    lift: "a person accepts the change when they are asked, or takes the workflow back to planning.",
  }));
}

/**
 * While a question is open, a person must answer it; editing the state file is not a way on. Shared files are
 * left free, because they hold other workflows' parts.
 */
export function askedRules({ protocol, state, views }: Watching): readonly WatchRule[] {
  const asked = Object.values(state.decisions).find((one) => one.status === "open");
  const out = Object.values(state.dispatches).some((one) => one.status === "open");
  const paths = views.filter((one) => !one.shared).map((one) => one.path);
  if (asked === undefined || out || paths.length === 0) return [];
  return [
    engineRule(protocol, state, paths, {
      message: `{path} shows where ${state.id} stands, and it waits for a person (${asked.id}).`,
      lift: `a person answers ${asked.id}; the file follows.`,
    }),
  ];
}

export function engineRule(
  { rules }: Protocol,
  { id }: Workflow,
  paths: readonly string[],
  words: Partial<WatchRule> = {},
): WatchRule {
  return {
    kind: "engine",
    paths,
    workflow: id,
    code: "state-owned",
    rule: rules?.["state-owned"] ?? "core",
    message: `{path} is written from the journal of ${id}, by nobody else.`,
    fix: "Report what was done; the file follows from that.",
    lift: "a person edits it; what it then says is decided like any other claim.",
    ...words,
  };
}

/**
 * While work is out that may only write certain paths, nothing else may be written: it would be measured as part
 * of that work.
 */
function makesRules({ protocol, state, views }: Watching): readonly WatchRule[] {
  const out = Object.values(state.dispatches).filter((one) => one.status === "open");
  const first = out[0];
  if (first === undefined) return [];
  const common = { workflow: state.id, code: "work-outside", message: "", fix: "", lift: "" };
  const rule = protocol.rules?.["work-outside"] ?? "core";
  const makes = out.flatMap(({ spec, unit }) => {
    const known = member(state.units, unit) ?? { id: unit, data: {} };
    const made = member(protocol.work, spec)?.makes ?? ["**"];
    return made.map((one) => fillText(one, { state, unit: known }));
  });
  const paths = [...makes, ...views.map((one) => one.path)];
  const allowed: WatchRule = { ...common, kind: "allowed", rule, paths };
  if (makes.includes("**")) return [allowed];
  const held: WatchRule = {
    ...common,
    kind: "plan",
    rule,
    paths: ["**"],
    message: `{path} is not part of the work that is out for ${state.id} (${first.role}: ${makes.join(", ")}).`,
    fix: "Write only what the order names; report what else would be needed.",
    lift: "a person changes it themselves, or the work is reported first.",
  };
  return [allowed, held];
}
