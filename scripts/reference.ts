/** `npm run docs`: the reference pages, written from the tables and the source. A test keeps them current. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { drawMachine, listMoves } from "../src/core/table/draw.ts";
import type { Protocol } from "../src/core/table/protocol.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";
import { operations } from "../src/operations/index.ts";
import { SHARED } from "../src/operations/shapes.ts";
import { isJsonArray, isJsonObject } from "../src/core/values/json.ts";
import type { Json } from "../src/core/values/json.ts";
import type { Schema } from "../src/files/json-schema.ts";
import { refusalsPage } from "./refusals.ts";

/** Every page by its path from the root of the repository. */
export function referencePages(): Readonly<Record<string, string>> {
  const protocols = [pluginWorkflow, teamContract, taskProtocol];
  const pages = protocols.map((one) => [`docs/reference/${one.name}.md`, pageOf(one)] as const);
  const refusals = refusalsPage(join(import.meta.dirname, "../src"));
  return {
    ...Object.fromEntries(pages),
    "docs/reference/refusals.md": refusals,
    ...operationSchemas(),
  };
}

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
  const work = Object.entries(protocol.dispatches).map(([name, spec]) => [
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
