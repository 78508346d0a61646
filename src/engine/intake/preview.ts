import type { Command } from "../../core/state/commands.ts";
import { evolveAll } from "../../core/state/evolve.ts";
import type { Refusal } from "../../core/decide/answer.ts";
import type { Caller } from "../caller.ts";
import type { Found } from "./find.ts";
import { decideWithLooks } from "../look/look.ts";
import { openWorld } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { renderView } from "../show/render.ts";

/** A state file now and afterwards; null where there is none. */
export interface FileChange {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface Preview {
  readonly refusals: readonly Refusal[];
  readonly changes: readonly FileChange[];
}

/** What a command would write to the state files. It is decided and rendered, but not carried out. */
export async function preview(
  parts: Parts,
  { family, state }: Found,
  command: Command,
  caller: Caller,
): Promise<Preview> {
  const world = openWorld(parts);
  const envelope = { id: "preview", at: world.now, ...caller };
  const decided = await decideWithLooks(family, world, { state, envelope, command });
  if (decided.kind === "refused") return { refusals: decided.refusals, changes: [] };
  const events = "events" in decided ? decided.events : [];
  const after = evolveAll(state, events, { seq: state.seq + 1, at: world.now });
  const changes: FileChange[] = [];
  for (const view of family.views(after)) {
    const file = await parts.workspace.read(view.path);
    const before = file.kind === "text" ? file.text : null;
    const rendered = await renderView(parts, view, before, undefined);
    const text = rendered.kind === "text" ? rendered.text : null;
    if (text !== before) changes.push({ file: view.path, before, after: text });
  }
  return { refusals: [], changes };
}
