import { isJsonArray, isJsonObject, member, showJson } from "../core/values/json.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import { readMeasured, tellUnordered } from "../core/values/measured.ts";
import { text, texts } from "../core/values/json-read.ts";
import type { Protocol } from "../core/table/protocol.ts";
import { ROOT } from "../core/state/state.ts";
import type { Decision, Dispatch, Finding, Workflow } from "../core/state/state.ts";
import { outcomesOf } from "./report.ts";

/**
 * Something that was said about a piece of work, and the files it is about, relative to the top of the worktree.
 */
export interface Said {
  readonly text: string;
  readonly files: readonly string[];
}

/** How a family reads its reports, if it differs from the default. */
export interface Saying {
  /** The words of a report that did not end well. */
  readonly words?: (claim: JsonObject) => readonly string[];
  /** Whether a finished order counts: after it, the role is only told what is new. */
  readonly counts?: (one: Dispatch) => boolean;
  /**
   * All units are parts of one piece of work, done in sequence, so what was said about one matters for the next.
   */
  readonly whole?: boolean;
}

/**
 * What an agent must be told before it starts, oldest first: every answer of a person, every report that did not
 * end well and was not followed by a better one, every failed check. Counted from the last order that this role
 * finished on this unit. After an order that came back without its work, everything is told again.
 */
export function saidSince(
  protocol: Protocol,
  state: Workflow,
  dispatch: Dispatch,
  saying: Saying = {},
): readonly Said[] {
  const { unit } = dispatch;
  const { words = (claim) => [text(claim["summary"])], counts = () => true } = saying;
  const { whole = false } = saying;
  const same = (one: string): boolean => whole || one === unit;
  const last = Object.values(state.dispatches).findLast(
    (one) =>
      one.id !== dispatch.id &&
      one.role === dispatch.role &&
      same(one.unit) &&
      counts(one) &&
      endedWell(protocol, one),
  );
  const since = last?.sentSeq ?? 0;
  const about = (one: string): boolean => same(one) || one === ROOT;
  const answers = Object.values(state.decisions)
    .filter((one) => about(one.unit) || unit === ROOT)
    .flatMap((one) => answerIn(one, state));
  const reports = latestReports(state, same)
    .filter((one) => one.id !== dispatch.id && !endedWell(protocol, one))
    .flatMap((one) => reportIn(one, words));
  const runs = Object.values(state.findings)
    .filter((one) => about(one.unit))
    .flatMap(runIn);
  const strays = state.unordered.map(({ seq, changed }) => ({
    seq,
    text: `${UNORDERED}${tellUnordered(changed)}`,
    files: changedFiles(changed),
  }));
  return [...answers, ...reports, ...runs, ...strays]
    .filter(({ seq }) => seq > since)
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ text: said, files }) => ({ text: said, files }));
}

/** How an entry begins that reports changes made while no order was out. */
export const UNORDERED = "What nobody was ordered to do: ";

function changedFiles(changed: Json): readonly string[] {
  const measured = readMeasured(changed);
  return typeof measured === "object" ? Object.keys(measured.files) : [];
}

interface Dated extends Said {
  readonly seq: number;
}

/** The first outcome of a spec is the one in which its work is done. */
function endedWell(protocol: Protocol, one: Dispatch): boolean {
  return one.outcome !== null && one.outcome === outcomesOf(protocol, one)[0];
}

/** The latest report of each role on the unit, which replaces what that role said before. */
function latestReports(
  { dispatches }: Workflow,
  about: (unit: string) => boolean,
): readonly Dispatch[] {
  const ended = Object.values(dispatches).filter(
    (one) => about(one.unit) && one.status === "ended" && one.claim !== null,
  );
  return [...new Map(ended.map((one) => [one.role, one])).values()];
}

const PROMPT_CHARS_MAX = 300;

function answerIn(decision: Decision, { notes }: Workflow): readonly Dated[] {
  const { id, settled, options, bound, about } = decision;
  if (settled === null || settled.by === "engine") return [];
  const label = options.find((one) => one.id === settled.option)?.label ?? settled.option;
  const words = settled.text.trim();
  const said = words === "" || words === label ? label : `${label} (${words})`;
  // Free text that did not answer the question was still said.
  const before = notes.filter((one) => one.list === "other" && one.tag === id);
  return [
    {
      seq: settled.seq,
      text: [
        `${settled.by} answered "${clip(decision.prompt)}": ${said}`,
        ...before.map((one) => `before that: ${one.text}`),
      ].join("; "),
      files: [
        ...texts([about["file"] ?? null]),
        ...texts(about["files"]),
        ...Object.keys(bound).flatMap((key) => (key.startsWith("digest:") ? [key.slice(7)] : [])),
      ],
    },
  ];
}

function clip(prompt: string): string {
  const line = prompt.trim();
  return line.length > PROMPT_CHARS_MAX ? `${line.slice(0, PROMPT_CHARS_MAX)}…` : line;
}

function reportIn(
  one: Dispatch,
  wordsOf: (claim: JsonObject) => readonly string[],
): readonly Dated[] {
  const claim = one.claim ?? {};
  const words = wordsOf(claim).filter((word) => word.trim() !== "");
  if (words.length === 0) return [];
  const head = `${one.role} (${one.id}) reported ${one.outcome ?? ""}`;
  return [{ seq: one.sentSeq, text: `${head}: ${words.join("; ")}`, files: texts(claim["files"]) }];
}

const TAIL_CHARS_MAX = 1_500;

/** The last output of each failed command of a check. */
const NO_PASS: Readonly<Record<string, string>> = {
  failed: "failed",
  "not-run": "could not be started",
  void: "counts for nothing, because what it judges was written to while it ran",
};

export function runIn({ kind, value, detail, seq }: Finding): readonly Dated[] {
  const how = member(NO_PASS, showJson(value));
  if (how === undefined) return [];
  const runs = detail?.["runs"];
  const tails = (isJsonArray(runs) ? runs : []).flatMap((run) =>
    isJsonObject(run) && run["passed"] !== true ? [showJson(run["tail"] ?? "").trim()] : [],
  );
  const said = tails.map((tail) => `\n${tail.slice(-TAIL_CHARS_MAX)}`).join("");
  return [{ seq, text: `The last run of ${kind} ${how}:${said}`, files: [] }];
}
