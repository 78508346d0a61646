import type { Refusal, Remedy } from "../../core/decide/answer.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Damage, Loaded } from "../../ports/journal.ts";
import type { Families } from "../families.ts";
import { idOf, protocolOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { nearest } from "../../core/values/nearest.ts";
import { remedy } from "../../core/table/remedy.ts";

export interface Found {
  readonly family: Family;
  readonly state: Workflow;
}

export type Finding<T> = T | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

/** Finds the workflow with this name in any family; `<protocol>:<name>` if two families have it. */
export async function find(
  parts: Parts,
  id: string,
): Promise<Finding<Found & { readonly kind: "found" }>> {
  const loads = await loadAll(parts, id);
  const [first, second] = loads.filter(({ head }) => head.seq > 0);
  if (second !== undefined) return refused(ambiguous(id));
  if (first === undefined) {
    const names = await parts.journal.streams();
    const [meant, other] = names.filter((one) => one.endsWith(`_${id}`));
    // A session's name consists of its date and a topic. People remember the topic, so that alone is enough.
    if (meant !== undefined && other === undefined) return await find(parts, meant);
    return refused(damaged(loads) ?? unknown(id, names.map(idOf)));
  }
  const protocol = protocolOf(first.stream);
  const family = await parts.families.get(protocol);
  if (family === undefined) return refused(...(await undefinedHere(parts, id, protocol)));
  return { kind: "found", family, state: first.state };
}

type Candidate = { readonly stream: string } & Loaded<Workflow>;

/**
 * Loads the journals that the name may mean. The names of the repository's own protocols are only known after
 * reading their files; the journals are quicker to read.
 */
async function loadAll(parts: Parts, id: string): Promise<readonly Candidate[]> {
  const { journal, families } = parts;
  const load = async (streams: readonly string[]): Promise<readonly Candidate[]> =>
    await Promise.all(streams.map(async (stream) => ({ stream, ...(await journal.load(stream)) })));
  if (families.names.includes(protocolOf(id))) return await load([id]);
  const known = families.names.map((name) => `${name}:${id}`);
  const loads = await load(known);
  if (!families.hasOwn && loads.some(({ head }) => head.seq > 0)) return loads;
  const listed = (await journal.streams()).filter(
    (one) => !known.includes(one) && (one === id || idOf(one) === id),
  );
  return [...loads, ...(await load(listed))];
}

/** A journal without a single readable record is reported as well: it may be the one that was meant. */
function damaged(
  loads: readonly { readonly stream: string; readonly damage?: Damage }[],
): Refusal | undefined {
  const [refusal] = loads.flatMap(({ stream, damage }) => {
    if (damage === undefined) return [];
    const message = `The journal of ${stream} is damaged: ${damage.message}`;
    return [{ code: damage.code, message, fix: fixOf(damage), rule: "S5" }];
  });
  return refusal;
}

export function fixOf({ code }: Pick<Damage, "code">): Remedy {
  if (code === "journal-unreadable")
    return "Make the file readable and writable for this user, then try again.";
  const mend =
    code === "journal-event"
      ? "Use the version of Holdpoint that wrote it, or restore the journal from a backup"
      : "Restore the journal from a backup";
  return remedy("verify", { all: true }, `${mend}; see where it is damaged`);
}

function unknown(id: string, names: readonly string[]): Refusal {
  const shown = JSON.stringify(id);
  const like = nearest(id, names);
  const meant = like === undefined ? "" : `; did you mean ${like}?`;
  return {
    code: "workflow-unknown",
    message: `There is no workflow ${shown} here${meant}`,
    fix: remedy("list", {}, "Start it, or adopt existing files; see what there is"),
    rule: "core",
  };
}

function ambiguous(id: string): Refusal {
  return {
    code: "workflow-ambiguous",
    message: `Two protocols have a workflow ${id}`,
    fix: remedy("list", {}, `Name it with its protocol, <protocol>:${id}; see which there are`),
    rule: "core",
  };
}

/** The workflow exists, but its protocol is not defined here. */
async function undefinedHere(
  { families }: Parts,
  id: string,
  protocol: string,
): Promise<readonly Refusal[]> {
  const problems = await unusableProtocols(families);
  if (problems.length > 0) return problems;
  return [protocolMissing(id, protocol)];
}

export function protocolMissing(id: string, protocol: string): Refusal & { readonly fix: string } {
  return {
    code: "protocol-missing",
    message: `${id} follows ${JSON.stringify(protocol)}, and no protocol of that name is known here`,
    fix: "Name the file that defines it under protocols in holdpoint.config.json, or use the version of Holdpoint that knows it.",
    rule: "core",
  };
}

/** Protocol files that cannot be used, one of which may define the missing protocol. */
export async function unusableProtocols(families: Families): Promise<readonly Refusal[]> {
  const problems = await families.problems();
  return problems.map(({ code, message, fix }) => ({ code, message, fix, rule: "core" }));
}

function refused(...refusals: readonly Refusal[]): {
  readonly kind: "refused";
  readonly refusals: readonly Refusal[];
} {
  return { kind: "refused", refusals };
}
