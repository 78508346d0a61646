import { emit, readFact } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { requireUnit } from "../../state/evolve.ts";
import { bind } from "../../guards/guard.ts";
import { canonicalJson, member } from "../../values/json.ts";
import type { Json } from "../../values/json.ts";
import { changeKey, readingKey, tellUnordered, TIP, unorderedKey } from "../../values/measured.ts";
import { ROOT } from "../../state/state.ts";
import type { Dispatch } from "../../state/state.ts";
import { unknown } from "../../values/unknown.ts";

/**
 * Ends every step by recording how the files look. Whatever changes after that, before the next order goes out,
 * was changed by nobody at work. It is measured with the next order or move, reported, and recorded.
 */
export function noteLeft(draft: Draft): void {
  if (draft.refusals.length > 0) return;
  if (draft.command.type === "workflow.adopt")
    // In a round that still asks for facts, the workflow does not exist yet.
    return Object.hasOwn(draft.state.units, ROOT) ? leave(draft, ROOT) : undefined;
  for (const unit of movedByEffects(draft)) leave(draft, unit);
  const reported = reportedUnits(draft);
  for (const unit of reported) leave(draft, unit);
  if (reported.length > 0 || !STEPS.includes(draft.command.type)) return;
  // Before the first order there is nothing to compare with: the files are what the workflow started from.
  const { dispatches, left } = draft.before;
  const isFirst = Object.keys(left).length === 0;
  if (isFirst && Object.keys(dispatches).length === 0) return;
  const moved = draft.events.some((event) => event.type === "unit.moved" && event.unit === ROOT);
  const told: string[] = [];
  for (const unit of new Set([...(moved ? [ROOT] : []), ...sentUnits(draft)])) {
    const changed = isFirst ? null : (readFact(draft, unorderedKey(unit)) ?? null);
    // Several units may share one directory; a change there is reported once.
    const isNew = changed !== null && !told.includes(canonicalJson(changed));
    if (isNew && !isKept(draft, unit, changed)) {
      told.push(canonicalJson(changed));
      leave(draft, unit, changed);
    } else if (unit === ROOT && moved) leave(draft, unit);
  }
}

function sentUnits({ events }: Draft): readonly string[] {
  return events.flatMap((event) => (event.type === "dispatch.sent" ? [event.unit] : []));
}

const STEPS: readonly string[] = ["unit.move", "dispatch.send", "decision.answer"];

/** What changed since the order. Orders from before Holdpoint measured work have nothing to compare with. */
export function measure(draft: Draft, { id, unit, baseline }: Dispatch): Json {
  if (!Object.hasOwn(baseline, readingKey(unit))) return unknown("it was not measured");
  return readFact(draft, changeKey(id)) ?? unknown("it was not measured");
}

/**
 * Units whose work was reported and measured in this step. Cancelled work is left out, because nobody judged it.
 */
function reportedUnits({ events, before, state }: Draft): readonly string[] {
  const units = events.flatMap((event) =>
    event.type === "dispatch.ended" && event.measured !== undefined && event.outcome !== "cancelled"
      ? (member(before.dispatches, event.dispatch)?.unit ?? [])
      : [],
  );
  // A report may close its own unit; its files are then counted to the root.
  return [...new Set(units.map((unit) => (Object.hasOwn(state.units, unit) ? unit : ROOT)))];
}

/** Merges and file moves that the workflow wanted are its own changes. A commit changes no file. */
function movedByEffects({ events, before, state }: Draft): readonly string[] {
  const moved = events.some(
    (event) =>
      event.type === "effect.settled" && member(before.effects, event.effect)?.kind !== "commit",
  );
  return moved ? Object.keys(before.left).filter((unit) => Object.hasOwn(state.units, unit)) : [];
}

/** A person was shown exactly this change and accepted it, as a finding says. */
function isKept({ state }: Draft, unit: string, changed: Json): boolean {
  const wanted = canonicalJson(changed);
  return Object.values(state.findings).some(({ bound }) => {
    const shown = member(bound, unorderedKey(unit));
    return shown !== undefined && canonicalJson(shown) === wanted;
  });
}

function leave(draft: Draft, unit: string, changed?: Json): void {
  const at = member(draft.state.units, unit) ?? requireUnit(draft.state, ROOT);
  const baseline = bind(draft, at, [readingKey(unit), TIP]);
  emit(draft, {
    type: "work.left",
    unit,
    baseline,
    ...(changed === undefined ? {} : { changed }),
  });
  if (changed === undefined) return;
  const { rules } = draft.protocol;
  const rule = member(rules ?? {}, NOBODY) ?? "core";
  draft.notes.push({ code: NOBODY, message: tellUnordered(changed), rule });
}

const NOBODY = "nobody-at-work";
