import { fillText } from "../core/draft.ts";
import { isJsonArray, isJsonObject, showJson } from "../core/json.ts";
import type { Protocol } from "../core/protocol.ts";
import { ROOT } from "../core/state.ts";
import type { Dispatch, Workflow } from "../core/state.ts";
import type { Order } from "../ports/family.ts";
import { outcomesOf } from "./report.ts";

/**
 * What an agent is told where the family has no words of its own: the work's order, what it may write, what people
 * said and which checks failed since the last order, and how to report.
 */
export function orderByTable(protocol: Protocol, state: Workflow, dispatch: Dispatch): Order {
  const { id, spec, role, unit } = dispatch;
  const { order = `Do the work called ${spec}.`, makes = [] } = protocol.dispatches[spec] ?? {};
  const outcomes = outcomesOf(protocol, dispatch);
  const about = unit === ROOT ? state.id : `${unit} of ${state.id}`;
  const lines = [
    `You are the ${role} of ${about} (${protocol.title}, now ${state.units[ROOT]?.at ?? ""}).`,
    fillText(order, { state, unit: state.units[unit] ?? { id: unit, data: {} } }),
    ...(makes.length === 0 ? [] : [`Write nothing but: ${makes.join(", ")}.`]),
    ...saidSince(state, dispatch),
    ...failedChecks(state),
    "",
    "When you are done, answer with one JSON object and nothing around it:",
    JSON.stringify({ outcome: outcomes[0] ?? "", files: ["path/of/a/file"], summary: "..." }),
    `outcome: ${outcomes.join(" or ")}. files: the paths you wrote. summary: what you did, in a sentence.`,
  ];
  const data = { outcomes, makes };
  return { dispatch: id, role, prompt: lines.join("\n"), files: [], data };
}

/** What people answered after the last order came back reaches the next one. */
function saidSince({ decisions, dispatches }: Workflow, { id }: Dispatch): readonly string[] {
  const earlier = Object.values(dispatches).filter((one) => one.id !== id);
  const since = Math.max(0, ...earlier.map((one) => one.sentSeq));
  return Object.values(decisions).flatMap(({ prompt, settled, options }) => {
    if (settled === null || settled.seq <= since) return [];
    const label = options.find((one) => one.id === settled.option)?.label ?? settled.option;
    const words = settled.text.trim();
    const said = words === "" || words === label ? label : `${label} (${words})`;
    return [`${settled.by} answered "${prompt}": ${said}`];
  });
}

const TAIL_CHARS_MAX = 1_500;

function failedChecks({ findings }: Workflow): readonly string[] {
  const failed = Object.values(findings).filter((one) => one.value === "failed");
  return failed.flatMap(({ kind, detail }) => {
    const runs = detail?.["runs"];
    const tails = (isJsonArray(runs) ? runs : []).flatMap((run) =>
      isJsonObject(run) && run["passed"] !== true ? [showJson(run["tail"]).trim()] : [],
    );
    return [
      "",
      `The last run of ${kind} failed:`,
      ...tails.map((one) => one.slice(-TAIL_CHARS_MAX)),
    ];
  });
}
