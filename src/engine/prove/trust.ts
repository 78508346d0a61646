/** Whether a journal can be trusted, before anything is allowed because of it. */
import { remedy } from "../../core/table/remedy.ts";
import type { Head } from "../../ports/journal.ts";
import type { Trouble } from "../fence/state.ts";
import { protocolOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import type { Found } from "./found.ts";
import { proveFrom } from "./onward.ts";
import { prove } from "./prove.ts";
import type { Proof, Word } from "./prove.ts";
import { judgeReleases } from "./releases.ts";

export interface Trusting {
  /** A record that is already known to be good; only later ones are judged. */
  readonly known?: Head | undefined;
  /** People's words that do not matter here. They are checked wherever somebody relies on them. */
  readonly leaves?: ((word: Word) => boolean) | undefined;
}

/** The result of proving a journal (chain, records, every signature), or why it cannot be trusted. */
export async function trusted(
  parts: Parts,
  stream: string,
  { known, leaves = () => false }: Trusting = {},
): Promise<Proof | Trouble> {
  const family = await parts.families.get(protocolOf(stream));
  if (family === undefined)
    return mistrust(stream, "its protocol is not known here, so nobody can tell what it allows");
  const from = known && (await proveFrom(parts, stream, { family, known }));
  const proof = from ?? (await prove(parts, stream, family));
  const wrong = proof.chain.damage?.message ?? forgedText(proof.forged[0]);
  if (wrong !== undefined) return mistrust(stream, wrong);
  const words = proof.words.filter((one) => !leaves(one));
  return (await distrustWords(parts, stream, { ...proof, words })) ?? proof;
}

/** What is wrong with the words that a journal attributes to people. */
export async function distrustWords(
  parts: Parts,
  stream: string,
  proof: Proof,
): Promise<Trouble | undefined> {
  const found: Found = { bad: [], doubts: [], signatures: 0, commits: 0 };
  await judgeReleases(parts, { stream, proof }, found);
  const [bad] = found.bad;
  return bad && mistrust(stream, `record ${bad.seq}: ${bad.message}`);
}

/** Why a journal cannot be trusted; undefined if it can. */
export async function distrust(parts: Parts, stream: string): Promise<Trouble | undefined> {
  const proof = await trusted(parts, stream);
  return "code" in proof ? proof : undefined;
}

function forgedText(
  forged: { readonly seq: number; readonly message: string } | undefined,
): string | undefined {
  return (
    forged && `record ${forged.seq} is not one that deciding could have made: ${forged.message}`
  );
}

function mistrust(stream: string, why: string): Trouble {
  return {
    code: "fence-journal",
    message: `The journal of ${stream} vouches for nothing: ${why}`,
    fix: remedy("verify", { all: true }, "Restore the journal from a backup; see what is readable"),
  };
}
