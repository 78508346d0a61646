import { compareTexts, isJsonObject, showJson } from "../../../core/json.ts";
import type { JsonObject } from "../../../core/json.ts";
import { ageOf } from "../age.ts";
import { safe, style } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const listVerb: Verb = {
  summary: "All workflows of this repository, the latest first",
  usage: "list",
  options: {},
  examples: ["holdpoint list", "holdpoint list --json"],
  readOnly: () => true,
  run,
};

async function run({ parts }: Call): Promise<Reply> {
  const now = parts.clock.now();
  const rows = (await parts.journal.list())
    .flatMap(({ summary }) => (isJsonObject(summary) ? [summary] : []))
    .toSorted((a, b) => compareTexts(showJson(b["updatedAt"]), showJson(a["updatedAt"])));
  const { dim } = style();
  const text =
    rows.length === 0
      ? `No workflows here yet. ${dim("Begin with holdpoint start <name>, or take over existing files with holdpoint adopt --all.")}`
      : rows.map((row) => line(row, now)).join("\n");
  return { exit: 0, json: { ok: true, workflows: rows }, text };
}

function line(row: JsonObject, now: string): string {
  const { bold, dim, warn } = style();
  const waits =
    Number(row["open"]) > 0
      ? warn("  waits for a person")
      : Number(row["out"]) > 0
        ? "  an agent is at work"
        : "";
  const name = safe(showJson(row["id"])).padEnd(24);
  const state = showJson(row["at"]).padEnd(12);
  return `${bold(name)} ${state} ${dim(`${showJson(row["protocol"])}, ${ageOf(showJson(row["updatedAt"]), now)}`)}${waits}`;
}
