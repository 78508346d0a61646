import { storiesOf } from "../../../engine/prove/story.ts";
import { find } from "../../../engine/engine.ts";
import { reaching } from "../../../engine/subscribe.ts";
import { eventsOf, streamOf } from "../../../engine/parts.ts";
import type { Answered } from "../../../operations/parts/answers.ts";
import { refusedAnswer } from "../../../operations/parts/answers.ts";
import type { Answer } from "../../../operations/operation.ts";
import { status } from "../../../operations/status.ts";
import type { StatusAnswer } from "../../../operations/status.ts";
import { safe, style } from "../terminal/style.ts";
import type { Call } from "../verb.ts";
import { storeLine } from "./store-line.ts";
import { clock, gone } from "./watch.ts";

const LOOK_MS = 1000;
const MOVED_MAX = 8;

/** A page that is redrawn when something changes, until Ctrl-C or until there is nothing more to show. */
export async function onScreen(
  { terminal, context }: Call,
  look: () => Promise<Answer | string>,
): Promise<Answer | undefined> {
  const screen = terminal.screen(style().dim("Ctrl-C ends it"));
  let last = "";
  let gone = "";
  const reached = reaching(context.parts, (store) => {
    gone = store.state === "gone" ? storeLine(store) : "";
  });
  try {
    while (!terminal.interrupted()) {
      const page = await reached(look);
      if (page !== undefined && typeof page !== "string") return page;
      last = page ?? last;
      screen.draw([last, ...(gone === "" ? [] : ["", gone])].join("\n"));
      await terminal.pause(LOOK_MS);
    }
  } finally {
    screen.close();
  }
  return undefined;
}

/** Watches one workflow. The last page stays on the screen. */
export async function watchScreen(
  call: Call,
  workflow: string,
  draw: (answer: StatusAnswer) => string,
): Promise<Answer> {
  const { parts } = call.context;
  const first = await find(parts, workflow);
  if (first.kind === "refused") return refusedAnswer(first.refusals);
  const stream = streamOf(first.family, workflow);
  const moved: string[] = [];
  let seen = first.state.seq;
  let before: StatusAnswer | undefined;
  const stopped = await onScreen(call, async () => {
    const found = await find(parts, workflow);
    if (found.kind === "refused") return gone(workflow);
    const answer: Answered<Answer> = await status.run(call.context, { workflow });
    if (!isStatus(answer)) return answer;
    const records = await parts.journal.read(stream, seen);
    seen = records.at(-1)?.seq ?? seen;
    for (const record of records)
      for (const line of storiesOf(found, [{ events: eventsOf(record) }]).flat())
        moved.push(`  ${clock(record.at)}  ${safe(line)}`);
    const page = [draw(settled(answer, before)), ...movedLines(moved)].join("\n");
    before = answer;
    return page;
  });
  return stopped ?? before ?? { ok: true };
}

function isStatus(answer: Answer): answer is StatusAnswer {
  return "details" in answer;
}

/**
 * While a step is being written, its files are behind the journal. Only a difference that lasts is somebody's
 * edit.
 */
function settled(answer: StatusAnswer, before: StatusAnswer | undefined): StatusAnswer {
  const lasts = before !== undefined && before.seq === answer.seq;
  return {
    ...answer,
    drift: lasts ? answer.drift.filter((one) => before.drift.includes(one)) : [],
  };
}

function movedLines(moved: readonly string[]): readonly string[] {
  return moved.length === 0 ? [] : ["", style().bold("Moved"), ...moved.slice(-MOVED_MAX)];
}
