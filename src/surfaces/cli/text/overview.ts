/** The tables of `status`: who is working on what, findings, attempts. */
import { ROOT } from "../../../core/state/state.ts";
import type { StatusAnswer } from "../../../operations/status.ts";
import { ageOf, lastsFor } from "./age.ts";
import { folded } from "../terminal/fold.ts";
import { columnsOf, cutTo, padTo } from "../terminal/fit.ts";
import { safe, style } from "../terminal/style.ts";

const CELL_MAX = 28;

export function overviewLines(answer: StatusAnswer, now: string): readonly string[] {
  return [
    ...section("", unitRows(answer, now)),
    ...section("At work", workRows(answer, now)),
    ...section("Verdicts", verdictRows(answer, now)),
    ...section("Attempts", attemptRows(answer)),
    ...section("Refused lately", refusedRows(answer, now)),
  ];
}

/** An empty line before these lines, if there are any. */
export function blankBefore(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  return blankBefore([
    ...(title === "" || rows.length === 0 ? [] : [style().bold(title)]),
    ...folded(table(rows), "--full"),
  ]);
}

/** Columns as wide as their widest cell; the last one may be longer. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const cells = rows.map((row) =>
    row.map((cell, index) => (index === row.length - 1 ? safe(cell) : cutTo(safe(cell), CELL_MAX))),
  );
  const widths = cells.reduce<readonly number[]>(
    (widest, row) => row.map((cell, index) => Math.max(widest[index] ?? 0, columnsOf(cell))),
    [],
  );
  return cells.map((row) =>
    `  ${row.map((cell, index) => padTo(cell, widths[index] ?? 0)).join("  ")}`.trimEnd(),
  );
}

function unitRows(answer: StatusAnswer, now: string): readonly (readonly string[])[] {
  const busy = new Map(answer.dispatches.map((one) => [one.unit, one] as const));
  return answer.units
    .toSorted((a, b) => Number(busy.has(b.unit)) - Number(busy.has(a.unit)))
    .map(({ unit, at }) => {
      const work = busy.get(unit);
      const who =
        work === undefined
          ? ""
          : `${work.role} is at work (${work.id}), ${lastsFor(work.sentAt, now)}`;
      return [unit, at, who];
    });
}

function workRows(answer: StatusAnswer, now: string): readonly (readonly string[])[] {
  const told = new Set(answer.units.map(({ unit }) => unit));
  const rest = answer.dispatches.filter(
    ({ unit, status }) => !told.has(unit) || status === "parked",
  );
  return rest.map(({ id, role, unit, status, sentAt }) => [
    role,
    id,
    unit === ROOT ? answer.workflow : unit,
    `${status === "parked" ? "its report waits, " : ""}${lastsFor(sentAt, now)}`,
  ]);
}

function verdictRows({ verdicts }: StatusAnswer, now: string): readonly (readonly string[])[] {
  return verdicts.map(({ what, unit, by, said, at, fresh, changed }) => [
    `${what.replace(":", " ")}${unit === ROOT ? "" : ` ${unit}`}`,
    by === "engine" ? "Holdpoint" : by,
    said,
    fresh ? ageOf(at, now) : `stale: changed since then: ${changed.map(place).join(", ")}`,
  ]);
}

/** The path in a fact: `tree:src` is the tree below src. */
function place(key: string): string {
  const [, of = ""] = /^[\w-]+:(.+)$/s.exec(key) ?? [];
  return of === "" || of === ROOT ? key.replace(/:\.?$/, "") : of;
}

function attemptRows({ attempts }: StatusAnswer): readonly (readonly string[])[] {
  return attempts.map(({ called, made, max }) => [
    called,
    max === null ? `${made}` : `${made} of ${max}`,
  ]);
}

function refusedRows({ refused }: StatusAnswer, now: string): readonly (readonly string[])[] {
  return refused.map(({ at, by, what, why }) => [
    ageOf(at, now),
    by,
    // The root unit is left out; for people it is the workflow itself.
    what.endsWith(`/${ROOT}`) ? what.slice(0, -2) : what,
    why,
  ]);
}
