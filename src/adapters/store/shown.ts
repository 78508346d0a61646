/** What was last shown of each workflow, one small file each, replaced whole. */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../core/json.ts";
import type { Shown, ShownState } from "../../ports/shown.ts";
import { makeDirectory, readOwn } from "./durable.ts";

export function createShown(dir: string, onStep: (step: string) => void = () => undefined): Shown {
  const fileOf = (stream: string): string => join(dir, `${encodeURIComponent(stream)}.json`);
  return {
    read: async (stream) => parseShown(await readOwn(fileOf(stream))),
    write: async (stream, state) => {
      await makeDirectory(dir);
      const temporary = `${fileOf(stream)}.${process.pid}.tmp`;
      // Not synced: lost to a power cut, it only means that everything is shown once more.
      await writeFile(temporary, JSON.stringify(state), { mode: 0o600 });
      onStep("shown.rename");
      await rename(temporary, fileOf(stream));
    },
  };
}

/** A file that cannot be read only means that everything is shown once more. */
function parseShown(text: string): ShownState | undefined {
  const parsed = parseJson(text);
  if (!isJsonObject(parsed) || typeof parsed["seq"] !== "number") return undefined;
  const views = isJsonObject(parsed["views"]) ? parsed["views"] : {};
  const entries = Object.entries(views).map(
    ([path, blob]) => [path, typeof blob === "string" ? blob : null] as const,
  );
  return { seq: parsed["seq"], views: Object.fromEntries(entries) };
}
