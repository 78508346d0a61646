/** The page about the clients, from what `npm run test:clients -- --keep` has seen and nothing else. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const SEEN_FILE: string = join(import.meta.dirname, "../test/clients/seen.json");

/** What was seen, kept beside the tests. An outcome is `held`, `red`, or says how the engine caught it. */
export interface Kept {
  readonly groups: readonly {
    readonly name: string;
    readonly cases: Readonly<Record<string, string>>;
  }[];
  readonly clients: Readonly<Record<string, KeptClient>>;
}

export interface KeptClient {
  readonly title: string;
  readonly version: string;
  readonly outcomes: Readonly<Record<string, string>>;
}

const HELD = "held";

export function readSeen(): Kept {
  const kept: Kept = JSON.parse(readFileSync(SEEN_FILE, "utf8"));
  return kept;
}

export function clientsPage({ groups, clients }: Kept): string {
  const names = Object.keys(clients);
  const versions = Object.values(clients).map(({ title, version }) => `${title} ${version}`);
  const rows = groups.flatMap(({ name, cases }) => [
    [`**${name}**`, ...names.map(() => "")],
    ...Object.entries(cases).map(([id, what]) => [
      what,
      ...names.map((client) => wordFor(clients[client]?.outcomes[id])),
    ]),
  ]);
  return [
    "# What each client enforces",
    "",
    "Written by `npm run docs` from what `npm run test:clients -- --keep` saw of the real clients:",
    `${versions.join(", ")}.`,
    "",
    "A hook is the early warning; what is measured at the report is the lock, and holds whatever a client lets pass. `yes`: it is",
    "so. `engine`: the client cannot enforce it; the sentences below the table say how the engine caught it. `RED`: it is not so.",
    "",
    ...[["", ...names], ["", ...names].map(() => "---"), ...rows].map(
      (cells) => `| ${cells.join(" | ")} |`,
    ),
    "",
    "## What a client cannot enforce",
    "",
    ...remarks({ groups, clients }),
    "",
    "## How the hooks are started",
    "",
    "Every client starts a command that is wrapped so that its failure is a no. Claude Code can ask a running server instead",
    "(`install claude --server`): its `http` hooks with `onFailure` stop what they cannot ask about. Codex has no such hooks. Its",
    "`mcp_tool` alone lets everything through when the server is gone, and paired with a shell that waits for the server's word it",
    "stops everything then, reading and work where nothing is held among it, which the command, asking the files, does not. So the",
    "command is used there too: 36 to 53 ms a call, where the pair took 2 to 8.",
    "",
  ].join("\n");
}

function wordFor(outcome: string | undefined): string {
  if (outcome === undefined) return "not run";
  if (outcome === HELD) return "yes";
  return outcome === "red" ? "RED" : "engine";
}

function remarks({ groups, clients }: Kept): readonly string[] {
  const lines = Object.values(clients).flatMap(({ title, outcomes }) =>
    groups.flatMap(({ name, cases }) =>
      Object.entries(cases).flatMap(([id, what]) => {
        const outcome = outcomes[id] ?? "";
        return ["", HELD, "red"].includes(outcome)
          ? []
          : [`- ${title}: ${name.toLowerCase()}, ${what}: ${outcome}.`];
      }),
    ),
  );
  return lines.length === 0 ? ["Nothing of this."] : lines;
}
