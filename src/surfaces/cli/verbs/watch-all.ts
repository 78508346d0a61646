import { canonicalJson, showJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { list } from "../../../operations/list.ts";
import type { Listed } from "../../../operations/list.ts";
import type { Answer } from "../../../operations/operation.ts";
import { printableJson } from "../terminal/style.ts";
import type { Call } from "../verb.ts";
import { listText, waitingFirst } from "./list.ts";
import { reachingAloud } from "./store-line.ts";
import { onScreen } from "./watch-screen.ts";

const LOOK_MS = 1000;

/** Watches all workflows of the repository: as a page on a terminal, otherwise as a line for each that moved. */
export async function watchAll(call: Call): Promise<Answer> {
  const { context, terminal } = call;
  if (terminal.interactive) {
    const stopped = await onScreen(call, async () =>
      listText(waitingFirst(await list.run(context, {}))),
    );
    return stopped ?? { ok: true };
  }
  const known = new Map<string, string>();
  const reached = reachingAloud(call);
  while (!terminal.interrupted()) {
    const listed = await reached(() => list.run(context, {}));
    const news = listed?.workflows.filter((row) => isNews(row, known)) ?? [];
    for (const row of news)
      terminal.print(terminal.json ? jsonLine(row) : rowText(row, { ...listed, ok: true }));
    await terminal.pause(LOOK_MS);
  }
  return { ok: true };
}

function isNews(row: JsonObject, known: Map<string, string>): boolean {
  const name = `${showJson(row["protocol"])} ${showJson(row["id"])}`;
  const reads = canonicalJson(row);
  if (known.get(name) === reads) return false;
  known.set(name, reads);
  return true;
}

function jsonLine(row: JsonObject): string {
  return printableJson({ type: "workflow", ...row });
}

function rowText(row: JsonObject, listed: Omit<Listed, "workflows">): string {
  const [line = ""] = listText({ ...listed, workflows: [row], warnings: [] }).split("\n");
  return line;
}
