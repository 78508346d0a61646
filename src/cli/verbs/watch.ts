import { tell } from "../../engine/audit.ts";
import { find } from "../../engine/engine.ts";
import type { Found } from "../../engine/engine.ts";
import { eventsOf, streamOf } from "../../engine/parts.ts";
import { openDecisions, refusedReply } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, Reply } from "../verb.ts";

const LOOK_MS = 200;

/** Follow a workflow as it moves: every record of its journal, every change of its files, until Ctrl-C. */
export async function watch(call: Call, first: Found): Promise<Reply> {
  const { terminal, parts } = call;
  const { id } = first.state;
  const digests = new Map<string, string>();
  await changedFiles(call, first, digests);
  terminal.print(headline(first));
  for (let seen = first.state.seq; !terminal.interrupted();) {
    const found = await find(parts, id);
    if (found.kind === "refused") return refusedReply(found.refusals);
    const records = await parts.journal.read(streamOf(found.family, id), seen);
    for (const record of records)
      for (const event of eventsOf(record))
        terminal.print(`${style().dim(record.at)}  ${safe(tell(event))}`);
    for (const line of await changedFiles(call, found, digests)) terminal.print(line);
    seen = records.at(-1)?.seq ?? seen;
    if (records.length > 0) terminal.print(headline(found));
    await terminal.pause(LOOK_MS);
  }
  return { exit: 0, json: { ok: true, workflow: id }, text: "" };
}

function headline({ family, state }: Found): string {
  const { bold, dim, warn } = style();
  const { headline: says, state: at, details } = family.describe(state);
  const tasks = details.find(({ name }) => name === "tasks")?.value ?? "";
  const waits = openDecisions(state).map(({ id }) => id);
  return [
    `${bold(state.id)}  ${says}  ${dim(at)}`,
    ...(tasks === "" ? [] : [`  ${safe(tasks)}`]),
    ...(waits.length === 0 ? [] : [warn(`  waits for a person: ${waits.join(", ")}`)]),
  ].join("\n");
}

/** State files that read differently than at the last look. */
async function changedFiles(
  { parts }: Call,
  { family, state }: Found,
  digests: Map<string, string>,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { path } of family.views(state)) {
    const digest = (await parts.workspace.digest(path)) ?? "absent";
    const known = digests.get(path);
    digests.set(path, digest);
    if (known !== undefined && known !== digest)
      lines.push(style().dim(`  ${path} ${digest === "absent" ? "is gone" : "changed"}`));
  }
  return lines;
}
