/** `npm run docs`: the reference pages, written from the tables and the source. A test keeps them current. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { drawMachine, listMoves } from "../src/core/table/draw.ts";
import type { Protocol } from "../src/core/table/protocol.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { PUBLISHED } from "../src/protocols/team-contract/files/schemas/schemas.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";
import { operations } from "../src/operations/index.ts";
import { SHARED } from "../src/operations/parts/shapes.ts";
import { isJsonArray, isJsonObject } from "../src/core/values/json.ts";
import type { Json, JsonObject } from "../src/core/values/json.ts";
import { configSchema } from "../src/adapters/workspace/config.ts";
import { taskRoots } from "../src/protocols/task-protocol/roots.ts";
import { teamRoots } from "../src/protocols/team-contract/roots.ts";
import type { Schema } from "../src/files/json/schema.ts";
import { COMMANDS } from "../src/surfaces/cli/commands.ts";
import { commandHelp, optionsHelp, verbHelp } from "../src/surfaces/cli/help.ts";
import { VERBS } from "../src/surfaces/cli/verbs/index.ts";
import { clientsPage, readSeen } from "./clients.ts";
import { refusalsPage } from "./refusals.ts";

/** Every page by its path from the root of the repository. */
export function referencePages(): Readonly<Record<string, string>> {
  const protocols = [pluginWorkflow, teamContract, taskProtocol];
  const pages = protocols.map((one) => [`docs/reference/${one.name}.md`, pageOf(one)] as const);
  const refusals = refusalsPage(join(import.meta.dirname, "../src"));
  return {
    ...Object.fromEntries(pages),
    "docs/reference/refusals.md": refusals,
    "docs/reference/commands.md": commandsPage(),
    "docs/reference/configuration.md": configurationPage(),
    "docs/reference/clients.md": clientsPage(readSeen()),
    ...Object.fromEntries(
      Object.entries(PUBLISHED).map(([name, schema]) => [
        `schemas/${name}`,
        `${JSON.stringify(schema, null, 2)}\n`,
      ]),
    ),
    ...operationSchemas(),
  };
}

/** What every command says about itself. */
function commandsPage(): string {
  const verbs = [
    ["options", optionsHelp().text] as const,
    ...Object.entries(VERBS).map(([name, verb]) => [name, verbHelp(verb).text] as const),
  ];
  const others = Object.entries(COMMANDS).map(
    ([name, command]) => [name, commandHelp(name, command).text] as const,
  );
  return [
    "# Commands",
    "",
    "Written from the program by `npm run docs`: what each command's `--help` says. The JSON Schemas of inputs and answers are",
    "in `schemas/operations`.",
    "",
    "| exit | meaning |",
    "| --- | --- |",
    ...EXITS.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    "",
    "`verify` alone answers 0 sound, 1 no handoff, 2 state mismatch, 3 contract changed, 4 stale handoff.",
    ...[...verbs, ...others].flatMap(([name, text]) => [
      "",
      `## ${name}`,
      "",
      "```text",
      text,
      "```",
    ]),
    "",
  ].join("\n");
}

/** Every key of `holdpoint.config.json`, with its default and its limits. */
function configurationPage(): string {
  const schema = configSchema({ ...taskRoots.settings, ...teamRoots.settings });
  return [
    "# Configuration",
    "",
    "Written from the program by `npm run docs`. `holdpoint.config.json` lies at the top of the repository and counts as it is",
    "committed. A key that is not in this table is an error that names the nearest one; so is a key that stands twice. `<name>`",
    "stands for any name.",
    "",
    ...table(["key", "kind", "default", "limits", "what it is for"], keysOf("", schema)),
    "",
  ].join("\n");
}

function keysOf(path: string, schema: JsonObject): readonly (readonly string[])[] {
  const { properties, additionalProperties } = schema;
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  const any = isJsonObject(additionalProperties) ? [["<name>", additionalProperties] as const] : [];
  return [...members, ...any].flatMap(([name, value]) => {
    if (!isJsonObject(value)) return [];
    const key = path === "" ? name : `${path}.${name}`;
    const row = [`\`${key}\``, kindOf(value), shown(value["default"]), limitsOf(value)];
    return [[...row, shown(value["description"])], ...keysOf(key, value)];
  });
}

function kindOf({ type, enum: values, items }: JsonObject): string {
  if (isJsonArray(values)) return values.map((one) => `\`${shown(one)}\``).join(", ");
  return type === "array" && isJsonObject(items) ? `list of ${kindOf(items)}s` : shown(type);
}

function limitsOf({ minimum, maximum }: JsonObject): string {
  if (minimum === undefined && maximum === undefined) return "";
  return `${shown(minimum)} to ${maximum === undefined ? "any" : shown(maximum)}`;
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const EXITS: readonly (readonly [number, string])[] = [
  [0, "done"],
  [1, "the program or the machine failed; nothing was recorded, or what was waits to be finished"],
  [2, "the command line is wrong"],
  [10, "refused, with all the reasons"],
  [11, "held: a person must answer"],
  [12, "another session has the lease"],
];

/** What each operation takes and answers, for clients, tools and forms. */
function operationSchemas(): Readonly<Record<string, string>> {
  const files = operations.flatMap(({ name, purpose, input, result }) => [
    [`${name}.input.json`, { title: `${name}: input`, description: purpose, ...input }] as const,
    [`${name}.result.json`, { title: `${name}: result`, description: purpose, ...result }] as const,
  ]);
  return Object.fromEntries(
    files.map(([name, schema]) => [`schemas/operations/${name}`, schemaFile(schema)]),
  );
}

/** A schema whose shared parts stand once, under their names. */
function schemaFile(schema: Schema): string {
  const $defs: Record<string, Json> = {};
  const referring = (value: Json, top: boolean): Json => {
    if (isJsonArray(value)) return value.map((one) => referring(one, false));
    if (!isJsonObject(value)) return value;
    const [name] = Object.entries(SHARED).find(([, shared]) => shared === value) ?? [];
    if (name !== undefined && !top) {
      $defs[name] ??= referring(value, true);
      return { $ref: `#/$defs/${name}` };
    }
    const members = Object.entries(value).map(([key, one]) => [key, referring(one, false)]);
    return Object.fromEntries(members);
  };
  const body = referring(schema, true);
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  const file = { $schema, ...(isJsonObject(body) ? body : {}), $defs };
  if (Object.keys($defs).length === 0) Reflect.deleteProperty(file, "$defs");
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

function pageOf(protocol: Protocol): string {
  const questions = Object.entries(protocol.questions).map(([name, question]) => [
    name,
    question.prompt.split("\n")[0] ?? "",
    question.options.map(({ id }) => id).join(", "),
    question.rule,
  ]);
  const work = Object.entries(protocol.work).map(([name, spec]) => [
    name,
    spec.role,
    spec.in.join(", "),
    Object.keys(spec.outcomes).join(", "),
    spec.rule,
  ]);
  return [
    `# ${protocol.title}`,
    "",
    "Written from the protocol's table by `npm run docs`; what each rule says is in the protocol's `SPEC.md`.",
    "A thick border marks a state in which a person is asked. Steps that can be taken from nearly anywhere, and",
    "steps back to where one came from, are only in the tables.",
    ...Object.keys(protocol.kinds).flatMap((kind) => machinePage(protocol, kind)),
    "## Questions to a person",
    "",
    ...table(["question", "what is asked", "answers", "rule"], questions),
    "",
    "## Work handed out",
    "",
    ...table(["work", "agent", "in", "outcomes", "rule"], work),
    "",
  ].join("\n");
}

function machinePage(protocol: Protocol, kind: string): readonly string[] {
  return [
    "",
    `## ${kind === protocol.root ? `The ${kind}` : `Each ${kind} in it`}`,
    "",
    "```mermaid",
    drawMachine(protocol, kind).trimEnd(),
    "```",
    "",
    ...table(["step", "from", "to", "who", "refused with", "rule"], listMoves(protocol, kind)),
    "",
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

if (process.argv[1]?.endsWith("reference.ts") === true)
  for (const [path, text] of Object.entries(referencePages())) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
