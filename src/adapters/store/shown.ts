/** What was last shown of each workflow: one small file each, replaced as a whole. */
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import type { Shown, ShownState } from "../../ports/shown.ts";
import { makeDirectory, readOwn, replaceOwn } from "./durable.ts";

export function createShown(dir: string, onStep: (step: string) => void = () => undefined): Shown {
  const fileOf = (stream: string): string => join(dir, `${encodeURIComponent(stream)}.json`);
  return {
    read: async (stream) => parseShown(readOwn(fileOf(stream))),
    write: async (stream, state) => {
      makeDirectory(dir);
      // Not synced: if it is lost in a power failure, everything is simply shown again.
      replaceOwn(fileOf(stream), JSON.stringify(state), () => onStep("shown.rename"));
    },
  };
}

/** If the file is unreadable, everything is simply shown again. */
function parseShown(text: string): ShownState | undefined {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed) || typeof parsed["seq"] !== "number") return undefined;
  const views = isJsonObject(parsed["views"]) ? parsed["views"] : {};
  const entries = Object.entries(views).map(
    ([path, blob]) => [path, typeof blob === "string" ? blob : null] as const,
  );
  const hash = typeof parsed["hash"] === "string" ? { hash: parsed["hash"] } : {};
  return { seq: parsed["seq"], ...hash, views: Object.fromEntries(entries) };
}
