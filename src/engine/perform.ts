import { showJson } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import type { Effect, Workflow } from "../core/state.ts";
import type { Family } from "../ports/family.ts";
import type { Commit, Pending } from "./outcome.ts";
import { eventsOf, streamOf } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { readSavepoint } from "./prepare.ts";
import { shelve } from "./shelve.ts";

/** What became of one attempt at an effect. Every attempt may be the second one. */
export type Performed =
  | {
      readonly kind: "done";
      readonly detail: JsonObject;
      readonly commit?: Commit;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "pending"; readonly pending: Pending };

export async function perform(
  parts: Parts,
  family: Family,
  state: Workflow,
  effect: Effect,
): Promise<Performed> {
  parts.onStep(`effect.${effect.kind}`);
  switch (effect.kind) {
    case "commit":
      return await performCommit(parts, family, state, effect);
    case "restore":
      return await performRestore(parts, state, effect);
    case "shelve":
      return await performShelve(parts, state, effect);
    default:
      throw new Error(`Cannot perform effect "${effect.kind}": no adapter knows it`);
  }
}

async function performCommit(
  parts: Parts,
  family: Family,
  state: Workflow,
  effect: Effect,
): Promise<Performed> {
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
  const hash = await recordOf(parts, family, state, effect);
  const views = family.views(state);
  const committed = await parts.git.commit(savepoint, hash, (path, theirs, ours) =>
    views.find((view) => view.path === path)?.carry?.(theirs, ours),
  );
  if (committed.kind === "blocked") {
    const { code, message, fix } = committed;
    return { kind: "pending", pending: { effect: effect.id, code, message, fix } };
  }
  const { oid, short, warnings } = committed;
  return { kind: "done", detail: { oid }, commit: { oid, short }, warnings };
}

/** The commit names the record it belongs to; after a crash only the journal still knows which. */
async function recordOf(
  parts: Parts,
  family: Family,
  state: Workflow,
  effect: Effect,
): Promise<string> {
  const records = await parts.journal.read(streamOf(family, state.id));
  const record = records.findLast((one) =>
    eventsOf(one).some((event) => event.type === "effect.wanted" && event.effect === effect.id),
  );
  if (record === undefined) throw new Error(`Cannot find the record that wanted ${effect.id}`);
  return record.hash;
}

/** Put back every sealed artifact that differs, from the copy that was kept when it was sealed. */
async function performRestore(parts: Parts, state: Workflow, effect: Effect): Promise<Performed> {
  const restored: string[] = [];
  for (const seal of Object.values(state.seals)) {
    if (seal.digest === null || (await parts.workspace.digest(seal.artifact)) === seal.digest)
      continue;
    const failed = await restoreOne(parts, seal.artifact, seal.digest);
    if (failed !== undefined) return { kind: "pending", pending: { effect: effect.id, ...failed } };
    restored.push(seal.artifact);
  }
  return {
    kind: "done",
    detail: { restored },
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
    const message = `The sealed text of ${path} is not kept here`;
    return {
      code: "seal-copy-missing",
      message,
      fix: `Restore it from git, so that its digest is ${digest}.`,
    };
  }
  const now = await parts.workspace.read(path);
  if (now.kind === "unreadable") return now;
  if (now.kind === "text") await parts.blobs.put(now.text);
  const text = new TextDecoder().decode(blob.bytes);
  const installed = await parts.workspace.install(
    path,
    text,
    now.kind === "text" ? now.text : null,
  );
  if (installed.kind === "installed") return undefined;
  if (installed.kind === "failed") return installed;
  return { code: "file-busy", message: `${path} changed while it was restored`, fix: "Try again." };
}

async function performShelve(parts: Parts, state: Workflow, effect: Effect): Promise<Performed> {
  const keep = showJson(effect.args["keep"] ?? "")
    .split(",")
    .filter((name) => name !== "");
  const shelved = await shelve(parts.workspace, { id: state.id, keep, label: effect.id });
  if (shelved.kind === "failed")
    return { kind: "pending", pending: { effect: effect.id, ...shelved } };
  return {
    kind: "done",
    detail: { to: shelved.to, paths: shelved.paths },
    warnings: [`what was removed is kept in ${shelved.to}`],
  };
}
