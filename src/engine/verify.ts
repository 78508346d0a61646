import type { VerifiedWorkflow, VerifyFinding } from "../ports/family.ts";
import type { find } from "./engine.ts";
import { idOf, openWorld } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { driftOf } from "./show.ts";

/** Judge everything in this tree by its files, and by its journals where there are any. Changes nothing. */
export async function verifyAll(parts: Parts): Promise<readonly VerifiedWorkflow[]> {
  const world = openWorld(parts);
  const judged = await Promise.all(parts.families.map((family) => family.verify(world)));
  return await addDamage(parts, judged.flat());
}

/** A journal that is damaged is worse than any file: it is named with the workflow it belongs to. */
async function addDamage(
  parts: Parts,
  judged: readonly VerifiedWorkflow[],
): Promise<readonly VerifiedWorkflow[]> {
  const byId = new Map(judged.map((one) => [`${one.protocol}:${one.id}`, one]));
  for (const { stream } of await parts.journal.list()) {
    const { damage } = await parts.journal.verify(stream);
    if (damage === undefined) continue;
    const [protocol = ""] = stream.split(":");
    const known = byId.get(stream) ?? { id: idOf(stream), protocol, exit: 0, findings: [] };
    const finding: VerifyFinding = {
      code: damage.code,
      file: "journal",
      line: damage.line,
      message: damage.message,
      fix: "Restore the journal from a backup; everything before that line is still readable.",
      rule: "S5",
    };
    byId.set(stream, {
      ...known,
      exit: known.exit < 2 ? 2 : known.exit,
      findings: [finding, ...known.findings],
    });
  }
  return [...byId.values()];
}

/** One workflow: its files, its journal, and whether the two agree. */
export async function verifyOne(
  parts: Parts,
  found: Awaited<ReturnType<typeof find>>,
  id: string,
): Promise<readonly VerifiedWorkflow[]> {
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
  const { family, state } = found;
  const drift = await driftOf(parts, family, state);
  const findings = drift.map((message): VerifyFinding => ({
    code: "state-mismatch",
    file: message.split(/[ :]/)[0] ?? "",
    line: 0,
    message,
    fix: `Decide which side is right: holdpoint reconcile ${id}.`,
    rule: "PW-182",
  }));
  const known = judged[0] ?? { id, protocol: family.protocol.name, exit: 0 as const, findings: [] };
  if (findings.length === 0) return [known];
  const exit = known.exit === 0 ? 2 : known.exit;
  return [{ ...known, exit, findings: [...known.findings, ...findings] }];
}
