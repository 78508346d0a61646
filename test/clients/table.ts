/** What was seen, a row for each case and a column for each client. */
import type { Client } from "../../src/watch/call.ts";
import type { Group, Outcome, Outcomes } from "./lab.ts";

export type Seen = Readonly<Partial<Record<Client, Outcomes>>>;

const WORDS: Readonly<Record<Outcome["kind"], string>> = {
  held: "yes",
  engine: "engine",
  red: "RED",
};

export function outcomeOf(seen: Seen, client: Client, id: string): Outcome {
  return seen[client]?.[id] ?? { kind: "red", why: "it did not run" };
}

/** Markdown, for the terminal and for the page that is kept. */
export function tableOf(groups: readonly Group[], seen: Seen): string {
  const clients = clientsOf(seen);
  const rows = groups.flatMap(({ name, cases }) => [
    [`**${name}**`, ...clients.map(() => "")],
    ...Object.entries(cases).map(([id, what]) => [
      what,
      ...clients.map((client) => WORDS[outcomeOf(seen, client, id).kind]),
    ]),
  ]);
  const head = [["", ...clients], ["", ...clients].map(() => "---")];
  return [...head, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** A sentence for each cell that is not a plain yes. */
export function remarksOn(groups: readonly Group[], seen: Seen): readonly string[] {
  return groups.flatMap(({ name, cases }) =>
    Object.entries(cases).flatMap(([id, what]) =>
      clientsOf(seen).flatMap((client) => {
        const outcome = outcomeOf(seen, client, id);
        const word = WORDS[outcome.kind];
        if (outcome.kind === "held") return [];
        return [`${word}: ${client}, ${name.toLowerCase()}, ${what}: ${outcome.why}`];
      }),
    ),
  );
}

function clientsOf(seen: Seen): readonly Client[] {
  return Object.keys(seen) as readonly Client[];
}
