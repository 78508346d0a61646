import type { JsonObject } from "../../../core/values/json.ts";
import { adopt } from "../../../operations/adopt.ts";
import type { AdoptAnswer, AdoptInput } from "../../../operations/adopt.ts";
import type { FailedAnswer } from "../../../operations/parts/answers.ts";
import { said } from "../text/said.ts";
import { cited, safe, style } from "../terminal/style.ts";
import type { Call, Verb } from "../verb.ts";
import { warningLines } from "./list.ts";

type Row = AdoptAnswer["workflows"][number];

export const adoptVerb: Verb<AdoptInput, AdoptAnswer | FailedAnswer> = {
  operation: adopt,
  args: ["workflow"],
  prepare: withState,
  exit: ({ ok, refusals }) => (refusals.length > 0 ? 10 : ok ? 0 : 11),
  text: ({ workflows, commit, warnings = [] }) =>
    workflows.length === 0
      ? "There is nothing here to adopt."
      : [
          ...workflows.flatMap(linesOf),
          ...warningLines(warnings),
          ...(commit === undefined ? [] : [style().good(`✓ Committed: ${commit.short}`)]),
          ...aheadLines(workflows),
        ].join("\n"),
};

/** If the files contradict each other, shows a person at the terminal what each says, and asks. */
async function withState({ context, terminal }: Call, typed: JsonObject): Promise<JsonObject> {
  const { workflow } = typed;
  if (!terminal.interactive || typeof workflow !== "string" || typed["dryRun"] === true)
    return typed;
  if (["at", "side", "numbering"].some((name) => typed[name] !== undefined)) return typed;
  const told = await adopt.run(context, { workflow, dryRun: true });
  const [row] = "workflows" in told ? told.workflows : [];
  const choices = row?.choices ?? [];
  if (row === undefined || choices.length === 0) return typed;
  const lines = choices.map((one, index) => `${index + 1}. ${stateOf(one)}`);
  const asked = [...evidenceLines(row), "", "Where does it really stand?", ...lines];
  const said = await terminal.ask(`${asked.join("\n")}\n\nChoose (1-${choices.length}): `);
  const chosen = choices[Number(said.trim()) - 1];
  return chosen === undefined ? typed : { ...typed, ...chosen.input };
}

/** In words, whether it was phrased already or not. */
function stateOf(choice: NonNullable<Row["choices"]>[number]): string {
  return said(typeof choice === "string" ? choice : (choice.says ?? choice)).replace(
    /: holdpoint .*/s,
    "",
  );
}

/** How to continue with the adopted workflows. */
function aheadLines(workflows: readonly Row[]): readonly string[] {
  const adopted = workflows.filter(({ result }) => result === "adopted");
  const [only] = adopted.length === 1 ? adopted : [];
  if (adopted.length === 0) return [];
  return ["", `    holdpoint ${only === undefined ? "status" : `next ${safe(only.id)}`}`];
}

/** Further choices are listed by name only. */
const CHOICES_MAX = 4;

function choiceLines({ choices = [] }: Row): readonly string[] {
  const rest = choices
    .slice(CHOICES_MAX)
    .map((one) => `${stateOf(one)} (${/--at .*/s.exec(said(one))?.[0] ?? ""})`);
  return [
    ...choices.slice(0, CHOICES_MAX).map((choice) => `    ${safe(said(choice))}`),
    ...(rest.length === 0 ? [] : [`    or one of: ${safe(rest.join("; "))}`]),
  ];
}

function linesOf(one: Row): readonly string[] {
  const { good, bad, bold, dim, warn } = style();
  const marks = {
    adopted: good("✓ adopted"),
    already: dim("✓ already adopted"),
    preview: dim("would adopt"),
    unsure: warn("? needs --yes"),
    refused: bad("✗ refused"),
  };
  const changes = one.result === "adopted" ? [] : (one.changes ?? []);
  return [
    `${marks[one.result]} ${bold(safe(one.id))}`,
    ...one.summary.map((line) => `    ${safe(line)}`),
    ...(one.changes?.length === 0 && one.result !== "adopted" ? ["    no file would change"] : []),
    ...changes.flatMap(({ file, diff }) => [
      `    ${bold(safe(file))}`,
      ...diff.split("\n").map((line) => `      ${painted(safe(line))}`),
    ]),
    ...one.refusals.map(
      (refusal) =>
        `    ${safe(refusal.message)}\n      ${safe(said(refusal.fix))}${cited(refusal)}`,
    ),
    ...evidenceLines(one).map((line) => `    ${line}`),
    ...choiceLines(one),
    ...(one.result === "unsure" ? [`    holdpoint adopt ${safe(one.id)} --yes`] : []),
  ];
}

function evidenceLines({ evidence = [] }: Row): readonly string[] {
  return evidence.length === 0
    ? []
    : ["What there is to go by:", ...evidence.map((line) => `- ${safe(line)}`)];
}

function painted(line: string): string {
  const { good, bad, dim } = style();
  if (line.startsWith("+")) return good(line);
  return line.startsWith("-") ? bad(line) : dim(line);
}
