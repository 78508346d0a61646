import type { Refusal } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import { isJsonObject, showJson } from "../../core/values/json.ts";
import { idOf, protocolOf } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";

/** Names of the workflows that are under way, the latest last: whoever names none means the only one. */
export async function underWay({ journal, families }: Parts): Promise<readonly string[]> {
  const listed = (await journal.list()).toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const open: string[] = [];
  for (const { stream, summary } of listed) {
    const family = await families.get(protocolOf(stream));
    const at = isJsonObject(summary) ? showJson(summary["at"] ?? "") : "";
    const root = family?.protocol.kinds[family.protocol.root];
    // What is always there is never meant by somebody who names nothing.
    const standing = family !== undefined && family.names.standing !== null;
    if (!standing && root?.ends.includes(at) !== true) open.push(stream);
  }
  const ids = open.map(idOf);
  return open.map((stream) => {
    const id = idOf(stream);
    return ids.indexOf(id) === ids.lastIndexOf(id) ? id : stream;
  });
}

/** Nobody guesses which one is meant, and where there is none, nobody makes one up. */
export function unnamed(open: readonly string[]): Refusal {
  const none = open.length === 0;
  return {
    code: "workflow-unnamed",
    message: none ? "Nothing is under way here" : "Several workflows are under way",
    fix: none
      ? remedy("start", {}, "Begin one")
      : `Say which workflow: ${open.slice(-NAMES_MAX).join(", ")}.`,
    rule: "core",
  };
}

const NAMES_MAX = 8;
