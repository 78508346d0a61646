/** Details that agents look up now and then: longer than a verdict, but still limited. */
import { isJsonArray, isJsonObject, showJson, toJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { phrased } from "../cli/text/phrase.ts";
import { VERBS } from "../cli/verbs/index.ts";
import { clip, some } from "./lines.ts";

const TEXT_MAX = 8_000;
const ROWS_MAX = 20;

/** Members that are useless to an agent, or shown elsewhere. */
const SILENT: readonly string[] = [
  "ok",
  "seq",
  "page",
  "hash",
  "nonce",
  "session",
  "title",
  "remedy",
];

/** Lists whatever an operation answers, one line for each thing. */
export function detailLines(answer: object): readonly string[] {
  const value = phrased(VERBS, toJson(answer));
  const lines = isJsonObject(value) ? membersOf(value) : [showJson(value)];
  const text = lines.join("\n");
  return [
    text.length <= TEXT_MAX
      ? text
      : `${text.slice(0, TEXT_MAX)}\n(cut; the command line shows all)`,
  ];
}

function membersOf(value: JsonObject): readonly string[] {
  return Object.entries(value)
    .filter(([name]) => !SILENT.includes(name))
    .flatMap(([name, one]) => memberLines(name, one));
}

function memberLines(name: string, value: Json): readonly string[] {
  if (typeof value === "string" && value.includes("\n")) return [`${name}:`, value];
  if (!isJsonArray(value)) return [`${name}: ${shown(value)}`];
  if (value.length === 0) return name === "workflows" ? ["no workflows"] : [];
  // Of a history, the end matters most.
  const rows = name === "entries" || name === "refusals" ? value.slice(-ROWS_MAX) : value;
  const more = value.length - rows.length;
  return [
    `${name}${more === 0 ? "" : ` (the last ${rows.length} of ${value.length})`}:`,
    ...some(
      rows.map((one) => `- ${clip(shown(one))}`),
      ROWS_MAX,
    ),
  ];
}

function shown(value: Json): string {
  if (isJsonArray(value)) return value.map(shown).join(", ");
  if (!isJsonObject(value)) return showJson(value);
  return (
    Object.entries(value)
      .filter(([name, one]) => !SILENT.includes(name) && one !== null && shown(one) !== "")
      // Events are shown once, in the shorter form.
      .filter(([name]) => name !== "events" || value["story"] === undefined)
      .map(([name, one]) => `${name} ${shown(one)}`)
      .join(", ")
  );
}
