/** What to know about a workflow at a glance, besides its state. */
import { isFresh } from "../../core/guards/fresh.ts";
import { rootOf } from "../../core/state/evolve.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Finding } from "../../core/state/state.ts";
import { budgetWords, limitOf } from "../../core/table/budgets.ts";
import { showJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import { isUnknown } from "../../core/values/unknown.ts";
import type { Found } from "../../engine/engine.ts";
import { lookUp } from "../../engine/look/look.ts";
import { streamOf } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";
import type { Schema } from "../../files/json/schema.ts";
import type { World } from "../../ports/family.ts";
import { FLAG, NUMBER, TEXT, TEXTS, listOf, orNull, shape } from "./shapes.ts";

/** Limits that keep it to one screen. The latest entries are kept. */
const VERDICTS_MAX = 12;
const REFUSED_MAX = 3;

export interface Overview {
  /** When it entered its current state. */
  readonly since: string;
  /** Its tasks, phases or agents. */
  readonly units: readonly UnitRow[];
  readonly verdicts: readonly Verdict[];
  readonly attempts: readonly Attempts[];
  /** What was refused since the last step. */
  readonly refused: readonly RefusedLately[];
}

export interface UnitRow {
  readonly unit: string;
  readonly kind: string;
  readonly at: string;
}

export interface Verdict {
  readonly what: string;
  readonly unit: string;
  readonly by: string;
  readonly said: string;
  readonly at: string;
  readonly fresh: boolean;
  /** What has changed, if the verdict no longer counts. */
  readonly changed: readonly string[];
}

export interface Attempts {
  readonly of: string;
  /** Its name for people. */
  readonly called: string;
  readonly made: number;
  readonly max: number | null;
}

export interface RefusedLately {
  readonly at: string;
  readonly by: string;
  readonly what: string;
  readonly why: string;
}

export const OVERVIEW: Readonly<Record<keyof Overview, Schema>> = {
  since: TEXT,
  units: listOf(shape({ unit: TEXT, kind: TEXT, at: TEXT })),
  verdicts: listOf(
    shape({ what: TEXT, unit: TEXT, by: TEXT, said: TEXT, at: TEXT, fresh: FLAG, changed: TEXTS }),
  ),
  attempts: listOf(shape({ of: TEXT, called: TEXT, made: NUMBER, max: orNull(NUMBER) })),
  refused: listOf(shape({ at: TEXT, by: TEXT, what: TEXT, why: TEXT })),
};

export async function overviewOf(parts: Parts, world: World, found: Found): Promise<Overview> {
  const { family, state } = found;
  const units = Object.values(state.units).filter(({ id }) => id !== ROOT);
  return {
    since: await sinceWhen(parts, found),
    units: units.map(({ id, kind, at }) => ({ unit: id, kind, at })),
    verdicts: await verdictsIn(world, found),
    attempts: Object.entries(state.spent).map(([of, made]) => ({
      of,
      called: budgetWords(family.protocol, of),
      made,
      max: limitOf(family.protocol, state.vars, of) ?? null,
    })),
    refused: await refusedLately(parts, found),
  };
}

async function sinceWhen(parts: Parts, { family, state }: Found): Promise<string> {
  const { at, entered } = rootOf(state);
  const seq = entered[at] ?? 1;
  const [record] = await parts.journal.read(streamOf(family, state.id), seq - 1, 1);
  return record?.at ?? state.startedAt;
}

async function verdictsIn(world: World, { family, state }: Found): Promise<readonly Verdict[]> {
  const latest = Object.values(state.findings)
    .toSorted((a, b) => a.seq - b.seq)
    .slice(-VERDICTS_MAX);
  const keys = [...new Set(latest.flatMap(({ bound }) => Object.keys(bound)))];
  const facts = await lookUp(family, world, state, keys);
  return latest.map((one) => verdictOf(one, (key) => facts[key]));
}

function verdictOf(finding: Finding, read: (key: string) => Json | undefined): Verdict {
  const { kind, unit, by, value, at, bound } = finding;
  const changed = Object.entries(bound)
    .filter(([key, then]) => !isFresh(read, { [key]: then }))
    .map(([key]) => {
      const now = read(key) ?? null;
      return isUnknown(now) ? `${key}, which cannot be read` : key;
    });
  return { what: kind, unit, by, said: showJson(value), at, fresh: changed.length === 0, changed };
}

async function refusedLately(
  parts: Parts,
  { family, state }: Found,
): Promise<readonly RefusedLately[]> {
  const all = await parts.refusals.read(streamOf(family, state.id));
  return all
    .filter(({ at }) => at >= state.updatedAt)
    .slice(-REFUSED_MAX)
    .map(({ at, actor, command, step, refusals }) => ({
      at,
      by: actor,
      what: step === "" ? command : step,
      why: refusals[0]?.message ?? "",
    }));
}
