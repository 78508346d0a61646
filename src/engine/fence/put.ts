/**
 * Puts the fence up, takes it down, and opens it for one move. Only a person may do this, and it is recorded in
 * the repository's own journal.
 */
import type { Command } from "../../core/state/commands.ts";
import { canonicalJson, parseJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { object } from "../../core/values/json-read.ts";
import type { Workflow } from "../../core/state/state.ts";
import { remedy } from "../../core/table/remedy.ts";
import { REPOSITORY } from "../../core/state/policy.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import { act, start } from "../engine.ts";
import type { Caller, Found } from "../engine.ts";
import type { Outcome } from "../outcome.ts";
import type { Parts } from "../parts.ts";
import { followPolicy } from "../release/follow.ts";
import { fenceOf, OPENING, REPOSITORY_STREAM, shortRef } from "./state.ts";
import type { Trouble } from "./state.ts";

export type FenceDone = Trouble | { readonly outcome: Outcome; readonly family: Family };

/** The branches named, or those that the configuration protects, or the usual ones that exist. */
export async function putFence(
  parts: Parts,
  caller: Caller,
  branches: readonly string[],
): Promise<FenceDone> {
  // Agree on the policy first: what people release from now on is judged by it.
  await followPolicy(parts);
  const found = await repositoryOf(parts, caller);
  if ("code" in found || "outcome" in found) return found;
  const before = fenceOf(found.state);
  const named = branches.length > 0 ? branches : Object.keys(before?.refs ?? {}).map(shortRef);
  const chosen = await protectedRefs(parts, named);
  if (isProblem(chosen)) return chosen;
  // Already protected branches stay so, from where they stood: repairing the fence cannot hide earlier moves.
  const refs = { ...chosen, ...before?.refs };
  const hook = await parts.fencing.plan(Object.keys(refs));
  if (isProblem(hook)) return hook;
  const now = parts.clock.now();
  const plain: JsonObject = { refs, since: before?.since ?? now, hook };
  const fence = releasedOf(found.state, plain, now) ?? plain;
  const outcome = await act(parts, found, moveOf("fence", { fence }), caller);
  if (!isAgreed(outcome, fence)) return { outcome, family: found.family };
  const put = await parts.fencing.put(Object.keys(refs));
  return isProblem(put) ? put : { outcome, family: found.family };
}

/** Not if it was refused, or waits for more people: then the hook stays as it was. */
function isAgreed(outcome: Outcome, fence: JsonObject): boolean {
  if (outcome.kind === "failed" || outcome.kind === "refused") return false;
  return canonicalJson(object(outcome.state.vars["fence"] ?? null)) === canonicalJson(fence);
}

/**
 * Finds the same fence among earlier signatures, so that the next signer agrees to exactly that one, from that
 * time on.
 */
function releasedOf({ given }: Workflow, fence: JsonObject, now: string): JsonObject | undefined {
  const whole = (one: JsonObject): string => canonicalJson({ ...one, since: "" });
  return Object.values(given)
    .filter(({ gate, expires }) => gate === "fence" && expires > now)
    .map(({ choice }) => object(object(parseJson(choice.slice("fence ".length)) ?? null)["fence"]))
    .find((one) => whole(one) === whole(fence));
}

function isProblem(value: object): value is Trouble {
  return "code" in value && "fix" in value;
}

async function protectedRefs(
  { fencing, git, config }: Parts,
  named: readonly string[],
): Promise<Readonly<Record<string, string>> | Trouble> {
  const wanted = named.length > 0 ? named : (config.protected ?? []);
  const refs: Record<string, string> = {};
  for (const branch of wanted.length > 0 ? wanted : USUAL) {
    const ref = branch.startsWith("refs/") ? branch : `refs/heads/${branch}`;
    const { oid } = await fencing.stands(ref);
    if (oid !== "" || wanted.length > 0) refs[ref] = oid;
  }
  const here = await git.branch();
  if (Object.keys(refs).length === 0 && here !== undefined) refs[`refs/heads/${here}`] = "";
  if (Object.keys(refs).length > 0 && Object.keys(refs).every(isName)) return refs;
  return {
    code: "fence-no-branch",
    message: `There is no branch to protect${Object.keys(refs).length === 0 ? "" : ` of that name: ${Object.keys(refs).join(", ")}`}`,
    fix: remedy("fence", { action: "install", what: "main" }, "Name them"),
  };
}

const USUAL: readonly string[] = ["main", "master"];

/** Whether git accepts this as a branch name. */
function isName(ref: string): boolean {
  return /^refs\/[^\s\p{Cc}~^:?*[\\]+$/u.test(ref) && !/\.\.|@\{|\/$|\.lock$|\/\//.test(ref);
}

export async function takeFence(parts: Parts, caller: Caller, reason: string): Promise<FenceDone> {
  const found = await repositoryOf(parts, caller);
  if ("code" in found || "outcome" in found) return found;
  const before = fenceOf(found.state);
  if (before === undefined) return NOT_UP;
  const outcome = await act(parts, found, moveOf("unfence", {}, reason), caller);
  if (
    outcome.kind === "refused" ||
    outcome.kind === "failed" ||
    fenceOf(outcome.state) !== undefined
  )
    return { outcome, family: found.family };
  parts.fencing.keep("");
  return (await parts.fencing.take(before.hook)) ?? { outcome, family: found.family };
}

const NOT_UP: Trouble = {
  code: "fence-absent",
  message: "No fence was put up here",
  fix: remedy(
    "fence",
    { action: "install" },
    "There is nothing to take down or to open; put one up",
  ),
};

export interface OpenRequest {
  readonly branch: string;
  readonly commit?: string;
  readonly from?: string;
  readonly delete?: boolean;
  readonly reason: string;
}

/** Anybody may ask for it. If a person asks, that counts as the answer where the policy accepts a plain word. */
export async function openFence(
  parts: Parts,
  caller: Caller,
  request: OpenRequest,
): Promise<FenceDone> {
  const found = await repositoryOf(parts, caller);
  if ("code" in found || "outcome" in found) return found;
  const fence = fenceOf(found.state);
  if (fence === undefined) return NOT_UP;
  const ref = Object.keys(fence.refs).find((one) => [one, shortRef(one)].includes(request.branch));
  if (ref === undefined) return notProtected(request.branch, Object.keys(fence.refs));
  const to = request.commit === undefined ? "" : await parts.fencing.resolve(request.commit);
  const stands = (await parts.fencing.stands(ref)).oid;
  const from = request.from === undefined ? stands : await fromOf(parts, request.from);
  if (to === undefined || from === undefined)
    return noCommit((to === undefined ? request.commit : request.from) ?? "");
  const about = { ref, from, to, branch: shortRef(ref), reason: request.reason };
  const asked = await act(
    parts,
    found,
    { type: "decision.ask", question: OPENING, unit: ROOT, about },
    caller,
  );
  if (asked.kind !== "held" || caller.actor.kind !== "person")
    return { outcome: asked, family: found.family };
  const decision = Object.values(asked.state.decisions).findLast(
    (one) =>
      one.question === OPENING &&
      one.status === "open" &&
      one.about["to"] === to &&
      one.about["from"] === from,
  );
  if (decision === undefined) return { outcome: asked, family: found.family };
  const answer = {
    type: "decision.answer",
    decision: decision.id,
    text: "open",
    reason: request.reason,
  } as const;
  const now = { family: found.family, state: asked.state };
  return { outcome: await act(parts, now, answer, caller), family: found.family };
}

async function fromOf({ fencing }: Parts, name: string): Promise<string | undefined> {
  return name === "nothing" ? "" : await fencing.resolve(name);
}

function notProtected(branch: string, refs: readonly string[]): Trouble {
  return {
    code: "fence-no-branch",
    message: `${branch} is not protected, so it needs no opening`,
    fix: `Protected are: ${refs.map(shortRef).join(", ")}.`,
  };
}

function noCommit(name: string): Trouble {
  return {
    code: "commit-unknown",
    message: `git knows no commit "${name}"`,
    fix: "Name a commit that is here, by its id.",
  };
}

function moveOf(move: string, input: JsonObject, reason = ""): Command {
  return { type: "unit.move", unit: ROOT, move, reason, input: { reason, ...input } };
}

/** The repository's workflow; it starts on first use. */
async function repositoryOf(parts: Parts, caller: Caller): Promise<Found | FenceDone> {
  const family = await parts.families.get(REPOSITORY);
  if (family === undefined) throw new Error("Cannot find the protocol of the repository itself");
  if (parts.place.kind === "none" && parts.place.why !== "bare")
    return { code: "no-repository", message: parts.place.message, fix: "Go to a git repository." };
  const { state } = await parts.journal.load(REPOSITORY_STREAM);
  if (ROOT in state.units) return { family, state };
  const begun = await start(parts, family, { id: REPOSITORY, options: {}, caller });
  if (begun.kind === "failed" || begun.kind === "refused") return { outcome: begun, family };
  return { family, state: begun.state };
}
