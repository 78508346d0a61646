import { cite } from "../../core/table/cite.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family, VerifiedWorkflow, VerifyFinding, World } from "../../ports/family.ts";
import type { find } from "../engine.ts";
import type { Damage } from "../../ports/journal.ts";
import { idOf, openWorld, protocolOf } from "../parts.ts";
import { checkEnd, prove } from "./prove.ts";
import type { Forged, Proof } from "./prove.ts";
import { changedSince } from "./since.ts";
import { missingJournal } from "./unvouched.ts";
import { commitWitnesses, unwitnessed } from "./witnesses.ts";
import type { Witness } from "./witnesses.ts";
import type { Parts } from "../parts.ts";
import { oneLook } from "../look/reading.ts";
import { protocolMissing } from "../intake/find.ts";
import { driftNow } from "../show/drift.ts";
import { remedy } from "../../core/table/remedy.ts";

/** Judges everything in this tree by its files, and by its journals if there are any. Changes nothing. */
export async function verifyAll(parts: Parts): Promise<readonly VerifiedWorkflow[]> {
  // A file shared by many workflows is read once for all of them.
  const own = oneLook(parts);
  const world = openWorld(own);
  const families = await parts.families.all();
  const judged = (await Promise.all(families.map((family) => family.verify.judge(world)))).flat();
  const damages = await findDamages(parts, judged);
  return addDamage(damages, await addDrift(own, damages, judged));
}

/** What is wrong with each journal. Sound ones are left out. */
type Damages = ReadonlyMap<string, readonly VerifyFinding[]>;

/** Checks every journal, including those without a readable record whose workflow still has state files. */
async function findDamages(parts: Parts, judged: readonly VerifiedWorkflow[]): Promise<Damages> {
  // Names are read first: every journal that exists by then must be in the list.
  const names = await parts.journal.streams();
  const listed = new Set((await parts.journal.list()).map((one) => one.stream));
  const damages = new Map<string, readonly VerifyFinding[]>();
  const proofs = new Map<string, Proof>();
  for (const stream of new Set([...names, ...listed, ...judged.map(streamOf)])) {
    const family = await parts.families.get(protocolOf(stream));
    proofs.set(stream, await prove(parts, stream, family));
  }
  const commits = await commitWitnesses(parts, [...proofs.values()]);
  const gone = [...proofs].some(
    ([, { chain }]) => chain.records === 0 && chain.damage === undefined,
  );
  const made = gone ? await parts.git.journaled("") : [];
  for (const [stream, proof] of proofs) {
    const { chain } = proof;
    const missing =
      chain.records === 0 && chain.damage === undefined ? missingJournal(stream, made) : [];
    const hidden = proof.chain.records > 0 && !listed.has(stream);
    const findings = [
      ...missing,
      ...(hidden ? [HIDDEN] : []),
      ...(await unjudged(parts, stream, proof)),
      ...judgeProof(proof, commits.get(stream) ?? []),
    ];
    if (findings.length > 0) damages.set(stream, findings);
  }
  return damages;
}

const HIDDEN: VerifyFinding = {
  code: "snapshot-false",
  file: "journal",
  line: 0,
  message: "the list of workflows leaves it out, and its journal is there",
  fix: "Remove the file _all.json among the snapshots: it is a cache, and is made anew.",
  rule: "S5",
};

/** Reports records that cannot be compared with any table here. */
async function unjudged(
  { families }: Pick<Parts, "families">,
  stream: string,
  { chain }: Proof,
): Promise<readonly VerifyFinding[]> {
  const protocol = protocolOf(stream);
  if (chain.records === 0 || (await families.get(protocol)) !== undefined) return [];
  return [{ ...protocolMissing(idOf(stream), protocol), file: "journal", line: 0 }];
}

function judgeProof(proof: Proof, commits: readonly Witness[]): readonly VerifyFinding[] {
  const { damage } = checkEnd(proof.chain, proof.seen, commits);
  if (damage === undefined) return proof.forged.map(forgedFinding);
  const { code, line, message } = damage;
  return [{ code, file: "journal", line, message, fix: mendOf(damage), rule: "S5" }];
}

function forgedFinding({ seq, message }: Forged): VerifyFinding {
  return {
    code: "record-forged",
    file: "journal",
    line: 0,
    message: `record ${seq} is not one that deciding could have made: ${message}`,
    fix: "Look at the record with audit. If nobody of yours wrote it, restore the journal from a backup from before it.",
    rule: "S5",
  };
}

function streamOf({ protocol, id }: VerifiedWorkflow): string {
  return `${protocol}:${id}`;
}

/**
 * Adds where the files disagree with the journal: they may be well formed and still claim something that never
 * happened.
 */
async function addDrift(
  parts: Parts,
  damages: Damages,
  judged: readonly VerifiedWorkflow[],
): Promise<readonly VerifiedWorkflow[]> {
  const world = writtenOnce(openWorld(parts));
  return await Promise.all(
    judged.map(async (one) => {
      const family = await parts.families.get(one.protocol);
      if (family === undefined || damages.has(streamOf(one))) return one;
      const { state } = await parts.journal.load(streamOf(one));
      if (!(ROOT in state.units)) return one;
      const drift = await driftFindings(parts, family, state);
      const since = [
        ...(await aloneFindings(parts, family, state)),
        ...(await changedSince(world, family, state)),
      ];
      if (drift.length === 0)
        return since.length === 0 ? one : { ...one, findings: [...one.findings, ...since] };
      const { ended, ...rest } = one;
      const exit = one.exit === 0 || ended === true ? 2 : one.exit;
      return { ...rest, exit, findings: [...one.findings, ...drift] };
    }),
  );
}

/** Not an error: the next step writes it again. */
async function aloneFindings(
  parts: Parts,
  family: Family,
  state: Workflow,
): Promise<readonly VerifyFinding[]> {
  const message = await unwitnessed(parts, family, state);
  if (message === undefined) return [];
  const fix = "If nobody restored the store, hold the audit against what people remember of it.";
  return [{ code: "witness-missing", file: "journal", line: 0, message, fix, rule: "S5" }];
}

/**
 * What Holdpoint wrote is looked up once for all workflows, without a time limit, so that it serves each of them.
 */
function writtenOnce(world: World): World {
  let asked: ReturnType<World["written"]> | undefined;
  return { ...world, written: () => (asked ??= world.written("")) };
}

async function driftFindings(
  parts: Parts,
  family: Family,
  state: Workflow,
): Promise<readonly VerifyFinding[]> {
  const { drift } = await driftNow(parts, family, state);
  return drift.map((message) =>
    cite(family.protocol, {
      code: "state-mismatch",
      file: message.split(/[ :]/)[0] ?? "",
      line: 0,
      message,
      fix: remedy("reconcile", { workflow: state.id }, "Decide which side is right"),
      rule: "core",
    }),
  );
}

function mendOf({ code }: Damage): string {
  if (code === "snapshot-false")
    return "Remove the snapshot: it is a cache, and is made anew from the records. Then verify once more.";
  if (code === "journal-event")
    return "Use the version of Holdpoint that wrote it; if none did, restore the journal from a backup.";
  return "Restore the journal from a backup; everything before that line is still readable.";
}

/** A damaged journal is worse than any problem in a file. It is reported with its workflow. */
function addDamage(
  damages: Damages,
  judged: readonly VerifiedWorkflow[],
): readonly VerifiedWorkflow[] {
  const byId = new Map(judged.map((one) => [streamOf(one), one]));
  for (const [stream, found] of damages) {
    const protocol = protocolOf(stream);
    const { exit, findings } = byId.get(stream) ?? { exit: 0, findings: [] };
    byId.set(stream, {
      id: idOf(stream),
      protocol,
      exit: exit < 2 ? 2 : exit,
      findings: [...found, ...findings],
    });
  }
  return [...byId.values()];
}

/** Judges one workflow: its files, its journal, and whether they agree. */
export async function verifyOne(
  parts: Parts,
  found: Awaited<ReturnType<typeof find>>,
  named: string,
): Promise<readonly VerifiedWorkflow[]> {
  const id = found.kind === "refused" ? named : found.state.id;
  const judged = (await verifyAll(parts)).filter((one) => one.id === id);
  if (found.kind === "refused") {
    return judged.length > 0
      ? judged
      : [
          {
            id,
            protocol: "",
            exit: 1,
            findings: found.refusals.map((one) => ({ ...one, file: "", line: 0 })),
          },
        ];
  }
  // The files are judged in the same way as with `--all`, and as in a clone without the journal.
  if (judged[0] !== undefined) return [judged[0]];
  const { family, state } = found;
  const ended = family.verify.ended(state);
  if (ended !== undefined)
    return [{ id, protocol: family.protocol.name, exit: 1, findings: [ended], ended: true }];
  const findings = await driftFindings(parts, family, state);
  return [{ id, protocol: family.protocol.name, exit: findings.length === 0 ? 0 : 2, findings }];
}
