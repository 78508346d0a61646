import type { Refusal } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import { isJsonObject, showJson } from "../../core/values/json.ts";
import { idOf, protocolOf } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";

/** Names of the workflows under way, the latest last. If there is only one, it need not be named. */
export async function underWay({ journal, families }: Parts): Promise<readonly string[]> {
  const listed = (await journal.list()).toSorted((a, b) => (a.at < b.at ? -1 : 1));
  const open: string[] = [];
  for (const { stream, summary } of listed) {
    const family = await families.get(protocolOf(stream));
    const at = isJsonObject(summary) ? showJson(summary["at"] ?? "") : "";
    const root = family?.protocol.kinds[family.protocol.root];
    // A workflow that always exists must be named.
    const standing = family !== undefined && family.names.standing !== null;
    if (!standing && root?.ends.includes(at) !== true) open.push(stream);
  }
  const ids = open.map(idOf);
  return open.map((stream) => {
    const id = idOf(stream);
    return ids.indexOf(id) === ids.lastIndexOf(id) ? id : stream;
  });
}

/** No workflow was named and there is not exactly one under way. */
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
