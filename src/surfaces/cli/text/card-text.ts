/** Shows a card: what is to be released, which findings support it, who did the work. */
import type { JsonObject } from "../../../core/values/json.ts";
import { isJsonObject, showJson } from "../../../core/values/json.ts";
import { object, objects, text, texts } from "../../../core/values/json-read.ts";
import { tellMeasured } from "../../../core/values/measured.ts";
import type { Shown } from "../../../engine/release/confirm.ts";
import { folded, isFull } from "../terminal/fold.ts";
import { safe, style } from "../terminal/style.ts";

const LINE_CHARS_MAX = 160;

/** What is shown before a word is confirmed or signed. */
export function cardText(shown: Shown): string {
  const { bold } = style();
  const { card, gate, choice, reason, digest, expires } = shown;
  return [
    ...cardLines(card),
    "",
    `${bold("Release")} ${safe(`"${choice}" at ${gate} of ${card.workflow}`)}${reason === "" ? "" : safe(`, because: ${reason}`)}`,
    `card ${digest.slice(0, 16)}, counts until ${expires}`,
  ].join("\n");
}

export function cardLines(card: JsonObject): readonly string[] {
  const { bold, warn } = style();
  const part = partsOf(safe(text(card["workflow"])));
  const question = isJsonObject(card["question"]) ? card["question"] : undefined;
  // Findings that no longer apply come first, so that a long list cannot hide them.
  const found = objects(card["evidence"]).toSorted(
    (a, b) => Number(a["holds"]) - Number(b["holds"]),
  );
  const evidence = found.map(
    ({ kind, value, by, holds }) =>
      `${holds === true ? "holds" : warn("stale")}  ${safe(`${text(kind)} ${short(value)} (${text(by)})`)}`,
  );
  const work = objects(card["work"]).toReversed().flatMap(workLines);
  const waivers = objects(card["waivers"]).map(({ gate, by, reason }) =>
    safe(
      `${text(gate)}${by === undefined ? "" : ` by ${text(by)}`}${reason === undefined ? "" : `: ${text(reason)}`}`,
    ),
  );
  return [
    bold(
      safe(
        [card["workflow"], card["at"]]
          .map((one) => text(one))
          .filter(Boolean)
          .join("  "),
      ),
    ),
    ...part("Question", question === undefined ? [] : questionLines(question)),
    ...part("Evidence", evidence.length === 0 ? ["none is recorded"] : evidence),
    ...part("Work", work),
    ...part("Authors", texts(card["authors"]).map(safe)),
    ...part("Waived", waivers),
    ...part(
      "Weaker than agreed, and not counted",
      texts(card["weakened"]).map((one) => warn(safe(one))),
    ),
    `Policy: ${safe(ruleText(object(card["rule"])))}`,
  ];
}

export function ruleText({
  strength,
  people,
  notAuthor,
  minutes,
  hardware,
  by,
}: JsonObject): string {
  const also = [
    ...(typeof people === "number" && people > 1 ? [`${people} people`] : []),
    ...(notAuthor === true ? ["none of them an author"] : []),
    ...(hardware === true ? ["with a device"] : []),
    ...(texts(by).length > 0 ? [`only ${texts(by).join(", ")}`] : []),
    ...(strength === "word" ? [] : [`within ${showJson(minutes)} minutes`]),
  ];
  return [STRENGTHS[text(strength)] ?? text(strength), ...also].join(", ");
}

const STRENGTHS: Readonly<Record<string, string>> = {
  word: "a person's word is enough (word)",
  presence: "confirmed at a terminal (presence)",
  signed: "signed with a key (signed)",
};

/** The question, and what each answer would release. */
function questionLines({ prompt, options }: JsonObject): readonly string[] {
  const choices = objects(options).map(({ label }, at) => `${at + 1}. ${text(label)}`);
  return [...text(prompt).split("\n"), ...choices].map(safe);
}

/** What an agent claimed, next to what was measured. */
function workLines(work: JsonObject): readonly string[] {
  const { id, role, agent, outcome, claimed, measured } = work;
  const who = `${text(id)} ${text(role)}${agent === null ? "" : ` (${text(agent)})`}: ${text(outcome) || "out"}`;
  const said = claimedText(object(claimed));
  return [
    safe(who),
    ...(said === "" ? [] : [safe(`  claimed: ${short(said)}`)]),
    ...(measured === null || measured === undefined
      ? []
      : [safe(`  measured: ${short(tellMeasured(measured))}`)]),
  ];
}

/** What the agent says it did, and the files it names. Families list these under different keys. */
function claimedText(claim: JsonObject): string {
  const lists = [claim, object(claim["artifacts"])].flatMap((one) => Object.entries(one));
  const files = lists.flatMap(([name, value]) => (name.includes("file") ? texts(value) : []));
  const words = text(claim["summary"]) || text(claim["description"]);
  return [words, files.join(", ")].filter((one) => one !== "").join("; ");
}

function short(value: Parameters<typeof showJson>[0]): string {
  const line = showJson(value).replaceAll(/\s+/g, " ");
  return isFull() ? line : line.slice(0, LINE_CHARS_MAX);
}

type Part = (title: string, lines: readonly string[]) => readonly string[];

function partsOf(workflow: string): Part {
  const how = `holdpoint hold ${workflow} --full`;
  return (title, lines) =>
    lines.length === 0
      ? []
      : [
          `${title}:`,
          ...folded(
            lines.map((line) => `  ${line}`),
            how,
          ),
        ];
}
