import { tell } from "../../../engine/prove/audit.ts";
import { remedy } from "../../../core/table/remedy.ts";
import { storiesOf } from "../../../engine/prove/story.ts";
import { find } from "../../../engine/engine.ts";
import type { Found } from "../../../engine/engine.ts";
import { eventsOf, streamOf } from "../../../engine/parts.ts";
import { driftOf } from "../../../engine/show/show.ts";
import { refusedAnswer, standingOf } from "../../../operations/parts/answers.ts";
import type { RefusedAnswer, Standing } from "../../../operations/parts/answers.ts";
import type { Answer } from "../../../operations/operation.ts";
import { closingLines } from "../text/reply.ts";
import { printableJson, safe, style } from "../terminal/style.ts";
import { whereLine } from "../text/where.ts";
import { reachingAloud } from "./store-line.ts";
import type { Call } from "../verb.ts";

const LOOK_MS = 200;

/**
 * Follows a workflow: every record of its journal and every change of its files, until Ctrl-C. For programs one
 * JSON object per line: `state`, `event`, `file`, `drift`, and `store` when the store is gone or back.
 */
export async function watch(call: Call, id: string): Promise<Answer> {
  const { terminal } = call;
  const { parts } = call.context;
  const first = await find(parts, id);
  if (first.kind === "refused") return refusedAnswer(first.refusals);
  const digests = new Map<string, string>();
  await changedFiles(call, first, digests);
  let shown = "";
  const headline = (found: Found): void => {
    const line = terminal.json ? jsonLine("state", stateOf(found)) : headlineOf(found);
    if (line !== shown) terminal.print(line);
    shown = line;
  };
  headline(first);
  const reached = reachingAloud(call);
  for (let seen = first.state.seq; !terminal.interrupted(); await terminal.pause(LOOK_MS)) {
    const found = await reached(() => find(parts, id));
    if (found === undefined) continue;
    if (found.kind === "refused") return gone(id);
    const after = seen;
    const records = await reached(() => parts.journal.read(streamOf(found.family, id), after));
    if (records === undefined) continue;
    for (const record of records) {
      const { at, seq } = record;
      const events = eventsOf(record);
      const lines = terminal.json
        ? events.map((one) => jsonLine("event", { at, seq, event: one.type, text: tell(one) }))
        : storiesOf(found, [{ events }])
            .flat()
            .map((line) => `${style().dim(clock(at))}  ${safe(line)}`);
      for (const line of lines) terminal.print(line);
    }
    const changes = await changedFiles(call, found, digests);
    for (const change of changes) terminal.print(changeLine(change, terminal.json));
    // The journal knows nothing of this edit, so whoever watches is told that it does not count.
    if (changes.length > 0 && records.length === 0)
      for (const drift of await driftOf(parts, found.family, found.state))
        terminal.print(
          terminal.json ? jsonLine("drift", { drift }) : style().warn(`! ${safe(drift)}`),
        );
    seen = records.at(-1)?.seq ?? seen;
    if (records.length > 0) headline(found);
  }
  const ended: Answer & Pick<Standing, "workflow"> = { ok: true, workflow: id };
  return ended;
}

/** The workflow existed when watching began, so it was removed and not mistyped. */
export function gone(workflow: string): RefusedAnswer {
  return refusedAnswer([
    {
      code: "workflow-gone",
      message: `The journal of ${workflow} was here when watching began, and is gone`,
      fix: remedy("verify", { workflow }, "Find out who removed it; what its files still claim"),
      rule: "core",
    },
  ]);
}

function jsonLine(type: string, data: object): string {
  return printableJson({ type, ...data });
}

function stateOf(found: Found): object {
  const { details } = found.family.words.describe(found.state);
  return {
    ...standingOf(found),
    details: Object.fromEntries(details.map(({ name, value }) => [name, value])),
  };
}

/** The local time of day. */
export function clock(at: string): string {
  return new Date(at).toLocaleTimeString("en-GB");
}

function headlineOf({ family, state }: Found): string {
  const { warn } = style();
  const description = family.words.describe(state);
  const tasks = description.details.find(({ name }) => name === "tasks")?.value ?? "";
  return [
    whereLine({ ...description, workflow: state.id }),
    ...(tasks === "" ? [] : [`  ${safe(tasks)}`]),
    ...closingLines(description.closing),
    ...standingOf({ family, state }).held.map(({ id, prompt }) =>
      warn(`  waits for a person: ${id}  ${safe(prompt)}`),
    ),
  ].join("\n");
}

interface FileChange {
  readonly path: string;
  readonly change: "changed" | "gone";
}

function changeLine({ path, change }: FileChange, json: boolean): string {
  if (json) return jsonLine("file", { path, change });
  return style().dim(`          ${path} ${change === "gone" ? "is gone" : "changed"}`);
}

/** State files that have changed since the last look. */
async function changedFiles(
  { context: { parts } }: Call,
  { family, state }: Found,
  digests: Map<string, string>,
): Promise<readonly FileChange[]> {
  const changes: FileChange[] = [];
  for (const { path } of family.views(state)) {
    const digest = (await parts.workspace.digest(path)) ?? "absent";
    const known = digests.get(path);
    digests.set(path, digest);
    if (known !== undefined && known !== digest)
      changes.push({ path, change: digest === "absent" ? "gone" : "changed" });
  }
  return changes;
}
