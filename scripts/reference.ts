/** `npm run docs`: the reference pages, written from the tables and the source. A test keeps them current. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawMachine, listMoves } from "../src/core/draw.ts";
import type { Protocol } from "../src/core/protocol.ts";
import { pluginWorkflow } from "../src/protocols/plugin-workflow/table/protocol.ts";
import { taskProtocol } from "../src/protocols/task-protocol/table/protocol.ts";
import { teamContract } from "../src/protocols/team-contract/table/protocol.ts";
import { refusalsPage } from "./refusals.ts";

/** Every page by its path from the root of the repository. */
export function referencePages(): Readonly<Record<string, string>> {
  const protocols = [pluginWorkflow, teamContract, taskProtocol];
  const pages = protocols.map((one) => [`docs/reference/${one.name}.md`, pageOf(one)] as const);
  const refusals = refusalsPage(join(import.meta.dirname, "../src"));
  return { ...Object.fromEntries(pages), "docs/reference/refusals.md": refusals };
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
  for (const [path, text] of Object.entries(referencePages())) writeFileSync(path, text);
