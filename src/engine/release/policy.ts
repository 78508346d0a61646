import type { Agreed, Bases, Basis, Policy } from "../../core/state/policy.ts";
import { policyIn, REPOSITORY } from "../../core/state/policy.ts";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { object, text, texts } from "../../core/values/json-read.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family, World } from "../../ports/family.ts";
import type { Journal } from "../../ports/journal.ts";

/**
 * Where the policy comes from. It is read from the protected branch, never from the branch that is to be
 * released.
 */

type Reads = Pick<World, "config" | "settings" | "git" | "place"> & {
  readonly journal: Pick<Journal<Workflow>, "load" | "list" | "read">;
};

/** All policies that apply to a command of this workflow; undefined if there are none. */
export async function boundBy(
  parts: Reads,
  { protocol }: Family,
  own: Workflow,
): Promise<{ readonly policy?: readonly Policy[]; readonly agreed?: Agreed }> {
  const bases = await basesOf(parts, own);
  const all = inForce(bases, protocol.name);
  if (all.length === 0) return {};
  const policy = policiesIn(all, protocol.name);
  if (bases.accepted === undefined || protocol.name === REPOSITORY) return { policy };
  const { head } = await parts.journal.load(STREAM);
  return { policy, agreed: { ...head, basis: bases.accepted } };
}

/** A change of the policy itself is judged only by the old policy. */
export function inForce(
  { accepted, remembered, committed }: Bases,
  protocol: string,
): readonly Basis[] {
  const agreed = present([accepted, remembered]);
  return protocol === REPOSITORY && agreed.length > 0 ? agreed : [...agreed, ...committed];
}

/** The policy covers every gate, so changing it requires what the strictest gate requires. */
export function policiesIn(bases: readonly Basis[], protocol: string): readonly Policy[] {
  const policies = bases.map((one) => one.policy);
  return protocol === REPOSITORY ? policies.flatMap(strictestIn) : policies;
}

function strictestIn(policy: Policy): readonly Policy[] {
  const { gates, ...whole } = policy;
  if (Object.keys(gates).some((key) => key.startsWith(`${REPOSITORY}/`))) return [policy];
  // Who may release differs from gate to gate, so only the way of proving a word is combined.
  const by = whole["by"] ?? null;
  return [{}, ...Object.values(gates)].map((rule) => ({ ...whole, ...rule, by, gates: {} }));
}

export async function basesOf(parts: Reads, own?: Workflow): Promise<Bases> {
  const { state } = await parts.journal.load(STREAM);
  const accepted = readBasis(object(state.vars["accepted"]));
  const remembered = await rememberedBeside(parts, state, own);
  const branches = present([accepted, remembered]).flatMap((one) => one.protected);
  return { accepted, remembered, committed: await committedBases(parts, branches) };
}

const STREAM = `${REPOSITORY}:${REPOSITORY}`;

/**
 * The policy that some workflow was last decided under, if the repository's own journal lacks that record because
 * it was deleted, cut off or rewritten. It applies until a person accepts another one.
 */
async function rememberedBeside(
  { journal }: Reads,
  { notes }: Workflow,
  own: Workflow | undefined,
): Promise<Basis | undefined> {
  const streams = (await journal.list()).map(({ stream, summary }) => ({
    stream,
    at: text(object(summary)["agreed"]),
  }));
  const [last] = streams.filter(({ at }) => at !== "").toSorted((a, b) => (a.at < b.at ? 1 : -1));
  // The list is a cache and could be manipulated to hide a workflow. The workflow of this command is known
  // without it.
  const isOwn = (own?.agreed?.at ?? "") >= (last?.at ?? "");
  const agreed = isOwn ? own?.agreed : last && (await journal.load(last.stream)).state.agreed;
  if (agreed === undefined || agreed === null) return undefined;
  if (notes.some((one) => one.list === ACCEPTS && one.at > agreed.at)) return undefined;
  const [known] = await journal.read(STREAM, agreed.seq - 1, 1);
  return known?.hash === agreed.hash ? undefined : { ...agreed.basis, from: "remembered" };
}

/** The note list in which the repository records accepted policies. */
const ACCEPTS = "policies";

export function readBasis(value: JsonObject): Basis | undefined {
  const policy = policyIn(value);
  if (policy === undefined) return undefined;
  const { signers, revoked, protected: branches } = value;
  return {
    from: "accepted",
    policy,
    protected: texts(branches),
    signers: text(signers),
    revoked: text(revoked),
  };
}

/** Branches protected by default. */
export const USUAL: readonly string[] = ["main", "master"];

async function committedBases(parts: Reads, also: readonly string[]): Promise<readonly Basis[]> {
  const { config, git, place } = parts;
  if (place.kind !== "repository") return present([await headBasis(parts, "worktree")]);
  const names = [...new Set([...also, ...(config.protected ?? []), ...USUAL])];
  const current = await git.branch();
  const found = await Promise.all(
    names.map(async (name) => {
      if (name === current) return [await headBasis(parts, name)];
      const tip = await tipOf(parts, name);
      return tip === undefined ? [] : [await basisAt(showing(git), name, tip)];
    }),
  );
  const tips = found.flat();
  if (tips.length > 0) return present(tips);
  const from = (await git.resolve("HEAD")) === undefined ? "worktree" : "HEAD";
  return present([await headBasis(parts, from)]);
}

function present(bases: readonly (Basis | undefined)[]): readonly Basis[] {
  return bases.filter((one) => one !== undefined);
}

async function tipOf({ git }: Reads, name: string): Promise<string | undefined> {
  return (
    (await git.resolve(`refs/heads/${name}`)) ?? (await git.resolve(`refs/remotes/origin/${name}`))
  );
}

/** The policy in the commit at HEAD, from which the configuration was read. */
export async function headBasis(
  parts: Pick<Reads, "config" | "settings">,
  from: string,
): Promise<Basis | undefined> {
  const { config, settings } = parts;
  // Then the policy was read from the worktree, where anybody could have changed it.
  const { digest } = await settings.read(CONFIG);
  if (digest.startsWith(UNREAD)) return await basisOf(from, UNREADABLE, [], async () => "");
  if (config.policy === undefined) return undefined;
  const branches = config.protected ?? [];
  const read = async (path: string): Promise<string> => {
    const file = await settings.read(path);
    return file.kind === "text" ? file.text : "";
  };
  return await basisOf(from, config.policy, branches, read);
}

/** The policy in another commit. What cannot be read there counts as the strictest. */
export async function basisAt(
  committed: (commit: string, path: string) => Promise<string>,
  from: string,
  commit: string,
): Promise<Basis | undefined> {
  const read = async (path: string): Promise<string> => await committed(commit, path);
  const source = await read(CONFIG);
  if (source === "") return undefined;
  const config = parseJson(source);
  if (!isJsonObject(config)) return await basisOf(from, UNREADABLE, [], read);
  const policy = policyIn(config);
  if (policy === undefined) return undefined;
  return await basisOf(from, policy, texts(config["protected"]), read);
}

function showing({ committed }: Reads["git"]): Parameters<typeof basisAt>[0] {
  return async (commit, path) => new TextDecoder().decode(await committed(commit, path));
}

const CONFIG = "holdpoint.config.json";
/** The prefix in the digest of a file that could not be read from the commit. */
const UNREAD = "unread:";

const UNREADABLE: Policy = { strength: "unreadable", gates: {} };

async function basisOf(
  from: string,
  policy: Policy,
  branches: readonly string[],
  read: (path: string) => Promise<string>,
): Promise<Basis> {
  const signers = await read(text(policy["signers"]) || SIGNERS);
  const revoked = await read(text(policy["revoked"]) || REVOKED);
  return { from, policy, protected: branches, signers, revoked };
}

/** Default paths of the files with people's keys. */
export const SIGNERS = "allowed_signers";
export const REVOKED = "revoked_keys";

/** The keys that count: listed in every basis and revoked in none. */
export function signersIn(bases: readonly Basis[]): {
  readonly signers: string;
  readonly revoked: string;
} {
  const [first, ...others] = bases.map((one) => linesOf(one.signers));
  const signers = (first ?? []).filter((line) => others.every((lines) => lines.includes(line)));
  const revoked = [...new Set(bases.flatMap((one) => linesOf(one.revoked)))];
  return { signers: textOf(signers), revoked: textOf(revoked) };
}

/** Lines that are neither empty nor a comment. */
export function linesOf(file: string): readonly string[] {
  return file
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
