/** Files that several clients read. Each is written once, and removed with the last of these clients. */
import { join } from "node:path";
import type { Place } from "./client.ts";
import { HASH_COMMENT, IN_FRONT_MATTER, blockPart, filePart, jsonPart } from "./parts.ts";
import type { Part } from "./parts.ts";
import { serverEntry } from "./server-entry.ts";
import { commandText, commandsOf, sectionLines } from "./texts.ts";

/** Short commands as skills, which only users can start, not models. */
export function skillParts({ root, families, tools }: Place): readonly Part[] {
  return commandsOf(families).flatMap((command) => {
    const folder = join(root, ".agents/skills", command.name);
    return [
      filePart(
        join(folder, "SKILL.md"),
        [
          "---",
          `name: ${command.name}`,
          `description: "${command.about}"`,
          "disable-model-invocation: true",
          "---",
          commandText(command, "<what the user named>", tools),
        ],
        IN_FRONT_MATTER,
      ),
      filePart(
        join(folder, "agents/openai.yaml"),
        ["policy:", "  allow_implicit_invocation: false"],
        HASH_COMMENT,
      ),
    ];
  });
}

/** The server's entry in `.mcp.json`, which two clients read. */
export function repositoryServerPart({ root, program }: Place): Part {
  return jsonPart(join(root, ".mcp.json"), "repository server", [
    { at: ["mcpServers", "holdpoint"], value: serverEntry("claude", program) },
  ]);
}

export function sectionPart({ root, families, tools }: Place): Part {
  return blockPart(join(root, "AGENTS.md"), "agents section", {
    marks: { begin: "<!-- holdpoint:begin -->", end: "<!-- holdpoint:end -->" },
    lines: sectionLines(families, tools),
  });
}
