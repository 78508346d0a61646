import type { Refusal } from "../../core/decide/answer.ts";
import { idOf } from "../parts.ts";
import type { Parts } from "../parts.ts";

/**
 * Finds a workflow whose name differs only in case. On many machines `Reverb` and `reverb` are one directory, and
 * each would overwrite the other.
 */
export async function findTwin(
  { journal }: Pick<Parts, "journal">,
  stream: string,
): Promise<Refusal | undefined> {
  const name = stream.toLowerCase();
  for (const one of await journal.streams()) {
    if (one === stream || one.toLowerCase() !== name) continue;
    if ((await journal.load(one)).head.seq > 0) return taken(idOf(stream), idOf(one));
  }
  return undefined;
}

function taken(id: string, twin: string): Refusal {
  return {
    code: "name-taken",
    message: `There is ${twin} already; ${id} differs from it only in capitals`,
    fix: `Go on with it as ${twin}, or choose another name.`,
    rule: "core",
  };
}
