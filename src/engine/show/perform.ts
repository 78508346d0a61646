import { texts } from "../../core/values/json-read.ts";
import { member, showJson } from "../../core/values/json.ts";
import type { Aim, Effect, Workflow } from "../../core/state/state.ts";
import type { Family, Performed, View } from "../../ports/family.ts";
import type { MergeView } from "../../ports/git.ts";
import type { JournalRecord } from "../../ports/journal.ts";
import { aimAt, attemptOf } from "./aim.ts";
import { isElsewhere, memoryOf } from "./holder.ts";
import type { Settling } from "./holder.ts";
import type { Pending } from "../outcome.ts";
import { lostPart } from "./own-part.ts";
import { eventsOf, openWorld, streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { readSavepoint } from "./prepare.ts";

/** Carries out an effect that a record wants. Any attempt may be a repetition of an earlier one. */
export async function perform(
  parts: Parts,
  of: Settling,
  state: Workflow,
  effect: Effect,
): Promise<Performed> {
  const { family } = of;
  parts.onStep(`effect.${effect.kind}`);
  switch (effect.kind) {
    case "commit":
      return await performCommit(parts, of, state, effect);
    case "restore":
      return await performRestore(parts, of, state, effect);
    default: {
      const adapter = member(family.effects, effect.kind);
      if (adapter === undefined) return unknownEffect(family, effect);
      return await adapter.perform(openWorld(parts), state, effect, attemptOf(parts, of, effect));
    }
  }
}

/**
 * The journal wants an effect that this version of the protocol does not know. It is skipped, so that nothing
 * waits for it forever.
 */
function unknownEffect({ protocol }: Family, { kind }: Effect): Performed {
  return {
    kind: "skipped",
    code: "effect-unknown",
    message: `${protocol.title} knows no effect "${kind}", so it was not done.`,
    fix: "Do it by hand if it is still wanted.",
  };
}

async function performCommit(
  parts: Parts,
  of: Settling,
  state: Workflow,
  effect: Effect,
): Promise<Performed> {
  const { family } = of;
  const savepoint = readSavepoint(effect.args);
  if (savepoint === undefined) {
    const oid = showJson(effect.args["empty"] ?? "");
    return {
      kind: "done",
      detail: { oid, empty: true },
      commit: { oid, short: oid.slice(0, 7) },
      warnings: [],
    };
  }
  if (isElsewhere(parts.processes, effect.by)) return notHere(effect);
  const hash = await recordOf(parts, family, state, effect);
  // One at a time, because two commits would compete for the index and the branch.
  const committed = await parts.turns.take("commit", async () => {
    const merge = await mergeOf(parts, family.views(state), state.id);
    const aim = async (to: Aim) => await aimAt(parts, of, effect, to);
    return await parts.git.commit(savepoint, hash, { merge, aim });
  });
  if (committed.kind === "blocked") {
    const { code, message, fix } = committed;
    return { kind: "pending", pending: { effect: effect.id, code, message, fix } };
  }
  const { oid, short, warnings } = committed;
  return { kind: "done", detail: { oid }, commit: { oid, short }, warnings };
}

/**
 * The commit's tree consists of another clone's files, which are not available here before they are committed
 * there.
 */
function notHere({ id, by }: Effect): Performed {
  const message = `The files of this commit are in ${by?.place ?? ""}, and have not been committed there`;
  const fix =
    "Reconcile there. Where that clone is gone for good, a person does without: reconcile --skip --reason.";
  return { kind: "pending", pending: { effect: id, code: "not-fetched", message, fix } };
}

/** If another workflow has committed its part of a shared file first, our part is merged into that version. */
async function mergeOf(parts: Parts, views: readonly View[], owner: string): Promise<MergeView> {
  const shown = new Map<string, string>();
  for (const { path, carry } of views) {
    const file = carry === undefined ? undefined : await parts.workspace.read(path);
    if (file?.kind === "text") shown.set(path, file.text);
  }
  return (path, theirs, ours) => {
    const view = views.find((one) => one.path === path);
    if (view?.carry === undefined) return undefined;
    const now = shown.get(path);
    const text = view.carry(theirs, now === undefined ? ours : view.carry(now, ours));
    return lostPart(view, { owner, head: theirs, text }) === undefined ? text : undefined;
  };
}

/** The record that a commit must name. After a crash it is found in the journal. */
async function recordOf(
  parts: Parts,
  family: Family,
  state: Workflow,
  effect: Effect,
): Promise<string> {
  const stream = streamOf(family, state.id);
  const wants = (one: JournalRecord): boolean =>
    eventsOf(one).some((event) => event.type === "effect.wanted" && event.effect === effect.id);
  // It is nearly always among the last records, so the whole history is not read for every commit.
  for (const back of [1, 4, 64, state.seq]) {
    const records = await parts.journal.read(stream, Math.max(0, state.seq - back));
    const record = records.findLast(wants);
    if (record !== undefined) return record.hash;
  }
  throw new Error(`Cannot find the record that wanted ${effect.id}`);
}

/** Restores every sealed file that differs, from the copy kept when it was sealed. */
async function performRestore(
  parts: Parts,
  of: Settling,
  state: Workflow,
  effect: Effect,
): Promise<Performed> {
  const memory = memoryOf(parts, of, effect);
  const restored = [...texts((await memory.recall())?.["restored"])];
  for (const seal of Object.values(state.seals)) {
    if (seal.digest === null || (await parts.workspace.digest(seal.artifact)) === seal.digest)
      continue;
    restored.push(seal.artifact);
    await memory.keep({ restored });
    const failed = await restoreOne(parts, seal.artifact, seal.digest);
    if (failed !== undefined) return { kind: "pending", pending: { effect: effect.id, ...failed } };
  }
  return {
    kind: "done",
    detail: { restored: [...new Set(restored)] },
    warnings: restored.map((path) => `restored ${path}`),
  };
}

async function restoreOne(
  parts: Parts,
  path: string,
  digest: string,
): Promise<Omit<Pending, "effect"> | undefined> {
  const blob = await parts.blobs.get(digest.replace(/^sha256:/, ""));
  if (blob.kind !== "found") {
    const message = `The sealed ${path} is not kept here`;
    return {
      code: "seal-copy-missing",
      message,
      fix: `Restore it from git, so that its digest is ${digest}.`,
    };
  }
  const now = await parts.workspace.bytes(path);
  if (now.kind === "unreadable") return now;
  if (now.kind === "bytes") await parts.blobs.put(now.bytes);
  const before = now.kind === "bytes" ? now.bytes : null;
  const installed = await parts.workspace.install(path, blob.bytes, before);
  if (installed.kind === "installed") return undefined;
  if (installed.kind === "failed") return installed;
  return { code: "file-busy", message: `${path} changed while it was restored`, fix: "Try again." };
}
